"""Weights, gradients and optimizer states that a published run's card, or its peak, cannot have held.

People call a trainer's `bf16` autocast though their model was loaded in 16 bits, and so do its states lie in 16 bits:
torch's optimizers keep them in the type of the weights. Where a description's FP32 ones alone need more than the card
has, and the run took place all the same, that is how it was.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TypeGuard

from msgspec.structs import replace

from advisor.catalogue.precisions import PRECISION_FACTS, PURE_HALF
from advisor.core.sentences import Reason
from advisor.cost.memory.need import least_bytes, memory_question
from advisor.cost.memory.states import optimizer_memory
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.run_row import RunRow
from advisor.optable.op_table import OpTable
from advisor.workload.workload import with_training

_HALF = 0.5
"""What is all of 16 bits takes half of what is all of 32, and half of 16-bit weights and gradients with FP32 copies and
states: 8 for 16 bytes a weight with Adam."""


def as_it_was_held(question: RowQuestion, table: OpTable | Reason) -> RowQuestion:
    """The row's question in pure BF16 where nothing wider can have been on its card.

    `table` is the trace of what is described. FP16 is left as it is: gradient scalers refuse gradients of FP16. Full
    sharding too: trainers cast what they shard up to FP32.
    """
    row, training = question.row, question.workload.training
    facts = PRECISION_FACTS[training.precision]
    took_place = row.measured_s is not None or row.peak_bytes is not None or bool(row.largest_batch_that_ran)
    wide = facts.products == "bf16" and not facts.pure and (facts.autocast or training.updates_weights)
    capacity = question.spec.memory_bytes
    whole = row.layout.count == 1 or (row.layout.plain and row.layout.data_parallel == "ddp")
    if isinstance(table, Reason) or capacity is None or question.variants or not (took_place and wide and whole):
        return question
    asked = memory_question(
        table, training, training.precision, compute_capability=question.spec.compute_capability, layout=row.layout
    )
    if asked is None:
        return question
    least = least_bytes(asked, training.batch_size) - asked.context_bytes
    if least <= capacity or _HALF * least > capacity:
        return question
    workload = with_training(question.workload, precision=PURE_HALF["bf16"])
    return replace(question, workload=workload, held_in_half=True)


def as_it_can_have_stepped(question: RowQuestion, table: OpTable | Reason) -> RowQuestion:
    """The row's question without its update where its peak has room for weights and gradients, not for the states.

    Whoever measured it timed both passes alone, as scripts do that call no optimizer. Of BF16 under autocast a model
    that was loaded in 16 bits may explain such a peak as well: that is left as it is described, and said.
    """
    facts = PRECISION_FACTS[question.workload.training.precision]
    loaded_in_half = facts.products == "bf16" and not facts.pure
    if isinstance(table, Reason) or loaded_in_half or question.workload.training.trainable != "all":
        return question
    peak_bytes = question.row.peak_bytes or 0.0
    if not _lacks_room(question, table) or peak_bytes < table.parameter_bytes + table.gradient_bytes:
        return question
    return _without_update(replace(question, not_updated="shown"))


def as_one_script_ran(questions: Sequence[RowQuestion | Reason]) -> tuple[RowQuestion | Reason, ...]:
    """The questions of a table, each without its update where another row's of the same runs had no room for one.

    Runs of one source, model, card and precision are one script's, which steps at every batch size or at none; where
    activations take more than the states would, no peak shows which.
    """
    asked = [question for question in questions if isinstance(question, RowQuestion)]
    without = {_script_of(question.row) for question in asked if question.not_updated}
    return tuple(_as_beside(question) if _ran_by(question, without) else question for question in questions)


def _ran_by(question: RowQuestion | Reason, scripts: Container[object]) -> TypeGuard[RowQuestion]:
    if isinstance(question, Reason) or _script_of(question.row) not in scripts:
        return False
    return question.row.layout.count == 1 and question.workload.training.updates_weights


def _as_beside(question: RowQuestion) -> RowQuestion:
    return _without_update(replace(question, not_updated="beside"))


def _script_of(row: RunRow) -> tuple[object, ...]:
    return row.source, row.workload, row.gpu_key, row.mode, row.precision, row.optimizer


def _without_update(question: RowQuestion) -> RowQuestion:
    workload = with_training(question.workload, mode="forward_backward", optimizer="none", fused_optimizer=False)
    return replace(question, workload=workload)


def told_of_no_room(question: RowQuestion, table: OpTable) -> tuple[Reason, ...]:
    """That a published peak leaves no room for the update that is described, on a card that holds the whole model."""
    return (Reason.of("evaluate-no-room-for-update"),) if _lacks_room(question, table) else ()


def _lacks_room(question: RowQuestion, table: OpTable) -> bool:
    row, training = question.row, question.workload.training
    whole = row.layout.count == 1 and training.offload == "none" and not training.optimizer_in_backward
    if row.peak_bytes is None or not (whole and training.updates_weights):
        return False
    states = sum(optimizer_memory(table, training, training.precision).states)
    held = table.parameter_bytes + table.buffer_bytes + table.gradient_bytes + states
    return row.peak_bytes < held


def told_of_a_larger_card(question: RowQuestion) -> tuple[Reason, ...]:
    """That a published peak is more than any card holds that the row may mean: it was another of that name."""
    peak_bytes = question.row.peak_bytes
    holds = [spec.memory_bytes for spec in question.variants or (question.spec,)]
    if peak_bytes is None or any(capacity is None or peak_bytes <= capacity for capacity in holds):
        return ()
    return (Reason.of("evaluate-peak-beyond-card"),)
