"""A range that published training runs judged is not promised for inference."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from advisor.core.sentences import Language, say
from advisor.recommend.advise_from import recommend
from advisor.workload.workload import with_training
from tests.advice.test_memory_savings import advice_for


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("mode", ["training", "inference"])
def test_only_training_is_told_that_four_of_five_times_lie_in_the_range(mode: str, language: Language) -> None:
    advice = advice_for("resnet50", "rtx3090")
    workload = with_training(advice.workload, mode=mode)
    found = recommend(workload, advice.machine, advice.predictions)
    told = " ".join(say(caveat, language) for caveat in found.caveats)
    promise = {"en": "four of five", "zh": "五次中有四次"}[language]
    assert (promise in told) == (mode == "training")
    assert ("BERT-large" in told) == (mode == "inference")


def test_the_model_that_the_caveat_names_is_the_only_one_whose_inference_was_judged() -> None:
    rows = csv.DictReader((Path(__file__).parents[1] / "accuracy" / "published_steps.csv").open(encoding="utf-8"))
    judged = {(row["workload"], row["precision"]) for row in rows if row["use"] == "yes" and row["mode"] == "inference"}
    assert judged == {("bert_large_fp32", "fp32")}
