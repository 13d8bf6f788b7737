"""Where nothing keeps the limits, the nearest set-up is named, and by how much it misses each of them."""

from __future__ import annotations

import re

import msgspec
import pytest

from advisor.core.sentences import Money, Reason, say
from advisor.predict.prediction import Prediction
from advisor.recommend.advise_from import recommend
from advisor.recommend.batch_size import largest_global_batch
from advisor.recommend.candidates import enumerate_candidates
from advisor.recommend.fixed import FREE, Fixed
from advisor.recommend.prices import Prices
from advisor.recommend.recommendation import Limits, Recommendations
from advisor.workload.workload import Workload
from tests.recommend.fakes import SPECS, TRANSFORMER, gpu, machine, predict_all, workload


def advised(
    limits: Limits, asked: Workload | None = None, prices: Prices | None = None, fixed: Fixed = FREE
) -> Recommendations:
    asked = asked or workload("fp32")
    here = machine(gpu())
    found = enumerate_candidates(asked, here, SPECS)
    predictions = predict_all(found, TRANSFORMER, asked)
    return recommend(asked, here, predictions, specs=SPECS, limits=limits, prices=prices, fixed=fixed)


def nearest(answer: Recommendations) -> dict[str, Reason]:
    return {caveat.code: caveat for caveat in answer.caveats if caveat.code.startswith("caveat-nearest")}


def test_an_unmeetable_deadline_names_the_fastest_set_up_and_its_miss() -> None:
    answer = advised(Limits(max_job_s=1.0))
    assert answer.recommendation is None
    told = nearest(answer)["caveat-nearest-hours"]
    most = largest_global_batch(workload("fp32"))
    allowed = [one for one in answer.predictions if one.fits and one.global_batch_size <= most]
    fastest_s = min(one.job_s.value for one in allowed if one.precision == "fp32" and one.job_s)
    assert told.numbers["job_s"] == fastest_s
    assert told.figure("times_ratio") == pytest.approx(told.figure("job_s") / 1.0)


def test_an_unmeetable_power_limit_names_the_thriftiest_set_up() -> None:
    answer = advised(Limits(max_power_w=10.0))
    told = nearest(answer)["caveat-nearest-power"]
    keys = {one.device.spec_key for one in answer.predictions if one.fits}
    least_w = min(spec.power_w for key, spec in SPECS.items() if key in keys and spec.power_w)
    assert told.numbers["power_w"] == least_w
    assert told.figure("times_ratio") == pytest.approx(least_w / 10)


def test_of_two_limits_each_one_that_is_missed_is_told_of_the_same_set_up() -> None:
    told = nearest(advised(Limits(max_job_s=1.0, max_power_w=10.0)))
    assert set(told) == {"caveat-nearest-hours", "caveat-nearest-power"}
    assert len({reason.numbers["device"] for reason in told.values()}) == 1


def test_what_is_shown_beside_missed_limits_keeps_what_is_fixed() -> None:
    asked = workload("fp32", batch_size=16)
    answer = advised(Limits(max_job_s=1.0), asked, fixed=Fixed(batch_size=True))
    assert answer.recommendation is None
    shown = [answer.predictions[place] for place in answer.best_set_ups]
    assert {one.batch_size_per_device for one in shown} == {16}
    assert {one.device.spec_key for one in shown} > {"v100-sxm2-32"}
    assert all(one.fits for one in shown)


def test_of_a_card_that_keeps_no_limit_what_comes_nearest_to_it_is_shown() -> None:
    free = {one.device.key: one for one in shown_for(Limits())}
    fastest_s = sorted(min(job_s(one) for one in shown_for(Limits()) if one.device.key == key) for key in free)
    limit_s = (fastest_s[0] + fastest_s[1]) / 2
    answer = advised(Limits(max_job_s=limit_s))
    assert answer.recommendation is not None
    most = largest_global_batch(workload("fp32"))
    beyond = [one for one in shown_for(Limits(max_job_s=limit_s)) if job_s(one) > limit_s]
    assert {one.device.key for one in beyond} == {*free} - {answer.recommendation.device.key}
    for one in beyond:
        same = [other for other in answer.predictions if other.device == one.device and other.precision == "fp32"]
        assert job_s(one) == min(job_s(other) for other in same if other.fits and other.global_batch_size <= most)


def test_the_set_up_that_is_named_as_nearest_is_among_those_shown() -> None:
    prices = Prices(currency="EUR", date="2026-01-01", devices=dict.fromkeys(SPECS, 3.0))
    answer = advised(Limits(max_cost=1e-6), prices=prices)
    told = nearest(answer)["caveat-nearest-cost"]
    costs = [Money(cost=one.cost.value, currency="EUR") for one in shown(answer) if one.cost is not None]
    assert told.numbers["cost"] in costs


def test_no_limit_lets_a_step_grow_beyond_what_training_takes() -> None:
    most = largest_global_batch(workload("fp32"))
    free_s = min(job_s(one) for one in shown_for(Limits()))
    for share in (0.5, 0.9, 1.5, 4.0):
        assert all(one.global_batch_size <= most for one in shown_for(Limits(max_job_s=share * free_s)))


def test_what_is_shown_beyond_a_limit_is_marked_and_nothing_else() -> None:
    times_s = sorted(job_s(one) for one in shown_for(Limits()))
    assert advised(Limits()).over_limits == ()
    for limit_s in (times_s[0] / 2, (times_s[0] + times_s[-1]) / 2):
        answer = advised(Limits(max_job_s=limit_s))
        marked = {place for place in answer.best_set_ups if job_s(answer.predictions[place]) > limit_s}
        assert set(answer.over_limits) == marked != set()


def test_without_a_price_no_set_up_is_known_to_keep_a_limit_on_cost() -> None:
    answer = advised(Limits(max_cost=1.0))
    assert set(answer.over_limits) == set(answer.best_set_ups) != set()


def shown(answer: Recommendations) -> list[Prediction]:
    return [answer.predictions[place] for place in answer.best_set_ups]


def shown_for(limits: Limits) -> list[Prediction]:
    return shown(advised(limits))


def job_s(one: Prediction) -> float:
    assert one.job_s is not None
    return one.job_s.value


def test_limits_that_are_kept_say_nothing() -> None:
    assert nearest(advised(Limits(max_job_s=1e9))) == {}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_sentences_hold_figure_limit_and_excess(language: str) -> None:
    for limits in (Limits(max_job_s=1.0), Limits(max_power_w=10.0)):
        for reason in nearest(advised(limits)).values():
            text = say(reason, language)  # type: ignore[arg-type]
            assert re.search(r"\d(?: times the| 倍)", text)
            assert "1.00 s" in text or "10 W" in text


def test_a_set_up_whose_memory_is_unknown_may_be_the_nearest() -> None:
    asked, here = workload("fp32"), machine(gpu())
    predictions = [
        msgspec.structs.replace(one, fits=None)
        for one in predict_all(enumerate_candidates(asked, here, SPECS), TRANSFORMER, asked)
    ]
    answer = recommend(asked, here, predictions, specs=SPECS, limits=Limits(max_job_s=1.0))
    assert "caveat-nearest-hours" in nearest(answer)
