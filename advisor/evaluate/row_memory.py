"""Peak memory and largest batch of a published run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from advisor.core.sentences import Reason
from advisor.core.units import Estimate
from advisor.cost.memory.capacity import usable_bytes
from advisor.cost.memory.largest_batch import largest_batch
from advisor.cost.memory.need import MemoryQuestion, memory_question
from advisor.cost.memory.run_software import software_of_year
from advisor.cost.memory.varied_lengths import surplus_of_lengths
from advisor.evaluate.other_libraries import as_transformers_runs, reaching
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.silent_descriptions import lengths_may_differ, other_meanings, tells_first_stage
from advisor.evaluate.traces import TraceKey, memory_key_of, memory_precision_of
from advisor.optable.op_table import OpTable
from advisor.predict.ranges.memory_range import between_lengths, of_first_stage, published_range


def memory_of_row(question: RowQuestion, tables: Mapping[TraceKey, OpTable | Reason]) -> dict[str, Any]:
    """Peak and largest batch, where the row asks for them: replaying the allocator takes its time."""
    row = question.row
    if (asked := _asked(question, tables)) is None:
        return {}
    answer: dict[str, Any] = {}
    usable = _usable_bytes(question)
    if row.peak_bytes is not None:
        answer["peak_bytes"] = _peak(question, asked, tables)
    if row.largest_batch_that_ran is not None and usable is not None:
        own = as_transformers_runs(question)
        either = (asked, None if own is None else _asked(own, tables))
        answer["largest_batch"] = min(largest_batch(one, usable) for one in either if one is not None)
    return answer


def _asked(
    question: RowQuestion, tables: Mapping[TraceKey, OpTable | Reason], *, first_stage: bool = False
) -> MemoryQuestion | None:
    """What the row asks of its trace, of a pipeline's fullest or first stage.

    None where the trace failed or tells nothing of memory.
    """
    row, training, table = question.row, question.workload.training, tables[memory_key_of(question)]
    if isinstance(table, Reason):
        return None
    if row.optimizer_outside is not None and training.mode == "training":
        training = replace(training, optimizer=row.optimizer_outside)
    return memory_question(
        table,
        training,
        memory_precision_of(question),
        compute_capability=question.spec.compute_capability,
        layout=row.layout,
        software=software_of_year(row.software_year, units_by_module=row.shards_modules),
        first_stage=first_stage,
    )


def _usable_bytes(question: RowQuestion) -> float | None:
    capacity = question.spec.memory_bytes
    return None if capacity is None else usable_bytes(capacity)


def _peak(question: RowQuestion, asked: MemoryQuestion, tables: Mapping[TraceKey, OpTable | Reason]) -> Estimate:
    """The peak, with a range that holds what a silent description may mean."""
    row, batch_size, usable = question.row, question.workload.training.batch_size, _usable_bytes(question)
    peak = _told(question, asked, tables)
    reached = peak
    for other in other_meanings(question):
        if (needed := _asked(other, tables)) is not None:
            reached = reaching(reached, _told(other, needed, tables))
    if lengths_may_differ(question):
        micro_batches = question.workload.data.samples / (batch_size * row.layout.replica_count)
        peak = between_lengths(peak, surplus_of_lengths(asked, batch_size, math.ceil(micro_batches), usable))
    return reaching(peak, reached)


def _told(question: RowQuestion, asked: MemoryQuestion, tables: Mapping[TraceKey, OpTable | Reason]) -> Estimate:
    """The peak of what is described; of a pipeline its first stage's, where `asked` is the fullest's."""
    row, batch_size, usable = question.row, question.workload.training.batch_size, _usable_bytes(question)
    fullest = published_range(asked, batch_size, row.memory_kind, usable)
    if not tells_first_stage(row) or (first := _asked(question, tables, first_stage=True)) is None:
        return fullest
    return of_first_stage(published_range(first, batch_size, row.memory_kind, usable), fullest)
