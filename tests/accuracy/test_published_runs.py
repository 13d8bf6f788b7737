"""The accuracy of step times on published runs: the gates that every change of the model must keep."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from advisor.cost.efficiencies import ShareSpread, efficiencies
from advisor.evaluate.evaluation_record import Evaluation, evaluation_of
from advisor.evaluate.row_predictions import RowPredictor
from advisor.optable.op_columns import Floats
from advisor.predict.accuracy_record import HeldOut, accuracy_record
from tests.accuracy.fitted_steps import fitted_steps
from tests.accuracy.llm_steps import language_model_steps, table_key
from tests.accuracy.recorded_runs import published_questions, published_steps, recorded_tables
from tools.fitting.card_shares import CardShares, without_shares
from tools.fitting.fit import MeasuredStep, StepSet, fit
from tools.fitting.leaving_out import leave_out

IN_SAMPLE_GATE = 0.065
LEAVE_ONE_GPU_OUT_GATE = 0.075
LEAVE_ONE_MODEL_OUT_GATE = 0.085
SPEED_UP_GATE = 0.12
RANKED_GATE = 0.98
FP32_LANGUAGE_MODEL_GATE = 0.06
LANGUAGE_MODEL_COUNT = 300
LANGUAGE_MODEL_GATE = 0.105
LANGUAGE_MODEL_MEDIAN_GATE = 0.08
LANGUAGE_MODEL_LEFT_OUT_GATE = 0.125
LEFT_OUT_COVERAGE = (0.78, 0.92)
"""Share of the runs inside their 80 % range, whose card or model the fit had not seen."""
RUN_COUNT = 213
SAMPLED_CARDS = ("v100-sxm2-16", "h200-sxm", "rtx3080-10")
SAMPLED_MODELS = ("waveglow", "timm_convnext_base", "bert_large_fp32", "MPT-7b")
SAMPLED_SOURCES = ("mosaicml/llm-foundry", "DLE")
PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"
BY_CARD, BY_MODEL, BY_SOURCE = 4, 6, 8
"""Columns of the page's tables: mean error in percent with the card, the model and the source left out."""


@pytest.fixture(scope="module")
def evaluated() -> Evaluation:
    """All published runs, predicted from the recorded tables as `--evaluate` does."""
    questions = published_questions()
    predictor = RowPredictor(recorded_tables(questions))
    return evaluation_of([predictor.answer(question) for question in questions])


def mean_error(predicted: Floats, measured: Floats) -> float:
    """Mean of the absolute relative errors."""
    return float(np.abs(predicted / measured - 1.0).mean())


