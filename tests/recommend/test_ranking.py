"""Order, ties, limits, and measurements that may not rank."""

from __future__ import annotations

import msgspec
import pytest

from advisor.core.units import Estimate
from advisor.predict.prediction import Prediction
from advisor.recommend.candidates import enumerate_candidates
from advisor.recommend.comparison import Comparison, Finalist
from advisor.recommend.energy import PowerDraw
from advisor.recommend.ranking import (
    best_of_each_device,
    gpu_hours,
    is_trusted,
    leaders,
    rank,
    rank_for_compare,
    score,
    touches,
    untrusted_devices,
    within_limits,
)
from advisor.recommend.reasons.set_up import why
from advisor.recommend.recommendation import Limits
from tests.recommend.fakes import SPECS, TRANSFORMER, estimate, machine, measurement, predict_all, workload


def predictions(*keys: str, count: int = 1) -> tuple[Prediction, ...]:
    found = enumerate_candidates(
        workload(), machine(), SPECS, gpu_keys=keys, counts=(count,), precisions=("fp32",), batch_sizes=(16,),
        strategies=("single", "ddp"),
    )  # fmt: skip
    return predict_all(found, TRANSFORMER, workload())


def with_job(prediction: Prediction, value: float, spread: float = 0.05) -> Prediction:
    return msgspec.structs.replace(prediction, job_s=estimate(value, spread))


def test_ranges_that_touch_and_differences_up_to_three_percent_are_ties() -> None:
    assert touches(estimate(1.0, 0.1), estimate(1.15, 0.1))
    assert touches(estimate(1.0, 0.0), estimate(1.03, 0.0))
    assert not touches(estimate(1.0, 0.001), estimate(1.04, 0.001))


def test_set_ups_share_a_place_with_the_leader_they_touch() -> None:
    cpu, first, second, third = predictions("rtx4090", "rtx3090", "a100-sxm4-40")
    rows = rank([with_job(cpu, 9.0), with_job(first, 1.0), with_job(second, 1.06), with_job(third, 2.0)], "time", {})
    assert [(row.prediction.device.key, row.place, row.tied) for row in rows] == [
        ("rtx4090", 1, True), ("rtx3090", 1, True), ("a100-sxm4-40", 3, False), ("cpu", 4, False),
    ]  # fmt: skip


def test_an_untrusted_measurement_never_has_the_first_place_alone() -> None:
    cpu, card, far = predictions("rtx4090", "rtx3090")
    fast = msgspec.structs.replace(with_job(cpu, 0.1), step_s=estimate(0.1, 0.01, "measured"))
    rows = rank([fast, with_job(card, 1.0), with_job(far, 5.0)], "time", {"cpu": "unstable"})
    assert [(row.prediction.device.key, row.place, row.trusted) for row in rows] == [
        ("cpu", 1, False), ("rtx4090", 1, True), ("rtx3090", 3, True),
    ]  # fmt: skip


def test_what_the_data_sheet_says_is_trusted_even_where_measuring_failed() -> None:
    cpu, card = predictions("rtx4090")
    measured = msgspec.structs.replace(cpu, step_s=estimate(1.0, 0.1, "calibrated"))
    assert is_trusted(card, {"rtx4090": "throttled"})
    assert not is_trusted(measured, {"cpu": "throttled"})


@pytest.mark.parametrize("kind", ["unstable", "throttled", "contended"])
def test_a_device_is_untrusted_when_none_of_its_steps_may_rank(kind: str) -> None:
    bad = measurement("cpu", kind)  # type: ignore[arg-type]
    good = measurement("cpu", "stable")
    mixed = msgspec.structs.replace(bad, steps=(*bad.steps, *good.steps))
    empty = msgspec.structs.replace(bad, steps=())
    assert untrusted_devices([bad]) == {"cpu": kind}
    assert untrusted_devices([mixed]) == {}
    assert untrusted_devices([good]) == {}
    assert untrusted_devices([empty]) == {"cpu": kind}
    unmeasured = msgspec.structs.replace(bad, steps=(*bad.steps, *measurement("cpu", "not_measured").steps))
    assert untrusted_devices([unmeasured]) == {"cpu": kind}


