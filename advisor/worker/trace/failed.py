"""Why a model could not be traced: a fault of the world with its message id."""

from __future__ import annotations

from typing import Literal

from advisor.core.errors import UserFacingError

TraceFault = Literal[
    "trace-depends-on-data",
    "trace-shape-depends-on-data",
    "trace-depends-on-batch",
    "trace-nothing-to-train",
    "trace-unrated-type",
]

_TEXTS: dict[TraceFault, tuple[str, str]] = {
    "trace-depends-on-data": (
        "The model decides by the values of its tensors ({detail}), so it cannot be traced without running it.",
        "It is measured instead where a device can run it; for other GPUs describe it by numbers.",
    ),
    "trace-shape-depends-on-data": (
        "The model makes a tensor whose size depends on values ({detail}), so it cannot be traced without running it.",
        "It is measured instead where a device can run it; for other GPUs describe it by numbers.",
    ),
    "trace-depends-on-batch": (
        "The model runs other operators at another batch size: {detail}.",
        "It is measured instead where a device can run it; for other GPUs describe it by numbers.",
    ),
    "trace-unrated-type": (
        "The model computes in a type of which no speed is known here ({detail}): it would pass for FP32.",
        "Train it in float32, or describe it by numbers.",
    ),
    "trace-nothing-to-train": (
        "The loss does not depend on any trainable parameter{detail}.",
        "Check `training.trainable`: with tied weights a head may have no parameters of its own.",
    ),
}


class TraceFailed(UserFacingError):  # noqa: N818 - what happened, as the runner reports it
    """The trace ended without a table; `reason_code` is a message of the catalogue, the cause is chained."""

    def __init__(self, reason_code: TraceFault, detail: str) -> None:
        """`detail`: the operator, or what differs."""
        text, remedy = _TEXTS[reason_code]
        super().__init__(text.format(detail=detail[:300]), remedy)
        self.reason_code = reason_code
