"""Peak allocated memory of published LoRA fine-tunings on one A100, and of published forward passes alone."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from advisor.workload.workload import Training
from tests.accuracy.tables import load_table
from tests.cost.small_tables import need_of

with (Path(__file__).parent / "published_memory.csv").open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))
FINE_TUNINGS = [row for row in ROWS if row["mode"] == "training"]
FORWARD_PASSES = [row for row in ROWS if row["mode"] == "inference"]


@pytest.mark.parametrize("row", FINE_TUNINGS, ids=lambda row: f"{row['workload']}-{row['batch_per_gpu']}")
def test_peak_allocated_memory_is_within_five_percent_of_the_published_one(row: dict[str, str]) -> None:
    table = load_table(row["workload"], row["seq_len_or_img"], "bf16", "training")
    batch = int(row["batch_per_gpu"])
    need = need_of(table, Training(precision="bf16", batch_size=batch), "bf16", batch, compute_capability="8.0")
    error = need.allocated_bytes / 1e9 / float(row["peak_gb"]) - 1
    print(f"{row['workload']} batch {batch}: {error:+.1%}")
    assert abs(error) < 0.05


def forward_errors(workload: str) -> list[float]:
    errors = []
    for row in FORWARD_PASSES:
        if row["workload"] != workload:
            continue
        table = load_table(workload, row["seq_len_or_img"], "half", "inference", fused=True)
        training = Training(precision="fp16_true", mode="inference", batch_size=int(row["batch_per_gpu"]))
        need = need_of(table, training, "fp16_true", training.batch_size, compute_capability="8.9")
        errors.append(need.allocated_bytes / 1e9 / float(row["peak_gb"]) - 1)
    return errors


def test_a_forward_pass_alone_needs_weights_logits_and_the_keys_and_values_of_its_words() -> None:
    """Without logits in FP32 for a loss that nobody asked for, which would be 4.15 GB where 2.44 were published."""
    assert len(forward_errors("biogpt")) == 6
    assert max(np.abs(forward_errors("biogpt"))) < 0.02


def test_published_peaks_hold_further_words_that_were_generated_for_each_sample() -> None:
    """The source went on generating: 20 MB a sample, whatever its prompt, that a forward pass alone does not have."""
    errors = forward_errors("opt_350m")
    assert len(errors) == 16
    assert min(errors) > -0.16
    assert max(errors) < 0.02
    assert np.mean(np.abs(errors)) < 0.06
