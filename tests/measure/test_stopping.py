"""When a series is warm, and when it has said enough."""

from __future__ import annotations

import numpy as np

from advisor.measure.stopping import Stopping, StoppingLimits, WarmUp, windows_agree

LIMITS = StoppingLimits()


def _stop(samples: list[float], limits: StoppingLimits = LIMITS) -> tuple[int, str | None]:
    rule = Stopping(limits)
    for count, sample in enumerate(samples, start=1):
        reason = rule.add(sample)
        if reason is not None:
            return count, reason
    return len(samples), None


def _warm(samples: list[float], limits: StoppingLimits = LIMITS) -> tuple[int, bool] | None:
    rule = WarmUp(limits)
    for count, sample in enumerate(samples, start=1):
        if rule.add(sample):
            return count, rule.settled
    return None


def test_windows_agree_when_quartiles_are_within_five_percent() -> None:
    assert windows_agree([1.0] * 10, [1.04] * 10)
    assert not windows_agree([1.0] * 10, [1.06] * 10)


def test_windows_disagree_when_spikes_lift_the_earlier_mean() -> None:
    assert not windows_agree([1.0] * 9 + [3.0], [1.0] * 10)
    assert windows_agree([1.0] * 10, [1.0] * 9 + [3.0])


def test_windows_of_nothing_but_zeros_do_not_agree() -> None:
    assert not windows_agree([0.0] * 10, [0.0] * 10)


def test_a_steady_device_is_warm_after_twenty_blocks_and_half_a_second() -> None:
    assert _warm([0.03] * 100) == (20, True)
    assert _warm([0.01] * 100) == (50, True)


def test_a_spike_in_the_earlier_window_delays_the_end_until_it_has_left_it() -> None:
    assert _warm([0.03] * 9 + [0.09] + [0.03] * 90) == (30, True)


def test_a_device_that_speeds_up_is_not_warm_until_it_is_steady() -> None:
    times = [0.06 - 0.001 * index for index in range(30)] + [0.03] * 60
    warm = _warm(times)
    assert warm is not None
    count, settled = warm
    assert settled
    assert count > 30


def test_a_device_that_never_settles_is_used_at_the_cap_and_says_so() -> None:
    assert _warm([0.02 * 1.02**index for index in range(200)]) == (71, False)


def test_long_steps_are_compared_in_halves_at_the_cap() -> None:
    assert _warm([0.5] * 10) == (6, True)
    assert _warm([0.5, 0.5, 0.5, 0.7, 0.7, 0.7]) == (6, False)


def test_steps_longer_than_the_cap_give_one_warm_up_step_that_is_not_settled() -> None:
    assert _warm([4.0]) == (1, False)


def test_at_least_three_steps_are_made_unless_the_cap_is_reached() -> None:
    limits = StoppingLimits(warm_up_least_s=0.0)
    rule = WarmUp(limits)
    assert not rule.add(0.1)
    assert not rule.add(0.1)
    assert not rule.add(0.1)
    assert not rule.settled


def test_a_quiet_series_settles_at_fifteen_samples() -> None:
    quiet = list(np.random.default_rng(0).normal(0.02, 0.0001, 100))
    assert _stop(quiet) == (15, "settled")


def test_one_sided_spikes_do_not_keep_a_series_from_settling() -> None:
    random = np.random.default_rng(3)
    counts = []
    for _ in range(50):
        samples = random.normal(0.02, 0.0002, 400) * np.where(random.random(400) < 0.05, 3.0, 1.0)
        count, reason = _stop(list(samples))
        assert reason in {"settled", "cap", "noise_settled"}
        counts.append(count)
    assert np.median(counts) <= 20


def test_a_drifting_series_goes_on_though_its_interval_is_narrow() -> None:
    count, reason = _stop([0.02 * (1 + 0.004 * index) for index in range(20)])
    assert (count, reason) == (20, None)


def test_a_device_with_two_speeds_ends_by_the_noise_rule_before_the_cap() -> None:
    assert _stop([0.005, 0.006] * 200) == (80, "noise_settled")


def test_noise_that_still_grows_ends_at_the_cap() -> None:
    growing = [0.001 * (1 + 0.02 * index * (index % 2)) for index in range(400)]
    assert _stop(growing, StoppingLimits(cap_s=1e9)) == (400, "cap")


def test_a_series_without_any_noise_is_settled_by_either_rule() -> None:
    assert _stop([0.001] * 100, StoppingLimits(half_width_fraction=-1.0)) == (80, "noise_settled")


def test_time_ends_a_series_of_long_steps() -> None:
    assert _stop([1.0] * 10) == (3, "cap")


def test_steps_that_take_no_time_never_settle() -> None:
    assert _stop([0.0] * 399) == (399, None)
