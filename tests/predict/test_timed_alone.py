"""A model that could not be traced: what was timed here has its time, and nothing else has one."""

from __future__ import annotations

import msgspec
import pytest

from advisor.core.units import Estimate
from advisor.measure.measurement import Measurement
from advisor.predict.assembly import Predicted, predict_candidates
from advisor.predict.device_memory import MemoryAnswer
from advisor.predict.prediction import Candidate
from advisor.protocol.messages import Memory
from tests.predict.asked import A100, CPU, HERE, MIB, candidate, sources
from tests.predict.test_local_time import _measured, _step

BESIDE = 600 * MIB


def beside(_candidate: Candidate) -> MemoryAnswer:
    return MemoryAnswer(peak=None, parts=(), capacity_bytes=16e9, fits=None, beside_bytes=BESIDE)


def predicted(timed: Measurement, *candidates: Candidate) -> Predicted:
    asked = sources(measurements={timed.device_key: timed}, tables={})
    return predict_candidates(candidates, asked, beside)


def test_a_set_up_that_was_timed_keeps_its_time_and_its_parts_add_up() -> None:
    timed = _measured(_step(4, 0.02), _step(8, 0.04))
    found = predicted(timed, candidate(CPU, batch=4), candidate(CPU, batch=8))
    assert [one.step_s.value for one in found.predictions] == pytest.approx([0.02, 0.04])
    assert all(one.measured and one.step_s.basis == "measured" and one.fits for one in found.predictions)
    assert all(one.step_s.low < one.step_s.value < one.step_s.high for one in found.predictions)
    for one in found.predictions:
        assert sum(part.duration_s for part in one.parts) == pytest.approx(one.step_s.value)
        assert one.samples_per_s.value == pytest.approx(one.batch_size_per_device / one.step_s.value)
    assert [one.code for one in found.refusals] == ["predict-timed-alone"]


def test_a_card_waits_for_its_host_where_it_was_busy_for_less_than_the_step() -> None:
    (one,) = predicted(_measured(_step(8, 0.04, device_s=0.03), key=HERE.key), candidate(HERE)).predictions
    parts = {part.kind: part.duration_s for part in one.parts}
    assert parts["host"] == pytest.approx(0.01)
    assert parts["backward"] == pytest.approx(0.6 * 0.03)


def test_what_was_not_timed_has_no_time() -> None:
    timed = _measured(_step(8, 0.04), _step(16, 0.08, blocks=(2, 12)), _step(32, 0.2, kind="throttled"))
    strangers = (candidate(A100), candidate(HERE), candidate(CPU, 2), candidate(CPU, precision="bf16_amp"))
    others = (candidate(CPU, batch=16), candidate(CPU, batch=32), candidate(CPU, gradient_accumulation_steps=2))
    found = predicted(timed, *strangers, *others)
    assert found.predictions == ()
    told = {(one.code, one.numbers["precision"]) for one in found.refusals}
    assert told == {("predict-timed-alone", "FP32"), ("predict-no-trace", "BF16 AMP")}
    (only,) = predicted(timed, candidate(CPU), *others).predictions
    assert only.batch_size_per_device == 8


def test_memory_is_the_peak_that_was_seen_and_what_the_process_holds_beside_it() -> None:
    seen = Memory(
        batch_size=8, precision="fp32", peak_allocated_bytes=100, peak_reserved_bytes=200, how="cuda_allocator"
    )
    with_peak = msgspec.structs.replace(_step(8, 0.04), memory=seen)
    (known,) = predicted(_measured(with_peak), candidate(CPU)).predictions
    (unknown,) = predicted(_measured(_step(8, 0.04)), candidate(CPU)).predictions
    assert isinstance(known.peak_memory_bytes, Estimate)
    assert known.peak_memory_bytes.value == BESIDE + 200
    assert known.peak_memory_bytes.basis == "measured"
    assert known.peak_memory_bytes.low == pytest.approx(0.95 * known.peak_memory_bytes.value)
    assert known.peak_memory_bytes.high == pytest.approx(1.05 * known.peak_memory_bytes.value)
    assert unknown.peak_memory_bytes is None
