"""How long predicting takes: printed, and asserted only loosely, since machines are noisy."""

from __future__ import annotations

import time
from collections.abc import Callable

from advisor.catalogue.precisions import Precision
from advisor.catalogue.spec_table import spec_table
from advisor.evaluate.row_predictions import RowPredictor
from advisor.optable.compiled_table import compile_table
from advisor.workload.workload import Training
from tests.accuracy.recorded_runs import published_questions, recorded_tables
from tests.accuracy.tables import load_table
from tests.cost.small_tables import predicted_steps

BATCHES = (1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256)
PRECISIONS: tuple[Precision, ...] = ("fp32", "tf32", "fp16_amp")
GRID_LIMIT_S = 0.15
SINGLE_LIMIT_S = 1e-3
LOOSE = 4.0
"""A loaded machine may take so many times as long."""


def best_of(count: int, action: Callable[[], object]) -> float:
    """Least CPU seconds of this process."""
    times = []
    for _ in range(count):
        begin = time.process_time()
        action()
        times.append(time.process_time() - begin)
    return min(times)


def test_the_whole_grid_of_cards_batches_and_precisions_takes_a_moment() -> None:
    asked: dict[Precision, Precision] = {"fp32": "fp32", "tf32": "tf32", "fp16_amp": "fp16"}
    tables = {
        precision: compile_table(load_table("bert_base_squad", 384, asked[precision], "training"))
        for precision in PRECISIONS
    }
    specs = list(spec_table().values())

    def grid() -> None:
        for precision, table in tables.items():
            how = Training(precision=asked[precision], batch_size=8)
            predicted_steps(table, how, asked[precision], specs, BATCHES)

    seconds = best_of(5, grid)
    print(f"\n{len(specs)} cards x {len(BATCHES)} batches x {len(PRECISIONS)} precisions: {1e3 * seconds:.1f} ms")
    assert seconds < LOOSE * GRID_LIMIT_S


def test_one_prediction_takes_less_than_a_millisecond_once_compiled() -> None:
    table = compile_table(load_table("resnet50_v1_5", 224, "amp", "training"))
    spec = spec_table()["rtx3090"]
    how = Training(precision="fp16_amp", batch_size=64)
    seconds = best_of(20, lambda: predicted_steps(table, how, "fp16_amp", [spec], [64]))
    print(f"\none card, one batch: {1e3 * seconds:.2f} ms")
    assert seconds < LOOSE * SINGLE_LIMIT_S


def test_all_published_runs_are_predicted_in_seconds() -> None:
    questions = published_questions()
    tables = recorded_tables(questions)

    def answer_all() -> None:
        predictor = RowPredictor(tables)
        for question in questions:
            predictor.answer(question)

    seconds = best_of(1, answer_all)
    print(f"\n{len(questions)} published runs from recorded tables: {seconds:.2f} s")
    assert seconds < 30.0
