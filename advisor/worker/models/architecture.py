"""What a source of models gives: the bare module with its batches, loss and outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import Dataset

from advisor.catalogue.precisions import PRECISION_FACTS, ComputedPrecision
from advisor.core.sentences import Reason, SaidError
from advisor.worker.models.batches import Batch


def usual_loss(outputs: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy of the outputs against the targets; mean squared error where targets are no classes."""
    if targets.is_floating_point():
        return functional.mse_loss(outputs, targets)
    return functional.cross_entropy(outputs, targets.to(torch.long))


FORMATS = {"fp16": torch.float16, "bf16": torch.bfloat16}
HALF_DTYPES: dict[ComputedPrecision, torch.dtype] = {
    name: FORMATS[row.half_format] for name, row in PRECISION_FACTS.items() if row.half_format and row.half_weights
}


@dataclass(frozen=True)
class Architecture:
    """What a source gives: the bare module, its data and its loss, before freezing, casting and layout."""

    module: nn.Module
    make_batch: Callable[[int], Batch]
    """Batch size -> a fresh random batch of CPU tensors (fakes under a fake mode)."""
    loss: Callable[[nn.Module, Batch], Tensor]
    """One forward pass up to the scalar loss: the user's `training_step`, or the source's own."""
    outputs: Callable[[nn.Module, Batch], Any]
    """One forward pass without a loss, for `mode = "inference"`."""
    choose_trainable: Callable[[nn.Module], None] | None = None
    make_dataset: Callable[[], Dataset[Any]] | None = None
    """The user's own data set; its samples collate to what `make_batch` draws."""
    head_names: tuple[str, ...] = ()
    """Name prefixes of the parameters that belong to the task's head; empty: the last layer with parameters."""
    block_count: int | None = None
    """Repeated blocks that were built, and that the whole model has; None where the source knows no blocks."""
    full_block_count: int | None = None
    notes: tuple[Reason, ...] = ()
    """Where the module differs from what the workload asks (attention not offered, bits that are only predicted)."""


MIXED_TYPES = "of tensors of different types"
"""What a trace says of a product that no device computes."""


class NotRunning(SaidError):  # noqa: N818 - what happened, as the caller tells it
    """A model is built, but its forward does not take the batch that was made for it."""


def under_fake_mode() -> bool:
    """Whether tensors made now are fakes without storage."""
    from torch._guards import detect_fake_mode

    return detect_fake_mode() is not None
