"""Batches nested in dicts, lists and tuples, as torch's default collate makes them: traced, stepped and loaded."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import torch
from torch.utils.data import default_collate

from advisor.worker.models.batches import collation_of, listed_columns, mapped, sample_of, tensors_of
from advisor.worker.models.load_model import LoadedModel, load
from advisor.worker.models.python_file import build
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.worker.train.device import TorchDevice
from advisor.worker.train.training_step import TrainingStep
from advisor.workload.workload import PythonModel, Workload
from advisor.workload.workload_file import load_workload
from tests.present.fakes import advice
from tests.present.test_launch_script import run_script

MODEL = """
import collections

import torch

Inputs = collections.namedtuple("Inputs", "ids mask")


class Words(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.head = torch.nn.Embedding(100, 16), torch.nn.Linear(16, 4)

    def forward(self, inputs, targets):
        ids, mask = (inputs["ids"], inputs["mask"]) if isinstance(inputs, dict) else (inputs.ids, inputs.mask)
        labels = targets["labels"] if isinstance(targets, dict) else targets[0]["labels"]
        scores = self.head((self.words(ids) * mask[..., None]).mean(1))
        return torch.nn.functional.cross_entropy(scores, labels)


def build_model():
    return Words()


def parts(n):
    return torch.randint(0, 100, (n, 8)), torch.ones(n, 8), {"labels": torch.randint(0, 4, (n,))}


"""
PAIR = """
def make_batch(n):
    ids, mask, labels = parts(n)
    return {"ids": ids, "mask": mask}, labels
"""
NAMED = """
def make_batch(n):
    ids, mask, labels = parts(n)
    return [Inputs(ids, mask), [labels]]
"""
BY_NAME = """
def make_batch(n):
    ids, mask, labels = parts(n)
    return {"first": Inputs(ids, mask), "second": [labels]}


def training_step(model, batch):
    return model(batch["first"], batch["second"])
"""
WAYS = pytest.mark.parametrize("way", [PAIR, NAMED, BY_NAME], ids=["two dicts", "named tuple and list", "by name"])


def workload(folder: Path, way: str) -> Workload:
    (folder / "words.py").write_text(MODEL + way, "utf-8")
    return load_workload(
        {
            "name": "words",
            "data": {"samples": 32, "loader_workers": 0},
            "model": {"source": "python", "file": str(folder / "words.py")},
            "training": {"batch_size": 4, "precision": "fp32", "optimizer": "sgd"},
        }
    )


def loaded(folder: Path, way: str) -> LoadedModel:
    return load(workload(folder, way), allow_code=True)


@WAYS
def test_a_nested_batch_is_traced_with_its_tensors_stacked(tmp_path: Path, way: str) -> None:
    table = trace(subject_of(workload(tmp_path, way), "fp32", allow_code=True), "fp32")
    assert table.trainable_parameter_count == 100 * 16 + 16 * 4 + 4
    assert not table.samples_in_lists


@WAYS
def test_a_real_step_on_a_nested_batch_changes_the_weights(tmp_path: Path, way: str) -> None:
    model = loaded(tmp_path, way)
    weight = next(model.module.parameters())
    before = weight.detach().clone()
    step = TrainingStep(model, workload(tmp_path, way), TorchDevice("cpu"))
    step.set_batch_size(4)
    step()
    assert not torch.equal(before, weight)


@WAYS
def test_samples_of_a_nested_batch_come_together_as_it_was(tmp_path: Path, way: str) -> None:
    make_batch = loaded(tmp_path, way).make_batch
    batch = make_batch(3)
    listed = listed_columns(batch, make_batch(4))
    assert not listed
    again = collation_of(batch, listed)([sample_of(batch, place, listed) for place in range(3)])
    for one, other in zip(tensors_of(again), tensors_of(batch), strict=True):
        assert torch.equal(one, other)
    changed = mapped(batch, lambda tensor: tensor + 1)
    columns = tuple(changed.values() if isinstance(changed, dict) else changed)
    assert type(columns[0]).__name__ == ("dict" if way == PAIR else "Inputs")


@WAYS
def test_the_launch_script_trains_on_a_nested_batch(tmp_path: Path, way: str) -> None:
    made = advice()
    assert made.recommendation is not None
    chosen = msgspec.structs.replace(
        made.recommendation, count=1, strategy="single", precision="fp32", batch_size_per_device=4, thread_count=1
    )
    asked = msgspec.structs.replace(made, recommendation=chosen, workload=workload(tmp_path, way))
    assert run_script(tmp_path, asked, "--steps", "2")["steps"] == 2


def test_what_a_tokenizer_gives_is_a_dict(tmp_path: Path) -> None:
    way = """
import collections


def make_batch(n):
    ids, mask, labels = parts(n)
    return collections.UserDict(inputs={"ids": ids, "mask": mask}, targets=labels)


def training_step(model, batch):
    return model(**batch)
"""
    described = workload(tmp_path, way)
    assert isinstance(described.model, PythonModel)
    made = build(described.model, described, allow_code=True)
    batch = made.make_batch(2)
    assert type(batch) is dict
    assert made.loss(made.module, batch).numel() == 1
    assert set(default_collate([sample_of(batch, 0), sample_of(batch, 1)])) == {"inputs", "targets"}