def told_error(name: str, column: int) -> float:
    """The mean error in percent that the page tells of a card or a workload."""
    row = re.search(rf"^\| {re.escape(name)} \|.*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert row is not None, name
    return float(row[0].split("|")[column + 1])


def test_every_published_run_that_counts_is_predicted(evaluated: Evaluation) -> None:
    assert evaluated.overall.step_count == RUN_COUNT
    assert evaluated.refused == ()


def test_step_times_of_published_runs_are_right_within_the_gate(evaluated: Evaluation) -> None:
    assert evaluated.overall.mean_error_fraction is not None
    assert evaluated.overall.mean_error_fraction <= IN_SAMPLE_GATE


def test_cards_are_ranked_and_their_speed_up_is_told(evaluated: Evaluation) -> None:
    assert evaluated.overall.pair_count > 1000
    assert evaluated.overall.ranked_fraction is not None
    assert evaluated.overall.ranked_fraction >= RANKED_GATE
    assert evaluated.overall.ratio_error_fraction is not None
    assert evaluated.overall.ratio_error_fraction <= SPEED_UP_GATE


def test_most_runs_lie_inside_their_range(evaluated: Evaluation) -> None:
    assert evaluated.overall.covered_fraction is not None
    assert 0.78 <= evaluated.overall.covered_fraction <= 0.96  # the fit has seen these runs, the ranges have not


def test_fp32_language_models_are_as_right_as_the_best_learned_predictor(evaluated: Evaluation) -> None:
    errors = [
        abs(answer.step_s.value / answer.row.measured_s - 1.0)
        for answer in evaluated.answers
        if answer.row.workload == "bert_large_fp32" and answer.step_s is not None and answer.row.measured_s is not None
    ]
    assert len(errors) == 18
    assert np.mean(errors) <= FP32_LANGUAGE_MODEL_GATE


def test_the_committed_figures_are_those_that_the_fit_finds() -> None:
    figures = efficiencies()
    steps = StepSet(fitted_steps(), without_shares(figures))
    found, kept = fit(steps), figures.fitted
    for name in kept.__struct_fields__:
        assert getattr(found, name) == pytest.approx(getattr(kept, name), rel=2e-3), name


def test_the_committed_shares_of_cards_are_those_that_their_runs_tell() -> None:
    figures, steps = efficiencies(), fitted_steps()
    plain = without_shares(figures)
    shares = CardShares(steps, plain, figures.fitted)
    spread = shares.spread()
    for name in ShareSpread.__struct_fields__[:4]:
        assert getattr(spread, name) == pytest.approx(getattr(figures.share_spread, name), rel=0.1), name
    for one, kept in zip(shares.told(figures.share_spread), figures.cards, strict=True):
        assert (one.key, one.run_count, one.sources) == (kept.key, kept.run_count, kept.sources)
        assert (one.bandwidth, one.compute) == pytest.approx((kept.bandwidth, kept.compute), rel=2e-3), one.key


def test_left_out_runs_lie_inside_their_range_as_often_as_a_held_back_run_should() -> None:
    least, most = LEFT_OUT_COVERAGE
    groups: tuple[HeldOut, ...] = ("gpu", "model", "source", "generation")
    for held_out in groups:
        told = accuracy_record().score(held_out)
        assert told is not None
        assert least <= told.covered_fraction <= most, held_out


def test_cards_and_models_that_the_fit_never_saw_are_predicted_as_well_as_the_page_tells() -> None:
    figures, steps = efficiencies(), fitted_steps()
    plain = without_shares(figures)
    shares = CardShares(steps, plain, figures.fitted)
    for keys, names, column in (
        ([table_key(step) for step in steps], SAMPLED_CARDS, BY_CARD),
        ([step.workload for step in steps], SAMPLED_MODELS, BY_MODEL),
        ([step.source for step in steps], SAMPLED_SOURCES, BY_SOURCE),
    ):
        for name in names:
            inside = [step for step, key in zip(steps, keys, strict=True) if key == name]
            rest = [step for step, key in zip(steps, keys, strict=True) if key != name]
            fitted = fit(StepSet(rest, plain), figures.fitted)
            kept = np.array([key != name for key in keys])
            told = shares.told(figures.share_spread, StepSet(steps, plain).predicted_s(fitted), kept)
            left_out = StepSet(inside, msgspec.structs.replace(plain, cards=told))
            error = 100.0 * mean_error(left_out.predicted_s(fitted), left_out.measured_s)
            assert error < 16.0, name
            assert error == pytest.approx(told_error(name, column), abs=0.3), name


def test_language_models_are_right_within_the_gate() -> None:
    figures, steps = efficiencies(), language_model_steps()
    found = StepSet(steps, figures)
    error = np.abs(found.predicted_s(figures.fitted) / found.measured_s - 1.0)
    assert len(steps) >= LANGUAGE_MODEL_COUNT
    assert error.mean() <= LANGUAGE_MODEL_GATE
    assert np.median(error) <= LANGUAGE_MODEL_MEDIAN_GATE


@pytest.mark.nightly
def test_leaving_out_each_card_and_each_model_keeps_the_gates() -> None:
    figures = efficiencies()
    steps = fitted_steps()
    older = np.arange(len(steps)) < len(published_steps())
    measured = np.array([step.measured_s for step in steps])
    kinds: tuple[tuple[Callable[[MeasuredStep], str], int, float], ...] = (
        (table_key, BY_CARD, LEAVE_ONE_GPU_OUT_GATE),
        (lambda step: step.workload, BY_MODEL, LEAVE_ONE_MODEL_OUT_GATE),
    )
    for key, column, gate in kinds:
        predicted = leave_out(steps, key, figures, figures.fitted)
        assert mean_error(predicted[older], measured[older]) <= gate
        assert mean_error(predicted[~older], measured[~older]) <= LANGUAGE_MODEL_LEFT_OUT_GATE
        for name in dict.fromkeys(key(step) for step in steps):
            inside = np.array([key(step) == name for step in steps])
            error = 100.0 * mean_error(predicted[inside], measured[inside])
            assert error == pytest.approx(told_error(name, column), abs=0.3), name


def test_the_report_tells_the_figures_of_today() -> None:
    text = PAGE.read_text(encoding="utf-8")
    told = re.search(r"\| In-sample \| (\d+) \| ([\d.]+) \|", text)
    assert told is not None
    figures, steps = efficiencies(), fitted_steps()
    found = StepSet(steps, figures)
    assert int(told[1]) == len(steps)
    assert float(told[2]) == pytest.approx(
        100 * mean_error(found.predicted_s(figures.fitted), found.measured_s), abs=0.06
    )
