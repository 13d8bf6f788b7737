"""A prediction is held against a measurement only where both speak of the same step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from advisor.present.checked_steps import batch_text, checked_steps
from advisor.present.comparison import compare
from tests.gui import fakes

if TYPE_CHECKING:
    from advisor.store.advice_record import AdviceRecord


def changed(advice: AdviceRecord, *, layer_limit: int | None = None, measured: bool = False) -> AdviceRecord:
    """The same advice with measurements of some blocks only, and predictions of the wanted origin."""
    measurements = tuple(
        msgspec.structs.replace(
            one, steps=tuple(msgspec.structs.replace(step, layer_limit=layer_limit) for step in one.steps)
        )
        for one in advice.measurements
    )
    predictions = tuple(msgspec.structs.replace(one, measured=measured) for one in advice.predictions)
    return msgspec.structs.replace(advice, measurements=measurements, predictions=predictions)


def test_the_error_is_that_of_the_prediction_of_the_same_step() -> None:
    found = [one for one in checked_steps(changed(fakes.advice())) if one.predicted is not None]
    assert found
    for one in found:
        assert one.predicted is not None
        assert one.error_fraction == pytest.approx(one.predicted.step_s.value / one.summary.median_s - 1)
        assert one.predicted.batch_size_per_device == one.step.batch_size


def test_a_measurement_that_became_the_prediction_proves_nothing() -> None:
    assert {one.error_fraction for one in checked_steps(changed(fakes.advice(), measured=True))} == {None}


def test_some_blocks_of_a_model_are_not_held_against_the_whole() -> None:
    advice = changed(fakes.advice(), layer_limit=2)
    found = checked_steps(advice)
    assert {one.error_fraction for one in found} == {None}
    assert "2" in batch_text(found[0].step, "en")
    assert batch_text(found[0].step, "en") != str(found[0].step.batch_size)
    assert not any(step.measured for step in compare(advice, advice).steps)
