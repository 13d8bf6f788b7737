"""What would make a step smaller: checkpointing, accumulation, a smaller optimizer, and what each would bring."""

from __future__ import annotations

from typing import Literal

import msgspec

from advisor.catalogue.optimizers import EIGHT_BIT_OPTIMIZERS, OPTIMIZER_FACTS
from advisor.catalogue.precisions import ComputedPrecision
from advisor.core.records import Record
from advisor.core.sentences import Arguments, Reason
from advisor.core.units import Estimate
from advisor.cost.memory.need import MemoryNeed, MemoryQuestion, answered, least_bytes, memory_question
from advisor.cost.memory.replayed_steps import EVENTS_OF_EACH_BATCH
from advisor.optable.op_table import OpTable, at, step_flop
from advisor.predict.ranges.memory_range import need_range
from advisor.workload.workload import Training

SavingKind = Literal["checkpointing", "accumulation", "smaller_batch", "optimizer_8bit", "adafactor", "sgd_momentum"]
_UNCERTAIN_FRACTION = 0.08
"""Checkpointing is counted from the layers, not traced: what its recomputation allocates on top is not seen."""


class MemorySaving(Record, frozen=True, kw_only=True):
    """One change and what it brings."""

    kind: SavingKind
    need: Estimate
    """Bytes with the change; compare it with `usable_bytes`."""
    saved_bytes: float
    """Against the workload as it is; negative where the change would cost memory."""
    extra_flop_fraction: float = 0.0
    """Further work, as a share of the step's (checkpointing computes forward twice)."""
    gradient_accumulation_steps: int = 1
    batch_size: int = 1
    """A device and micro-batch, after the change."""


def saving_reason(saving: MemorySaving) -> Reason:
    """The saving as a sentence's code with its numbers."""
    numbers: Arguments = {"saved_bytes": saving.saved_bytes}
    if saving.kind == "checkpointing":
        numbers["extra_fraction"] = saving.extra_flop_fraction
    return Reason.of(f"memory-saving-{saving.kind.replace('_', '-')}", **numbers)


def memory_savings(
    table: OpTable, training: Training, precision: ComputedPrecision, batch_size: int, *, compute_capability: str | None
) -> tuple[MemorySaving, ...]:
    """Every change that applies to this workload, the one that saves most first; empty without a timeline.

    Of a timeline that is too long to be replayed at each batch size, the same share is wasted after a change.
    """
    question = memory_question(table, training, precision, compute_capability=compute_capability)
    if question is None:
        return ()
    now = answered(question, batch_size)
    replayed = question.stream.storage_events <= EVENTS_OF_EACH_BATCH

    def saving(kind: SavingKind, changed: Training, size: int, **figures: int) -> MemorySaving:
        asked = memory_question(table, changed, precision, compute_capability=compute_capability)
        assert asked is not None  # the same table, whose timeline answered above
        need = need_range(answered(asked, size, replayed=replayed, wasted_fraction=now.wasted_fraction))
        return MemorySaving(kind=kind, need=need, saved_bytes=now.need_bytes - need.value, batch_size=size, **figures)

    checkpointed = _checkpointed(question, training, now, batch_size)
    savings = [checkpointed] if checkpointed is not None else []
    for kind, changes in _optimizer_changes(training).items():
        savings.append(saving(kind, msgspec.structs.replace(training, **changes), batch_size))
    if batch_size > 1 and training.mode == "inference":
        savings.append(saving("smaller_batch", training, batch_size // 2))
    elif batch_size > 1:
        steps = training.gradient_accumulation_steps * 2
        halved = msgspec.structs.replace(training, gradient_accumulation_steps=steps)
        savings.append(saving("accumulation", halved, batch_size // 2, gradient_accumulation_steps=steps))
    useful = [saving for saving in savings if saving.saved_bytes > 0]
    return tuple(sorted(useful, key=lambda saving: -saving.saved_bytes))


def _optimizer_changes(training: Training) -> dict[SavingKind, dict[str, object]]:
    if training.mode != "training" or OPTIMIZER_FACTS[training.optimizer].state_count <= 1:
        return {}
    changes: dict[SavingKind, dict[str, object]] = {
        "adafactor": {"optimizer": "adafactor"},
        "sgd_momentum": {"optimizer": "sgd_momentum"},
    }
    if training.optimizer_bits != 8 and training.optimizer in EIGHT_BIT_OPTIMIZERS:  # noqa: PLR2004 - bits
        changes["optimizer_8bit"] = {"optimizer_bits": 8}
    return changes


def _checkpointed(
    question: MemoryQuestion, training: Training, now: MemoryNeed, batch_size: int
) -> MemorySaving | None:
    """Blocks keep their inputs only; while one is recomputed its own activations live again."""
    table = question.table
    figures = table.checkpoint
    if figures is None or training.activation_checkpointing != "none" or training.mode == "inference":
        return None
    dropped = at(figures.kept_bytes, batch_size)
    kept = at(figures.block_input_bytes, batch_size) + at(figures.largest_block_bytes, batch_size)
    value = max(now.need_bytes - dropped + kept, least_bytes(question, batch_size))
    saved = now.need_bytes - value
    spread = _UNCERTAIN_FRACTION * abs(saved)
    before = need_range(now)
    need = Estimate(
        value=value,
        low=min(value, before.low - saved - spread),
        high=max(value, before.high - saved + spread),
        basis="specified",
    )
    extra = at(figures.recomputed_flop, batch_size) / max(step_flop(table, batch_size), 1.0)
    return MemorySaving(
        kind="checkpointing", need=need, saved_bytes=saved, extra_flop_fraction=extra, batch_size=batch_size
    )
