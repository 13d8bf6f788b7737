"""The advice as words and tables, once: terminal, Markdown and clipboard show the same content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.hardware.machine import Record
from advisor.report.checked_steps import batch_text
from advisor.sentences import Language, say, sentence, visible
from advisor.units import (
    Estimate,
    Precision,
    format_bytes,
    format_count,
    format_energy,
    format_quantity,
    format_range,
    format_rate,
    format_seconds,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.predict.prediction import Prediction
    from advisor.recommend.recommendation import Recommendation
    from advisor.report.advice_record import Advice


class Table(Record, frozen=True, kw_only=True):
    """A small table; the columns from `first_number` on hold numbers and are set to the right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    first_number_index: int


class Section(Record, frozen=True, kw_only=True):
    """A heading with its sentences."""

    title: str
    sentences: tuple[str, ...]


class Summary(Record, frozen=True, kw_only=True):
    """What a person reads: the advice in a line, its figures, why, what else, and what to beware of."""

    title: str
    headline: str
    figures: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    tables: tuple[Table, ...]


def summarise(advice: Advice, language: Language) -> Summary:
    """The summary of an advice in a language; a pure function, so a reopened advice reads the same."""
    main = advice.recommendation or advice.recommendation_local
    sections = []
    for title, reasons in (
        ("summary-why", main.why if main else ()),
        ("summary-also", tuple(reason for reason in advice.reasons if main is None or reason not in main.why)),
        ("summary-change", main.would_change_if if main else ()),
        ("summary-caveats", advice.caveats),
    ):
        # A reason may be found twice on the way (by the device and by the whole): it is said once.
        sentences = tuple(dict.fromkeys(visible(say(reason, language)) for reason in reasons))
        if sentences:
            sections.append(Section(title=sentence(title, language), sentences=sentences))
    local = advice.recommendation_local
    if local is not None and (main is None or set_up_line(local, language) != set_up_line(main, language)):
        here = Section(title=sentence("summary-here", language), sentences=(set_up_line(local, language),))
        sections.insert(0, here)
    return Summary(
        title=visible(sentence("summary-title", language, {"workload": advice.workload.name})),
        headline=set_up_line(main, language) if main else sentence("summary-nothing", language),
        figures=_figures(main, advice, language) if main else (),
        sections=tuple(sections),
        tables=tuple(table for table in (_device_table(advice, language), _measured_table(advice, language)) if table),
    )


def set_up_line(chosen: Recommendation, language: Language) -> str:
    """The recommended set-up in one line."""
    code = "summary-set-up-one" if chosen.count == 1 else "summary-set-up-many"
    numbers: dict[str, float | int | str] = {
        "device": visible(chosen.device.name),
        "devices": chosen.count,
        "strategy": sentence(f"strategy-{chosen.strategy.replace('_', '-')}", language),
        "precision": chosen.precision,
        "batch": chosen.batch_size_per_device,
        "accumulation": chosen.gradient_accumulation_steps,
    }
    return sentence(code, language, numbers)


def estimate_text(estimate: Estimate | None, formatter: Callable[[float], str], language: Language) -> str:
    """An estimate with range and basis, or the word for unknown."""
    if estimate is None:
        return sentence("unknown", language)
    return f"{format_range(estimate, formatter)}, {sentence('basis-' + estimate.basis, language)}"


def _figures(chosen: Recommendation, advice: Advice, language: Language) -> tuple[tuple[str, str], ...]:
    rows: list[tuple[str, str]] = [
        ("summary-step", estimate_text(chosen.step_s, format_seconds, language)),
        ("summary-job", estimate_text(chosen.job_s, format_seconds, language)),
        ("summary-rate", estimate_text(chosen.samples_per_s, format_rate, language)),
        ("summary-memory", estimate_text(chosen.peak_memory_bytes, format_bytes, language)),
    ]
    if chosen.cost is not None:
        money = chosen.currency or ""
        rows.append(("summary-cost", estimate_text(chosen.cost, lambda cost: f"{cost:.2f} {money}".strip(), language)))
    energy_j = next((item.energy_j for item in advice.predictions if rests_on(chosen, item)), None)
    if energy_j is not None:
        rows.append(("report-energy", estimate_text(energy_j, format_energy, language)))
    if chosen.tied_with:
        names = ", ".join(visible(device.name) for device in chosen.tied_with)
        rows.append(("summary-tied", names))
    model = advice.model
    if model.parameter_count is not None:
        rows.append(("summary-parameters", format_count(model.parameter_count)))
    if model.flop_per_sample is not None:
        rows.append(("summary-flop", format_quantity(model.flop_per_sample, "FLOP")))
    return tuple((sentence(code, language), text) for code, text in rows)


