from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.core.sentences import say
from advisor.core.units import Estimate
from advisor.cost.parts import Part
from advisor.measure.measurement import CommunicationMeasurement
from advisor.predict.measured_link import measured_link
from advisor.predict.prediction import Device, Prediction
from advisor.predict.time_to_train import CriticalBatch, samples_ratio, time_to_train
from advisor.recommend.reasons.batches import learning_rate_note
from advisor.recommend.reasons.parallel import efficiency_reason
from advisor.recommend.reasons.scaling import dp_loss_reasons, missing_nvlink_reason, nvlink_instead
from tests.cost.scaling_cases import link, spec


def _prediction(step_s: float, strategy: str = "ddp", count: int = 2, **parts: float) -> Prediction:
    estimate = _estimate(step_s)
    return Prediction(
        device=Device(key="card", name="Card", spec_key="card", local=False),
        count=count,
        strategy=strategy,  # type: ignore[arg-type]
        precision="fp32",
        batch_size_per_device=8,
        global_batch_size=8 * count,
        gradient_accumulation_steps=1,
        step_s=estimate,
        parts=tuple(Part(kind=kind, duration_s=seconds) for kind, seconds in parts.items()),  # type: ignore[arg-type]
        samples_per_s=_estimate(8 * count / step_s),
        peak_memory_bytes=None,
        memory_capacity_bytes=None,
        fits=None,
        job_s=None,
        efficiency=_estimate(0.8) if count > 1 else None,
    )


def _readable(*reasons: object) -> None:
    for reason in reasons:
        for language in ("en", "zh"):
            text = say(reason, language)  # type: ignore[arg-type]
            assert "{" not in text
            assert len(text) > 10


def test_efficiency_is_told_as_speed_up_with_its_range() -> None:
    reason = efficiency_reason(_prediction(0.1, count=4))
    assert reason is not None
    assert reason.numbers["speed_up_ratio"] == pytest.approx(3.2)
    assert reason.figure("low_ratio") < 3.2 < reason.figure("high_ratio")
    _readable(reason)
    assert efficiency_reason(_prediction(0.1, "single", 1)) is None


def test_why_data_parallel_loses_is_said_with_its_copies_and_its_one_process() -> None:
    dp = _prediction(0.2, "dp", communication=0.06, host=0.06)
    ddp = _prediction(0.1, communication=0.02)
    reasons = dp_loss_reasons(dp, ddp)
    assert [reason.code for reason in reasons] == ["scaling-dp-one-process", "scaling-dp-copies"]
    _readable(*reasons)


def test_no_cause_is_named_where_data_parallel_does_not_lose_or_the_cause_is_small() -> None:
    assert dp_loss_reasons(_prediction(0.1, "dp", communication=0.02), _prediction(0.1)) == ()
    dp = _prediction(0.2, "dp", communication=0.1, host=0.001)
    assert [reason.code for reason in dp_loss_reasons(dp, _prediction(0.1))] == ["scaling-dp-copies"]


def test_a_missing_nvlink_costs_what_a_step_takes_longer() -> None:
    without, here = spec(nvlink_bytes_per_s=None), link(type="pcie_host")
    instead = nvlink_instead(without, here, 4)
    assert instead is not None
    assert (instead.type, instead.wire_bytes_per_s) == ("nvswitch", 300e9)
    reason = missing_nvlink_reason(_prediction(0.2, count=4), here, instead, 0.1, 1e8)
    assert reason is not None
    assert reason.code == "scaling-missing-nvlink"
    _readable(reason)
    assert missing_nvlink_reason(_prediction(0.1, count=4), here, instead, 0.099, 1e8) is None


def test_a_card_that_takes_a_bridge_is_compared_with_its_own_bridge_and_only_in_pairs() -> None:
    paired, here = spec(nvlink_bytes_per_s=56e9, nvlink_pairs_only=True), link(type="pcie_host")
    instead = nvlink_instead(paired, here, 2)
    assert instead is not None
    assert (instead.type, instead.wire_bytes_per_s) == ("nvlink_bridge", 56e9)
    reason = missing_nvlink_reason(_prediction(0.2), here, instead, 0.1, 1e8)
    assert reason is not None
    assert reason.code == "scaling-missing-bridge"
    _readable(reason)
    assert nvlink_instead(paired, here, 4) is None