def test_a_cpu_takes_no_gpu_hours_and_an_unknown_job_no_known_number() -> None:
    cpu, card = predictions("rtx4090")
    assert gpu_hours(with_job(cpu, 3600.0)) == estimate(0.0, 0.0)
    hours = gpu_hours(with_job(card, 3600.0))
    assert hours is not None
    assert hours.value == 1.0
    unknown = msgspec.structs.replace(card, job_s=None)
    assert gpu_hours(unknown) is None
    time = score(unknown, "time")
    assert time is not None
    assert time.value == pytest.approx(1 / unknown.samples_per_s.value)
    assert score(unknown, "energy") is None
    assert rank([unknown], "cost", {}) == ()


def test_a_known_cost_comes_before_gpu_hours() -> None:
    _, card = predictions("rtx4090")
    priced = msgspec.structs.replace(card, cost=estimate(7.0))
    found = score(priced, "cost")
    assert found is not None
    assert found.value == 7.0


def test_a_limit_is_kept_only_by_a_known_figure() -> None:
    _, card = predictions("rtx4090")
    card = with_job(card, 100.0)
    priced = msgspec.structs.replace(card, cost=estimate(5.0))
    draws = {"rtx4090": PowerDraw(draw_w=estimate(300.0), limit_w=450.0)}
    assert within_limits(card, Limits(), {})
    assert not within_limits(card, Limits(max_cost=10.0), {})
    assert within_limits(priced, Limits(max_cost=10.0), {})
    assert not within_limits(priced, Limits(max_cost=4.0), {})
    assert not within_limits(card, Limits(max_job_s=50.0), {})
    assert not within_limits(card, Limits(max_power_w=400.0), draws)
    assert within_limits(card, Limits(max_power_w=450.0), draws)
    assert not within_limits(card, Limits(max_power_w=450.0), {})


def test_compare_shows_each_device_once_and_what_does_not_fit_last() -> None:
    everything = enumerate_candidates(workload(), machine(), SPECS, gpu_keys=tuple(SPECS))
    found = predict_all(everything, TRANSFORMER, workload())
    rows = rank_for_compare(found, "fp32", 64, 4)
    keys = [row.prediction.device.key for row in rows]
    assert len(keys) == len(set(keys)) == len(SPECS) + 1
    assert rows[-1].prediction.fits is False
    assert rows[-1].prediction.device.key == "rtx3080ti"
    assert rows[-1].place == len(rows)
    assert {row.prediction.count for row in rows} == {1, 4}


def test_compare_holds_each_device_to_the_advised_number_of_micro_batches_where_it_has_such_a_set_up() -> None:
    card, far = (msgspec.structs.replace(one, count=2) for one in predictions("rtx4090", "rtx3090")[1:])
    longer = msgspec.structs.replace(with_job(card, 0.5), gradient_accumulation_steps=4)
    only = msgspec.structs.replace(with_job(far, 2.0), gradient_accumulation_steps=2)
    found = [with_job(card, 1.0), longer, only]
    assert [
        (row.prediction.device.key, row.prediction.gradient_accumulation_steps)
        for row in rank_for_compare(found, "fp32", 16, 2, accumulation_steps=1)
    ] == [("rtx4090", 1), ("rtx3090", 2)]
    assert rank_for_compare(found, "fp32", 16, 2)[0].prediction == longer


def test_the_best_set_up_of_a_device_has_the_least_score() -> None:
    _, card = predictions("rtx4090")
    slow, fast = with_job(card, 2.0), with_job(card, 1.0)
    unknown = msgspec.structs.replace(card, energy_j=None)
    assert best_of_each_device([slow, fast], "time") == (fast,)
    assert best_of_each_device([fast, slow], "time") == (fast,)
    assert best_of_each_device([unknown], "energy") == (unknown,)
    unknown_slow = msgspec.structs.replace(slow, energy_j=None)
    unknown_fast = msgspec.structs.replace(fast, energy_j=None)
    assert best_of_each_device([unknown_slow, unknown_fast], "energy") == (unknown_fast,)


