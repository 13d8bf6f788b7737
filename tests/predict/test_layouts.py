"""A job that splits its model: from the very step of one card, or the reason why there is none."""

from __future__ import annotations

import pytest

from advisor.core.sentences import Reason
from advisor.cost.layout import Layout
from advisor.predict.assembly import predict_candidates
from advisor.predict.device_memory import unknown_memory
from advisor.predict.layouts import LayoutPrediction, predict_layout
from tests.predict.asked import A100, CPU, STRANGER, candidate, sources


def laid_out(layout: Layout) -> LayoutPrediction:
    found = predict_layout(candidate(A100), layout, sources())
    assert isinstance(found, LayoutPrediction)
    return found


def test_one_device_takes_the_step_of_one_card_and_has_no_efficiency() -> None:
    (alone,) = predict_candidates([candidate(A100)], sources(), unknown_memory).predictions
    single = laid_out(Layout())
    assert single.step_s.value == pytest.approx(alone.step_s.value)
    assert single.efficiency is None


def test_a_split_model_waits_for_its_parts() -> None:
    split = laid_out(Layout(count=4, tensor=2))
    assert split.step_s.low < split.step_s.value < split.step_s.high
    assert split.efficiency is not None
    assert 0 < split.efficiency.low <= split.efficiency.value <= split.efficiency.high
    assert split.efficiency.value < 1


def test_a_device_without_a_step_has_no_layout_and_says_why() -> None:
    for device, code in ((CPU, "predict-cpu-not-measured"), (STRANGER, "predict-unknown-card")):
        refused = predict_layout(candidate(device), Layout(count=2), sources())
        assert isinstance(refused, Reason)
        assert refused.code == code
