"""What must be true on a real NVIDIA card; skipped by name where there is none. Run it with `tools/record_gpu.py`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from advisor.catalogue.precisions import Precision
from advisor.catalogue.spec_table import spec_table
from advisor.core.drive import drive
from advisor.measure.measurement import Measurement
from advisor.measure.ranks import RanksPlan, measure_local_ranks
from advisor.store.advice_record import AdviceRecord
from advisor.store.json_file import read
from advisor.workload.workload import with_training
from advisor.workload.workload_file import load_workload
from tests.on_gpu import checks
from tests.on_gpu.observe import Bench, smi_cards
from tests.on_gpu.plan import CHANGE_S, CHANGES, SCRIPTS, SIZES_S, StepRun, other_runs, own_runs, sized_runs
from tests.on_gpu.recorder import Recorder
from tests.on_gpu.recording import Happening, LeftOut, ScriptSeen, workload_with

_MOST_OF_A_STEP = 300.0


def _marked(runs: list[StepRun], rank: int) -> list[Any]:
    return [pytest.param(run, id=run.name, marks=pytest.mark.on_gpu(seconds=run.seconds, rank=rank)) for run in runs]


def _direct(kind: str, device: str, seconds: float = 120.0) -> dict[str, Any]:
    command = [sys.executable, "-P", "-m", "tests.on_gpu.direct", kind, device]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=seconds, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode in {0, 3}, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _happened(recorder: Recorder, name: str, facts: dict[str, Any]) -> None:
    happening = Happening(name=name, facts=facts)
    recorder.happenings.append(happening)
    assert not checks.happening_problems(happening), facts


@pytest.mark.on_gpu(seconds=5, rank=0)
def test_every_field_of_the_card_is_told_or_refused_with_a_reason(bench: Bench) -> None:
    assert [line for gpu in bench.machine.gpus for line in checks.field_problems(gpu)] == []


@pytest.mark.on_gpu(seconds=5, rank=0)
def test_the_sampler_and_nvidia_smi_say_the_same(bench: Bench, recorder: Recorder) -> None:
    recorder.smi = smi_cards()
    assert recorder.smi
    assert checks.smi_problems(bench.machine.gpus, bench.machine.software.driver, recorder.smi) == []


@pytest.mark.on_gpu(seconds=12, rank=0)
def test_the_monitor_sees_a_card_at_work(bench: Bench, recorder: Recorder) -> None:
    bench.steps("resnet50", "fp16_amp", budget_s=4.0)
    recorder.readings = tuple(bench.readings[-120:])
    assert any(reading.gpus for reading in recorder.readings)
    assert checks.reading_problems(recorder.readings) == []


@pytest.mark.on_gpu(seconds=16, rank=1)
def test_microbenchmarks_stand_between_a_third_of_the_data_sheet_and_its_peak(bench: Bench, recorder: Recorder) -> None:
    recorder.rates = bench.rates(12.0)
    assert {"matmul", "elementwise", "convolution", "attention", "launch", "host_to_device"} <= {
        rate.kind for rate in recorder.rates
    }
    key = None if bench.gpu is None else bench.gpu.spec_key
    if key is None:
        recorder.left_out.append(LeftOut(name="data sheet", why="the card has no row in the spec table"))
        pytest.skip("the card has no row in the spec table")
    assert checks.rate_problems(recorder.rates, spec_table()[key]) == []


def _run(bench: Bench, recorder: Recorder, run: StepRun) -> None:
    before = len(bench.failures)
    seen = bench.steps(run.workload, run.precision, budget_s=run.budget_s, layer_limit=run.layer_limit)
    recorder.steps += seen
    assert not bench.failures[before:], bench.failures[-1].text
    assert seen, bench.session.log[-2000:]
    total = None if bench.gpu is None else bench.gpu.memory_total_bytes
    assert [line for step in seen for line in checks.step_problems(step, total)] == []


@pytest.mark.parametrize("run", _marked(own_runs(), rank=2))
def test_a_bundled_workload_trains_in_its_own_precision(bench: Bench, recorder: Recorder, run: StepRun) -> None:
    _run(bench, recorder, run)


@pytest.mark.parametrize("run", _marked(other_runs(), rank=6))
def test_a_bundled_workload_trains_in_another_precision(bench: Bench, recorder: Recorder, run: StepRun) -> None:
    capability = 0.0 if bench.gpu is None else float(bench.gpu.compute_capability or 0.0)
    if run.precision.startswith(("bf16", "tf32")) and capability < 8.0:
        recorder.left_out.append(LeftOut(name=run.name, why=f"compute capability {capability} has no {run.precision}"))
        pytest.skip(f"compute capability {capability} has no {run.precision}")
    _run(bench, recorder, run)


@pytest.mark.parametrize(
    ("name", "precision", "sizes"),
    [pytest.param(*one, id=one[0], marks=pytest.mark.on_gpu(seconds=SIZES_S, rank=5)) for one in sized_runs()],
)
def test_a_bundled_workload_trains_at_other_batch_sizes(
    bench: Bench, recorder: Recorder, name: str, precision: Precision, sizes: tuple[int, int]
) -> None:
    seen = bench.steps(name, precision, batch_sizes=sizes, budget_s=SIZES_S - 1.0)
    recorder.steps += seen
    assert {step.batch_size for step in seen} == set(sizes)
    total = None if bench.gpu is None else bench.gpu.memory_total_bytes
    assert [line for step in seen for line in checks.step_problems(step, total)] == []


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.on_gpu(seconds=CHANGE_S, rank=5)) for one in CHANGES]
)
def test_a_changed_setting_trains(bench: Bench, recorder: Recorder, name: str) -> None:
    workload, precision, change = CHANGES[name]
    seen = bench.steps(workload, precision, budget_s=1.5, change=change)
    recorder.steps += seen
    assert seen, bench.session.log[-2000:]
    total = None if bench.gpu is None else bench.gpu.memory_total_bytes
    assert [line for step in seen for line in checks.step_problems(step, total)] == []


@pytest.mark.parametrize(
    ("kind", "judge"),
    [
        pytest.param(
            "flash",
            lambda facts: facts["relative_error"] < 0.02,
            marks=pytest.mark.on_gpu(seconds=8, rank=4),
            id="flash",
        ),
        pytest.param(
            "fsdp", lambda facts: facts["wall_s"] > 0, marks=pytest.mark.on_gpu(seconds=15, rank=4), id="fsdp"
        ),
        pytest.param(
            "compile",
            lambda facts: facts["wall_s"] < facts["eager_wall_s"],
            marks=pytest.mark.on_gpu(seconds=40, rank=5),
            id="compile",
        ),
        pytest.param(
            "optimizer_8bit",
            lambda facts: facts["wall_s"] > 0,
            marks=pytest.mark.on_gpu(seconds=12, rank=5),
            id="optimizer_8bit",
        ),
    ],
)
def test_what_scripts_use_runs_here(recorder: Recorder, bench: Bench, kind: str, judge: Callable[[Any], bool]) -> None:
    facts = _direct(kind, bench.torch_device)
    if "absent" in facts:
        recorder.left_out.append(LeftOut(name=kind, why=facts["absent"]))
        pytest.skip(facts["absent"])
    _happened(recorder, kind, facts | {"ok_as_expected": bool(judge(facts))})


@pytest.mark.on_gpu(seconds=15, rank=3)
def test_a_batch_that_does_not_fit_ends_alone_and_the_card_recovers(bench: Bench, recorder: Recorder) -> None:
    """Logits of 4096 texts are over 400 GB: the smaller size keeps its samples, and the next model trains."""
    alike = {2: 0.050, 4096: 0.051}  # so that the size is tried, and not left out as too long
    seen = bench.steps("gpt2_small", "bf16_amp", batch_sizes=(2, 4096), budget_s=6.0, expected_step_s=alike)
    after = bench.steps("resnet50", "fp16_amp", budget_s=2.0)
    by_size = {step.batch_size: step for step in seen}
    why = by_size[4096].why
    facts = {
        "ok_small_kept": by_size[2].median_s is not None,
        "ok_out_of_memory": why is not None and why.code == "measure-ended-out-of-memory",
        "ok_next_trains": bool(after) and after[0].median_s is not None,
    }
    _happened(recorder, "out_of_memory", facts)


@pytest.mark.on_gpu(seconds=15, rank=3)
def test_a_lost_context_costs_one_process_and_not_the_card(bench: Bench, recorder: Recorder) -> None:
    broken = _direct("assert", bench.torch_device)
    after = bench.steps("resnet50", "fp16_amp", budget_s=2.0)
    facts = {"ok_lost": broken["context_lost"], "ok_next_trains": bool(after) and after[0].median_s is not None}
    _happened(recorder, "lost_context", facts | {"text": broken.get("text")})


@pytest.mark.on_gpu(seconds=10, rank=3)
def test_a_killed_worker_leaves_no_memory_behind(bench: Bench, recorder: Recorder) -> None:
    bench.steps("vit_base", "bf16_amp", budget_s=2.0)
    bench.watch(0.3)
    held = _used(bench)
    bench.restart()
    freed = _used(bench, after_s=2.0)
    _happened(recorder, "killed_worker", {"held_bytes": held, "left_bytes": freed, "ok_freed": freed < held})


@pytest.mark.on_gpu(seconds=15, rank=3)
def test_another_process_that_takes_half_the_memory_is_seen_and_survived(bench: Bench, recorder: Recorder) -> None:
    bench.restart()
    before = _used(bench, after_s=1.0)
    command = [sys.executable, "-P", "-m", "tests.on_gpu.direct", "hold", bench.torch_device]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None
        held = int(json.loads(other.stdout.readline())["held_bytes"])
        during = _used(bench, after_s=1.0)
        seen = bench.steps("resnet50", "fp16_amp", budget_s=2.0)
    finally:
        other.communicate(timeout=600)
    facts = {
        "held_bytes": held,
        "ok_seen": during - before > 0.9 * held,
        "ok_trains": bool(seen) and seen[0].median_s is not None,
    }
    _happened(recorder, "second_process", facts)


def _used(bench: Bench, after_s: float = 0.5) -> int:
    readings = bench.watch(after_s + 0.5)
    used = [one.memory_used_bytes for reading in readings for one in reading.gpus if one.memory_used_bytes is not None]
    assert used, "no reading told the memory in use"
    return used[-1]


@pytest.mark.parametrize(
    "count", [pytest.param(count, marks=pytest.mark.on_gpu(seconds=18, rank=4)) for count in (1, 2)]
)
def test_ranks_find_each_other_and_train_by_nccl(bench: Bench, recorder: Recorder, count: int) -> None:
    if len(bench.machine.gpus) < count:
        recorder.left_out.append(LeftOut(name=f"ranks-{count}", why=f"needs {count} cards"))
        pytest.skip(f"needs {count} cards")
    workload = with_training(load_workload("resnet50"), precision="fp16_amp")
    plan = RanksPlan(workload=workload, batch_size=16, budget_s=8.0, device="cuda")
    outcome = drive(measure_local_ranks(plan, count))
    kinds = {found.kind for found in outcome.communication}
    facts = {
        "rank_count": count,
        "ok_complete": outcome.complete,
        "ok_values": all(found.values_correct is not False for found in outcome.communication),
        "ok_trained": "ddp_step" in kinds,
    }
    _happened(recorder, f"ranks_{count}", facts)


@pytest.mark.on_gpu(seconds=55, rank=2)
def test_measure_and_verify_from_end_to_end(bench: Bench, recorder: Recorder, tmp_path: Path) -> None:
    out = tmp_path / "advice.json"
    assert bench.gpu is not None
    uuid = bench.gpu.uuid or str(bench.gpu.index)
    bench.restart()
    command = [sys.executable, "-m", "advisor", "--measure", "bert_base_sst2", "--device", uuid, "--budget", "15"]
    done = subprocess.run(
        [*command, "--verify", "10", "--json", str(out), "--language", "en"],
        capture_output=True, text=True, timeout=_MOST_OF_A_STEP, check=False, env=_own_folders(tmp_path),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    advice: AdviceRecord = read(out)
    measured: Measurement = next(one for one in advice.measurements if one.device_key == uuid)
    local = advice.recommendation_local
    facts = {
        "ok_steps": any(step.summary is not None for step in measured.steps),
        "ok_rates": bool(measured.rates),
        "ok_advised": local is not None and local.device.key == uuid,
        "advised_batch_size": None if local is None else local.batch_size_per_device,
        "advised_step_s": None if local is None else local.step_s.value,
        "said": done.stdout.splitlines()[-1][:300] if done.stdout else "",
    }
    _happened(recorder, "measure_and_verify", facts)


@pytest.fixture(scope="session")
def advised(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with advice and a script of each of `SCRIPTS` for this card alone, made side by side."""
    folder = tmp_path_factory.mktemp("advised")
    if bench.gpu is None or bench.gpu.spec_key is None:
        pytest.skip("the card has no row in the spec table")
    running = []
    for name, run in SCRIPTS.items():
        (folder / f"{name}.toml").write_text(workload_with(run.workload, run.changes), encoding="utf-8")
        asked = ["--predict", f"{name}.toml", "--gpus", bench.gpu.spec_key, "--counts", "1", *run.words]
        written = ["--script", f"{name}.py", "--json", f"{name}.json", "--language", "en"]
        command = [sys.executable, "-m", "advisor", *asked, *written]
        with (folder / f"{name}.txt").open("w") as said:
            running.append(
                subprocess.Popen(command, cwd=folder, stdout=said, stderr=said, env=_own_folders(folder / name))
            )
    for one in running:
        one.wait(timeout=_MOST_OF_A_STEP)
    return folder


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=pytest.mark.on_gpu(seconds=run.seconds, rank=7)) for one, run in SCRIPTS.items()],
)
def test_an_advised_script_runs_as_it_stands(bench: Bench, recorder: Recorder, advised: Path, name: str) -> None:
    bench.restart()
    assert (advised / f"{name}.py").is_file(), (advised / f"{name}.txt").read_text()[-2000:]
    advice: AdviceRecord = read(advised / f"{name}.json")
    assert advice.recommendation is not None
    told = advice.predictions[advice.best_set_ups[0]]
    assert told.step_s is not None
    assert told.peak_memory_bytes is not None
    steps = 4 + min(300, max(6, int(5.0 / told.step_s.value)))
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tests.on_gpu.script", f"{advised / name}.py", str(steps)],
        capture_output=True, text=True, timeout=_MOST_OF_A_STEP, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    if done.returncode == 3:
        recorder.left_out.append(LeftOut(name=name, why=json.loads(done.stdout.splitlines()[-1])["absent"]))
        pytest.skip(recorder.left_out[-1].why)
    assert done.returncode == 0, done.stderr[-3000:]
    seen = json.loads(done.stdout.splitlines()[-1])
    parts = {part.kind: part.size_bytes for part in told.memory_parts}
    reserved = told.peak_memory_bytes.value - parts.get("context", 0.0)
    recorder.scripts.append(
        ScriptSeen(
            name=name,
            batch_size=told.batch_size_per_device,
            precision=told.precision,
            step_s=seen["step_s"],
            peak_allocated_bytes=seen["peak_allocated_bytes"],
            peak_reserved_bytes=seen["peak_reserved_bytes"],
            loader_wait_s=seen["loader_wait_s"],
            told_s=told.step_s.value,
            told_low_s=told.step_s.low,
            told_high_s=told.step_s.high,
            told_allocated_bytes=reserved - parts.get("fragmentation", 0.0),
            told_reserved_bytes=reserved,
        )
    )


def _own_folders(folder: Path) -> dict[str, str]:
    return os.environ | {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