def ranged(low: float, value: float, high: float) -> Estimate:
    return Estimate(value=value, low=low, high=high, basis="specified")


def test_ranges_that_meet_in_a_point_touch_and_values_at_three_percent_tie() -> None:
    assert touches(ranged(1.0, 2.0, 3.0), ranged(3.0, 4.0, 5.0))
    assert touches(ranged(3.0, 4.0, 5.0), ranged(1.0, 2.0, 3.0))
    assert not touches(ranged(1.0, 2.0, 3.0), ranged(3.01, 4.0, 5.0))
    assert touches(ranged(100.0, 100.0, 100.0), ranged(103.0, 103.0, 103.0))
    assert touches(ranged(103.0, 103.0, 103.0), ranged(100.0, 100.0, 100.0))


@pytest.mark.parametrize(("low", "advised"), [(1.05, True), (1.0501, False)])
def test_a_disturbed_set_up_may_be_advised_where_its_own_range_reaches_the_leader(low: float, advised: bool) -> None:
    cpu, card = predictions("rtx4090")
    leader = msgspec.structs.replace(card, job_s=ranged(0.95, 1.0, 1.05))
    slow = msgspec.structs.replace(cpu, job_s=ranged(low, 1.2, 1.4), step_s=estimate(0.1, 0.01, "measured"))
    rows = rank([slow, leader], "time", {"cpu": "unstable"})
    assert [row.place for row in rows] == [1, 1]
    assert ("cpu" in {row.prediction.device.key for row in leaders(rows, "time")}) is advised


def test_a_limit_that_is_met_exactly_is_kept() -> None:
    (_, card) = predictions("rtx4090")
    card = msgspec.structs.replace(with_job(card, 100.0), cost=estimate(5.0))
    draws = {card.device.key: PowerDraw(draw_w=estimate(100.0), limit_w=400.0)}
    for limits, kept in (
        (Limits(max_job_s=100.0), True),
        (Limits(max_job_s=99.9), False),
        (Limits(max_cost=5.0), True),
        (Limits(max_cost=4.9), False),
        (Limits(max_power_w=400.0), True),
        (Limits(max_power_w=399.0), False),
    ):
        assert within_limits(card, limits, draws) is kept


def test_without_a_job_set_ups_compare_by_the_time_a_sample_takes() -> None:
    (_, card) = predictions("rtx4090")
    unknown = msgspec.structs.replace(card, job_s=None)
    found = score(unknown, "time")
    assert found is not None
    assert found.value == pytest.approx(1 / card.samples_per_s.value)
    assert found.low == pytest.approx(1 / card.samples_per_s.high)
    assert found.high == pytest.approx(1 / card.samples_per_s.low)


def test_a_disturbed_measurement_that_shares_the_first_place_but_cannot_lead_is_said_to_be_disturbed() -> None:
    cpu, card = predictions("rtx4090")
    slow = msgspec.structs.replace(with_job(cpu, 1.4, 0.01), step_s=estimate(1.4, 0.01, "measured"))
    chosen = with_job(card, 1.0)
    rows = rank([chosen, slow], "time", {"cpu": "contended"})
    assert [row.place for row in rows] == [1, 1]
    comparison = Comparison(
        workload=workload(), goal="time", limits=Limits(), specs=SPECS, draws={}, untrusted={"cpu": "contended"},
        global_limit=1024, predictions=(chosen, slow),
    )  # fmt: skip
    said = {one.code: one for one in why(comparison, Finalist(chosen=chosen, by_count=(chosen,)), rows)}
    assert said["why-disturbed"].numbers["other"] == cpu.device.name
    assert "why-tied" not in said
