"""Runs that we measured ourselves (`measured_steps.csv`), with the operator tables that are saved with the program."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from advisor.catalogue.precisions import TRACE_PRECISIONS
from advisor.catalogue.spec_table import spec_table
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.row_predictions import WorkloadReader, questions_of
from advisor.evaluate.run_rows import read_run_rows
from advisor.evaluate.traces import trace_key
from advisor.optable.saved_tables import saved_tables
from tests.accuracy.recorded_runs import measured_steps
from tools.fitting.fit import MeasuredStep

MEASURED_STEPS = Path(__file__).parent / "measured_steps.csv"
OWN = "own-"
"""How the sources of such runs begin."""


@cache
def own_questions() -> tuple[RowQuestion, ...]:
    """Every run of ours that counts (`use = yes`), with its bundled workload and card."""
    rows = [row for row in read_run_rows(MEASURED_STEPS) if row.scored]
    found = questions_of(rows, WorkloadReader(MEASURED_STEPS.parent), spec_table())
    questions = tuple(question for question in found if isinstance(question, RowQuestion))
    assert len(questions) == len(rows), [question for question in found if not isinstance(question, RowQuestion)]
    return questions


@cache
def own_steps() -> tuple[MeasuredStep, ...]:
    """The same as steps to fit on."""
    tables = {}
    for question in own_questions():
        precision = question.workload.training.precision
        saved = saved_tables(question.workload)
        tables[trace_key(question.workload, precision)] = saved[TRACE_PRECISIONS[precision]]
    return measured_steps(own_questions(), tables)
