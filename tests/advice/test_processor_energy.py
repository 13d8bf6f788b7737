"""Joules of a job on the processor come from its packages' counters, and are unknown without them."""

from __future__ import annotations

import msgspec
import pytest

from advisor.advice import AdviceRequest, Facts, advice_from_facts
from advisor.optable.saved_tables import saved_tables
from advisor.present.summary import summarise
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload_file import load_workload
from tests.present.recorded import recorded


def advice_with_power(power_w: float | None) -> AdviceRecord:
    past = recorded()
    (measurement,) = past.measurements
    readings = tuple(msgspec.structs.replace(one, cpu_power_w=power_w) for one in measurement.readings)
    assert len(readings) > 10
    workload = load_workload("iris_mlp")
    facts = Facts(
        machine=past.machine,
        tables=saved_tables(workload),
        measurements=(msgspec.structs.replace(measurement, readings=readings),),
    )
    return advice_from_facts(AdviceRequest(workload=workload, gpu_keys=("rtx3090",), counts=(1,)), facts)


def test_measured_package_power_gives_joules_of_the_job() -> None:
    advice = advice_with_power(50.0)
    found = [one for one in advice.predictions if one.device.key == "cpu"]
    assert found
    for one in found:
        assert one.energy_j is not None
        assert one.job_s is not None
        assert one.energy_j.value == pytest.approx(50.0 * one.job_s.value)
    assert advice.recommendation_local is not None
    assert any("J" in text or "Wh" in text for _, text in summarise(advice, "en").figures)


def test_without_counters_the_energy_of_the_processor_is_unknown() -> None:
    advice = advice_with_power(None)
    assert all(one.energy_j is None for one in advice.predictions if one.device.key == "cpu")
    assert all(one.energy_j is not None for one in advice.predictions if one.device.key == "rtx3090")
