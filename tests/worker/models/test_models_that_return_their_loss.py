"""Models of a file without a step of its own that return their loss, however they take their batch."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import torch

from advisor.core.errors import InputError
from advisor.worker.models.load_model import LoadedModel, load
from advisor.worker.trace.failed import TraceFailed
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.worker.train.device import TorchDevice
from advisor.worker.train.training_step import TrainingStep
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload
from tests.present.fakes import advice
from tests.present.test_launch_script import run_script

MODEL = """
import torch
from torch.nn import functional


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(16, 4)

    def forward(self, TAKEN):
        RETURNED


def build_model():
    return Net()


def make_batch(n):
    images, labels = torch.randn(n, 16), torch.randint(0, 4, (n,))
    return BATCH
"""
LOSS = "functional.cross_entropy(self.layer(images), labels)"
WAYS = pytest.mark.parametrize(
    ("taken", "returned", "batch"),
    [
        ("images, labels", f"return {LOSS}", "{'images': images, 'labels': labels}"),
        ("images, labels", f"return {LOSS}", "images, labels"),
        ("images, labels", f"return {{'loss': {LOSS}, 'scores': self.layer(images)}}", "images, labels"),
        ("images, labels", f"return {{'one': {LOSS}, 'other': self.layer(images).mean()}}", "images, labels"),
        ("images", "return self.layer(images).square().mean()", "images"),
        ("images, labels=None", "return self.layer(images)", "images, labels"),
        ("images", "return self.layer(images)", "images, labels"),
    ],
    ids=["dict", "tuple", "its outputs", "by name", "one tensor", "targets not needed", "the usual loss"],
)


def workload(folder: Path, taken: str, returned: str, batch: str) -> Workload:
    code = MODEL.replace("TAKEN", taken).replace("RETURNED", returned).replace("BATCH", batch)
    (folder / "net.py").write_text(code, "utf-8")
    return load_workload(
        {
            "name": "net",
            "data": {"samples": 32, "loader_workers": 0},
            "model": {"source": "python", "file": str(folder / "net.py")},
            "training": {"batch_size": 4, "precision": "fp32", "optimizer": "sgd"},
        }
    )


def loaded(folder: Path, *way: str) -> LoadedModel:
    return load(workload(folder, *way), allow_code=True)


@WAYS
def test_it_is_traced(tmp_path: Path, taken: str, returned: str, batch: str) -> None:
    table = trace(subject_of(workload(tmp_path, taken, returned, batch), "fp32", allow_code=True), "fp32")
    assert table.trainable_parameter_count == 16 * 4 + 4


@WAYS
def test_a_real_step_changes_the_weights(tmp_path: Path, taken: str, returned: str, batch: str) -> None:
    model = loaded(tmp_path, taken, returned, batch)
    weight = next(model.module.parameters())
    before = weight.detach().clone()
    step = TrainingStep(model, workload(tmp_path, taken, returned, batch), TorchDevice("cpu"))
    step.set_batch_size(4)
    step()
    assert not torch.equal(before, weight)


@WAYS
def test_the_launch_script_trains_it(tmp_path: Path, taken: str, returned: str, batch: str) -> None:
    made = advice()
    assert made.recommendation is not None
    chosen = msgspec.structs.replace(
        made.recommendation, count=1, strategy="single", precision="fp32", batch_size_per_device=4, thread_count=1
    )
    described = workload(tmp_path, taken, returned, batch)
    asked = msgspec.structs.replace(made, recommendation=chosen, workload=described)
    assert run_script(tmp_path, asked, "--steps", "2")["steps"] == 2


def test_the_loss_is_what_the_model_returns(tmp_path: Path) -> None:
    model = loaded(tmp_path, "images, labels", f"return {LOSS}", "images, labels")
    batch = model.make_batch(3)
    assert isinstance(batch, tuple)
    assert torch.equal(model.loss(model.module, batch), model.module(*batch))


@pytest.mark.parametrize(
    ("taken", "batch", "said"),
    [
        ("images", "images", "a tensor by itself where"),
        ("images, labels", "images, labels", "called with the whole batch, returned"),
        ("images, labels", "{'images': images, 'labels': labels}", "which has no loss"),
    ],
)
def test_outputs_without_a_loss_are_refused_with_what_would_be_one(
    tmp_path: Path, taken: str, batch: str, said: str
) -> None:
    model = loaded(tmp_path, taken, "return self.layer(images)", batch)
    with pytest.raises(InputError, match=said):
        model.loss(model.module, model.make_batch(2))


def test_a_model_without_parameters_is_said_to_have_none_to_train(tmp_path: Path) -> None:
    code = "return (images * self.scale).mean()"
    described = workload(tmp_path, "images", code, "images")
    text = (tmp_path / "net.py").read_text("utf-8")
    frozen = text.replace("torch.nn.Linear(16, 4)", "None\n        self.register_buffer('scale', torch.ones(16))")
    (tmp_path / "net.py").write_text(frozen, "utf-8")
    with pytest.raises(TraceFailed) as caught:
        trace(subject_of(described, "fp32", allow_code=True), "fp32")
    assert caught.value.fault == "trace-no-parameters"
