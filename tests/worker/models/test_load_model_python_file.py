"""A user's Python file is run by its contract, and each breach of it is named with the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from advisor.core.errors import InputError
from advisor.core.sentences import SaidError, say
from advisor.worker.models.load_model import LoadedModel, load
from advisor.worker.trace.failed import TraceFailed
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
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
        (
            "def build_model(classes): return 1\ndef make_batch(b, l): ...",
            "returned int where an nn.Module",
        ),
        ("def build_model(classes):\n    raise ValueError('no such size')\n", "ValueError: `no such size`"),
        ("import no_such_module_here", "it imports no_such_module_here, which is not installed"),
        ("def build_model(:", "SyntaxError"),
        ("raise SystemExit(3)", "it ends the program as it is imported"),
        ("def build_model(): ...", "does not take classes. It takes no arguments."),
        ("def build_model(depth): ...", "does not take classes. It takes depth."),
        (
            "def build_model(classes, depth): ...",
            "but defined as build_model(classes, depth)",
        ),
    ],
)
def test_a_file_that_breaks_the_contract_is_named_with_its_fault(tmp_path: Path, code: str, said: str) -> None:
    with pytest.raises(InputError, match=r"net\.py") as caught:
        loaded(tmp_path, code)
    assert said in caught.value.text


def test_a_batch_of_something_else_is_refused(tmp_path: Path) -> None:
    model = loaded(tmp_path, GOOD.replace("return torch.randn(batch_size, sibling_layer_sizes.WIDTH), ", "return 1, "))
    with pytest.raises(InputError, match="returned \\(int, int64\\[2\\]\\) where a tuple of tensors"):
        model.make_batch(2)


def test_a_step_that_returns_no_scalar_is_refused(tmp_path: Path) -> None:
    model = loaded(tmp_path, GOOD + "\ndef training_step(model, batch):\n    return model(batch[0])\n")
    with pytest.raises(InputError, match="training_step returned float32\\[2, 5\\] where the loss"):
        model.loss(model.module, model.make_batch(2))


def test_a_step_that_calls_backward_itself_is_refused(tmp_path: Path) -> None:
    step = "    loss = model(batch[0]).sum()\n    loss.backward()\n    return loss\n"
    with FakeTensorMode():
        model = loaded(tmp_path, f"{GOOD}\ndef training_step(model, batch):\n{step}")
        with pytest.raises(InputError, match="training_step calls backward itself"):
            model.loss(model.module, model.make_batch(2))


@pytest.mark.parametrize(
    ("optimizer", "step", "said"),
    [
        ("Adam", "loss.backward(); own.step(); own.zero_grad()", "steps an optimizer of its own \\(Adam\\)"),
        ("LBFGS", "own.step(lambda: loss)", "steps LBFGS, which asks for loss and gradients several times"),
    ],
)
@pytest.mark.parametrize("returned", ["loss", "loss.detach()"])
def test_a_step_with_an_optimizer_of_its_own_is_refused_by_that(
    tmp_path: Path, optimizer: str, step: str, said: str, returned: str
) -> None:
    lines = ("loss = model(batch[0]).sum()", f"own = torch.optim.{optimizer}(model.parameters())", step)
    body = "\n    ".join((*lines, f"return {returned}"))
    with FakeTensorMode():
        model = loaded(tmp_path, f"{GOOD}\ndef training_step(model, batch):\n    {body}\n")
        with pytest.raises(InputError, match=said):
            model.loss(model.module, model.make_batch(2))


def test_a_batch_maker_may_do_without_the_length(tmp_path: Path) -> None:
    model = loaded(tmp_path, GOOD.replace("batch_size, length, classes=2", "batch_size, classes=2"))
    batch = model.make_batch(3)
    assert isinstance(batch, tuple)
    assert int(batch[1].max()) < 5, "the argument of the workload, not the length, is its second"


NET = """
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)
    def forward(self, x):
        return self.layer(x)
