"""A child that eats memory is ended by whoever waits for it, long before the machine is full."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from advisor.core.child_process import ChildProcess
from advisor.core.memory_watch import allowance_bytes, resident_bytes_of
from advisor.measure.traces import TraceUnanswered, trace_workload
from advisor.workload.workload import Data, PythonModel, Training, Workload

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is watched on Linux")
EATS = """
import time
eaten = []
for _ in range(200):
    eaten.append(b"x" * 2**24)
    time.sleep(0.02)
print("not ended", flush=True)
time.sleep(60)
"""
MODEL = f"""
import torch
from torch import nn
def build_model():
    {EATS.strip().replace(chr(10), chr(10) + "    ")}
    return nn.Linear(1, 1)
def make_batch(batch_size, length):
    return torch.zeros(batch_size, 1)
"""


def test_a_child_over_its_limit_is_ended_and_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "eats.py").write_text(EATS, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    child = ChildProcess("eats", memory_limit_bytes=2**28)
    try:
        assert child.next_line(30.0) is None
        assert child.too_large
        assert "GiB are allowed" in child.log
    finally:
        child.close()
    assert child.process.returncode == -9


def test_what_is_available_is_known_and_less_than_the_machine_has() -> None:
    free = allowance_bytes()
    assert free is not None
    assert 2**20 < free < 2**46
    assert resident_bytes_of(1 << 30) is None


def test_a_model_that_eats_memory_while_it_is_traced_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.measure.traces._TRACE_LIMIT_BYTES", 2**30)
    (tmp_path / "bomb.py").write_text(MODEL, encoding="utf-8")
    workload = Workload(
        name="bomb",
        model=PythonModel(file=str(tmp_path / "bomb.py")),
        data=Data(samples=10),
        training=Training(precision="fp32", batch_size=1, optimizer="sgd"),
    )
    with pytest.raises(TraceUnanswered) as caught:
        for _ in trace_workload(workload, ["fp32"], allow_code=True):
            pass
    assert caught.value.reason.code == "trace-worker-too-large"
