"""A trace that fails in one precision never costs another; weights of unrated types are refused."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from advisor.core.drive import drive
from advisor.measure.traces import TraceUnanswered, trace_workload
from advisor.workload.workload import Data, PythonModel, Training, Workload

if TYPE_CHECKING:
    from advisor.catalogue.precisions import TracePrecision

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
WHOLE_NUMBERS = """class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.randint(0, 5, (8, 64)))
        self.head = nn.Linear(64, 4)
    def forward(self, x):
        return self.head((x.long() @ self.table).float())
def build_model():
    return M()
"""
DOUBLE_INSIDE = """class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(8, 64), nn.Linear(64, 4)
    def forward(self, x):
        y = self.body(x).double()
        return self.head((y @ torch.ones(64, 64, dtype=torch.float64)).float())
def build_model():
    return M()
"""
WAVES = """class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 4)
    def forward(self, x):
        return self.a(x * 0 + torch.arange(8.0).cos())
def build_model():
    return M()
"""


def refused(tmp_path: Path, body: str, precisions: tuple[TracePrecision, ...] = ("amp", "fp32")) -> TraceUnanswered:
    (tmp_path / "model.py").write_text(HEAD + body)
    workload = Workload(
        name="one",
        model=PythonModel(file="model.py"),
        data=Data(samples=100),
        training=Training(precision="bf16_amp", batch_size=4),
        source_folder=str(tmp_path),
    )
    with pytest.raises(TraceUnanswered) as caught:
        for _ in trace_workload(workload, precisions, allow_code=True):
            pass
    return caught.value


def test_a_model_that_refuses_autocast_keeps_its_trace_in_fp32(tmp_path: Path) -> None:
    answer = refused(tmp_path, ONLY_FP32)
    assert set(answer.tables) == {"fp32"}
    assert "no autocast here" in str(answer)


def test_a_model_that_mixes_types_is_not_predicted_where_no_device_would_run_it(tmp_path: Path) -> None:
    answer = refused(tmp_path, WAVES, ("half", "fp32"))
    assert set(answer.tables) == {"fp32"}
    assert "addmm of tensors of different types: torch.float16, torch.float32" in str(answer)


def test_complex_weights_are_refused_and_not_taken_for_fp32(tmp_path: Path) -> None:
    answer = refused(tmp_path, COMPLEX)
    assert answer.tables == {}
    assert answer.reason.code == "trace-unrated-type"


@pytest.mark.parametrize("body", [WHOLE_NUMBERS, DOUBLE_INSIDE])
def test_products_of_64_bit_numbers_are_refused_and_not_taken_for_fp32(body: str, tmp_path: Path) -> None:
    answer = refused(tmp_path, body)
    assert answer.tables == {}
    assert answer.reason.code == "trace-unrated-type"
    assert "64-bit numbers" in str(answer)


FROZEN = """def build_model(dtype="float32"):
    return nn.Sequential(nn.Linear(8, 64), nn.Linear(64, 64), nn.Linear(64, 4)).to(getattr(torch, dtype))
"""


@pytest.mark.parametrize(
    ("dtype", "weights_bits", "stored_bytes"), [("float32", None, 4), ("bfloat16", None, 2), ("float32", 16, 2)]
)
def test_frozen_weights_beside_adapters_count_as_the_file_makes_them_unless_their_bits_are_said(
    tmp_path: Path, dtype: str, weights_bits: Literal[16] | None, stored_bytes: int
) -> None:
    (tmp_path / "model.py").write_text(HEAD.replace("length", "length, dtype=''") + FROZEN, encoding="utf-8")
    workload = Workload(
        name="frozen",
        model=PythonModel(file="model.py", arguments={"dtype": dtype}),
        data=Data(samples=100),
        training=Training(precision="bf16_amp", batch_size=4, trainable="lora", weights_bits=weights_bits),
        source_folder=str(tmp_path),
    )
    table = drive(trace_workload(workload, ("amp",), allow_code=True))["amp"]
    frozen = table.parameter_bytes - table.trainable_parameter_bytes
    assert frozen == stored_bytes * (table.parameter_count - table.trainable_parameter_count) > 0
