"""Predictions as flat rows, for data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.present.csv_file import ESTIMATES, PLAIN

if TYPE_CHECKING:
    from advisor.core.units import Estimate
    from advisor.predict.prediction import Prediction
    from advisor.store.advice_record import AdviceRecord


def prediction_rows(advice: AdviceRecord) -> list[dict[str, object]]:
    """One dictionary a prediction, every one with the same keys; estimates as three columns and their basis."""
    entered = set(advice.best_set_ups)
    return [
        {
            "device_key": one.device.key,
            "device": one.device.name,
            "local": one.device.local,
            **{name: getattr(one, name) for name in PLAIN},
            **_estimates(one),
            "best_of_its_device_and_count": place in entered,
        }
        for place, one in enumerate(advice.predictions)
    ]


def _estimates(prediction: Prediction) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in ESTIMATES:
        estimate: Estimate | None = getattr(prediction, name)
        found[name] = None if estimate is None else estimate.value
        found[f"{name}_low"] = None if estimate is None else estimate.low
        found[f"{name}_high"] = None if estimate is None else estimate.high
    found["basis"] = prediction.step_s.basis
    return found
