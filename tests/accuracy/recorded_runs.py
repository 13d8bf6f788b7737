"""The published runs with the recorded operator tables: what the fit, its report and the accuracy test start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from advisor.catalogue.spec_table import spec_table
from advisor.core.sentences import Reason
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.row_predictions import (
    BENCHMARK_HOST,
    WorkloadReader,
    compiled_for_row,
    questions_of,
)
from advisor.evaluate.run_row import RunRow
from advisor.evaluate.run_rows import read_run_rows
from advisor.evaluate.traces import TraceKey, key_of
from advisor.optable.compiled_table import CompiledTable
from advisor.optable.op_table import OpTable
from advisor.workload.workload import Workload, length_of
from tests.accuracy.tables import Layout, load_table
from tools.fitting.fit import MeasuredStep

FOLDER = Path(__file__).parent
PUBLISHED_STEPS = FOLDER / "published_steps.csv"


def counted_questions(path: Path, reader: WorkloadReader) -> tuple[RowQuestion, ...]:
    """The rows of a table that count (`use = yes`), with workload and card; raises ValueError where one is no row."""
    found = questions_of([row for row in read_run_rows(path) if row.scored], reader, spec_table())
    unread = [question for question in found if isinstance(question, Reason)]
    if unread:
        message = f"rows of {path.name} that cannot be read: {unread}"
        raise ValueError(message)
    return tuple(question for question in found if isinstance(question, RowQuestion))


@cache
def published_questions() -> tuple[RowQuestion, ...]:
    """Every published run that counts (`use = yes`), with its workload and card."""
    return counted_questions(PUBLISHED_STEPS, WorkloadReader(FOLDER / "models"))


def recorded_table(row: RunRow, workload: Workload) -> OpTable:
    """The recorded table of a row; raises FileNotFoundError where it was not recorded."""
    training = workload.training
    layout: Layout = "nhwc" if training.channels_last else "nchw"
    return load_table(row.workload, length_of(workload), training.precision, training.mode, layout)


def recorded_tables(questions: Sequence[RowQuestion]) -> dict[TraceKey, OpTable]:
    """The recorded tables of all questions, by what a trace depends on."""
    return {key_of(question): recorded_table(question.row, question.workload) for question in questions}


def measured_steps(
    questions: Sequence[RowQuestion], tables: Mapping[TraceKey, OpTable | Reason]
) -> tuple[MeasuredStep, ...]:
    """The questions as steps to fit on; rows without a time, a table or one card that they surely mean are left out."""
    compiled: dict[tuple[TraceKey, bool], CompiledTable] = {}
    steps: list[MeasuredStep] = []
    for question in questions:
        training, row = question.workload.training, question.row
        trace = key_of(question)
        table, key = tables[trace], (trace, row.compiler_turns_layouts)
        if isinstance(table, Reason) or row.measured_s is None or question.variants:
            continue
        if key not in compiled:
            compiled[key] = compiled_for_row(row, table)
        steps.append(
            MeasuredStep(
                compiled=compiled[key],
                training=training,
                precision=training.precision,
                spec=question.spec,
                batch_size=training.batch_size,
                measured_s=row.measured_s,
                host=BENCHMARK_HOST,
                software_year=row.software_year,
                flash_generation=row.flash_generation,
                workload=row.workload,
                family=row.family or "",
                source=_laboratory(row.source),
                length=length_of(question.workload),
                group=(row.gpu_key, row.family, _laboratory(row.source)),
            )
        )
    return tuple(steps)


def _laboratory(source: str) -> str:
    return source.split(" ", maxsplit=1)[0].split(":", maxsplit=1)[0]


@cache
def published_steps() -> tuple[MeasuredStep, ...]:
    """All published runs that count, ready to be predicted."""
    return measured_steps(published_questions(), recorded_tables(published_questions()))
