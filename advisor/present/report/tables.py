"""The report's tables: every device with its ranges, what was measured beside what was predicted, the links."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from advisor.core.sentences import Language, sentence
from advisor.core.units import format_bytes, format_quantity, format_seconds, value_of
from advisor.measure.measurement import CommunicationMeasurement
from advisor.present.card_names import names_with_place
from advisor.present.checked_steps import checked_steps
from advisor.present.report.charts import named
from advisor.present.set_ups import TIE, clipped, shown_set_ups, tied_places
from advisor.present.summary import devices_title, limit_mark, own_precisions
from advisor.present.table_cells import NONE, set_up_cells, step_cells, strategy_of
from advisor.present.tables import Table, table_of
from advisor.recommend.recommendation import prediction_of
from advisor.store.advice_record import AdviceRecord

DEVICE_ROWS = 12
_STEP_ROWS = 12
_LINK_ROWS = 10
_REDUCES = 3
_NAME = 40


def device_table(advice: AdviceRecord, language: Language) -> Table | None:
    """The set-ups worth a look, the shortest job first; energy and cost where any of them is known."""
    shown = shown_set_ups(advice, DEVICE_ROWS)
    if not shown:
        return None
    shown.sort(key=lambda item: value_of(item.job_s, -item.samples_per_s.value))
    chosen, ties = prediction_of(advice.predictions, advice.main), tied_places(advice)
    own = own_precisions(advice, shown)
    names = ("device", "strategy", *(("precision",) if own else ()), "batch", "step", "range", "job", "memory")
    names += ("energy",) if any(item.energy_j for item in shown) else ()
    names += ("cost",) if any(item.cost for item in shown) else ()
    names += ("basis",)
    rows, names_by_key = [], names_with_place(advice.predictions, language)
    for item in shown:
        tie = f" {TIE}" if item.device_and_count in ties else ""
        device = f"{named(item, names_by_key)}{tie}{limit_mark(advice, item)}"
        strategy = strategy_of(item, language, short=True)
        rows.append(set_up_cells(item, names, language, device=device, strategy=strategy))
    table = table_of(devices_title(advice, language, own=own), names, rows, language, first_number="batch")
    strong = next((index for index, item in enumerate(shown) if item is chosen), None)
    return msgspec.structs.replace(table, strong_index=strong)


def measured_table(advice: AdviceRecord, language: Language) -> Table | None:
    """What was timed here, with the prediction of the same set-up and its error."""
    names = ("device", "precision", "batch", "median", "interval", "samples", "predicted", "error", "verdict")
    rows = [step_cells(checked, names, language) for checked in checked_steps(advice)[:_STEP_ROWS]]
    rows = [(clipped(device, _NAME), *rest) for device, *rest in rows]
    title = sentence("report-compared", language)
    return table_of(title, names, rows, language, first_number="batch") if rows else None


def communication_table(advice: AdviceRecord, language: Language) -> Table | None:
    """Collectives and data-parallel steps that were timed over ranks, with the rate of the link."""
    rows = [
        (
            _what(item, language),
            str(item.rank_count),
            format_bytes(item.message_bytes) if item.message_bytes else NONE,
            format_seconds(item.median_s) if item.median_s > 0 else NONE,
            format_quantity(item.bus_bytes_per_s, "B/s") if item.bus_bytes_per_s else NONE,
            NONE if item.values_correct is None else sentence("yes" if item.values_correct else "no", language),
        )
        for measurement in advice.measurements
        for item in _telling(measurement.communication)
    ]
    if not rows:
        return None
    names = ("measured-what", "ranks", "message", "median", "bus-rate", "values-correct")
    return table_of(
        sentence("report-communication", language), names, rows[:_LINK_ROWS], language, first_number="ranks"
    )


def _telling(communication: Sequence[CommunicationMeasurement]) -> list[CommunicationMeasurement]:
    """Of the all-reduces only those of the largest messages, which say what the link can do; all else."""
    reduces = [item for item in communication if item.kind == "all_reduce"]
    largest = sorted(reduces, key=lambda item: item.message_bytes or 0)[-_REDUCES:]
    return largest + [item for item in communication if item.kind != "all_reduce"]


def _what(item: CommunicationMeasurement, language: Language) -> str:
    kind = sentence(f"communication-{item.kind.replace('_', '-')}", language)
    steps = item.accumulation_steps or 1
    return kind if steps == 1 else sentence("communication-accumulated", language, kind=kind, steps=steps)
