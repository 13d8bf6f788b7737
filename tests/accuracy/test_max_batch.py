"""The largest batch on the published ladder (timm's benchmark on an RTX 3090), on a fixed random sample of models."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import msgspec
import pytest

from advisor.predict.largest_batch import BatchLimit
from advisor.predict.memory import memory_question, usable_bytes
from advisor.workload.workload import Training
from tests.accuracy.ladder import RUNGS, chosen_models, ladder_path, ladder_rows, load_ladder_table

CARD_BYTES = 24 * 2**30
TRAINING = Training(precision="fp16_amp", batch_size=32, optimizer="sgd_momentum")
Outcome = Literal["right", "too high", "too low"]


def predicted_rung(workload: str, length: int, layout: str) -> int:
    """The largest rung that fits; that benchmark kept gradients allocated, as torch did before 2.0."""
    question = memory_question(
        load_ladder_table(workload, length, layout),
        msgspec.structs.replace(TRAINING, channels_last=layout == "nhwc"),
        "fp16_amp",
        compute_capability="8.6",
        gradients_kept=True,
    )
    assert question is not None
    return BatchLimit(question).largest_of(RUNGS, usable_bytes(CARD_BYTES))


def outcomes(layout: str) -> Counter[Outcome]:
    """How the sampled models with a ladder end below the top rung come out."""
    chosen = set(chosen_models())
    found: Counter[Outcome] = Counter()
    for row in ladder_rows():
        name, length, ran = row["workload"], int(row["seq_len_or_img"]), int(row["max_batch_that_ran"])
        recorded = ladder_path(name, length, layout).exists()
        if row["layout"] != layout or name not in chosen or ran == RUNGS[0] or not recorded:
            continue
        rung = predicted_rung(name, length, layout)
        outcome: Outcome = "right" if rung == ran else "too high" if rung > ran else "too low"
        if outcome != "right":
            print(f"{name} {layout}: ran {ran}, predicted {rung}")
        found[outcome] += 1
    print(layout, dict(found))
    return found


@pytest.mark.parametrize(("layout", "right", "too_high"), [("nchw", 0.90, 0.04), ("nhwc", 0.94, 0.04)])
def test_the_largest_batch_is_the_rung_that_really_ran(layout: str, right: float, too_high: float) -> None:
    found = outcomes(layout)
    total = sum(found.values())
    assert total >= 60
    assert found["right"] / total >= right
    assert found["too high"] / total <= too_high


def test_a_hundred_models_of_the_sample_are_recorded() -> None:
    recorded = {
        row["workload"]
        for row in ladder_rows()
        if ladder_path(row["workload"], int(row["seq_len_or_img"]), row["layout"]).exists()
    }
    assert len(recorded & set(chosen_models())) >= 100
