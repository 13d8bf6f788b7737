"""The largest batch on the published ladder (timm's benchmark on an RTX 3090), on two fixed random samples of models.

Causes and the head-room were looked for in the first sample; the second was drawn and recorded to judge.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from advisor.cost.memory.capacity import usable_bytes
from tests.accuracy.ladder import chosen_models, judging_models, ladder_path, ladder_rows, load_ladder_table
from tests.accuracy.ladder_needs import CARD_BYTES, Outcome, outcomes, recorded_rows, rung_needs

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = {"chosen": chosen_models(), "judging": judging_models()}


@cache
def found(sample: str, layout: str) -> Counter[Outcome]:
    return outcomes(set(SAMPLES[sample]), layout)


@pytest.mark.parametrize(
    ("sample", "layout", "right", "too_high"),
    [
        ("chosen", "nchw", 0.92, 0.03),
        ("chosen", "nhwc", 0.93, 0.013),
        ("judging", "nchw", 0.95, 0.03),
        ("judging", "nhwc", 0.96, 0.0),
    ],
)
def test_the_largest_batch_is_the_rung_that_really_ran(sample: str, layout: str, right: float, too_high: float) -> None:
    counts = found(sample, layout)
    print(sample, layout, dict(counts))
    assert counts.total() >= 60
    assert counts["right"] / counts.total() >= right
    assert counts["too high"] / counts.total() <= too_high


@pytest.mark.parametrize(("layout", "right", "too_high"), [("nchw", 0.93, 0.03), ("nhwc", 0.94, 0.01)])
def test_of_both_samples_few_are_wrong_and_fewest_would_run_out_of_memory(
    layout: str, right: float, too_high: float
) -> None:
    counts = found("chosen", layout) + found("judging", layout)
    assert counts["right"] / counts.total() >= right
    assert counts["too high"] / counts.total() <= too_high


@pytest.mark.nightly
@pytest.mark.parametrize("layout", ["nchw", "nhwc"])
def test_the_range_of_the_need_holds_what_ran_and_what_failed(layout: str) -> None:
    usable = usable_bytes(CARD_BYTES)
    rows = [rung_needs(row) for models in SAMPLES.values() for row in recorded_rows(set(models), layout)]
    held = sum(ran.low <= usable < failed.high for ran, failed in rows)
    print(layout, f"{held} of {len(rows)}")
    assert held / len(rows) >= 0.95


@pytest.mark.nightly
def test_the_page_of_largest_batches_is_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools" / "write_memory_page.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0


def test_both_samples_are_recorded_and_share_no_model() -> None:
    recorded = {
        row["workload"]
        for row in ladder_rows()
        if ladder_path(row["workload"], int(row["seq_len_or_img"]), row["layout"]).exists()
    }
    assert len(recorded & set(chosen_models())) >= 100
    assert len(recorded & set(judging_models())) >= 80
    assert not set(chosen_models()) & set(judging_models())


def test_every_recorded_model_has_the_published_number_of_parameters() -> None:
    for row in ladder_rows():
        name, length, layout = row["workload"], int(row["seq_len_or_img"]), row["layout"]
        if ladder_path(name, length, layout).exists():
            published = float(row["param_count_millions"]) * 1e6
            assert load_ladder_table(name, length, layout).parameter_count == pytest.approx(published, rel=0.002), name
