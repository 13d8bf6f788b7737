"""Sources that no figure was fitted on come out as the page tells."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.predict.accuracy_record import DOCUMENT
from advisor.predict.evaluation import ScoredStep
from tests.accuracy.fitted_steps import fitted_steps
from tests.accuracy.tables import load_table
from tests.accuracy.unseen_runs import PUBLISHED_UNSEEN, STATED, unseen_steps
from tools.language_model_tables import unfitted_table

PAGE = (Path(__file__).parents[2] / DOCUMENT).read_text(encoding="utf-8")


def test_no_source_of_them_was_fitted() -> None:
    fitted = {step.source for step in fitted_steps()}
    assert {step.source for step in unseen_steps()}.isdisjoint(fitted)


def test_the_page_tells_what_is_predicted_today() -> None:
    assert unfitted_table(unseen_steps(), "card") in PAGE


def covered(steps: Sequence[ScoredStep]) -> float:
    """Share of the steps inside of their range."""
    return float(np.mean([step.covered for step in steps]))


def test_four_of_five_lie_inside_of_their_range_and_more_of_cards_that_are_named_whole() -> None:
    steps = unseen_steps()
    assert 0.8 <= covered(steps) <= 0.92
    named = [step for step in steps if step.method == STATED]
    # Ranges of 80 %: far more than that inside would be idle, too.
    assert 0.85 <= covered(named) <= 0.93
    assert np.mean([abs(step.predicted_s / step.measured_s - 1.0) for step in named]) <= 0.095


@pytest.mark.parametrize(
    ("name", "size", "patches", "scored_bytes"),
    [
        ("timm_vit_base_patch16_224", 224, 196, 12 * 196**2 * 2),
        ("timm_vit_large_patch16_384", 384, 576, 16 * 576**2 * 2),
    ],
)
def test_vision_transformers_have_no_class_token_and_scale_their_scores_as_their_source_ran_them(
    name: str, size: int, patches: int, scored_bytes: float
) -> None:
    table = load_table(name, size, "fp16", "inference", "nchw", fused=False)
    lengths = {op.matmul.n[0] for op in table.ops if op.name == "bmm" and op.matmul is not None}
    assert patches in lengths
    assert patches + 1 not in lengths
    assert [op.written_bytes for op in table.ops if op.name == "mul"] == [(0.0, scored_bytes)]


def test_every_row_that_is_not_judged_says_why_and_the_page_counts_it() -> None:
    with PUBLISHED_UNSEEN.open(encoding="utf-8") as file:
        unused = [row["why_not"] for row in csv.DictReader(file) if row["use"] != "yes"]
    assert all(unused)
    told = re.search(r"^Not judged: (.*)\.$", PAGE, re.MULTILINE)
    assert told is not None
    assert sum(int(count) for count in re.findall(r"(\d+) rows", told[1])) == len(unused)


@pytest.mark.parametrize("source", ["diffusers-attn-2023", "diffusers-torch2.0"])
def test_three_of_four_diffusion_steps_lie_inside_of_their_range(source: str) -> None:
    assert covered([step for step in unseen_steps() if step.source == source]) >= 0.75


def test_a_card_whose_form_nobody_stated_is_answered_for_its_name_and_four_of_five_lie_inside() -> None:
    unstated = [step for step in unseen_steps() if step.method == "form or memory not stated"]
    assert {step.gpu_key for step in unstated}.isdisjoint(spec_table())
    assert 0.8 <= covered(unstated) <= 0.92


def test_four_of_five_steps_on_a_card_of_amd_for_data_centres_lie_inside_of_their_range() -> None:
    """Large batches, by which no figure and no range was chosen."""
    steps = [step for step in unseen_steps() if step.gpu_key == "mi250"]
    assert len(steps) == 25
    assert 0.75 <= covered(steps) <= 0.92
    assert np.mean([abs(step.predicted_s / step.measured_s - 1.0) for step in steps]) <= 0.23
