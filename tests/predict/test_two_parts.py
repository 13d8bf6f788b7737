"""Two parts of a step bent to timed batch sizes that tell them apart, and to ones that do not."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.predict.local.two_parts import COUNTED, RATES, TwoParts, fit_to

FIXED_S, GROWING_S = 5e-3, 1e-5
"""A small model on a processor: at a batch size of 500 as much grows as stands."""


def parts(*batches: float) -> TwoParts:
    sizes = np.array(batches, dtype=np.float64)
    return TwoParts(np.full_like(sizes, FIXED_S), GROWING_S * sizes, RATES)


def truth(batches: TwoParts, fixed: float, growing: float) -> np.typing.NDArray[np.float64]:
    return np.asarray(fixed * batches.fixed_s + growing * batches.growing_s)


@pytest.mark.parametrize(
    ("times", "errors"),
    [((4.97e-3, 5.11e-3), (0.1, 0.1)), ((6.43e-3, 5.89e-3), (0.1, 0.1)), ((6.86e-3, 9.93e-3), (0.4, 0.07))],
)
def test_two_small_batch_sizes_that_differ_by_noise_do_not_tell_what_a_large_one_takes(
    times: tuple[float, float], errors: tuple[float, float]
) -> None:
    timed, asked = parts(1, 2), parts(800)
    fit = fit_to(timed, np.array(times), np.array(errors))
    fixed_s = float(np.average(times, weights=np.array(errors) ** -2.0))
    assert fit.seconds(asked)[0] == pytest.approx(fixed_s + 800 * GROWING_S, rel=0.4)
    assert fit.log_error(asked)[0] > 0.2


def test_batch_sizes_that_tell_the_parts_apart_overrule_what_was_expected_of_them() -> None:
    timed, asked = parts(1, 100, 10_000), parts(50_000)
    for fixed, growing in ((1.0, 1.0), (0.1, 10.0), (30.0, 0.3), (1.0, 0.01)):
        times = truth(timed, fixed, growing)
        fit = fit_to(timed, times, np.full(3, 0.01))
        assert fit.seconds(asked)[0] == pytest.approx(truth(asked, fixed, growing)[0], rel=0.05)
        assert fit.log_error(asked)[0] < 0.1


def test_a_single_time_of_a_small_batch_leaves_the_growing_part_what_the_rates_say() -> None:
    fit = fit_to(parts(1), np.array([0.05]), np.array([0.01]))
    assert fit.seconds(parts(1))[0] == pytest.approx(0.05)
    assert fit.seconds(parts(5000))[0] == pytest.approx(0.05 + 5000 * GROWING_S, rel=0.05)


def test_work_that_was_only_counted_grows_by_one_factor_as_a_whole() -> None:
    counted = TwoParts(np.array([3e6]), np.array([5e6]), COUNTED)
    fit = fit_to(counted, np.array([0.02]), np.array([0.01]))
    assert fit.logs[0] == pytest.approx(fit.logs[1])
    assert fit.seconds(counted)[0] == pytest.approx(0.02)


@pytest.mark.parametrize("timed", [(1.0, 2.0), (1.0, 64.0), (1.0, 8.0, 1000.0)])
def test_eight_of_ten_truths_lie_within_the_error_that_a_fit_tells(timed: tuple[float, ...]) -> None:
    random = np.random.default_rng(5)
    asked, inside = parts(4000), []
    for _ in range(300):
        fixed, growing = np.exp(np.array([1.0, 0.5]) * random.normal(size=2))
        measured = parts(*timed)
        noise = np.exp(0.05 * random.normal(size=len(timed)))
        fit = fit_to(measured, truth(measured, fixed, growing) * noise, np.full(len(timed), 0.05))
        off = abs(np.log(fit.seconds(asked)[0] / truth(asked, fixed, growing)[0]))
        inside.append(off <= 1.2816 * fit.log_error(asked)[0])
    assert 0.75 <= np.mean(inside) <= 0.97


def test_what_was_expected_pulls_as_students_distribution_of_three_degrees_does() -> None:
    """The fit's ratio of both factors is the most probable one, of a density that is written out here."""
    timed, times, errors = parts(1, 500), np.array([0.01, 0.01]), np.array([0.5, 0.5])
    ratios = np.linspace(-3.0, 3.0, 6001)
    shapes = np.array([ratios, -ratios]).T[:, None, :] / 2.0 + np.log([timed.fixed_s, timed.growing_s]).T
    left = np.log(times) - np.logaddexp(shapes[..., 0], shapes[..., 1])
    level = left.mean(axis=1, keepdims=True)
    deviations = (np.array([ratios, -ratios]).T / 2.0 + level) @ RATES.T
    surprise = (((left - level) / errors) ** 2).sum(axis=1) + (4.0 * np.log(1.0 + deviations**2 / 3.0)).sum(axis=1)
    fit = fit_to(timed, times, errors)
    assert fit.logs[0] - fit.logs[1] == pytest.approx(ratios[np.argmin(surprise)], abs=0.002)
