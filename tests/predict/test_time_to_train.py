"""Samples, steps and hours to the same loss at another global batch."""

from __future__ import annotations

import math

import pytest

from advisor.core.units import Estimate
from advisor.predict.time_to_train import (
    CriticalBatch,
    learning_rate_range,
    samples_ratio,
    time_to_train,
)


def second(low: float = 0.9, high: float = 1.2) -> Estimate:
    return Estimate(value=1.0, low=low, high=high, basis="measured")


def test_the_critical_batch_doubles_what_a_tiny_one_needs() -> None:
    assert samples_ratio(100.0, 0.0, 100.0) == 2.0
    assert samples_ratio(300.0, 100.0, 100.0) == 2.0
    assert samples_ratio(64.0, 64.0, 500.0) == 1.0


def test_a_held_batch_needs_the_same_samples_and_only_its_step_is_unsure() -> None:
    found = time_to_train(10_000, 50, second(), 50, second())
    assert found.scaling == "held"
    assert (found.sample_count.low, found.sample_count.value, found.sample_count.high) == (1e4, 1e4, 1e4)
    assert found.step_count.value == 200
    assert (found.train_s.low, found.train_s.value, found.train_s.high) == pytest.approx((180.0, 200.0, 240.0))
    assert found.train_s.basis == "measured"
    assert found.speed_up.value == pytest.approx(1.0)
    assert (found.speed_up.low, found.speed_up.high) == pytest.approx((200 / 240, 200 / 180))


def test_a_scaled_batch_takes_fewer_steps_and_more_samples() -> None:
    critical = CriticalBatch(low=100.0, high=400.0, given=True)
    found = time_to_train(10_000, 100, second(), 300, second(), critical=critical)
    assert found.scaling == "scaled"
    assert critical.middle == 200.0
    assert found.sample_count.value == pytest.approx(10_000 * 2.5 / 1.5)
    assert found.sample_count.high == pytest.approx(20_000)
    assert found.sample_count.low == pytest.approx(10_000 * 1.75 / 1.25)
    assert found.step_count.value == pytest.approx(10_000 * 2.5 / 1.5 / 300)
    assert found.train_s.high == pytest.approx(20_000 / 300 * 1.2)
    assert found.train_s.basis == "measured"
    assert found.speed_up.value == pytest.approx(100 / found.train_s.value)


def test_an_assumed_critical_batch_makes_the_time_a_specified_one() -> None:
    assert time_to_train(10_000, 100, second(), 300, second()).train_s.basis == "specified"
    assert not CriticalBatch().given
    assert CriticalBatch().middle == pytest.approx(math.sqrt(64 * 8192))


def test_the_learning_rate_grows_with_the_root_of_the_batch_to_the_batch() -> None:
    assert learning_rate_range(400, 100) == pytest.approx((2.0, 4.0))
    assert learning_rate_range(100, 100) == (1.0, 1.0)


def test_an_epochs_short_step_counts_as_one_but_at_the_low_end_as_in_the_job() -> None:
    critical = CriticalBatch(low=1e9, high=1e9, given=True)  # so that no sample is wasted
    found = time_to_train(600, 64, second(), 512, second(), critical=critical, whole=(10 / (600 / 64), 2 / (600 / 512)))
    assert found.step_count.value == pytest.approx(2)
    assert found.step_count.low == pytest.approx(600 / 512)
    assert found.step_count.high == pytest.approx(2)
    assert found.speed_up.value == pytest.approx(10 / 2)