def build_model(**arguments): return Net()
"""
PAIR = "def make_batch(b, length, **arguments): return torch.randn(b, 4), torch.randint(0, 3, (b,))\n"


@pytest.mark.parametrize(
    ("rest", "code", "said"),
    [
        (
            "def make_batch(b, length, **a): return {'inputs': torch.randn(b, 4), 'targets': torch.zeros(b)}",
            "worker-file-batch-names",
            "returned a dict of inputs, targets, but forward of Net takes x.",
        ),
        (
            "def make_batch(b, length, **a): return {'x': torch.randn(b, 4), 'count': 3}",
            "worker-file-no-batch",
            "returned {x: float32[2, 4], count: int} where",
        ),
        ("def make_batch(b, length, **a): return None", "worker-file-no-batch", "returned None where"),
        ("def make_batch(): return None", "worker-file-call", "called as make_batch(batch_size"),
        (
            "def make_batch(b, length, **a): return {'x': torch.randn(b, 4)}",
            "worker-file-no-own-loss",
            "forward of Net returned float32[2, 3], which has no loss.",
        ),
        (PAIR + "def training_step(model, batch): model(batch[0])", "worker-file-no-loss", "returned None where"),
        (PAIR + "def training_step(model, batch): return 1.5", "worker-file-no-loss", "returned float where"),
        (
            PAIR + "def training_step(model, batch, optimizer): return model(batch[0]).sum()",
            "worker-file-call",
            "called as training_step(model, batch), but defined as training_step(model, batch, optimizer).",
        ),
        (PAIR + "Net.forward = lambda self, x: {'logits': self.layer(x)}", "worker-file-no-output", "{logits: float32"),
        (
            PAIR.replace("b, 4", "b, 5"),
            "worker-file-step-failed",
            "on (float32[2, 5], int64[2]).",
        ),
        (
            PAIR.replace("(b,)", "(b, 2)"),
            "worker-file-step-failed",
            "on (float32[2, 3], int64[2, 2]).",
        ),
    ],
)
def test_what_a_file_gives_instead_is_said_with_what_is_expected(
    tmp_path: Path, rest: str, code: str, said: str
) -> None:
    def step() -> None:
        model = loaded(tmp_path, NET + rest)
        model.loss(model.module, model.make_batch(2))

    with FakeTensorMode(), pytest.raises(SaidError) as caught:
        step()
    assert caught.value.statement.code == code
    assert said in caught.value.text
    chinese = say(caught.value.statement, "zh")
    assert str(tmp_path / "net.py") in chinese
    assert "。" in chinese


def test_a_real_step_raises_what_it_raises(tmp_path: Path) -> None:
    model = loaded(tmp_path, NET + PAIR.replace("b, 4", "b, 5"))
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        model.loss(model.module, model.make_batch(2))


def test_a_dataset_that_takes_other_arguments_is_told_what_it_is_called_with(tmp_path: Path) -> None:
    model = loaded(tmp_path, NET + PAIR + "def make_dataset(): return [1]")
    assert model.make_dataset is not None
    with pytest.raises(SaidError) as caught:
        model.make_dataset()
    assert "called as make_dataset(length), but defined as make_dataset()." in caught.value.text


def test_a_file_that_gives_much_is_told_that_more_was_left_out(tmp_path: Path) -> None:
    entries = ", ".join(f"'n{number}': {number}" for number in range(12))
    model = loaded(tmp_path, NET + f"def make_batch(b, length, **a): return {{{entries}}}")
    with pytest.raises(SaidError) as caught:
        model.make_batch(2)
    assert "n7: int, …}" in caught.value.text


LAZY = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.norm, self.head = nn.LazyConv2d(6, 3), nn.LazyBatchNorm2d(), nn.LazyLinear(5)
    def forward(self, x):
        return self.head(self.norm(self.body(x)).flatten(1))
def build_model(): return Net()
def make_batch(batch_size): return torch.randn(batch_size, 3, 8, 8), torch.randint(0, 5, (batch_size,))
"""


def test_layers_that_find_their_sizes_in_a_first_batch_have_them(tmp_path: Path) -> None:
    model = loaded(tmp_path, LAZY, TOML.replace("arguments = { classes = 5 }", ""))
    sizes = {name: tuple(parameter.shape) for name, parameter in model.module.named_parameters()}
    assert sizes["body.weight"] == (6, 3, 3, 3)
    assert sizes["norm.weight"] == (6,)
    assert sizes["head.weight"] == (5, 6 * 6 * 6)


