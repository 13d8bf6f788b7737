from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.measure.measurement import CommunicationMeasurement
from advisor.predict.measured_link import measured_link, measured_steps, memory_bytes_per_s
from advisor.predict.scaling import Setting, scale_steps
from advisor.predict.scaling_advice import (
    dp_loss_reasons,
    knee_reason,
    last_worthwhile_count,
    learning_rate_note,
    marginal_ratios,
    missing_nvlink_reason,
    speed_up,
)
from advisor.predict.time_to_train import CriticalBatch, samples_ratio, time_to_train
from advisor.sentences import say
from advisor.units import Estimate
from tests.predict.scaling_cases import link, spec, steps, traffic


def _grid(host_step_s: float = 0.0, **options: object):  # type: ignore[no-untyped-def] # noqa: ANN202
    return scale_steps(
        steps(),
        traffic(),
        [link()],
        [900e9],
        (8,),
        setting=Setting(host_step_s=host_step_s),
        **({"counts": (1, 2, 8)} | options),  # type: ignore[arg-type]
    )


def _readable(*reasons: object) -> None:
    for reason in reasons:
        for language in ("en", "zh"):
            text = say(reason, language)  # type: ignore[arg-type]
            assert "{" not in text
            assert len(text) > 10


def test_speed_up_is_efficiency_times_cards_with_its_range() -> None:
    grid = _grid()
    found = speed_up(grid, "ddp", 0, 0)
    assert found[0] == pytest.approx([1.0, 1.0, 1.0])
    assert np.all(found[1:, 1] < found[1:, 0])
    assert np.all(found[1:, 0] < found[1:, 2])
    assert speed_up(grid, "single", 0, 0)[:, 0] == pytest.approx([1.0, 1.0, 1.0])


def test_adding_cards_stops_paying_below_seven_tenths_of_what_they_could() -> None:
    assert marginal_ratios((1, 2, 4), (1.0, 2.0, 3.0)) == pytest.approx([1.0, 0.5])
    assert last_worthwhile_count((1, 2, 4, 8), (1.0, 1.9, 3.5, 4.0)) == 4
    stops = knee_reason("card", (1, 2, 4, 8), (1.0, 1.9, 3.5, 4.0))
    pays = knee_reason("card", (1, 2), (1.0, 1.9))
    assert stops.numbers["more"] == 8
    assert pays.code == "scaling-all-counts-pay"
    assert last_worthwhile_count((1, 2), (1.0, 0.5)) == 1
    _readable(stops, pays)


def test_why_data_parallel_loses_is_said_with_its_copies_and_its_one_process() -> None:
    reasons = dp_loss_reasons(_grid(host_step_s=0.08), 8, 0, 0, traffic())
    assert [reason.code for reason in reasons] == ["scaling-dp-copies", "scaling-dp-one-process"]
    _readable(*reasons)


def test_no_reason_is_given_where_data_parallel_does_not_lose_or_was_not_asked() -> None:
    assert dp_loss_reasons(_grid(), 1, 0, 0, traffic()) == ()
    assert dp_loss_reasons(_grid(strategies=("ddp",)), 8, 0, 0, traffic()) == ()
    assert dp_loss_reasons(_grid(), 3, 0, 0, traffic()) == ()
    assert [reason.code for reason in dp_loss_reasons(_grid(), 8, 0, 0, traffic())] == ["scaling-dp-copies"]


def test_a_missing_nvlink_costs_what_the_slower_bus_takes() -> None:
    reason = missing_nvlink_reason("RTX 4090", spec(nvlink_bytes_per_s=None), link(type="pcie_host"), 4, traffic())
    assert reason is not None
    assert float(reason.numbers["here_s"]) > 5 * float(reason.numbers["nvlink_s"])
    _readable(reason)
    assert missing_nvlink_reason("A100", spec(), link(type="nvswitch"), 4, traffic()) is None
    assert missing_nvlink_reason("A100", spec(), link(), 1, traffic()) is None
    assert missing_nvlink_reason("odd", spec(), link(type="given", wire_bytes_per_s=1e12), 4, traffic()) is None


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


def test_a_link_that_changed_values_or_was_not_measured_predicts_nothing() -> None:
    assert measured_link(()) is None
    assert measured_link((_all_reduce(1_000_000, 1e-3, correct=False),)) is None


def test_a_copy_in_memory_reads_and_writes() -> None:
    copy = msgspec.structs.replace(_all_reduce(1_000_000, 1e-3), kind="memory_copy")
    assert memory_bytes_per_s((copy,)) == pytest.approx(2e9)
    assert memory_bytes_per_s((_all_reduce(1, 1.0),)) is None


def test_a_measured_single_step_is_a_step_grid_of_one_cell() -> None:
    single = msgspec.structs.replace(
        _all_reduce(1, 0.1), kind="single_step", samples_s=(0.09, 0.1, 0.12), optimizer_s=0.01, message_bytes=None
    )
    found = measured_steps((single,))
    assert found is not None
    assert found.total_s.item() == pytest.approx(0.1)
    assert (found.forward_s + found.backward_s + found.optimizer_s).item() == pytest.approx(0.1)
    assert (found.low_s.item(), found.high_s.item()) == (0.09, 0.12)
    assert measured_steps(()) is None
    assert measured_steps((msgspec.structs.replace(single, samples_s=()),)) is None
