"""The loader in the steps of a device: counted where it was timed, left out where it was not."""

from __future__ import annotations

import msgspec
import pytest

from advisor.predict.assembly import predict_candidates
from advisor.predict.device_memory import unknown_memory
from advisor.predict.prediction import Prediction
from advisor.protocol.messages import LoaderPass
from advisor.workload.workload import Workload
from tests.predict.asked import CPU, HERE, candidate, sources, workload
from tests.predict.test_local_time import _measured, _step

TIMED = _measured(_step(4, 0.02), _step(8, 0.04), _step(16, 0.08), key=HERE.key)
ON_CPU = _measured(_step(4, 0.02), _step(8, 0.04), _step(16, 0.08))


def loaded_by(workers: int) -> Workload:
    plain = workload()
    return msgspec.structs.replace(plain, data=msgspec.structs.replace(plain.data, loader_workers=workers))


def predicted(made_s: float | None, *, workers: int = 0, on_cpu: bool = False) -> Prediction:
    passes = LoaderPass(
        batch_size=8, worker_count=0, made_s=made_s or 1, low_s=(made_s or 1) / 2, high_s=(made_s or 1) * 2,
        ready_s=made_s or 1,
    )  # fmt: skip
    timed = ON_CPU if on_cpu else TIMED
    asked = sources(
        measurements={timed.device_key: timed},
        workload=loaded_by(workers),
        loader=() if made_s is None else (passes,),
    )
    return predict_candidates([candidate(CPU if on_cpu else HERE)], asked, unknown_memory).predictions[0]


def part_s(found: Prediction) -> float:
    return sum(part.duration_s for part in found.parts if part.kind == "loader")


def test_loading_in_the_training_process_adds_to_step_job_and_range() -> None:
    without, found = predicted(None), predicted(0.1)
    assert part_s(without) == 0
    assert part_s(found) == pytest.approx(0.1)
    assert found.step_s.value == pytest.approx(without.step_s.value + 0.1)
    assert found.step_s.low == pytest.approx(without.step_s.low + 0.05)
    assert found.step_s.high == pytest.approx(without.step_s.high + 0.2)
    assert without.job_s is not None
    assert found.job_s is not None
    assert found.job_s.value / without.job_s.value == pytest.approx(found.step_s.value / without.step_s.value)


def test_a_loader_that_keeps_up_changes_nothing() -> None:
    assert predicted(0.001, workers=4).step_s == predicted(None).step_s


@pytest.mark.parametrize("workers", [0, 4])
def test_the_processor_waits_for_its_own_loader_too(workers: int) -> None:
    assert predicted(1.0, workers=workers, on_cpu=True).step_s.value > predicted(None, on_cpu=True).step_s.value
