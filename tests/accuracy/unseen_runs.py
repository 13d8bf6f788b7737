"""Published runs of sources that no figure was fitted on (`published_unseen.csv`), with their recorded tables.

Models, cards and publishers that the fit has not seen: what a user is told who describes such a step.
"""

from __future__ import annotations

import csv
import dataclasses
from functools import cache
from pathlib import Path

import msgspec

from advisor.catalogue.spec_table import spec_table
from advisor.core.sentences import Reason
from advisor.evaluate.evaluation_record import scored_step
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.row_predictions import RowPredictor, WorkloadReader, questions_of
from advisor.evaluate.run_row import RunRow
from advisor.evaluate.run_rows import read_run_rows
from advisor.evaluate.traces import TraceKey, trace_key
from advisor.optable.op_table import OpTable
from advisor.predict.evaluation import ScoredStep
from advisor.workload.workload import PythonModel, Workload, length_of
from tests.accuracy.tables import Layout, load_table
from tests.accuracy.vision_runs import vision_workload

FOLDER = Path(__file__).parent
PUBLISHED_UNSEEN = FOLDER / "published_unseen.csv"
STATED = "stated"
"""In the column `group`: that the source names the card whole."""


POOLED = frozenset({"timm_vit_base_patch16_224", "timm_vit_large_patch16_384"})
"""As their source built them: the mean over the patches in the place of a class token, by timm before 0.9."""


class UnseenReader(WorkloadReader):
    """Workloads beside the models of the tests; those of timm need no file of their own."""

    def _read(self, name: str) -> Workload | Reason:
        if name in POOLED:
            return _pooled(vision_workload(name))
        return vision_workload(name) if name.startswith("timm_") else super()._read(name)


def _pooled(workload: Workload) -> Workload:
    assert isinstance(workload.model, PythonModel)
    how = {"class_token": False, "global_pool": "avg", "scaled_scores": True}
    model = msgspec.structs.replace(workload.model, arguments={**workload.model.arguments, **how})
    return msgspec.structs.replace(workload, model=model)


@cache
def unseen_questions() -> tuple[RowQuestion, ...]:
    """Every run that counts (`use = yes`), with its workload and card."""
    rows = [row for row in read_run_rows(PUBLISHED_UNSEEN) if row.scored]
    found = questions_of(rows, UnseenReader(FOLDER / "models"), spec_table())
    unread = [question for question in found if isinstance(question, Reason)]
    if unread:
        message = f"published rows that cannot be read: {unread}"
        raise ValueError(message)
    return tuple(question for question in found if isinstance(question, RowQuestion))


def unseen_table(row: RunRow, workload: Workload) -> OpTable:
    """The recorded table of a row; raises FileNotFoundError where it was not recorded."""
    training = workload.training
    layout: Layout = "nhwc" if training.channels_last else "nchw"
    fused = training.attention != "eager"
    return load_table(row.workload, length_of(workload), training.precision, training.mode, layout, fused=fused)


@cache
def unseen_steps() -> tuple[ScoredStep, ...]:
    """Every run beside its prediction and range."""
    tables: dict[TraceKey, OpTable | Reason] = {
        trace_key(question.workload, question.workload.training.precision): unseen_table(
            question.row, question.workload
        )
        for question in unseen_questions()
    }
    predictor = RowPredictor(tables)
    return tuple(_scored(question, predictor) for question in unseen_questions())


def why_unused() -> dict[str, int]:
    """How many rows are not judged, by the reason that stands with them."""
    with PUBLISHED_UNSEEN.open(encoding="utf-8") as file:
        reasons = [row["why_not"] for row in csv.DictReader(file) if row["use"] != "yes"]
    return {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)}


def _scored(question: RowQuestion, predictor: RowPredictor) -> ScoredStep:
    row, step = question.row, scored_step(predictor.answer(question))
    assert step is not None
    return dataclasses.replace(
        step,
        source=row.source.split(":", maxsplit=1)[0],
        generation="" if row.software_year is None else str(row.software_year),
        method=row.cells["group"],
    )