def rests_on(chosen: Recommendation, prediction: Prediction) -> bool:
    """Whether a recommendation is of this prediction's set-up."""
    return (
        prediction.device.key == chosen.device.key
        and prediction.count == chosen.count
        and prediction.strategy == chosen.strategy
        and prediction.precision == chosen.precision
        and prediction.batch_size_per_device == chosen.batch_size_per_device
        and prediction.gradient_accumulation_steps == chosen.gradient_accumulation_steps
    )


def best_by_device(advice: Advice, precision: Precision) -> tuple[Prediction, ...]:
    """For every device and count the fastest set-up at that device's advised batch, the shortest job first.

    Without advice on the batch, or where the advised batch was not predicted for a count, any batch counts.
    """
    advised = {
        (item.device_key, item.precision): item.chosen for item in advice.batch_advice if item.precision == precision
    }
    best: dict[tuple[str, int], Prediction] = {}
    for prediction in advice.predictions:
        if prediction.precision != precision:
            continue
        key = (prediction.device.key, prediction.count)
        batch = advised.get((prediction.device.key, precision))
        if key not in best or _preference(prediction, batch) < _preference(best[key], batch):
            best[key] = prediction
    return tuple(sorted(best.values(), key=_job))


def _preference(prediction: Prediction, batch: int | None) -> tuple[bool, bool, float]:
    other_batch = batch is not None and prediction.batch_size_per_device != batch
    return (prediction.fits is False, other_batch, -prediction.samples_per_s.value)


def _job(prediction: Prediction) -> tuple[bool, float, str]:
    time_s = prediction.job_s.value if prediction.job_s is not None else -prediction.samples_per_s.value
    return (prediction.fits is False, time_s, prediction.device.key)


def _device_table(advice: Advice, language: Language) -> Table | None:
    wanted = advice.recommendation.precision if advice.recommendation else advice.workload.training.precision
    rows = tuple(_device_row(prediction, language) for prediction in best_by_device(advice, wanted))
    if not rows:
        return None
    columns = ("device", "count", "strategy", "batch", "step", "range", "job", "memory", "fits", "basis")
    return Table(
        title=sentence("summary-devices", language, {"precision": wanted}),
        columns=tuple(sentence(f"column-{name}", language) for name in columns),
        rows=rows,
        first_number_index=3,
    )


def _device_row(prediction: Prediction, language: Language) -> tuple[str, ...]:
    unknown = sentence("unknown", language)
    step = prediction.step_s
    memory = prediction.peak_memory_bytes
    fits = {True: "yes", False: "no", None: "unknown"}[prediction.fits]
    return (
        visible(prediction.device.name),
        str(prediction.count),
        sentence(f"strategy-{prediction.strategy.replace('_', '-')}", language),
        str(prediction.batch_size_per_device),
        format_seconds(step.value),
        f"{format_seconds(step.low)} – {format_seconds(step.high)}",
        format_seconds(prediction.job_s.value) if prediction.job_s else unknown,
        format_bytes(memory.value) if memory else unknown,
        sentence(fits, language),
        sentence(f"basis-{step.basis}", language),
    )


def _measured_table(advice: Advice, language: Language) -> Table | None:
    rows = []
    for measurement in advice.measurements:
        for step in measurement.steps:
            if step.summary is None:
                continue
            summary = step.summary
            rows.append(
                (
                    visible(measurement.device_name),
                    step.precision,
                    batch_text(step, language),
                    format_seconds(summary.median_s),
                    f"{format_seconds(summary.low_s)} – {format_seconds(summary.high_s)}",
                    str(summary.sample_count),
                    sentence(f"measure-verdict-{step.verdict.kind.replace('_', '-')}", language),
                )
            )
    if not rows:
        return None
    columns = ("device", "precision", "batch", "median", "interval", "samples", "verdict")
    return Table(
        title=sentence("summary-measured", language),
        columns=tuple(sentence(f"column-{name}", language) for name in columns),
        rows=tuple(rows),
        first_number_index=2,
    )
