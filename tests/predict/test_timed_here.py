"""Candidates on a device that was timed: measured where the very set-up was, calibrated beside it."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from advisor.measure.measurement import CommunicationMeasurement, Measurement
from advisor.predict.assembly import predict_candidates
from advisor.predict.candidate_grid import CandidateGrid
from advisor.predict.device_memory import MemorySolver, unknown_memory
from advisor.predict.prediction import Candidate, Prediction
from advisor.predict.sources import Sources
from tests.cost.small_tables import op, table
from tests.predict.asked import A100, CPU, HERE, SPECS, STRANGER, V100, candidate, model, sources, workload
from tests.predict.test_local_time import _measured, _step
from tests.recommend.fakes import gpu, machine

TIMED = _measured(_step(4, 0.02), _step(8, 0.04), _step(16, 0.08), key=HERE.key)
ON_CPU = _measured(_step(4, 0.02), _step(8, 0.04), _step(16, 0.08))


def predicted(*candidates: Candidate, timed: Measurement = TIMED, **changes: object) -> tuple[Prediction, ...]:
    asked = sources(measurements={timed.device_key: timed}, **changes)
    return predict_candidates(candidates, asked, unknown_memory).predictions


def test_the_set_up_that_was_timed_is_measured_and_others_of_the_device_are_calibrated() -> None:
    timed, other, two = predicted(candidate(HERE), candidate(HERE, batch=12), candidate(HERE, 2))
    assert (timed.measured, timed.step_s.basis) == (True, "measured")
    assert timed.step_s.value == pytest.approx(0.04, rel=0.02)
    assert (other.measured, two.measured) == (False, False)
    assert (other.step_s.basis, two.step_s.basis) == ("calibrated", "calibrated")


def test_a_processor_that_was_timed_is_predicted_alone_and_as_ranks() -> None:
    alone, ranks = predicted(candidate(CPU), candidate(CPU, 2), timed=ON_CPU)
    assert alone.step_s.value == pytest.approx(0.04, rel=0.02)
    assert ranks.step_s.value > alone.step_s.value


def all_reduce(size: int, seconds: float) -> CommunicationMeasurement:
    return CommunicationMeasurement(
        kind="all_reduce", rank_count=2, message_bytes=size, accumulation_steps=None, samples_s=(seconds,),
        median_s=seconds, bus_bytes_per_s=size / seconds, values_correct=True,
    )  # fmt: skip


def link_bytes_per_s(asked: Sources, device: object = HERE) -> float:
    grid = CandidateGrid("fp32", [candidate(HERE)], asked)
    return grid.link(device, None).wire_bytes_per_s  # type: ignore[arg-type]


def test_a_link_that_ranks_timed_here_is_taken_and_one_that_is_told_comes_before_it() -> None:
    spoken = msgspec.structs.replace(TIMED, communication=(all_reduce(1 << 20, 1e-3), all_reduce(1 << 26, 0.05)))
    timed = sources(measurements={HERE.key: spoken})
    assert link_bytes_per_s(timed) == pytest.approx((1 << 26) / 0.05)
    assert link_bytes_per_s(timed, STRANGER) == link_bytes_per_s(timed)
    plain = CandidateGrid("fp32", [candidate(HERE)], sources()).link(HERE, None)
    told = msgspec.structs.replace(plain, wire_bytes_per_s=1e9)
    assert link_bytes_per_s(sources(measurements={HERE.key: spoken}, link=told)) == 1e9
    assert link_bytes_per_s(sources(measurements={CPU.key: ON_CPU}), STRANGER) > 0


def test_a_device_or_a_batch_without_a_step_has_no_cell() -> None:
    grid = CandidateGrid("fp32", [candidate(HERE)], sources())
    assert grid.cell(candidate(STRANGER)) is None
    assert grid.cell(candidate(HERE)) is not None


def test_a_card_whose_free_memory_is_unknown_gives_its_nominal_one_and_one_of_unknown_size_none() -> None:
    silent = gpu(name="NVIDIA A100-SXM4-40GB", memory_total_bytes=40 * 2**30)
    silent = msgspec.structs.replace(silent, memory_free_bytes=None)
    key = msgspec.structs.replace(HERE, key=silent.uuid, spec_key=None)
    for known, capacity in ((silent, 40 * 2**30), (msgspec.structs.replace(silent, memory_total_bytes=None), None)):
        solver = MemorySolver(workload().training, {"fp32": model()}, SPECS, machine(known))
        assert solver.answer(candidate(key)).capacity_bytes == capacity


def test_a_card_of_which_nothing_usable_was_measured_is_predicted_by_its_row() -> None:
    nothing = _measured(key=HERE.key, rates=())
    (told,) = predicted(candidate(HERE), timed=nothing)
    (plain,) = predict_candidates([candidate(HERE)], sources(), unknown_memory).predictions
    assert told == plain
    assert told.step_s.basis == "specified"


def test_a_step_that_no_number_can_hold_has_no_prediction_alone_or_with_others() -> None:
    endless = sources(tables={"fp32": table(op("norm", (0.0, 1e6), phase="backward"))})
    asked = [candidate(card, batch=batch) for card in (A100, V100) for batch in (1, 10**150)]
    with np.errstate(over="ignore", invalid="ignore"):
        found = predict_candidates(asked, endless, unknown_memory)
        groups = found.groups.mixed([A100, V100], "fp32", 1)
    assert [one.batch_size_per_device for one in found.predictions] == [1, 1]
    assert {one.batch_size for one in groups} == {1}


def test_set_ups_are_told_apart_by_what_they_are_made_of() -> None:
    one, two = predicted(candidate(HERE), candidate(HERE, 2))
    assert (one.device_and_count, two.device_and_count) == ((HERE.key, 1), (HERE.key, 2))
    assert one.set_up == (HERE.key, 1, "single", "fp32", 8, 1, False, False, False)
    assert one.differs_at_most_by(two, "count", "strategy")
    assert not one.differs_at_most_by(two, "count")
