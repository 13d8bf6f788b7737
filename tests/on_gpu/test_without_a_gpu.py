"""The GPU suite where there is no GPU: skipped by name, planned, driven by the NVML stub and the stand-in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.core.bundled import workloads_folder
from advisor.hardware.detect import detect_machine
from tests.fake_nvml.stub import NvmlStub, nvml_libraries, nvml_stub
from tests.on_gpu.checks import field_problems, reading_problems, smi_problems, step_problems
from tests.on_gpu.conftest import torch_has_cuda
from tests.on_gpu.observe import Bench, smi_cards, without_identity
from tests.on_gpu.plan import WHOLE_S, other_runs, own_runs
from tests.on_gpu.recording import read_recording
from tests.stand_in.built import stand_in, stand_in_library
from tools import record_gpu

__all__ = ["nvml_libraries", "nvml_stub", "stand_in", "stand_in_library"]

ROOT = Path(__file__).resolve().parents[2]
A100_SMI = (
    "GPU-aaaaaaaa-0000-4000-8000-{n:012d}, NVIDIA A100-SXM4-80GB, 550.54.15, 81920, 400.00, 1410, [N/A], [N/A], 16"
)
"""As `nvidia-smi` prints the cards of the stub's scenario `a100_8`; the figures stand in that scenario."""


def _smi(folder: Path, monkeypatch: pytest.MonkeyPatch, lines: list[str]) -> None:
    program = folder / "nvidia-smi"
    program.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(lines) + "\nEND\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.needs_compiler
def test_the_sampler_is_held_against_nvidia_smi_card_by_card(
    nvml_stub: NvmlStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nvml_stub.use("a100_8")
    _smi(tmp_path, monkeypatch, [A100_SMI.format(n=number) for number in range(8)])
    machine, cards = detect_machine(), smi_cards()
    assert len(machine.gpus) == len(cards) == 8
    assert [line for gpu in machine.gpus for line in field_problems(gpu)] == []
    assert smi_problems(machine.gpus, machine.software.driver, cards) == []
    _smi(tmp_path, monkeypatch, [A100_SMI.format(n=0).replace("81920", "40960").replace("550.54.15", "535.1")])
    assert len(smi_problems(machine.gpus, machine.software.driver, smi_cards())) == 2


@pytest.mark.needs_compiler
@pytest.mark.parametrize("scenario", ["jetson", "wsl", "vgpu", "noperm_procs", "mig", "laptop_hybrid", "sm120"])
def test_cards_that_refuse_fields_say_why(nvml_stub: NvmlStub, scenario: str) -> None:
    nvml_stub.use(scenario)
    machine = detect_machine()
    assert machine.gpus
    assert [line for gpu in machine.gpus for line in field_problems(gpu)] == []


@pytest.mark.needs_compiler
def test_a_benchs_monitor_reads_the_cards(nvml_stub: NvmlStub) -> None:
    nvml_stub.use("throttle")
    machine = detect_machine()
    with Bench(machine, machine.gpus[0]) as bench:
        readings = bench.watch(1.5)
    assert any(reading.gpus for reading in readings)
    assert not [problem for problem in reading_problems(readings) if "outside" in problem]


@pytest.mark.needs_compiler
def test_a_step_on_a_device_that_is_no_cpu_passes_the_suites_own_checks(stand_in: str) -> None:
    with Bench(detect_machine(), None, stand_in) as bench:
        seen = bench.steps("iris_mlp", "fp32", budget_s=3.0)
        changed = bench.steps("iris_mlp", "fp16_amp", batch_sizes=(16,), budget_s=3.0, change={"optimizer": "adamw"})
        assert not bench.failures
        assert bench.environment is not None
    (step,), (other,) = seen, changed
    assert (step.batch_size, step.change, other.batch_size, other.change) == (120, "", 16, "optimizer=adamw")
    assert step_problems(step, 8 << 30) == []
    assert step_problems(other, 8 << 30) == []
    assert step.parts_s.keys() == {"copy", "forward", "backward", "optimizer"}


@pytest.mark.needs_compiler
def test_a_full_device_is_recorded_as_such_and_the_next_model_trains(
    stand_in: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADVISOR_STAND_IN_BYTES", str(1 << 20))
    alike = {8: 0.010, 120_000: 0.011}
    with Bench(detect_machine(), None, stand_in) as bench:
        seen = bench.steps("iris_mlp", "fp32", batch_sizes=(8, 120_000), budget_s=4.0, expected_step_s=alike)
        after = bench.steps("iris_mlp", "fp32", batch_sizes=(8,), budget_s=3.0)
    by_size = {step.batch_size: step for step in seen}
    assert by_size[8].median_s is not None
    assert by_size[120_000].why is not None
    assert by_size[120_000].why.code == "measure-ended-out-of-memory"
    assert after[0].median_s is not None


@pytest.mark.needs_compiler
def test_the_children_of_the_suite_run_on_a_device_that_is_no_cpu(stand_in: str) -> None:
    def said(kind: str) -> dict[str, object]:
        command = [sys.executable, "-P", "-m", "tests.on_gpu.direct", kind, stand_in]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([os.environ["PYTHONPATH"], str(ROOT)])}
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, timeout=600, check=False
        )
        assert done.returncode in {0, 3}, done.stderr
        found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
        return found

    assert said("hold")["held_bytes"] == 32 << 20
    assert said("assert") == {"context_lost": False}
    assert "absent" in said("flash")
    assert "absent" in said("optimizer_8bit")


