"""The report's bars as numbers from 0 to 1; how they are drawn stands in the template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from advisor.catalogue.precisions import precision_name
from advisor.core.money import format_cost
from advisor.core.sentences import Language, sentence
from advisor.core.units import format_bytes, format_rate, format_seconds
from advisor.predict.prediction import Prediction
from advisor.present.card_names import names_with_place
from advisor.present.job_picture import job_picture, row_detail, row_name, row_names, tick_text
from advisor.present.job_picture import legend as legend_of
from advisor.present.look import device_colour, device_places, device_shape, memory_part_colour, step_part_colour
from advisor.present.set_ups import (
    TIE,
    clipped,
    shown_set_ups,
    tied_places,
)
from advisor.present.table_cells import strategy_of
from advisor.recommend.comparison import counted
from advisor.recommend.recommendation import prediction_of
from advisor.store.advice_record import AdviceRecord

Chart = dict[str, Any]
_BARS = 10
_STACKS = 6


def _bars(predictions: Sequence[tuple[str, Prediction]], chosen: Prediction | None, language: Language) -> Chart:
    top = max(prediction.samples_per_s.high for _, prediction in predictions)
    bars = [
        {
            "label": label,
            "value": prediction.samples_per_s.value / top,
            "low": prediction.samples_per_s.low / top,
            "high": prediction.samples_per_s.high / top,
            "text": format_rate(prediction.samples_per_s.value),
            "strong": prediction is chosen,
            "measured": prediction.measured,
        }
        for label, prediction in predictions
    ]
    legend = {"predicted": sentence("report-legend-predicted", language)}
    if any(bar["measured"] for bar in bars):
        legend["measured"] = sentence("report-legend-measured", language)
    notes = [sentence("report-legend-range", language)]
    if any(bar["strong"] for bar in bars):
        notes.append(sentence("report-legend-advised", language))
    return {"kind": "bars", "bars": bars, "legend": legend, "notes": notes}


def named(item: Prediction, names: Mapping[str, str]) -> str:
    """The device as the window names it, with its count where there are several."""
    return counted(item.count, clipped(names[item.device.key]))


def job_chart(advice: AdviceRecord, language: Language) -> Chart | None:
    """The window's one picture: the whole job's time on every candidate, on a logarithmic axis."""
    picture = job_picture(advice)
    if picture is None:
        return None
    names, places = row_names(advice), device_places(advice.machine, advice.predictions)
    rows = []
    for row in picture.rows:
        prediction = row.prediction
        job = None if row.refused else prediction.job_s
        cost = prediction.cost if job is not None else None
        rows.append(
            {
                "name": clipped(row_name(row, names)),
                "detail": row_detail(row, advice, language),
                "chip": sentence("picture-here", language) if row.here else "",
                "at": picture.across(job.value) if job else None,
                "low": picture.across(job.low) if job else None,
                "high": picture.across(job.high) if job else None,
                "text": format_seconds(job.value) if job else sentence("report-does-not-fit", language),
                "price": format_cost(cost.value, prediction.currency, language) if cost is not None else "",
                "colour": device_colour(places.get(prediction.device.key), "light"),
                "shape": device_shape(places.get(prediction.device.key)),
                "strong": row.advised,
                "tied": row.tied,
                "trusted": row.trusted,
                "solid": prediction.step_s.basis != "specified",
            }
        )
    return {
        "kind": "job",
        "alt": sentence("report-alt-job", language),
        "rows": rows,
        "ticks": [{"at": picture.across(time_s), "text": tick_text(time_s)} for time_s in picture.ticks_s],
        "unit": sentence("picture-unit", language),
        "notes": list(legend_of(picture, language)),
    }


def device_chart(advice: AdviceRecord, language: Language) -> Chart | None:
    """Throughput by device and count: the advised set-up in bold, ties marked."""
    rows = shown_set_ups(advice, _BARS)
    if not rows:
        return None
    ties, names = tied_places(advice), names_with_place(advice.predictions, language)
    main = advice.main
    labelled = []
    for item in rows:
        own = "" if item.precision == advice.shown_precision else f" · {precision_name(item.precision, language)}"
        # A count at a batch of its own has another throughput than at the advised batch: the bar says which.
        if main is not None and item.batch_size_per_device != main.batch_size_per_device:
            own += f" · {sentence('picture-batch', language, batch=format(item.batch_size_per_device, ','))}"
        tie = f" {TIE}" if item.device_and_count in ties else ""
        labelled.append((f"{named(item, names)}{own}{tie}", item))
    chart = _bars(labelled, prediction_of(advice.predictions, main), language)
    if any(label.endswith(f" {TIE}") for label, _ in labelled):
        chart["notes"].append(f"{TIE} {sentence('report-legend-tied', language)}")
    return {**chart, "alt": sentence("report-alt-devices", language)}


def _spread(item: Prediction, language: Language) -> str:
    """Count and strategy, as the window abbreviates them."""
    return counted(item.count, strategy_of(item, language, short=True))


def strategy_chart(advice: AdviceRecord, language: Language) -> Chart | None:
    """Throughput of every strategy and count of the advised device at its batch and precision, where it fits."""
    main = advice.main
    if main is None:
        return None
    rows = [
        (_spread(item, language), item)
        for item in advice.predictions
        if item.differs_at_most_by(main, "count", "strategy", "gradient_accumulation_steps")
        and (item.gradient_accumulation_steps == main.gradient_accumulation_steps or item.count != main.count)
        and item.fits is not False
    ]
    # One bar a strategy and count: where several accumulations were looked at, the fastest of them.
    best: dict[str, Prediction] = {}
    chosen = prediction_of(advice.predictions, main)
    for label, item in rows:
        held = best.get(label)
        faster = held is None or item.samples_per_s.value > held.samples_per_s.value
        if item is chosen or (faster and held is not chosen):
            best[label] = item
    if len({item.strategy for item in best.values()}) < 2:  # noqa: PLR2004 - one alone compares with nothing
        return None
    ordered = sorted(best.items(), key=lambda row: (row[1].count, row[1].strategy))[:_BARS]
    chart = _bars(ordered, chosen, language)
    # The bars above are of other batches for several devices: which one these are of is said.
    chart["notes"].append(sentence("report-legend-batch", language, batch=f"{main.batch_size_per_device:,}"))
    return {**chart, "alt": sentence("report-alt-strategies", language)}


def time_chart(advice: AdviceRecord, language: Language) -> Chart | None:
    """Where a step's time goes: advised, tied and local set-ups, each bar one whole step."""
    ties = tied_places(advice)
    advised = [
        recommendation
        for recommendation in (advice.recommendation, advice.recommendation_local)
        if recommendation is not None
    ]
    keep = {recommendation.device_and_count for recommendation in advised} | ties
    rows = [item for item in shown_set_ups(advice, _BARS) if item.device_and_count in keep and item.parts]
    if not rows:
        return None
    names = names_with_place(advice.predictions, language)
    kinds = list(dict.fromkeys(part.kind for item in rows for part in item.parts if part.duration_s > 0))
    bars = []
    for item in rows:
        times = {part.kind: part.duration_s for part in item.parts}
        bars.append(
            {
                "label": named(item, names),
                "parts": [max(0.0, times.get(kind, 0.0)) / item.step_s.value for kind in kinds],
                "limit": None,
                "beyond": False,
                "text": f"{format_seconds(item.step_s.value)} · {item.batch_size_per_device}",
            }
        )
    legend = [sentence(f"step-part-{kind}", language) for kind in kinds]
    return _stacks("time", bars, legend, [step_part_colour(kind, "light") for kind in kinds], [], language)


