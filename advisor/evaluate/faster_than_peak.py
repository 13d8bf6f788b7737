"""Published steps that are faster than the stated precision allows: in NVIDIA's containers "FP32" on Ampere is TF32.

Where a card's peak rate in FP32 cannot do a step's products in the time that is told, and its TF32 can, that is how the
run took place, as with what its card cannot have held.
"""

from __future__ import annotations

from msgspec.structs import replace

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import Precision
from advisor.claims.bounds import step_bound
from advisor.core.sentences import Reason
from advisor.evaluate.row_answer import RowQuestion
from advisor.optable.op_table import OpTable
from advisor.workload.workload import with_training


def as_precise_as_it_ran(question: RowQuestion, table: OpTable | Reason) -> RowQuestion:
    """The row's question in TF32 where no card that it may mean is so fast in FP32, and one is in TF32.

    `table` is the trace of what is described. Devices that split a step's products are left as they are.
    """
    if isinstance(table, Reason) or question.workload.training.precision != "fp32" or not question.row.layout.plain:
        return question
    cards = question.variants or (question.spec,)
    if any(_possible(question, table, spec, "fp32") for spec in cards):
        return question
    if not any(spec.tf32_flop_per_s and _possible(question, table, spec, "tf32") for spec in cards):
        return question
    return replace(question, workload=with_training(question.workload, precision="tf32"), ran_in_tf32=True)


def told_of_the_impossible(question: RowQuestion, table: OpTable) -> tuple[Reason, ...]:
    """That the time is less than any card that the row may mean can do what is described in: it is of other work."""
    precision, cards = question.workload.training.precision, question.variants or (question.spec,)
    if not question.row.layout.plain or any(_possible(question, table, spec, precision) for spec in cards):
        return ()
    return (Reason.of("evaluate-faster-than-possible"),)


def _possible(question: RowQuestion, table: OpTable, spec: GpuSpec, precision: Precision) -> bool:
    """Whether the step that is told may have run so; True where its time or the card's rate is not known."""
    training, told_s = question.workload.training, question.row.measured_s
    bound = step_bound({table.precision: table}, spec, precision, training.batch_size, training.mode)
    return told_s is None or bound is None or told_s >= bound.step_s * training.gradient_accumulation_steps
