"""What is asked of a published run, and what is answered."""

from __future__ import annotations

from typing import Literal

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.core.records import Record
from advisor.core.sentences import Reason
from advisor.core.units import Estimate
from advisor.evaluate.run_row import RunRow
from advisor.workload.workload import Workload


class RowQuestion(Record, frozen=True, kw_only=True):
    """A row with the workload and the card that it names."""

    row: RunRow
    workload: Workload
    spec: GpuSpec
    variants: tuple[GpuSpec, ...] = ()
    """Every card that the row may mean, where it names a card without its form or memory; `spec` is the first."""
    half_fallback: bool = False
    """Whether the row's PyTorch computed attention in half where no fused kernel took it, and the model has such."""
    held_in_half: bool = False
    """Whether the card cannot have held the FP32 weights, gradients and states that are described."""
    not_updated: Literal["shown", "beside"] | None = None
    """Why both passes are taken alone: the published peak has no room for the optimizer states that are described, or
    that of a row beside it has none."""
    ran_in_tf32: bool = False
    """Whether the step is faster than the FP32 that is described allows on any card that the row may mean."""
    activation_taken: bool = False
    """Whether the activation, of which the description is silent, was taken to be other libraries' one kernel."""
    packed_inputs_kept: bool = False
    """Whether bitsandbytes of the time kept the inputs of the products by the row's packed weights."""


class RowAnswer(Record, frozen=True, kw_only=True):
    """What is predicted for a row; `reason` says why nothing is."""

    row: RunRow
    step_s: Estimate | None = None
    peak_bytes: Estimate | None = None
    """What tensors hold at most, as `torch.cuda.max_memory_allocated` reports it."""
    largest_batch: int | None = None
    efficiency: Estimate | None = None
    family: str | None = None
    workload: Workload | None = None
    """As it was predicted: the row's values over the workload's."""
    notes: tuple[Reason, ...] = ()
    caveats: tuple[Reason, ...] = ()
    """What the trace says of the model, such as that it has no fused attention to run as the row asks."""
    reason: Reason | None = None
    variants: tuple[str, ...] = ()
    """Keys of the cards that the row may mean, where it names none of them alone: the answer lies between theirs."""
