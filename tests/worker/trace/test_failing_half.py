"""A trace that fails in one precision never costs another; weights of unrated types are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.measure.runner import TraceUnanswered, trace_workload
from advisor.workload.workload import Data, PythonModel, Training, Workload

HEAD = """import torch
from torch import nn
def make_batch(n, length):
    return torch.randn(n, 8), torch.randint(0, 4, (n,))
"""
ONLY_FP32 = """class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 4)
    def forward(self, x):
        if torch.is_autocast_enabled("cuda") or torch.is_autocast_enabled("cpu"):
            raise RuntimeError("no autocast here")
        return self.a(x)
def build_model():
    return M()
"""
COMPLEX = """def build_model():
    return nn.Linear(8, 4).to(torch.complex64)
"""


def refused(tmp_path: Path, body: str) -> TraceUnanswered:
    (tmp_path / "model.py").write_text(HEAD + body)
    workload = Workload(
        name="one",
        model=PythonModel(file="model.py"),
        data=Data(samples=100),
        training=Training(precision="bf16_amp", batch_size=4),
        source_folder=str(tmp_path),
    )
    with pytest.raises(TraceUnanswered) as caught:
        for _ in trace_workload(workload, ("amp", "fp32"), allow_code=True):
            pass
    return caught.value


def test_a_model_that_refuses_autocast_keeps_its_trace_in_fp32(tmp_path: Path) -> None:
    answer = refused(tmp_path, ONLY_FP32)
    assert set(answer.tables) == {"fp32"}
    assert "no autocast here" in str(answer)


def test_complex_weights_are_refused_and_not_taken_for_fp32(tmp_path: Path) -> None:
    answer = refused(tmp_path, COMPLEX)
    assert answer.tables == {}
    assert answer.reason.code == "trace-unrated-type"
