"""The report's charts as numbers from 0 to 1; how they are drawn stands in the template."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from advisor.report.summary import best_by_device
from advisor.sentences import Language, sentence, visible
from advisor.units import format_bytes, format_quantity

if TYPE_CHECKING:
    from advisor.predict.prediction import Prediction
    from advisor.recommend.recommendation import Recommendation
    from advisor.report.advice_record import Advice

Chart = dict[str, Any]
_BARS = 10
_LABEL_LENGTH = 30


def _label(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= _LABEL_LENGTH else shown[: _LABEL_LENGTH - 1] + "…"


def _rate(value: float) -> str:
    return format_quantity(value, "/s")


def _bars(predictions: list[tuple[str, Prediction]], chosen: Prediction | None, alt: str) -> Chart | None:
    if not predictions:
        return None
    top = max(prediction.samples_per_s.high for _, prediction in predictions)
    bars = [
        {
            "label": label,
            "value": prediction.samples_per_s.value / top,
            "low": prediction.samples_per_s.low / top,
            "high": prediction.samples_per_s.high / top,
            "text": _rate(prediction.samples_per_s.value),
            "strong": prediction is chosen,
            "measured": prediction.measured,
        }
        for label, prediction in predictions
    ]
    return {"kind": "bars", "alt": alt, "bars": bars}


def chosen_prediction(advice: Advice, chosen: Recommendation | None) -> Prediction | None:
    """The prediction that a recommendation rests on."""
    if chosen is None:
        return None
    for prediction in advice.predictions:
        if (
            prediction.device.key == chosen.device.key
            and prediction.count == chosen.count
            and prediction.strategy == chosen.strategy
            and prediction.precision == chosen.precision
            and prediction.batch_size_per_device == chosen.batch_size_per_device
            and prediction.gradient_accumulation_steps == chosen.gradient_accumulation_steps
        ):
            return prediction
    return None


def device_chart(advice: Advice, language: Language) -> Chart | None:
    """Throughput of the best set-up of every device and count, the recommended one in bold."""
    main = advice.recommendation or advice.recommendation_local
    wanted = main.precision if main else advice.workload.training.precision
    chosen = chosen_prediction(advice, main)
    best = [item for item in best_by_device(advice, wanted) if item.fits is not False]
    if chosen is not None:
        place = (chosen.device.key, chosen.count)
        kept = [chosen if (item.device.key, item.count) == place else item for item in best]
        best = kept if chosen in kept[:_BARS] else [*kept[: _BARS - 1], chosen]
    best = best[:_BARS]
    rows = [(f"{item.count} × {_label(item.device.name)}", item) for item in best]
    return _bars(rows, chosen, sentence("report-alt-devices", language))


def strategy_chart(advice: Advice, language: Language) -> Chart | None:
    """Throughput of every strategy and count of the recommended device at its batch and precision."""
    main = advice.recommendation or advice.recommendation_local
    if main is None:
        return None
    rows = [
        (f"{item.count} × {sentence('strategy-' + item.strategy.replace('_', '-'), language)}", item)
        for item in advice.predictions
        if item.device.key == main.device.key
        and item.precision == main.precision
        and item.batch_size_per_device == main.batch_size_per_device
        and item.gradient_accumulation_steps == main.gradient_accumulation_steps
    ]
    rows.sort(key=lambda row: (row[1].count, row[1].strategy))
    if len({item.strategy for _, item in rows}) < 2:  # noqa: PLR2004 - one strategy alone compares with nothing
        return None
    return _bars(rows[:_BARS], chosen_prediction(advice, main), sentence("report-alt-strategies", language))


def memory_chart(advice: Advice, language: Language) -> Chart | None:
    """Memory parts of the recommended batch on every device, against its capacity (the black line)."""
    main = advice.recommendation or advice.recommendation_local
    if main is None:
        return None
    rows: dict[str, Prediction] = {}
    for item in advice.predictions:
        same = item.precision == main.precision and item.batch_size_per_device == main.batch_size_per_device
        if same and item.count == 1 and item.memory_parts and item.memory_capacity_bytes:
            rows.setdefault(item.device.key, item)
    if not rows:
        return None
    kinds = list(dict.fromkeys(part.kind for item in rows.values() for part in item.memory_parts))
    needs = [sum(part.size_bytes for part in item.memory_parts) for item in rows.values()]
    capacities = [item.memory_capacity_bytes or 0.0 for item in rows.values()]
    # A capacity far above every need would squeeze the bars: such a limit is off the chart, and its text says it.
    top = min(max(*needs, *capacities), 3 * max(needs))
    bars = []
    for item, capacity in zip(rows.values(), capacities, strict=True):
        sizes = {part.kind: part.size_bytes for part in item.memory_parts}
        need = sum(sizes.values())
        bars.append(
            {
                "label": _label(item.device.name),
                "parts": [min(1.0, sizes.get(kind, 0.0) / top) for kind in kinds],
                "limit": capacity / top if capacity <= top else None,
                "text": f"{format_bytes(need)} / {format_bytes(capacity)}",
            }
        )
    legend = [sentence(f"memory-part-{kind}", language) for kind in kinds]
    return {"kind": "stacked", "alt": sentence("report-alt-memory", language), "bars": bars[:_BARS], "legend": legend}


def batch_chart(advice: Advice, language: Language) -> Chart | None:
    """Throughput against batch size on one device each, with the knee and the largest batch that fits."""
    main = advice.recommendation or advice.recommendation_local
    if main is None:
        return None
    keys = [main.device.key]
    if advice.recommendation_local is not None and advice.recommendation_local.device.key not in keys:
        keys.append(advice.recommendation_local.device.key)
    series = []
    for key in keys:
        points = sorted(
            (
                item
                for item in advice.predictions
                if item.device.key == key
                and item.count == 1
                and item.precision == main.precision
                and item.fits is not False
                and item.gradient_accumulation_steps == 1
            ),
            key=lambda item: item.batch_size_per_device,
        )
        if len(points) > 1:
            series.append(points)
    if not series:
        return None
    return _curve(series, advice, main, language)


def _curve(series: list[list[Prediction]], advice: Advice, main: Recommendation, language: Language) -> Chart:
    sizes = sorted({item.batch_size_per_device for points in series for item in points})
    low, high = math.log2(sizes[0]), math.log2(max(sizes[-1], sizes[0] + 1))
    top = max(item.samples_per_s.high for points in series for item in points)

    def across(batch_size: float) -> float:
        return (math.log2(batch_size) - low) / (high - low)

    found = next(
        (
            item
            for item in advice.batch_advice
            if item.device_key == main.device.key and item.precision == main.precision
        ),
        None,
    )
    knee = found.knee if found else None
    limit = found.largest_that_fits if found else None
    marks = []
    if knee is not None:
        marks.append(sentence("report-knee", language, {"batch": knee}))
    if limit is not None:
        marks.append(sentence("report-limit", language, {"batch": limit}))
    step = max(1, math.ceil(len(sizes) / 12))
    return {
        "kind": "curve",
        "alt": sentence("report-alt-batch", language),
        "x_title": sentence("report-axis-batch", language),
        "y_title": sentence("report-axis-rate", language),
        "x_ticks": [{"at": across(size), "text": str(size)} for size in sizes[::step]],
        "y_ticks": [{"at": part / 4, "text": _rate(top * part / 4) if part else "0"} for part in range(5)],
        "knee": across(knee) if knee is not None and sizes[0] <= knee <= sizes[-1] else None,
        "limit": across(limit) if limit is not None and sizes[0] <= limit <= sizes[-1] else None,
        "marks": marks,
        "series": [
            {
                "name": visible(points[0].device.name),
                "measured": any(item.measured for item in points),
                "points": [
                    {
                        "x": across(item.batch_size_per_device),
                        "y": item.samples_per_s.value / top,
                        "low": item.samples_per_s.low / top,
                        "high": item.samples_per_s.high / top,
                    }
                    for item in points
                ],
            }
            for points in series
        ],
    }
