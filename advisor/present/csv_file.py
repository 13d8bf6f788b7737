"""The candidates as flat rows, of CSV and of data frames: one a set-up, each number with its range and basis."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from advisor.core.file_writing import write_atomically
from advisor.core.foreign_text import spreadsheet_cell
from advisor.core.units import Estimate
from advisor.predict.prediction import Prediction
from advisor.store.advice_record import AdviceRecord

# What of a prediction its flat rows hold, here and in data frames: fields with a range, and plain ones.
ESTIMATES = ("step_s", "samples_per_s", "peak_memory_bytes", "job_s", "cost", "energy_j", "efficiency")
PLAIN = (
    "count",
    "strategy",
    "precision",
    "batch_size_per_device",
    "global_batch_size",
    "gradient_accumulation_steps",
    "fused_optimizer_added",
    "checkpointing_added",
    "chunked_loss_added",
    "fits",
    "memory_capacity_bytes",
    "measured",
    "currency",
)


_PARTS = {"": "value", "_low": "low", "_high": "high", "_basis": "basis"}
"""Endings of the columns of a range, with what each tells of it."""


def header() -> list[str]:
    """Column names: the record's field names, ranges as NAME_low and NAME_high."""
    ranges = [f"{name}{ending}" for name in ESTIMATES for ending in _PARTS]
    return ["device_key", "device_name", *PLAIN, *ranges]


def _flat(prediction: Prediction) -> dict[str, Any]:
    """What stands in the columns behind the device's; None: unknown."""
    row = {name: getattr(prediction, name) for name in PLAIN}
    for name in ESTIMATES:
        estimate: Estimate | None = getattr(prediction, name)
        for ending, part in _PARTS.items():
            row[f"{name}{ending}"] = None if estimate is None else getattr(estimate, part)
    return row


def prediction_rows(advice: AdviceRecord) -> list[dict[str, object]]:
    """One dictionary a prediction, for data frames: the same keys in each, ranges as three columns, one basis."""
    entered = set(advice.best_set_ups)
    return [
        {
            "device_key": prediction.device.key,
            "device": prediction.device.name,
            "local": prediction.device.local,
            **{name: value for name, value in _flat(prediction).items() if not name.endswith("_basis")},
            "basis": prediction.step_s.basis,
            "best_of_its_device_and_count": place in entered,
        }
        for place, prediction in enumerate(advice.predictions)
    ]


def encode(advice: AdviceRecord) -> bytes:
    """All predictions of the advice as UTF-8 CSV; unknown is an empty cell."""
    values = (
        (prediction.device.key, prediction.device.name, *_flat(prediction).values())
        for prediction in advice.predictions
    )
    return csv_text([header(), *(map(_cell, row) for row in values)]).encode()


def write_shown(titles: Sequence[str], cells: Sequence[Sequence[str]], path: Path) -> None:
    """Write a table as it is shown, its texts made safe for a spreadsheet. Raises OutputError."""
    write_atomically(path, csv_text([spreadsheet_cell(cell) for cell in line] for line in (titles, *cells)).encode())


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Rows of cells as CSV, a line each."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _cell(value: float | str | bool | None) -> str:
    if value is None:
        return ""
    return f"{value:.9g}" if isinstance(value, float) else spreadsheet_cell(str(value))
