"""Local ranges hold as often as they say, on synthetic devices whose truth and noise are known."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
import pytest

from advisor.measure.measurement import StepMeasurement
from advisor.predict.ranges.local_range import half_widths
from tests.predict.test_local_time import TRUTHS, _measured, _predict, _step

NOISE = 0.02
SAMPLES = 15
TIMED = ((1, 4, 16, 64), (2, 8, 32), (4, 16))
ASKED = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)


def _timed(batch: int, truth_s: float, random: np.random.Generator) -> StepMeasurement:
    """Fifteen noisy samples: their median, and the ranks that hold it with 95 %."""
    times = np.sort(truth_s * (1 + NOISE * random.normal(size=SAMPLES)))
    step = _step(batch, float(np.median(times)))
    assert step.summary is not None
    return msgspec.structs.replace(
        step, summary=msgspec.structs.replace(step.summary, low_s=float(times[3]), high_s=float(times[11]))
    )


@pytest.fixture(scope="module")
def covered() -> dict[tuple[str, str], list[bool]]:
    """By device and by the place of a batch size among the timed ones: whether the truth lay in its range."""
    random = np.random.default_rng(11)
    found: dict[tuple[str, str], list[bool]] = {}
    for (device, truth), timed, _ in itertools.product(TRUTHS.items(), TIMED, range(8)):
        steps = _predict(_measured(*(_timed(batch, truth(batch), random) for batch in timed)), *ASKED)
        for column, batch in enumerate(ASKED):
            if batch not in timed:
                place = "between" if timed[0] < batch < timed[-1] else "beyond"
                low, high = steps.low_s[0, column], steps.high_s[0, column]
                found.setdefault((device, place), []).append(bool(low <= truth(batch) <= high))
    return found


@pytest.mark.parametrize("device", TRUTHS)
def test_between_timed_batch_sizes_eight_of_ten_ranges_hold_on_every_device(
    covered: dict[tuple[str, str], list[bool]], device: str
) -> None:
    print(f"{device}: {np.mean(covered[device, 'between']):.3f} of {len(covered[device, 'between'])}")
    assert np.mean(covered[device, "between"]) >= 0.80


@pytest.mark.parametrize("place", ["between", "beyond"])
def test_over_all_devices_ranges_hold_more_often_than_they_say_but_not_always(
    covered: dict[tuple[str, str], list[bool]], place: str
) -> None:
    inside = [one for device in TRUTHS for one in covered[device, place]]
    print(f"{place}: {np.mean(inside):.3f} of {len(inside)}")
    assert 0.80 <= np.mean(inside) <= 0.96


def test_what_is_extended_from_blocks_is_wider_by_eight_percent_than_what_ran_whole() -> None:
    def half_width(*steps: StepMeasurement) -> float:
        found = _predict(_measured(*steps), 1)
        return float(found.high_s[0, 0] / found.total_s[0, 0]) - 1.0

    whole = half_width(_step(1, 0.7))
    extended = half_width(_step(1, 0.15, blocks=(1, 12)), _step(1, 0.2, blocks=(2, 12)))
    assert extended - whole == pytest.approx(0.08, abs=0.005)


def widths(timed: list[float], batches: list[float]) -> list[float]:
    """Half ranges where each timed batch size is known to one per cent and the fit leaves nothing."""
    nothing = np.zeros(len(batches))
    return list(half_widths(np.array(timed), np.full(len(timed), 0.01), np.array(batches), 0.0, nothing))


def test_each_octave_between_timed_batch_sizes_adds_its_width() -> None:
    one, two, middle = widths([16.0, 1024.0], [32.0, 64.0, 128.0])
    assert two - one == pytest.approx(middle - two)
    assert two - one > 0.001


def test_with_a_single_timed_batch_size_an_octave_outside_counts_twice() -> None:
    alone, beside, inside = (
        further - near
        for near, further in (widths(timed, [32.0, 64.0]) for timed in ([16.0], [8.0, 16.0], [16.0, 1024.0]))
    )
    assert alone - inside == pytest.approx(2.0 * (beside - inside))
    assert beside > inside


def test_an_octave_outside_is_wider_by_half_of_what_the_fit_leaves() -> None:
    timed, own, nothing = np.array([8.0, 16.0]), np.full(2, 0.01), np.zeros(2)
    exact, bent = (half_widths(timed, own, np.array([64.0, 128.0]), misfit, nothing) for misfit in (0.0, 1.0))
    assert bent[1] - bent[0] - (exact[1] - exact[0]) == pytest.approx(0.5 * 0.04)
