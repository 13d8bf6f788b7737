"""A range is promised for inference only where published runs of inference judged it."""

from __future__ import annotations

import csv
from pathlib import Path

import msgspec
import pytest

from advisor.core.sentences import Language, say
from advisor.recommend.advise_from import recommend
from advisor.workload.workload import Mode, with_training
from tests.accuracy.unseen_runs import unseen_questions
from tests.advice.test_memory_savings import advice_for

PROMISE: dict[Language, str] = {"en": "four of five", "zh": "五次中有四次"}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("mode", "pictures", "promised"),
    [("training", True, True), ("training", False, True), ("inference", True, True), ("inference", False, False)],
)
def test_four_of_five_times_are_promised_in_training_and_where_pictures_are_inferred_on(
    mode: Mode, language: Language, *, pictures: bool, promised: bool
) -> None:
    advice = advice_for("resnet50", "rtx3090")
    workload = with_training(advice.workload, mode=mode)
    if not pictures:
        data = msgspec.structs.replace(workload.data, image_size=None, sequence_length=128)
        workload = msgspec.structs.replace(workload, data=data)
    found = recommend(workload, advice.machine, advice.predictions)
    told = " ".join(say(caveat, language) for caveat in found.caveats)
    assert (PROMISE[language] in told) == promised
    assert ("BERT" in told) != promised


def test_what_the_caveat_names_are_the_only_models_whose_inference_was_judged() -> None:
    rows = csv.DictReader((Path(__file__).parents[1] / "accuracy" / "published_steps.csv").open(encoding="utf-8"))
    judged = {row["workload"] for row in rows if row["use"] == "yes" and row["mode"] == "inference"}
    unseen = [question.workload for question in unseen_questions()]
    judged |= {
        one.name
        for one in unseen
        if one.training.mode == "inference" and (one.data.image_size is None or "iffusion" in one.name)
    }
    assert all("bert" in name.lower() or "diffusion" in name.lower() for name in judged)
