"""A loss that holds gradients is not compiled: torch ends such a step, and nothing here advises it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

from advisor.advice import advice_from_facts, advise_events
from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.core.drive import drive
from advisor.core.sentences import SaidError
from advisor.optable.op_table import OpTable
from advisor.worker.models.load_model import load
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.workload import Workload, with_training
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine

FILE = """
import torch


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(2, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))

    def forward(self, points):
        return self.layers(points)


def build_model():
    return Field()


def make_batch(batch_size):
    return torch.rand(batch_size, 2)


def training_step(model, points):
    points = points.requires_grad_(True)
    field = model(points)
    (slope,) = torch.autograd.grad(field.sum(), points, create_graph=CREATED)
    return (field + slope[:, :1]).square().mean()
"""


def described(folder: Path, *, created: bool) -> Workload:
    (folder / "field.py").write_text(FILE.replace("CREATED", str(created)), encoding="utf-8")
    (folder / "field.toml").write_text(
        'name = "field"\n[model]\nsource = "python"\nfile = "field.py"\n[data]\nsamples = 1000\n'
        '[training]\nbatch_size = 16\nprecision = "fp32"\n',
        encoding="utf-8",
    )
    return load_workload(folder / "field.toml")


def table_of(workload: Workload) -> OpTable:
    return trace(subject_of(workload, "fp32", allow_code=True), "fp32")


@pytest.mark.parametrize("created", [True, False])
def test_the_trace_knows_what_torch_refuses_to_compile(tmp_path: Path, created: bool) -> None:
    workload = described(tmp_path, created=created)
    if not created:  # autograd.grad frees the graph that the rest of the loss needs
        text = (tmp_path / "field.py").read_text("utf-8").replace("create_graph=False", "retain_graph=True")
        (tmp_path / "field.py").write_text(text, encoding="utf-8")
    assert table_of(workload).differentiates_twice is created
    loaded = load(workload, allow_code=True)
    compiled: Any = torch.compile(loaded.module, backend="aot_eager")
    loss = loaded.loss(compiled, loaded.make_batch(4))
    if created:
        with pytest.raises(RuntimeError, match="double backward"):
            loss.backward()  # type: ignore[no-untyped-call]
    else:
        loss.backward()  # type: ignore[no-untyped-call]


def test_compiling_it_is_neither_advised_nor_taken(tmp_path: Path) -> None:
    workload = described(tmp_path, created=True)
    asked = AdviceRequest(
        workload=workload, measure=False, gpu_keys=("rtx3090",), counts=(1,), allow_code=True, precisions=("fp32",)
    )
    advice = drive(advise_events(asked))
    assert advice.switches
    assert "compile" not in {switch.kind for switch in advice.switches}
    compiled = msgspec.structs.replace(asked, workload=with_training(workload, compile=True))
    with pytest.raises(SaidError, match="does not currently support double backward"):
        advice_from_facts(compiled, Facts(machine=machine(), tables={"fp32": table_of(workload)}))