def _stacks(  # noqa: PLR0913 - what a stacked chart shows
    of: str, bars: list[Chart], legend: list[str], colours: list[str], notes: list[str], language: Language
) -> Chart:
    """The chart of what each bar is made of."""
    alt = sentence(f"report-alt-{of}", language)
    shown = {"bars": bars[:_STACKS], "legend": legend, "colours": colours, "notes": notes}
    return {"kind": "stacked", "alt": alt, **shown}


def memory_chart(advice: AdviceRecord, language: Language) -> Chart | None:
    """Memory parts of the advised batch on every device, against what a step can take (the black line)."""
    main = advice.main
    if main is None:
        return None
    rows: dict[str, Prediction] = {}

    def unlike(prediction: Prediction) -> tuple[bool, bool, bool, bool, int]:
        """How far a set-up is from the advised one: by what frees memory, several cards, sharding, accumulation."""
        added, steps = prediction.added != main.added, prediction.gradient_accumulation_steps
        others = prediction.strategy != main.strategy, prediction.count != main.count
        return (added, *others, steps != main.gradient_accumulation_steps, prediction.count)

    for item in sorted(advice.predictions, key=unlike):
        same = item.precision == main.precision and item.batch_size_per_device == main.batch_size_per_device
        if same and item.count in {1, main.count} and item.memory_parts and item.memory_capacity_bytes:
            rows.setdefault(item.device.key, item)
    if not rows:
        return None
    # The advised device, then what is tied with it, then the others.
    first = [main.device.key, *(key for key, _count in sorted(tied_places(advice)))]
    rows = {key: rows[key] for key in dict.fromkeys((*first, *rows)) if key in rows}
    kinds = list(dict.fromkeys(part.kind for item in rows.values() for part in item.memory_parts))
    needs = [sum(part.size_bytes for part in item.memory_parts) for item in rows.values()]
    capacities = [item.usable_memory_bytes or 0.0 for item in rows.values()]
    # A capacity far above every need would squeeze the bars: such a limit is off the chart, and its text says it.
    names = names_with_place(advice.predictions, language)
    top = min(max(*needs, *capacities), 3 * max(needs))
    bars = []
    for item, capacity in zip(rows.values(), capacities, strict=True):
        sizes = {part.kind: part.size_bytes for part in item.memory_parts}
        bars.append(
            {
                "label": named(item, names),
                "parts": [min(1.0, sizes.get(kind, 0.0) / top) for kind in kinds],
                "limit": min(1.0, capacity / top),
                "beyond": capacity > top,
                "text": f"{format_bytes(sum(sizes.values()))} / {format_bytes(capacity)}",
            }
        )
    legend = [sentence(f"memory-part-{kind}", language) for kind in kinds]
    notes = [sentence("report-legend-capacity", language)]
    if any(bar["beyond"] for bar in bars):
        notes.append(sentence("report-legend-beyond", language))
    return _stacks("memory", bars, legend, [memory_part_colour(kind, "light") for kind in kinds], notes, language)
