"""`--measure` from end to end with its real worker: advice, interruption, torchrun, verification."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from advisor.cli.faults import NOTHING_FITS
from advisor.store import json_file
from advisor.store.history import History
from tests.persistence import ended_well


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    changed = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"), "OMP_NUM_THREADS": "1"}
    return {**os.environ, "LANG": "C.UTF-8", **changed}


def test_measuring_iris_favours_the_cpu_and_names_launch_cost(tmp_path: Path, settings: dict[str, str]) -> None:
    saved = tmp_path / "advice.json"
    command = [sys.executable, "-m", "advisor", "--measure", "iris_mlp", "--budget", "20", "--json", str(saved)]
    command.append("--details")  # a tie, as beside other work, takes the first reasons
    ended = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=400, check=False)
    assert ended.returncode == 0, ended.stderr
    advice = json_file.read(saved)
    assert advice.recommendation is not None
    assert advice.recommendation_local is not None
    assert advice.recommendation_local.device.key == "cpu"
    winners = {advice.recommendation.device.key, *(device.key for device in advice.recommendation.tied_with)}
    measured = [step for measurement in advice.measurements for step in measurement.steps]
    assert any(step.samples for step in measured)
    assert all(step.samples or step.verdict.kind == "not_measured" for step in measured)
    if all(step.verdict.kind in {"stable", "usable"} for step in measured):  # beside other work fewer sizes fit
        assert len({step.batch_size for step in measured}) >= 3
        assert "cpu" in winners
        assert "launch" in ended.stdout
    with History(tmp_path / "data" / "advisor") as history:
        assert [run.head.workload_name for run in history.runs()] == [advice.workload.name]


DECIDES = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(64, 64)
    def forward(self, x):
        for row in range(len(x)):
            x = self.body(x) * (2 if x[row].sum().item() > 0 else 1)
        return x
def build_model(): return Net()
def make_batch(batch_size): return torch.randn(batch_size, 64), torch.randn(batch_size, 64)
"""


def test_a_model_that_cannot_be_traced_is_advised_by_what_was_timed_here(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    (tmp_path / "mine.py").write_text(DECIDES)
    saved = tmp_path / "advice.json"
    asked = [str(tmp_path / "mine.py"), "--allow-code", "--batch", "8", "--json", str(saved)]
    command = [sys.executable, "-m", "advisor", "--measure", *asked, "--budget"]
    for budget_s in ("15", "120"):  # beside much other work the first may end before a step of that size is timed
        ended = subprocess.run(
            [*command, budget_s], env=settings, capture_output=True, text=True, timeout=500, check=False
        )
        if ended.returncode != NOTHING_FITS:
            break
    assert ended.returncode == 0, ended.stderr
    advice = json_file.read(saved)
    assert advice.recommendation is not None
    assert advice.recommendation.device.key == "cpu"
    assert advice.recommendation.step_s.basis == "measured"
    timed = {step.batch_size for measurement in advice.measurements for step in measurement.steps if step.summary}
    assert {one.batch_size_per_device for one in advice.predictions} <= timed
    assert all(one.measured for one in advice.predictions)
    codes = {caveat.code for caveat in advice.caveats}
    assert {"trace-depends-on-data", "predict-timed-alone"} <= codes


def test_an_interrupt_keeps_and_writes_what_was_measured(tmp_path: Path, settings: dict[str, str]) -> None:
    saved = tmp_path / "advice.json"
    command = [sys.executable, "-m", "advisor", "--measure", "lstm_classifier", "--budget", "60", "--json", str(saved)]
    running = subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(12)
    running.send_signal(signal.SIGINT)
    _, complaint = running.communicate(timeout=600)
    assert running.returncode == 4, complaint
    assert "Traceback" not in complaint
    advice = json_file.read(saved)
    timed = any(step.summary for measurement in advice.measurements for step in measurement.steps)
    told = "advice-interrupted" if timed else "advice-interrupted-early"  # a busy machine times nothing by then
    assert told in {caveat.code for caveat in advice.caveats}
    assert advice.predictions


@pytest.mark.nightly
def test_two_gloo_ranks_measure_an_all_reduce(tmp_path: Path, settings: dict[str, str]) -> None:
    saved = tmp_path / "advice.json"
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command += ["-m", "advisor", "--measure", "iris_mlp", "--budget", "10", "--json", str(saved), "--quiet"]
    ended = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=240, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
    communication = json.loads(saved.read_text(encoding="utf-8"))["measurements"][0]["communication"]
    kinds = {found["kind"] for found in communication}
    assert {"all_reduce", "ddp_step", "single_step"} <= kinds
    assert all(found["values_correct"] is not False for found in communication)


def test_verify_appends_the_truth_to_the_ledger_and_says_who_disturbed_it(
    tmp_path: Path, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-m", "advisor", "--measure", "rnn_characters", "--quiet", "--verify", "10", "--budget"]

    def run(budget_s: float) -> subprocess.CompletedProcess[str]:
        timed = [*command, f"{budget_s:g}"]
        return subprocess.run(timed, env=settings, capture_output=True, text=True, timeout=280, check=False)

    beside = subprocess.Popen([sys.executable, "-c", "import os\nos.nice(19)\nwhile True: pass"])
    try:
        ended = ended_well(run, 8.0)
    finally:
        beside.kill()
        beside.wait()
    assert ended.returncode == 0, ended.stderr
    monkeypatch.setenv("XDG_DATA_HOME", settings["XDG_DATA_HOME"])
    with History(tmp_path / "data" / "advisor") as history:
        (truth,) = history.ledger()
        assert history.record() is None
    assert truth.actual_step_s > 0
    assert truth.disturbed is not None
    assert truth.disturbed.code == "verify-cpu-shared"
    assert "Verified" in ended.stdout
    assert "Left out of this machine's record: Other programs used" in ended.stdout


@pytest.mark.nightly
def test_what_is_verified_is_what_was_predicted_loader_and_all(tmp_path: Path, settings: dict[str, str]) -> None:
    saved = tmp_path / "advice.json"
    command = [sys.executable, "-m", "advisor", "--measure", "iris_mlp", "--budget", "30", "--verify", "10"]
    command += ["--quiet", "--json", str(saved)]
    ended = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=400, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
    advice = json.loads(saved.read_text(encoding="utf-8"))
    local = advice["recommendation_local"]
    assert local["why"][0]["code"] == "why-loader-alone"
    with History(Path(settings["XDG_DATA_HOME"]) / "advisor") as history:
        (truth,) = history.ledger()
    # The step without its loader is a fifth of it: more than any range hides.
    assert truth.predicted_step_s.value / truth.actual_step_s == pytest.approx(1.0, rel=0.6)
