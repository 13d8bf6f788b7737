"""An advice whose range passes a limit says so, and what would keep it with the whole of its range."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.core.sentences import Language, Reason, say
from advisor.predict.prediction import Prediction
from advisor.predict.time_to_train import CriticalBatch
from advisor.recommend.advise_from import recommend
from advisor.recommend.batch_size import largest_global_batch
from advisor.recommend.candidates import enumerate_candidates
from advisor.recommend.prices import Prices
from advisor.recommend.recommendation import Limits, Recommendations, prediction_of
from tests.recommend.fakes import SPECS, TRANSFORMER, Physics, gpu, machine, predict_all, workload
from tests.recommend.test_missed_limits import advised, job_s, shown

PRICES = Prices(currency="EUR", date="2026-01-01", devices=dict.fromkeys(SPECS, 3.0))
KNOWN = CriticalBatch(low=64, high=256, given=True)


def told(answer: Recommendations) -> list[Reason]:
    return [caveat for caveat in answer.caveats if "-range" in caveat.code and "memory" not in caveat.code]


def taken(answer: Recommendations) -> Prediction:
    chosen = prediction_of(answer.predictions, answer.recommendation)
    assert chosen is not None
    return chosen


def cheapest(limit_s: float) -> Recommendations:
    asked, here = workload("fp32"), machine(gpu())
    predictions = predict_all(enumerate_candidates(asked, here, SPECS), TRANSFORMER, asked)
    return recommend(
        asked, here, predictions, specs=SPECS, limits=Limits(max_job_s=limit_s), prices=PRICES, goal="cost"
    )


def test_a_limit_between_middle_and_upper_end_is_told_with_what_keeps_it_surely() -> None:
    free_s = job_s(taken(cheapest(1e9)))
    seen = set()
    for share in (0.52, 0.6, 1.001, 1.03, 1.2):
        limit_s = free_s * share
        answer = cheapest(limit_s)
        chosen = taken(answer).job_s
        assert chosen is not None
        assert chosen.value <= limit_s
        assert bool(told(answer)) is (chosen.high > limit_s)
        for reason in told(answer):
            assert (reason.figure("high_s"), reason.figure("limit_s")) == (chosen.high, limit_s)
            assert reason.code == "caveat-hours-range-instead"
            assert reason.figure("most_s") in {one.job_s.high for one in answer.predictions if one.fits and one.job_s}
            assert reason.figure("most_s") <= limit_s
        seen.add(bool(told(answer)))
    assert seen == {True, False}


def test_a_limit_that_the_whole_range_keeps_is_not_told() -> None:
    free = taken(advised(Limits()))
    assert free.job_s is not None
    assert told(advised(Limits(max_job_s=free.job_s.high))) == []
    assert told(advised(Limits())) == []


def at_most_just_kept(physics: Physics = TRANSFORMER, **options: object) -> Recommendations:
    """The advice under a limit just above the shortest time of all that may be advised on one or two kinds of card."""
    asked, here = workload("fp32"), machine(gpu())
    predictions = predict_all(enumerate_candidates(asked, here, SPECS), physics, asked)
    free = recommend(asked, here, predictions, specs=SPECS, **options)  # type: ignore[arg-type]
    limits = Limits(max_job_s=min(job_s(one) for one in shown(free)) * 1.001)
    return recommend(asked, here, predictions, specs=SPECS, limits=limits, **options)  # type: ignore[arg-type]


def test_where_only_larger_steps_surely_keep_the_limit_the_smallest_of_them_are_named() -> None:
    answer = at_most_just_kept(replace(TRANSFORMER, gradient_bytes=4e9, spread=0.02))
    (reason,) = told(answer)
    assert reason.code == "caveat-hours-range-larger"
    most = largest_global_batch(workload("fp32"))
    assert reason.figure("samples") > most >= reason.figure("advised_samples")
    assert reason.figure("most_s") <= reason.figure("limit_s")


def test_larger_steps_than_a_batch_that_the_user_knows_are_not_named() -> None:
    answer = at_most_just_kept(replace(TRANSFORMER, gradient_bytes=4e9, spread=0.02), critical_batch=KNOWN)
    assert {reason.code for reason in told(answer)} <= {"caveat-hours-range", "caveat-hours-range-nearest"}


def test_where_nothing_surely_keeps_the_limit_that_is_said() -> None:
    (reason,) = told(at_most_just_kept(critical_batch=KNOWN))
    assert reason.code == "caveat-hours-range"


def test_of_what_keeps_the_limit_by_its_middle_alone_the_least_upper_end_is_named_where_it_is_clearly_less() -> None:
    asked, here = workload("fp32"), machine(gpu())
    found = enumerate_candidates(asked, here, SPECS, gpu_keys=("l40s",), counts=(1, 2), local=False)
    predictions = predict_all(found, replace(TRANSFORMER, spread=0.99, gradient_bytes=4e8), asked)
    free = recommend(asked, here, predictions, specs=SPECS, goal="cost", critical_batch=KNOWN)
    limits = Limits(max_job_s=job_s(taken(free)) * 1.01)
    answer = recommend(asked, here, predictions, specs=SPECS, goal="cost", critical_batch=KNOWN, limits=limits)
    chosen = taken(answer).job_s
    assert chosen is not None
    (reason,) = told(answer)
    assert reason.code == "caveat-hours-range-nearest"
    assert reason.figure("limit_s") < reason.figure("most_s") <= chosen.high / 1.15


def test_a_cost_whose_range_passes_the_limit_is_told_too() -> None:
    free = taken(advised(Limits(), prices=PRICES))
    assert free.cost is not None
    answer = advised(Limits(max_cost=(free.cost.value + free.cost.high) / 2), prices=PRICES)
    assert [reason.code for reason in told(answer)] in (["caveat-cost-range"], ["caveat-cost-range-instead"])


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("share", [1.001, 1.02, 1.2])
def test_each_sentence_has_all_its_figures(language: Language, share: float) -> None:
    shortest_s = min(job_s(one) for one in shown(advised(Limits())))
    for reason in told(advised(Limits(max_job_s=shortest_s * share))):
        assert "{" not in say(reason, language)
