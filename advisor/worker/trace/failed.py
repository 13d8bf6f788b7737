"""Why a model could not be traced: a fault of the world with its message id."""

from __future__ import annotations

from typing import Literal

import torch

from advisor.core.sentences import Reason, SaidError

TraceFault = Literal[
    "trace-depends-on-data",
    "trace-shape-depends-on-data",
    "trace-depends-on-batch",
    "trace-packed-lengths",
    "trace-nothing-to-train",
    "trace-no-parameters",
    "trace-unrated-type",
    "trace-sparse",
    "trace-runs-too-long",
    "trace-torchvision-unfit",
]
_LONGEST = 300


class TraceFailed(SaidError):  # noqa: N818 - what happened, as the runner reports it
    """The trace ended without a table; `fault` is a message of the catalogue, the cause is chained."""

    def __init__(self, fault: TraceFault, detail: str, **figures: float) -> None:
        """`detail`: the operator, or what differs; `figures`: what else the message tells."""
        super().__init__((Reason.of(fault, detail=detail[:_LONGEST], **figures),))
        self.fault = fault


def refuse_sparse(tensor: torch.Tensor, made_by: str) -> None:
    """Raise TraceFailed for a tensor that lies in memory as places and values."""
    if tensor.layout is not torch.strided:
        raise TraceFailed("trace-sparse", made_by)
