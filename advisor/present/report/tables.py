"""The report's tables: every device with its ranges, what was measured beside what was predicted, the links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.core.sentences import Language, sentence
from advisor.core.units import format_bytes, format_cost, format_energy, format_quantity, format_seconds, value_of
from advisor.present.checked_steps import batch_text, checked_steps
from advisor.present.set_ups import TIE, chosen_prediction, clipped, shown_set_ups, tied_places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from advisor.measure.measurement import CommunicationMeasurement
    from advisor.predict.prediction import Prediction
    from advisor.present.checked_steps import CheckedStep
    from advisor.store.advice_record import AdviceRecord

Table = dict[str, Any]
DEVICE_ROWS = 12
_STEP_ROWS = 12
_LINK_ROWS = 10
_REDUCES = 3
_NAME = 40


def _columns(names: tuple[str, ...], language: Language) -> list[str]:
    return [sentence(f"column-{name}", language) for name in names]


def device_table(advice: AdviceRecord, language: Language) -> Table | None:
    """The set-ups worth a look, the shortest job first; energy and cost where any of them is known."""
    shown = shown_set_ups(advice, DEVICE_ROWS)
    if not shown:
        return None
    shown.sort(key=lambda item: value_of(item.job_s, -item.samples_per_s.value))
    chosen = chosen_prediction(advice, advice.main)
    ties = tied_places(advice)
    extra = [
        name
        for name, known in (
            ("energy", any(item.energy_j for item in shown)),
            ("cost", any(item.cost for item in shown)),
        )
        if known
    ]
    own = own_precisions(advice, shown)
    rows = []
    for item in shown:
        tie = f" {TIE}" if item.device_and_count in ties else ""
        row = [f"{item.count} × {clipped(item.device.name, _NAME)}{tie}", *_set_up_cells(item, language)]
        row[2:2] = [PRECISION_LABELS[item.precision]] if own else []
        further = {"energy": _energy(item, language), "cost": _cost(item, language)}
        rows.append([*row, *(further[name] for name in extra), sentence(f"basis-{item.step_s.basis}", language)])
    precision = ("precision",) if own else ()
    names = ("device", "strategy", *precision, "batch", "step", "range", "job", "memory", *extra, "basis")
    return {
        "columns": _columns(names, language),
        "rows": rows,
        "strong": [index for index, item in enumerate(shown) if item is chosen],
        "first_number": names.index("batch"),
    }


def own_precisions(advice: AdviceRecord, shown: Sequence[Prediction]) -> bool:
    """Whether a device of a table lacks the advised precision, so that each row has to name its own."""
    return any(item.precision != advice.shown_precision for item in shown)


def _set_up_cells(item: Prediction, language: Language) -> list[str]:
    unknown = sentence("unknown", language)
    memory = item.peak_memory_bytes
    batch = f"{item.batch_size_per_device:,}"
    if item.gradient_accumulation_steps > 1:
        batch += f" × {item.gradient_accumulation_steps}"
    return [
        sentence(f"strategy-short-{item.strategy.replace('_', '-')}", language),
        batch,
        format_seconds(item.step_s.value),
        f"{format_seconds(item.step_s.low)} – {format_seconds(item.step_s.high)}",
        format_seconds(item.job_s.value) if item.job_s else unknown,
        format_bytes(memory.value) if memory else unknown,
    ]


def _energy(item: Prediction, language: Language) -> str:
    return format_energy(item.energy_j.value) if item.energy_j else sentence("unknown", language)


def _cost(item: Prediction, language: Language) -> str:
    return format_cost(item.cost.value, item.currency) if item.cost else sentence("unknown", language)


def measured_table(advice: AdviceRecord, language: Language) -> Table | None:
    """What was timed here, with the prediction of the same set-up and its error."""
    rows = [_measured_row(one, language) for one in checked_steps(advice)]
    if not rows:
        return None
    names = ("device", "precision", "batch", "median", "interval", "samples", "predicted", "error", "verdict")
    return {"columns": _columns(names, language), "rows": rows[:_STEP_ROWS], "strong": [], "first_number": 2}


def _measured_row(one: CheckedStep, language: Language) -> list[str]:
    predicted, error = one.predicted, one.error_fraction
    return [
        clipped(one.device_name, _NAME),
        PRECISION_LABELS[one.step.precision],
        batch_text(one.step, language),
        format_seconds(one.summary.median_s),
        f"{format_seconds(one.summary.low_s)} – {format_seconds(one.summary.high_s)}",
        f"{one.summary.sample_count:,}",
        format_seconds(predicted.step_s.value) if predicted is not None else "–",
        f"{100 * error:+.1f} %" if error is not None else "–",
        sentence(f"measure-verdict-{one.step.verdict.kind.replace('_', '-')}", language),
    ]


def communication_table(advice: AdviceRecord, language: Language) -> Table | None:
    """Collectives and data-parallel steps that were timed over ranks, with the rate of the link."""
    rows = [
        [
            _what(item, language),
            str(item.rank_count),
            format_bytes(item.message_bytes) if item.message_bytes else "–",
            format_seconds(item.median_s) if item.median_s > 0 else "–",
            format_quantity(item.bus_bytes_per_s, "B/s") if item.bus_bytes_per_s else "–",
            _correct(item.values_correct, language),
        ]
        for measurement in advice.measurements
        for item in _telling(measurement.communication)
    ]
    if not rows:
        return None
    names = ("measured-what", "ranks", "message", "median", "bus-rate", "values-correct")
    return {"columns": _columns(names, language), "rows": rows[:_LINK_ROWS], "strong": [], "first_number": 1}


def _telling(communication: Sequence[CommunicationMeasurement]) -> list[CommunicationMeasurement]:
    """Of the all-reduces only those of the largest messages, which say what the link can do; all else."""
    reduces = [item for item in communication if item.kind == "all_reduce"]
    largest = sorted(reduces, key=lambda item: item.message_bytes or 0)[-_REDUCES:]
    return largest + [item for item in communication if item.kind != "all_reduce"]


def _what(item: CommunicationMeasurement, language: Language) -> str:
    kind = sentence(f"communication-{item.kind.replace('_', '-')}", language)
    steps = item.accumulation_steps or 1
    return kind if steps == 1 else sentence("communication-accumulated", language, kind=kind, steps=steps)


def _correct(values_correct: bool | None, language: Language) -> str:
    return "–" if values_correct is None else sentence("yes" if values_correct else "no", language)
