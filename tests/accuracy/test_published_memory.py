"""Peak allocated memory of published LoRA fine-tunings on one A100."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from advisor.workload.workload import Training
from tests.accuracy.tables import load_table
from tests.cost.small_tables import need_of

with (Path(__file__).parent / "published_memory.csv").open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['workload']}-{row['batch_per_gpu']}")
def test_peak_allocated_memory_is_within_five_percent_of_the_published_one(row: dict[str, str]) -> None:
    table = load_table(row["workload"], row["seq_len_or_img"], "bf16", "training")
    batch = int(row["batch_per_gpu"])
    need = need_of(table, Training(precision="bf16", batch_size=batch), "bf16", batch, compute_capability="8.0")
    error = need.allocated_bytes / 1e9 / float(row["peak_gb"]) - 1
    print(f"{row['workload']} batch {batch}: {error:+.1%}")
    assert abs(error) < 0.05
