"""The report's curve of throughput against batch size, as numbers from 0 to 1."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from advisor.catalogue.precisions import precision_name
from advisor.core.sentences import Language, sentence
from advisor.predict.prediction import Prediction
from advisor.present.batch_curve import batch_curve
from advisor.present.card_names import names_with_place
from advisor.present.look import device_colour, device_places, device_shape
from advisor.present.set_ups import clipped
from advisor.recommend.recommendation import Recommendation, batch_advice_on
from advisor.store.advice_record import AdviceRecord

_SERIES = 4
_LOG_FROM = 80
_X_TICKS = 12


def batch_chart(advice: AdviceRecord, language: Language) -> dict[str, Any] | None:
    """One curve each for the advised device, the best one here, and the ties; None with a single batch size."""
    main = advice.main
    if main is None:
        return None
    local = advice.recommendation_local
    wanted = [(main.device.key, main.precision)]
    if local is not None:
        wanted.append((local.device.key, local.precision))
    wanted += [(device.key, main.precision) for device in main.tied_with]
    series = []
    for key, precision in dict.fromkeys(wanted):
        fitting = [item for item in batch_curve(advice.predictions, key, precision, main) if item.fits is not False]
        if len(fitting) > 1:
            series.append(fitting)
    return _curve(series[:_SERIES], advice, main, language) if series else None


def nice_ticks(top: float) -> list[float]:
    """Three to six round values (1, 2 or 5 times a power of ten apart) from 0 up to `top`."""
    raw = top / 5
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.999)
    return [step * index for index in range(int(top / step * 1.0001) + 1)]


@dataclass(frozen=True)
class _Heights:
    """Rates to heights from 0 to 1: from zero on, or by powers of ten where small ones would vanish."""

    bottom: float
    top: float
    ticks: tuple[float, ...]

    def __call__(self, rate: float) -> float:
        if self.bottom == 0:
            return rate / self.top
        return max(0.0, math.log(rate / self.bottom) / math.log(self.top / self.bottom)) if rate > 0 else 0.0


def _heights(series: list[list[Prediction]]) -> _Heights:
    top = max(item.samples_per_s.high for points in series for item in points)
    least = min(item.samples_per_s.low for points in series for item in points)
    if least <= 0 or top / least < _LOG_FROM:
        return _Heights(0.0, top, tuple(nice_ticks(top)))
    powers = range(math.floor(math.log10(least)), math.floor(math.log10(top)) + 1)
    return _Heights(10.0 ** powers[0], top, tuple(10.0**power for power in powers))


def _curve(
    series: list[list[Prediction]], advice: AdviceRecord, main: Recommendation, language: Language
) -> dict[str, Any]:
    sizes = sorted({item.batch_size_per_device for points in series for item in points})
    low, high = math.log2(sizes[0]), math.log2(max(sizes[-1], sizes[0] + 1))

    def across(batch_size: float) -> float:
        return (math.log2(batch_size) - low) / (high - low)

    heights, places = _heights(series), device_places(advice.machine, advice.predictions)
    names = names_with_place(advice.predictions, language)

    def mark(batch_size: int | None) -> float | None:
        return across(batch_size) if batch_size is not None and sizes[0] <= batch_size <= sizes[-1] else None

    alone = series[0][0].count == 1  # what bends and ends the curve of one card does not that of several
    advised = batch_advice_on(main, advice.batch_advice) if alone else None
    knee, limit = (advised.knee, advised.largest_that_fits) if advised else (None, None)
    marks = [sentence("report-advised", language, batch=main.batch_size_per_device)]
    if mark(knee) is not None and knee is not None:
        marks.append(sentence("report-knee", language, batch=knee))
    if limit is not None:
        code = "report-limit" if mark(limit) is not None else "report-limit-beyond"
        marks.append(sentence(code, language, batch=limit))
    step = max(1, math.ceil(len(sizes) / _X_TICKS))
    return {
        "kind": "curve",
        "alt": sentence("report-alt-batch", language),
        "x_title": sentence("report-axis-batch", language),
        "y_title": sentence("report-axis-rate", language),
        "x_ticks": [{"at": across(size), "text": f"{size:,}"} for size in sizes[::step]],
        "y_ticks": [{"at": heights(value), "text": f"{value:,.10g}"} for value in heights.ticks],
        "knee": mark(knee),
        "limit": mark(limit),
        "advised": mark(main.batch_size_per_device),
        "marks": marks,
        "series": [
            {
                **_series(points, names[points[0].device.key], across, heights, language),
                "colour": device_colour(places.get(points[0].device.key), "light"),
                "shape": device_shape(places.get(points[0].device.key)),
            }
            for points in series
        ],
    }


def _counted(name: str, point: Prediction) -> str:
    """What the curve is of: a device by its name, with its number where devices come in several."""
    return clipped(name) if point.device.key == "cpu" else f"{point.count} × {clipped(name)}"


def _series(
    points: list[Prediction], name: str, across: Callable[[float], float], heights: _Heights, language: Language
) -> dict[str, Any]:
    return {
        "name": f"{_counted(name, points[0])} ({precision_name(points[0].precision, language)})",
        "points": [
            {
                "x": across(item.batch_size_per_device),
                "y": heights(item.samples_per_s.value),
                "low": heights(item.samples_per_s.low),
                "high": heights(item.samples_per_s.high),
                "measured": item.measured,
            }
            for item in points
        ],
    }
