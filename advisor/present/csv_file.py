"""The candidates as CSV: one row a set-up, each number with its range and basis."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from advisor.core.file_writing import write_atomically
from advisor.core.foreign_text import spreadsheet_cell

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

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
    "fits",
    "memory_capacity_bytes",
    "measured",
    "currency",
)


def header() -> list[str]:
    """Column names: the record's field names, ranges as NAME_low and NAME_high."""
    ranges = [column for name in ESTIMATES for column in (name, f"{name}_low", f"{name}_high", f"{name}_basis")]
    return ["device_key", "device_name", *PLAIN, *ranges]


def encode(advice: AdviceRecord) -> bytes:
    """All predictions of the advice as UTF-8 CSV; unknown is an empty cell."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header())
    for prediction in advice.predictions:
        writer.writerow(_row(prediction))
    return text.getvalue().encode()


def write_shown(titles: Sequence[str], cells: Sequence[Sequence[str]], path: Path) -> None:
    """Write a table as it is shown, its texts made safe for a spreadsheet. Raises OutputError."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    for line in (titles, *cells):
        writer.writerow([spreadsheet_cell(cell) for cell in line])
    write_atomically(path, text.getvalue().encode())


def _row(prediction: Prediction) -> list[str]:
    cells = [spreadsheet_cell(prediction.device.key), spreadsheet_cell(prediction.device.name)]
    cells += [_cell(getattr(prediction, name)) for name in PLAIN]
    for name in ESTIMATES:
        estimate: Estimate | None = getattr(prediction, name)
        if estimate is None:
            cells += ["", "", "", ""]
        else:
            cells += [_cell(estimate.value), _cell(estimate.low), _cell(estimate.high), estimate.basis]
    return cells


def _cell(value: float | str | bool | None) -> str:
    if value is None:
        return ""
    return f"{value:.9g}" if isinstance(value, float) else spreadsheet_cell(str(value))
