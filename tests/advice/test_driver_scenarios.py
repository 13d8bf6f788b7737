"""Whatever the driver does, there is advice or a named reason, in every format, with exit code 0."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from advisor.advice import AdviceRequest, Facts, advice_from_facts
from advisor.core.sentences import message_exists
from advisor.hardware.machine import Machine
from advisor.optable.saved_tables import saved_tables
from advisor.present import csv_file, markdown_file
from advisor.present.report import pdf_file
from advisor.present.script import launch_script
from advisor.store import json_file
from advisor.workload.workload_file import load_workload
from tests.fake_nvml.stub import GIVEN_SCENARIOS, NvmlStub
from tests.persistence import ended_well
from tests.present.recorded import recorded

MACHINES = Path(__file__).resolve().parents[1] / "recorded" / "machines"
ROOT = Path(__file__).resolve().parents[2]
NAMED = {
    "container_lost": {"driver-"},
    "driver_not_loaded": {"driver-"},
    "jetson": {"gpu-unified-memory", "gpu-unknown-card"},
    "lost": {"gpu-lost"},
    "lost_at_handle": {"gpu-lost"},
    "mig": {"gpu-mig"},
    "mismatch": {"driver-mismatch"},
    "no_permission": {"driver-"},
    "vgpu": {"gpu-shared-by-others"},
}
"""How the caveats name the failure of a scenario that has one (beginnings of their codes)."""


def machine_of(scenario: str) -> Machine:
    return msgspec.json.decode((MACHINES / f"synthetic_stub_{scenario}.json").read_bytes(), type=Machine)


@pytest.mark.parametrize("scenario", GIVEN_SCENARIOS)
def test_a_recorded_scenario_gives_advice_in_every_format(scenario: str) -> None:
    workload = load_workload("iris_mlp")
    facts = Facts(machine=machine_of(scenario), tables=saved_tables(workload), measurements=recorded().measurements)
    request = AdviceRequest(workload=workload, gpu_keys=("rtx3090",), counts=(1, 2))
    advice = advice_from_facts(request, facts)
    assert advice.recommendation is not None
    assert advice.recommendation_local is not None
    codes = {caveat.code for caveat in advice.caveats}
    for beginning in NAMED.get(scenario, set()):
        assert any(code.startswith(beginning) for code in codes), codes
    assert all(message_exists(code, "en") and message_exists(code, "zh") for code in codes)
    assert json_file.decode(json_file.encode(advice), scenario) == advice
    assert len(csv_file.encode(advice).splitlines()) == 1 + len(advice.predictions)
    for language in ("en", "zh"):
        assert markdown_file.encode(advice, language).startswith(b"# ")
        assert pdf_file.encode(advice, language).startswith(b"%PDF")
    compile(launch_script.render(advice), "train.py", "exec")


@pytest.mark.needs_compiler
@pytest.mark.parametrize("scenario", ["mismatch", "lost", "crash"])
def test_measuring_under_a_broken_driver_ends_with_advice(scenario: str, nvml_stub: NvmlStub, tmp_path: Path) -> None:
    nvml_stub.use(scenario)
    flags = ["--measure", "iris_mlp", "--gpus", "rtx3090", "--counts", "1", "--quiet", "--budget"]
    outputs = [part for name in ("json", "pdf", "csv", "markdown") for part in (f"--{name}", str(tmp_path / name))]
    settings = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"), "OMP_NUM_THREADS": "1"}

    def run(budget_s: float) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "advisor", *flags, f"{budget_s:g}", *outputs, "--force"],
            cwd=ROOT,
            env=settings,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    ended = ended_well(run, 4.0)
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr + ended.stdout
    assert "Advice for" in ended.stdout
    advice = json_file.read(tmp_path / "json")
    assert advice.recommendation is not None
    assert advice.machine.notices or advice.machine.gpus
    assert all((tmp_path / name).stat().st_size for name in ("pdf", "csv", "markdown"))
