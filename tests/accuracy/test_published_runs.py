"""The accuracy of step times on published runs: the gates that every change of the model must keep."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from advisor.evaluate.evaluation_record import Evaluation, evaluation_of
from advisor.evaluate.row_predictions import RowPredictor
from advisor.predict.efficiencies import efficiencies
from advisor.predict.fitting import StepSet, fit, leave_out
from advisor.predict.op_columns import Floats
from tests.accuracy.recorded_runs import published_questions, published_steps, recorded_tables

IN_SAMPLE_GATE = 0.079
LEAVE_ONE_GPU_OUT_GATE = 0.095
LEAVE_ONE_MODEL_OUT_GATE = 0.115
SPEED_UP_GATE = 0.14
RANKED_GATE = 0.965
FP32_LANGUAGE_MODEL_GATE = 0.07
RUN_COUNT = 213
SAMPLED_CARDS = ("v100-sxm2-16", "h200-sxm", "rtx3080-10")
SAMPLED_MODELS = ("waveglow", "timm_convnext_base", "bert_large_fp32")


@pytest.fixture(scope="module")
def evaluated() -> Evaluation:
    """All published runs, predicted from the recorded tables as `--evaluate` does."""
    questions = published_questions()
    predictor = RowPredictor(recorded_tables(questions))
    return evaluation_of([predictor.answer(question) for question in questions])


def mean_error(predicted: Floats, measured: Floats) -> float:
    """Mean of the absolute relative errors."""
    return float(np.abs(predicted / measured - 1.0).mean())


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
    assert 0.78 <= evaluated.overall.covered_fraction <= 0.95


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
    steps = StepSet(published_steps(), figures)
    found, kept = fit(steps), figures.fitted
    for name in kept.__struct_fields__:
        assert getattr(found, name) == pytest.approx(getattr(kept, name), rel=2e-3), name


def test_cards_and_models_that_the_fit_never_saw_are_predicted_nearly_as_well() -> None:
    figures = efficiencies()
    steps = published_steps()
    for keys, names, gate in (
        ([step.spec.key for step in steps], SAMPLED_CARDS, 0.16),
        ([step.workload for step in steps], SAMPLED_MODELS, 0.16),
    ):
        for name in names:
            inside = [step for step, key in zip(steps, keys, strict=True) if key == name]
            rest = [step for step, key in zip(steps, keys, strict=True) if key != name]
            fitted = fit(StepSet(rest, figures), figures.fitted)
            left_out = StepSet(inside, figures)
            assert mean_error(left_out.predicted_s(fitted), left_out.measured_s) <= gate, name


@pytest.mark.nightly
def test_leaving_out_each_card_and_each_model_keeps_the_gates() -> None:
    figures = efficiencies()
    steps = published_steps()
    measured = np.array([step.measured_s for step in steps])
    by_card = leave_out(steps, lambda step: step.spec.key, figures, figures.fitted)
    by_model = leave_out(steps, lambda step: step.workload, figures, figures.fitted)
    assert mean_error(by_card, measured) <= LEAVE_ONE_GPU_OUT_GATE
    assert mean_error(by_model, measured) <= LEAVE_ONE_MODEL_OUT_GATE


def test_the_report_tells_the_figures_of_today(evaluated: Evaluation) -> None:
    text = (Path(__file__).parents[2] / "docs" / "accuracy.md").read_text(encoding="utf-8")
    told = re.search(r"\| In-sample \| (\d+) \| ([\d.]+) \|", text)
    assert told is not None
    assert int(told[1]) == RUN_COUNT
    assert float(told[2]) == pytest.approx(100 * (evaluated.overall.mean_error_fraction or 0.0), abs=0.06)