@pytest.mark.parametrize("kind", ["nvswitch", "nvlink_mesh", "fabric_mesh", "nvlink_bridge", "given", "shared_memory"])
def test_no_nvlink_is_missing_where_there_is_one_or_the_rate_is_known(kind: str) -> None:
    assert nvlink_instead(spec(), link(type=kind), 4) is None
    assert nvlink_instead(spec(), link(type="pcie_host"), 1) is None


def test_a_scaled_batch_asks_for_another_learning_rate() -> None:
    note = learning_rate_note(64, 16)
    assert note is not None
    assert (note.numbers["low_ratio"], note.numbers["high_ratio"]) == (2.0, 4.0)
    _readable(note)
    assert learning_rate_note(16, 16) is None
    smaller = learning_rate_note(4, 16)
    assert smaller is not None
    assert (smaller.numbers["low_ratio"], smaller.numbers["high_ratio"]) == (0.25, 0.5)


def _estimate(value: float) -> Estimate:
    return Estimate(value=value, low=value * 0.9, high=value * 1.1, basis="measured")


def test_a_held_global_batch_needs_the_same_steps() -> None:
    found = time_to_train(1e5, 32, _estimate(0.1), 32, _estimate(0.06))
    assert found.scaling == "held"
    assert found.sample_count.low == found.sample_count.high == 1e5
    assert found.speed_up.value == pytest.approx(0.1 / 0.06)
    assert found.train_s.basis == "measured"


def test_a_batch_far_beyond_the_critical_one_wastes_samples() -> None:
    critical = CriticalBatch(low=100, high=100, given=True)
    found = time_to_train(1e5, 100, _estimate(0.1), 10_000, _estimate(0.1), critical=critical)
    assert found.scaling == "scaled"
    assert found.sample_count.value == pytest.approx(1e5 * 101 / 2)
    assert found.speed_up.value < 2.0
    unknown = time_to_train(1e5, 100, _estimate(0.1), 10_000, _estimate(0.1))
    assert unknown.sample_count.low < unknown.sample_count.value < unknown.sample_count.high
    assert unknown.train_s.basis == "specified"


@given(batch=st.floats(1, 1e6), factor=st.floats(1, 100), critical=st.floats(1, 1e6))
def test_larger_batches_need_more_samples_but_never_more_steps(batch: float, factor: float, critical: float) -> None:
    ratio = samples_ratio(batch * factor, batch, critical)
    assert 1.0 <= ratio <= factor * (1 + 1e-9)


def _all_reduce(size: int, seconds: float, *, correct: bool | None = True) -> CommunicationMeasurement:
    return CommunicationMeasurement(
        kind="all_reduce",
        rank_count=2,
        message_bytes=size,
        accumulation_steps=None,
        samples_s=(seconds,),
        median_s=seconds,
        bus_bytes_per_s=size / seconds,
        values_correct=correct,
    )


def test_a_measured_link_predicts_from_its_own_times() -> None:
    measured = (_all_reduce(1_000_000, 1e-3), _all_reduce(10_000_000, 8e-3))
    found = measured_link(measured)
    assert found is not None
    assert (found.type, found.measured_rank_count, found.basis) == ("shared_memory", 2, "measured")
    assert found.wire_bytes_per_s == pytest.approx(10_000_000 / 8e-3)
    wired = measured_link(measured, link())
    assert wired is not None
    assert (wired.type, wired.pcie_bytes_per_s) == ("given", 32e9)
    nameless = measured_link((msgspec.structs.replace(measured[1], bus_bytes_per_s=None),))
    assert nameless is not None
    assert nameless.wire_bytes_per_s == pytest.approx(10_000_000 / 8e-3)
    odd = measured_link((msgspec.structs.replace(measured[1], bus_bytes_per_s=None, median_s=3.0),))
    assert odd is not None
    assert odd.wire_bytes_per_s == pytest.approx(10_000_000 / 3.0, rel=1e-9)


def test_a_link_that_changed_values_or_was_not_measured_predicts_nothing() -> None:
    assert measured_link(()) is None
    assert measured_link((_all_reduce(1_000_000, 1e-3, correct=False),)) is None


def test_one_process_alone_is_named_where_the_copies_cost_next_to_nothing() -> None:
    dp = _prediction(0.2, "dp", communication=0.001, host=0.1)
    (reason,) = dp_loss_reasons(dp, _prediction(0.1))
    assert (reason.code, reason.figure("host_s")) == ("scaling-dp-one-process", 0.1)
