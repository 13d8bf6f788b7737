"""A user's Python file is run by its contract, and each breach of it is named with the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from advisor.core.errors import InputError
from advisor.worker.models.load_model import LoadedModel, load
from advisor.workload.workload_file import load_workload

GOOD = """
import torch
import sibling_layer_sizes

def build_model(classes=2):
    first = torch.nn.Linear(sibling_layer_sizes.WIDTH, 8)
    return torch.nn.Sequential(first, torch.nn.ReLU(), torch.nn.Linear(8, classes))

def make_batch(batch_size, length, classes=2):
    return torch.randn(batch_size, sibling_layer_sizes.WIDTH), torch.randint(0, classes, (batch_size,))
"""
TOML = """
name = "mine"
[model]
source = "python"
file = "net.py"
arguments = { classes = 5 }
[data]
samples = 100
sequence_length = 8
[training]
batch_size = 2
precision = "fp32"
"""


def loaded(folder: Path, code: str, toml: str = TOML, **overrides: Any) -> LoadedModel:
    (folder / "net.py").write_text(code, "utf-8")
    (folder / "sibling_layer_sizes.py").write_text("WIDTH = 6\n", "utf-8")
    (folder / "w.toml").write_text(toml, "utf-8")
    return load(load_workload(folder / "w.toml", overrides=overrides), allow_code=True)


def test_a_relative_file_its_sibling_and_its_arguments_are_used(tmp_path: Path) -> None:
    model = loaded(tmp_path, GOOD)
    batch = model.make_batch(3)
    assert isinstance(batch, tuple)
    assert model.module(batch[0]).shape == (3, 5)
    loss = model.loss(model.module, batch)
    assert loss.requires_grad


def test_a_training_step_and_a_choice_of_what_is_trained_are_used(tmp_path: Path) -> None:
    code = (
        GOOD
        + """
def training_step(model, batch):
    return model(batch[0]).square().sum()

def trainable(model):
    for parameter in model[0].parameters():
        parameter.requires_grad = False
"""
    )
    model = loaded(tmp_path, code)
    batch = model.make_batch(2)
    assert isinstance(batch, tuple)
    assert torch.allclose(model.loss(model.module, batch), model.module(batch[0]).square().sum())
    assert [parameter.requires_grad for parameter in model.module.parameters()] == [False, False, True, True]


def test_a_dict_batch_gives_the_loss_that_the_model_returns(tmp_path: Path) -> None:
    code = """
import torch, types
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
    def forward(self, x, y):
        return types.SimpleNamespace(loss=(self.layer(x) - y).square().mean())
def build_model(**arguments): return Net()
def make_batch(batch_size, length, **arguments):
    return {"x": torch.randn(batch_size, 4), "y": torch.randn(batch_size, 1)}
"""
    model = loaded(tmp_path, code)
    assert model.loss(model.module, model.make_batch(2)).numel() == 1


def test_a_model_file_is_built_under_fakes(tmp_path: Path) -> None:
    with FakeTensorMode():
        model = loaded(tmp_path, GOOD)
        loss = model.loss(model.module, model.make_batch(4))
    assert loss.shape == ()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("", "does not define build_model"),
        ("def build_model(classes): return 1\ndef make_batch(b, l): ...", "returned a int, not an nn.Module"),
        ("def build_model(classes):\n    raise ValueError('no such size')\n", "ValueError: no such size"),
        ("import no_such_module_here", "ModuleNotFoundError"),
        ("def build_model(:", "SyntaxError"),
        ("raise SystemExit(3)", "SystemExit"),
        ("def build_model(): ...", "does not take classes"),
    ],
)
def test_a_file_that_breaks_the_contract_is_named_with_its_fault(tmp_path: Path, code: str, said: str) -> None:
    with pytest.raises(InputError, match=r"net\.py") as caught:
        loaded(tmp_path, code)
    assert said in caught.value.text
    assert caught.value.remedy


def test_a_batch_of_something_else_is_refused(tmp_path: Path) -> None:
    model = loaded(tmp_path, GOOD.replace("return torch.randn(batch_size, sibling_layer_sizes.WIDTH), ", "return "))
    with pytest.raises(InputError, match="returned no tuple or dict of tensors"):
        model.make_batch(2)


def test_a_step_that_returns_no_scalar_is_refused(tmp_path: Path) -> None:
    model = loaded(tmp_path, GOOD + "\ndef training_step(model, batch):\n    return model(batch[0])\n")
    with pytest.raises(InputError, match="no scalar"):
        model.loss(model.module, model.make_batch(2))


def test_a_batch_maker_may_do_without_the_length(tmp_path: Path) -> None:
    model = loaded(tmp_path, GOOD.replace("batch_size, length, classes=2", "batch_size, classes=2"))
    batch = model.make_batch(3)
    assert isinstance(batch, tuple)
    assert int(batch[1].max()) < 5, "the argument of the workload, not the length, is its second"
