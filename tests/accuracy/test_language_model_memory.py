from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from advisor.predict.ranges.memory_range import ON_ONE_CARD, SHARED
from tests.accuracy.language_model_memory import PeakRow, peak_rows


def _errors(rows: tuple[PeakRow, ...] | list[PeakRow]) -> np.ndarray:
    return np.abs([row.error_fraction for row in rows])


def test_published_peaks_of_one_card_that_trains_a_language_model_are_met_within_three_per_cent() -> None:
    rows = [row for row in peak_rows() if row.layout.count == 1 and row.source.startswith("foundation-model-stack")]
    assert len(rows) == 17
    assert _errors(rows).mean() <= 0.03


def test_published_peaks_of_all_language_models_are_met_within_a_tenth() -> None:
    errors = _errors(peak_rows())
    print(f"{len(errors)} rows: mean {errors.mean():.1%}, median {np.median(errors):.1%}")
    assert len(errors) == 110
    assert errors.mean() <= 0.105
    assert np.median(errors) <= 0.065


@pytest.mark.parametrize(("several", "ends"), [(False, ON_ONE_CARD), (True, SHARED)])
def test_memory_ranges_are_the_middle_four_fifths_of_published_peaks_however_rows_are_weighed(
    several: bool, ends: tuple[float, float]
) -> None:
    rows = sorted(
        (row for row in peak_rows() if (row.layout.count > 1) is several), key=lambda row: row.published_over_predicted
    )
    counts, ratios = Counter(row.source for row in rows), [row.published_over_predicted for row in rows]
    found = []
    for weights in (np.ones(len(rows)), np.array([1 / counts[row.source] for row in rows])):
        below = (np.cumsum(weights) - weights / 2) / weights.sum()
        found.append(np.interp([0.1, 0.9], below, ratios))
    assert ends == pytest.approx((min(low for low, _ in found), max(high for _, high in found)), abs=0.01)
    assert 0.75 <= np.mean([row.inside for row in rows]) <= 0.92
