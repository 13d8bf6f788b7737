"""What is traced on FP32 weights alone is told of shards as it changes what was cast nowhere."""

from __future__ import annotations

import msgspec
import pytest

from advisor.advice.switched import as_beside
from advisor.core.units import Estimate
from advisor.predict.prediction import Prediction
from tests.recommend.fakes import estimate
from tests.recommend.test_batch_and_strategy import one

GIB = 2.0**30


def taking(step_s: float, need_gib: float) -> Prediction:
    need = Estimate(value=need_gib * GIB, low=need_gib * GIB, high=1.1 * need_gib * GIB, basis="specified")
    return msgspec.structs.replace(
        one(16, 16 / step_s, count=8, strategy="fsdp"),
        step_s=estimate(step_s),
        samples_per_s=estimate(16 / step_s),
        job_s=estimate(100 * step_s),
        peak_memory_bytes=need,
        memory_capacity_bytes=24 * GIB,
        fits=True,
    )


def test_a_change_gains_of_another_step_as_many_times_as_of_its_own() -> None:
    before, changed, shards = taking(2.0, 20.0), taking(1.6, 20.0), taking(1.2, 18.0)
    told = as_beside(changed, shards, before)
    assert told.step_s.value == pytest.approx(1.2 * 1.6 / 2.0)
    assert told.samples_per_s.value / shards.samples_per_s.value == pytest.approx(2.0 / 1.6)
    assert told.job_s is not None
    assert told.job_s.value == pytest.approx(100 * 0.96)
    assert (told.peak_memory_bytes, told.fits) == (shards.peak_memory_bytes, True)
    assert told.step_s.low < told.step_s.value < told.step_s.high
