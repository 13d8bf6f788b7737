"""Reasons that do not contradict their figures: no gain is no knee, what is allowed is not forbidden."""

from __future__ import annotations

import msgspec
import pytest

from advisor.claims.predictor import candidate
from advisor.core.sentences import Names, say, sentence
from advisor.predict.prediction import Prediction
from advisor.recommend.batch_size import batch_reason
from advisor.recommend.comparison import Finalist
from advisor.recommend.reasons.parallel import _count_reasons
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import SPECS, TRANSFORMER, comparison, estimate, predict, workload
from tests.recommend.real_predictor import real_predictor


def curve(rates: dict[int, float]) -> list[Prediction]:
    """Predictions of four cards, one a batch size, with the given rates."""
    found = []
    for size, rate in rates.items():
        one = predict(candidate(SPECS["l40s"], "fp32", size, count=4, strategy="ddp"), TRANSFORMER, workload("fp32"))
        changes = {"samples_per_s": estimate(rate), "global_batch_size": 4 * size, "fits": True}
        found.append(msgspec.structs.replace(one, **changes))
    return found


def test_a_batch_is_not_called_forbidden_where_the_next_larger_one_is_allowed() -> None:
    rates = curve({64: 1000.0, 128: 1060.0, 256: 1300.0})
    reason = batch_reason(comparison(64, 512, 1_000_000), rates[0], rates)
    assert reason.code == "why-batch-kept-within"
    assert reason.numbers["allowed_batch"] == 128
    assert "gain less than 10 %" in say(reason, "en")


def test_a_batch_is_held_by_the_global_limit_where_no_larger_one_is_allowed() -> None:
    rates = curve({64: 1000.0, 128: 1300.0})
    assert batch_reason(comparison(64, 256, 1_000_000), rates[0], rates).code == "why-batch-kept-global"


def test_cards_that_gain_nothing_are_not_called_a_knee() -> None:
    predictor = real_predictor()
    spec = predictor.specs["rtx4090"]
    wanted = (
        candidate(spec, "fp32", 120),
        candidate(spec, "fp32", 60, count=2, strategy="ddp"),
    )
    one, two = predictor.predict(load_workload("iris_mlp"), wanted)
    reason = next(iter(_count_reasons(Finalist(chosen=one, by_count=(one, two)))))
    assert reason.code == "why-count-no-gain"
    assert "gains nothing" in say(reason, "en")
    assert "没有收益" in say(reason, "zh")


@pytest.mark.parametrize(("language", "names"), [("en", "A, B"), ("zh", "A、B")])
def test_names_are_listed_with_the_comma_of_the_language(language: str, names: str) -> None:
    text = sentence("change-measure", language, devices=Names(names=("A", "B")))  # type: ignore[arg-type]
    assert names in text