def test_a_script_that_the_program_wrote_runs_in_the_suites_child_and_tells_how_long_it_waited_for_data(
    tmp_path: Path,
) -> None:
    asked = ["--predict", "iris_mlp", "--gpus", "h200-sxm", "--counts", "1", "--script", "one.py"]
    told = subprocess.run(
        [sys.executable, "-m", "advisor", *asked],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    command = [sys.executable, "-P", "-m", "tests.on_gpu.script", str(tmp_path / "one.py"), "20"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["steps"] == 20
    assert 0 < seen["loader_wait_s"] < seen["step_s"] * 20
    assert seen["peak_allocated_bytes"] == 0  # nothing here allocates on a card


def test_every_test_of_the_suite_is_skipped_by_name_where_there_is_no_gpu() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-rs", *record_gpu.PYTEST]
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "ADVISOR_NO_SKIPS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert f"{len(record_gpu.plan())} skipped" in done.stdout
    assert "needs an NVIDIA GPU with its driver and a torch built for CUDA" in done.stdout


@pytest.mark.parametrize("available", [True, False])
def test_a_torch_that_can_use_cuda_is_told_from_one_that_cannot(
    available: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch.py").write_text(f"class cuda:\n    is_available = staticmethod(lambda: {available})\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT)]))  # an installed advisor has no tests
    assert torch_has_cuda() is available


def test_the_plan_runs_every_workload_before_any_second_precision_and_advised_scripts_fill_a_run_of_their_own() -> None:
    items = record_gpu.plan()
    names = [name for name, _ in items]
    first_other = next(place for place, name in enumerate(names) if "another_precision" in name)
    own = [place for place, name in enumerate(names) if "own_precision" in name]
    assert len(own) == len(own_runs())
    assert max(own) < first_other
    scripts = [seconds for name, seconds in items if "advised_script" in name]
    assert sum(scripts) <= WHOLE_S
    others = [seconds for name, seconds in items if "another_precision" not in name]
    assert sum(others) - sum(scripts) <= WHOLE_S
    text = record_gpu.plan_text(items, WHOLE_S)
    assert "limit 480 s" in text
    assert f"no time would be left for {len(items)} of" not in text
    none = record_gpu.plan_text([("test_one[a]", 9.0), ("test_one[b]", 9.0)], 10.0)
    assert none.splitlines()[-2:] == ["1 tests, 9 s at most, limit 10 s", "no time would be left for 1 of test_one"]


def test_the_plan_covers_every_bundled_workload_in_each_precision_it_supports() -> None:
    bundled = {path.stem for path in workloads_folder().glob("*.toml")}
    assert {run.workload for run in own_runs()} == bundled
    asked = {(run.workload, run.precision) for run in own_runs() + other_runs()}
    for name in ("iris_mlp", "resnet50", "bert_base_sst2", "gpt2_small"):
        assert {(name, one) for one in ("fp32", "tf32", "fp16_amp", "bf16_amp")} <= asked
    assert len(asked) == len(own_runs() + other_runs())


@pytest.mark.needs_compiler
def test_the_suite_itself_runs_on_the_stand_in_and_writes_a_recording_that_says_so(
    stand_in: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ADVISOR_GPU_DEVICE", stand_in)
    path = tmp_path / "seen.json"
    command = [sys.executable, str(ROOT / "tools" / "record_gpu.py"), "--write", str(path), "--seconds", "50"]
    words = ["--words", "-k iris_mlp-fp32 or [flash] or end_to_end"]
    done = subprocess.run([*command, *words], capture_output=True, text=True, timeout=600, check=False, cwd=tmp_path)
    assert "1 passed, 2 skipped" in done.stdout, done.stdout[-3000:]
    recording = read_recording(path)
    assert recording.made_up
    (step,) = recording.steps
    assert (step.workload, step.precision) == ("iris_mlp", "fp32")
    assert step.median_s is not None
    why = {one.name: one.why for one in recording.left_out}
    assert "flash attention is a kernel of CUDA's" in why["flash"]
    assert "no time left: needs 55 s" in why["test_measure_and_verify_from_end_to_end"]
    assert recording.environment is not None


@pytest.mark.needs_compiler
def test_a_recording_names_no_card_and_no_process(nvml_stub: NvmlStub) -> None:
    nvml_stub.use("a100_8")
    machine = detect_machine()
    kept = without_identity(machine)
    assert {gpu.uuid for gpu in kept.gpus}.isdisjoint({gpu.uuid for gpu in machine.gpus})
    assert len({gpu.uuid for gpu in kept.gpus}) == 8
    assert all(gpu.pcie_bus is None and gpu.processes == () for gpu in kept.gpus)