def test_layers_that_find_their_sizes_in_a_first_batch_are_traced(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(LAZY, "utf-8")
    (tmp_path / "w.toml").write_text(TOML.replace("arguments = { classes = 5 }", ""), "utf-8")
    table = trace(subject_of(load_workload(tmp_path / "w.toml"), "fp32", allow_code=True), "fp32")
    assert table.parameter_count == 6 * 27 + 6 + 2 * 6 + 5 * 216 + 5


NESTED = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(6, 5)

    def forward(self, rows):
        parts = [row[: 2 + place % 3] for place, row in enumerate(rows)]
        nested = torch.nested.nested_tensor(parts, layout=torch.jagged)
        return torch.stack([part.mean(0) for part in self.layer(nested).unbind()])

def build_model(): return Net()
def make_batch(batch_size): return torch.randn(batch_size, 4, 6), torch.randint(0, 5, (batch_size,))
"""


def test_a_nested_tensor_is_said_to_have_sizes_by_values_and_no_fault_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NESTED, "utf-8")
    (tmp_path / "w.toml").write_text(TOML.replace("arguments = { classes = 5 }", ""), "utf-8")
    workload = load_workload(tmp_path / "w.toml")
    with pytest.raises(TraceFailed, match=r"size depends on values \(`?torch.nested"):
        trace(subject_of(workload, "fp32", allow_code=True), "fp32")
    assert load(workload, allow_code=True).module(torch.randn(3, 4, 6)).shape == (3, 5)


ALONE = """
import torch

def build_model():
    return torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))

def make_batch(batch_size):
    return torch.rand(batch_size, 6)

def STEP(model, batch):
    points = batch.requires_grad_(True)
    field = model(points)
    slope = torch.autograd.grad(field.sum(), points, create_graph=True)[0]
    return (slope[:, 0] - field[:, 0]).square().mean()
"""
PLAIN = TOML.replace("arguments = { classes = 5 }\n", "")


def test_a_tensor_by_itself_is_what_the_files_own_step_takes(tmp_path: Path) -> None:
    model = loaded(tmp_path, ALONE.replace("STEP", "training_step"), PLAIN)
    loss = model.loss(model.module, model.make_batch(3))
    loss.backward()  # type: ignore[no-untyped-call]
    assert all(parameter.grad is not None for parameter in list(model.module.parameters())[:-1])
    workload = load_workload(tmp_path / "w.toml")
    table = trace(subject_of(workload, "fp32", allow_code=True), "fp32")
    products = [op for op in table.ops if op.kind == "matmul"]
    assert sum(op.count for op in products) > 6, "the slope is differentiated again"
    assert table.differentiates_twice


def test_a_tensor_by_itself_without_a_step_is_refused(tmp_path: Path) -> None:
    model = loaded(tmp_path, ALONE.replace("STEP", "other"), PLAIN)
    with pytest.raises(InputError, match="a tensor by itself where training_step"):
        model.loss(model.module, model.make_batch(2))


@pytest.mark.parametrize("name", ["loss", "compute_loss", "train_step"])
def test_a_step_by_another_name_is_said_not_to_be_called(tmp_path: Path, name: str) -> None:
    code = f"{GOOD}\ndef {name}(model, batch):\n    return model(batch[0]).sum()\n"
    model = loaded(tmp_path, code)
    (note,) = model.notes
    assert note.code == "workload-step-unread"
    for language in ("en", "zh"):
        assert f"`{name}`" in say(note, language)
    assert loaded(tmp_path, GOOD).notes == ()
    assert loaded(tmp_path, f"{code}\ntraining_step = {name}\n").notes == ()


def test_where_the_usual_loss_fails_the_unread_step_is_named_first(tmp_path: Path) -> None:
    code = GOOD.replace("torch.randint(0, classes, (batch_size,))", "torch.randint(0, classes, (batch_size, 9))")
    model = loaded(tmp_path, f"{code}\ndef loss(model, batch):\n    return model(batch[0]).sum()\n")
    with FakeTensorMode(allow_non_fake_inputs=True), pytest.raises(SaidError) as caught:
        model.loss(model.module, model.make_batch(2))
    first, *_ = caught.value.reasons
    assert first.code == "worker-file-step-unread"
    assert "`loss`" in str(caught.value)


CACHING = """
import torch
from transformers import GPT2Config, GPT2LMHeadModel
def build_model():
    model = GPT2LMHeadModel(GPT2Config(n_layer=1, n_embd=16, n_head=2, vocab_size=32, n_positions=16))
    SET
    return model
def make_batch(batch_size):
    return dict.fromkeys(("input_ids", "labels"), torch.zeros(batch_size, 8, dtype=torch.long))
"""


def test_a_model_that_keeps_keys_and_values_while_it_trains_is_said_to(tmp_path: Path) -> None:
    (note,) = loaded(tmp_path, CACHING.replace("SET", "pass"), PLAIN).notes
    assert note.code == "workload-keeps-cache"
    assert loaded(tmp_path, CACHING.replace("SET", "model.config.use_cache = False"), PLAIN).notes == ()
    assert loaded(tmp_path, CACHING.replace("SET", "model.gradient_checkpointing_enable()"), PLAIN).notes == ()
