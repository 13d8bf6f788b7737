"""Every scenario of the NVML stub goes through detection, monitoring, advice and every format without a fault."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable

import msgspec
import pytest

from advisor.advice import AdviceRequest, advice_from_facts
from advisor.advice.facts import Facts
from advisor.core.sentences import say
from advisor.hardware.describe import machine_lines
from advisor.hardware.detect import detect_machine
from advisor.hardware.machine import GpuReading, Machine
from advisor.hardware.monitor import Monitor
from advisor.optable.saved_tables import saved_tables
from advisor.present import csv_file, markdown_file
from advisor.present.report import pdf_file
from advisor.present.script import launch_script
from advisor.store import json_file
from advisor.workload.workload_file import load_workload
from tests.fake_nvml.stub import SCENARIOS, NvmlStub
from tests.present.recorded import recorded

pytestmark = pytest.mark.needs_compiler
NAMES = sorted(path.stem for path in SCENARIOS.glob("*.txt"))
WATCHED_S = 10.0
MOST = {"temperature_celsius": 200.0, "sm_clock_hz": 20e9, "power_w": 20e3, "power_limit_w": 20e3}
"""What no card reaches."""


def _within_reason(figures: dict[str, object]) -> bool:
    values = ((figures.get(name), most) for name, most in MOST.items())
    return all(not isinstance(value, int | float) or 0 <= value <= most for value, most in values)


def _readings() -> list[GpuReading]:
    found: list[GpuReading] = []
    polls = 0
    end_s = time.monotonic() + WATCHED_S
    with Monitor(0.02) as monitor:
        while polls < 20 and monitor.problem is None and time.monotonic() < end_s:
            readings = monitor.readings()
            polls += len(readings)
            found += [gpu for reading in readings for gpu in reading.gpus]
            time.sleep(0.02)
    assert polls or monitor.problem is not None
    return found


def test_there_are_at_least_thirty_scenarios(record_property: Callable[[str, object], None]) -> None:
    assert len(NAMES) >= 30
    record_property("figure", f"{len(NAMES)} scenarios")


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_is_detected_watched_advised_and_exported(name: str, nvml_stub: NvmlStub) -> None:
    nvml_stub.use(name)
    machine = detect_machine()
    assert msgspec.json.decode(msgspec.json.encode(machine), type=Machine) == machine
    for language in ("en", "zh"):
        lines = machine_lines(machine, language)
        assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for line in lines for character in line)
    assert all(_within_reason(msgspec.structs.asdict(gpu)) for gpu in machine.gpus)
    assert all(_within_reason(msgspec.structs.asdict(reading)) for reading in _readings())
    workload = load_workload("iris_mlp")
    facts = Facts(machine=machine, tables=saved_tables(workload), measurements=recorded().measurements)
    request = AdviceRequest(workload=workload, gpu_keys=("rtx3090",), counts=(1, 2))
    advice = advice_from_facts(request, facts)
    assert advice.recommendation is not None
    assert all(say(caveat, language) for caveat in advice.caveats for language in ("en", "zh"))
    assert json_file.decode(json_file.encode(advice), name) == advice
    assert len(csv_file.encode(advice).splitlines()) == 1 + len(advice.predictions)
    assert markdown_file.encode(advice, "en").startswith(b"# ")
    assert pdf_file.encode(advice, "en").startswith(b"%PDF")
    ast.parse(launch_script.render(advice))


def test_error_codes_printed_as_figures_are_refused_with_a_reason(nvml_stub: NvmlStub) -> None:
    nvml_stub.use("absurd")
    (gpu,) = detect_machine().gpus
    nonsense = {refusal.field for refusal in gpu.refusals if refusal.reason.code == "refused-nonsense"}
    assert {"temperature_celsius", "sm_clock_hz", "sm_clock_max_hz", "power_w", "power_limit_w"} <= nonsense
    assert gpu.temperature_celsius is None
    assert gpu.sm_clock_hz is None
