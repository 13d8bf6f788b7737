from __future__ import annotations

import numpy as np

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
