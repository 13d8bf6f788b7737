"""Runs that we measured ourselves (`measured_steps.csv`), with the operator tables that are saved with the program."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from advisor.catalogue.precisions import TRACE_PRECISIONS
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.row_predictions import WorkloadReader
from advisor.evaluate.traces import trace_key
from advisor.optable.saved_tables import saved_tables
from tests.accuracy.recorded_runs import counted_questions, measured_steps
from tools.fitting.fit import MeasuredStep

MEASURED_STEPS = Path(__file__).parent / "measured_steps.csv"
OWN = "own-"
"""How the sources of such runs begin."""


@cache
def own_questions() -> tuple[RowQuestion, ...]:
    """Every run of ours that counts (`use = yes`), with its bundled workload and card."""
    return counted_questions(MEASURED_STEPS, WorkloadReader(MEASURED_STEPS.parent))


@cache
def own_steps() -> tuple[MeasuredStep, ...]:
    """The same as steps to fit on."""
    tables = {}
    for question in own_questions():
        precision = question.workload.training.precision
        saved = saved_tables(question.workload)
        tables[trace_key(question.workload, precision)] = saved[TRACE_PRECISIONS[precision]]
    return measured_steps(own_questions(), tables)
