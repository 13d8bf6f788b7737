"""The 80 % range of a memory need: by what bears it out, and what convolutions may take or leave."""

from __future__ import annotations

import msgspec
import pytest

from advisor.catalogue.strategies import Strategy
from advisor.core.units import Estimate
from advisor.cost.memory.need import MemoryKind, MemoryNeed, answered, memory_question, published_bytes
from advisor.predict.ranges.memory_range import (
    COMPILED,
    ON_ONE_CARD,
    SHARED,
    between_lengths,
    need_range,
    of_first_stage,
    published_range,
)
from tests.cost.test_memory import bert, need, training

GIB = 2**30


def a_need(**changes: float) -> MemoryNeed:
    plain = MemoryNeed(need_bytes=1e9, allocated_bytes=8e8, parts=(), headroom_bytes=0.0, workspace_rise_bytes=0.0)
    return msgspec.structs.replace(plain, **changes)


@pytest.mark.parametrize(("shared", "ends"), [(False, ON_ONE_CARD), (True, SHARED)])
def test_without_convolutions_a_need_is_off_by_what_published_peaks_are(
    shared: bool, ends: tuple[float, float]
) -> None:
    found = need_range(a_need(shared=shared))
    assert [found.low, found.value, found.high] == pytest.approx([ends[0] * 1e9, 1e9, ends[1] * 1e9])
    assert found.basis == "specified"


@pytest.mark.parametrize(("shared", "ends"), [(False, COMPILED), (True, SHARED)])
def test_a_compiled_step_on_one_card_may_reserve_a_quarter_more_whether_or_not_it_convolves(
    shared: bool, ends: tuple[float, float]
) -> None:
    for headroom in (0.0, 1e8):
        found = need_range(a_need(compiled=True, shared=shared, headroom_bytes=headroom))
        assert [found.low, found.high] == pytest.approx([ends[0] * (1e9 - headroom), ends[1] * 1e9 + headroom])


def test_only_a_step_that_trains_is_compiled_with_its_backward() -> None:
    for mode, compiled in (("training", True), ("forward_backward", True), ("inference", False)):
        asked = training(compile=True, mode=mode)
        question = memory_question(bert(), asked, "fp32", compute_capability="8.0")
        assert question is not None
        assert answered(question, 8, replayed=False).compiled is compiled


@pytest.mark.parametrize(("fullest", "low", "high"), [(1.0, 0.9, 1.2), (1.5, 0.9, 1.5)])
def test_a_pipelines_peak_is_its_first_stages_and_may_be_its_fullest_ones(
    fullest: float, low: float, high: float
) -> None:
    first = Estimate(value=1.0, low=0.9, high=1.2, basis="specified")
    last = Estimate(value=fullest, low=0.9 * fullest, high=1.2 * fullest, basis="specified")
    told = of_first_stage(first, last)
    assert (told.value, told.low, told.high) == (1.0, low, high)


def test_a_device_of_a_sharded_job_has_a_share_and_a_replica_the_whole() -> None:
    expected: dict[Strategy, bool] = {"fsdp": True, "zero2": True, "ddp": False}
    for strategy, shared in expected.items():
        question = memory_question(bert(), training(), "fp32", compute_capability="8.0", strategy=strategy, count=4)
        assert question is not None
        assert answered(question, 8, replayed=False).shared is shared


@pytest.mark.parametrize(("headroom", "rise"), [(1e8, 3e8), (3e8, 1e8)])
def test_convolutions_may_leave_their_headroom_or_take_the_larger_of_it_and_their_workspaces(
    headroom: float, rise: float
) -> None:
    found = need_range(a_need(headroom_bytes=headroom, workspace_rise_bytes=rise))
    assert found.low == pytest.approx(0.98 * (1e9 - headroom))
    assert found.high == pytest.approx(1.02e9 + 3e8)


def test_a_published_peak_has_the_relative_range_of_its_need() -> None:
    question = memory_question(bert(), training(), "fp32", compute_capability="8.0")
    assert question is not None
    whole = need_range(need())
    kinds: tuple[MemoryKind, ...] = ("allocated", "reserved", "device")
    for kind in kinds:
        found = published_range(question, 8, kind, 80 * GIB)
        assert found.value == pytest.approx(published_bytes(question, 8, kind, 80 * GIB))
        assert found.low / found.value == pytest.approx(whole.low / whole.value)
        assert found.high / found.value == pytest.approx(whole.high / whole.value)


def test_a_peak_whose_samples_may_differ_in_length_lies_between_both_and_its_range_holds_both() -> None:
    alike = need_range(a_need())
    found = between_lengths(alike, 3 * alike.value)
    assert found.value == pytest.approx(2 * alike.value)
    assert (found.low, found.high) == pytest.approx((alike.low, 4 * alike.high))
    assert between_lengths(alike, 0.0) == alike
