"""Predictions of candidates: their parts, batches, rates and job times fit together, and what has none says why."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from advisor.catalogue.links import Machines
from advisor.core.units import Estimate
from advisor.predict.assembly import optimizer_step_count, predict_candidates
from advisor.predict.device_memory import unknown_memory
from advisor.predict.prediction import Candidate, Prediction
from tests.cost.small_tables import matmul
from tests.predict.asked import A100, CPU, HERE, STRANGER, V100, candidate, model, sources, workload


def predicted(*candidates: Candidate, **changes: object) -> tuple[Prediction, ...]:
    return predict_candidates(candidates, sources(**changes), unknown_memory).predictions


def refused(*candidates: Candidate, **changes: object) -> list[str]:
    return [reason.code for reason in predict_candidates(candidates, sources(**changes), unknown_memory).refusals]


def test_the_parts_of_a_step_add_up_to_it() -> None:
    for one in predicted(
        candidate(), candidate(count=4), candidate(V100, 2, "dp"), candidate(count=8, strategy="fsdp")
    ):
        assert sum(part.duration_s for part in one.parts) == pytest.approx(one.step_s.value)
        assert one.step_s.low < one.step_s.value < one.step_s.high
        assert all(part.duration_s > 0 for part in one.parts)


def test_batches_multiply_and_rates_follow_from_the_step() -> None:
    one, four, patient = predicted(candidate(), candidate(count=4), candidate(gradient_accumulation_steps=3))
    assert [each.global_batch_size for each in (one, four, patient)] == [8, 32, 24]
    for each in (one, four, patient):
        assert each.samples_per_s.value == pytest.approx(each.global_batch_size / each.step_s.value)
        assert each.samples_per_s.low == pytest.approx(each.global_batch_size / each.step_s.high)
        assert each.samples_per_s.high == pytest.approx(each.global_batch_size / each.step_s.low)


def test_a_job_is_its_steps() -> None:
    assert optimizer_step_count(workload(samples=1000, epochs=3), 8) == 375
    assert optimizer_step_count(workload(samples=1001, epochs=3), 8) == 378
    assert optimizer_step_count(workload(samples=1000, epochs=0.5), 8) == 63
    assert optimizer_step_count(workload(samples=4, epochs=0.1), 8) == 1
    assert optimizer_step_count(workload(samples=1000, epochs=3, mode="inference"), 8) == 125
    (one,) = predicted(candidate())
    assert one.job_s is not None
    assert one.job_s.value == pytest.approx(375 * one.step_s.value)


def test_a_job_of_little_data_may_take_the_time_of_its_samples_alone() -> None:
    (whole,), (short,) = (predicted(candidate(), workload=workload(samples=count)) for count in (16, 10))
    for each, full_steps in ((whole, 2.0), (short, 1.25)):
        assert each.job_s is not None
        assert each.job_s.value == pytest.approx(3 * 2 * each.step_s.value)
        assert each.job_s.high == pytest.approx(3 * 2 * each.step_s.high)
        assert each.job_s.low == pytest.approx(3 * full_steps * each.step_s.low)


def test_an_efficiency_is_of_several_cards_and_what_they_lose() -> None:
    one, four = predicted(candidate(), candidate(count=4))
    assert one.efficiency is None
    assert four.efficiency is not None
    assert four.efficiency.value == pytest.approx(four.samples_per_s.value / (4 * one.samples_per_s.value))
    assert four.efficiency.low < four.efficiency.value <= four.efficiency.high
    assert four.efficiency.basis == "specified"


def test_micro_batches_add_up_and_step_the_optimizer_once() -> None:
    one, three = predicted(candidate(), candidate(gradient_accumulation_steps=3))
    durations = [{part.kind: part.duration_s for part in each.parts} for each in (one, three)]
    assert durations[1]["forward"] == pytest.approx(3 * durations[0]["forward"])
    assert durations[1]["optimizer"] == pytest.approx(durations[0]["optimizer"])
    assert durations[1]["backward"] > 3 * durations[0]["backward"]


def test_what_cannot_be_predicted_says_why_once() -> None:
    assert refused(candidate(CPU)) == ["predict-cpu-not-measured"]
    assert refused(candidate(STRANGER), candidate(STRANGER, 2)) == ["predict-unknown-card"]
    assert refused(candidate(precision="bf16_amp")) == ["predict-no-trace"]
    assert refused(candidate(V100, precision="tf32")) == []
    assert predicted(candidate(CPU), candidate(STRANGER)) == ()
    assert len(predicted(candidate(STRANGER), candidate())) == 1


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("flop", [1e300, 1e308])
def test_a_step_that_no_number_holds_says_why_once(flop: float) -> None:
    endless = {"fp32": replace(model(), ops=(matmul((0.0, flop), 1024, 1024),))}
    assert predicted(candidate(), candidate(count=2), tables=endless) == ()
    assert refused(candidate(), candidate(count=2), candidate(V100), tables=endless) == ["predict-step-endless"] * 2


def test_cards_of_the_table_are_specified_and_never_measured() -> None:
    for one in predicted(candidate(), candidate(HERE), candidate(A100, 2)):
        assert one.step_s.basis == "specified"
        assert not one.measured


def test_across_hosts_each_count_has_a_link_of_its_own() -> None:
    near, far = (
        predicted(candidate(count=8), machines=machines, interconnect=words)[0]
        for machines, words in ((Machines(), None), (Machines(2, 4), "NVSwitch + 10GbE"))
    )
    assert far.step_s.value > near.step_s.value


def test_a_step_that_waits_for_its_host_has_the_range_that_a_slower_host_gives() -> None:
    quick, slow = (
        predict_candidates(
            (candidate(A100, batch=64),),
            sources(tables={"fp32": replace(model(), dispatch_count={"forward": calls, "backward": calls})}),
            unknown_memory,
        ).predictions[0].step_s
        for calls in (0, 2000)
    )  # fmt: skip
    assert quick.high / quick.value < 1.5
    assert slow.high / slow.value > 2.0


@pytest.mark.parametrize(("peak_bytes", "share"), [(30e9, 0.75), (50e9, 1.25), (None, None)])
def test_memory_is_a_share_of_what_a_step_can_take(peak_bytes: float | None, share: float | None) -> None:
    (predicted,) = predict_candidates((candidate(A100),), sources(), unknown_memory).predictions
    peak = None if peak_bytes is None else Estimate(value=peak_bytes, low=peak_bytes, high=peak_bytes, basis="measured")
    asked = replace(predicted, device=CPU, peak_memory_bytes=peak, memory_capacity_bytes=40e9)
    assert asked.memory_share == share
    assert replace(asked, memory_capacity_bytes=None).memory_share is None
