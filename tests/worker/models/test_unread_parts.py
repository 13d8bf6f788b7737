"""What a model file brings beside its model and nothing here follows is told: optimizer, compiler, wrapper, methods."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.core.sentences import say
from tests.worker.models.test_load_model_python_file import PLAIN, loaded

MODEL = """
import torch
class Net(torch.nn.Linear):
    def configure_other_things(self): pass
    METHOD
def build_model():
    model = Net(4, 2)
    BUILT
    return model
def make_batch(batch_size):
    return torch.randn(batch_size, 4), torch.zeros(batch_size).long()
"""


def codes(folder: Path, *, method: str = "", built: str = "", more: str = "", toml: str = PLAIN) -> list[str]:
    code = MODEL.replace("METHOD", method).replace("BUILT", built) + more
    notes = loaded(folder, code, toml).notes
    assert all("net.py" in say(note, language) for note in notes for language in ("en", "zh"))
    return [note.code for note in notes]


def test_a_plain_file_brings_nothing_that_is_not_read(tmp_path: Path) -> None:
    assert codes(tmp_path) == []


@pytest.mark.parametrize("name", ["configure_optimizers", "make_optimizer", "get_optimizer"])
def test_an_optimizer_of_the_files_own_is_said_not_to_be_counted(tmp_path: Path, name: str) -> None:
    function = f"def {name}(model): return torch.optim.SGD(model.parameters())"
    assert codes(tmp_path, more=function) == ["workload-optimizer-unread"]
    assert codes(tmp_path, method=function.replace("model", "self", 1)) == ["workload-optimizer-unread"]


def test_a_method_for_lightnings_step_is_said_not_to_be_called(tmp_path: Path) -> None:
    method = "def training_step(self, batch, index): return self(batch[0]).sum()"
    assert codes(tmp_path, method=method) == ["workload-step-unread"]
    step = "def training_step(model, batch): return model.training_step(batch, 0)"
    assert codes(tmp_path, method=method, more=step) == []


@pytest.mark.parametrize(
    "built", ["model = torch.compile(model)", "model.compile()", "model.forward = torch.compile(model.forward)"]
)
def test_a_model_that_is_compiled_in_its_file_is_said_to_be_predicted_without(tmp_path: Path, built: str) -> None:
    assert codes(tmp_path, built=built) == ["workload-compiles-itself"]
    assert codes(tmp_path, built=built, toml=f"{PLAIN}\ncompile = true\n") == []


def test_a_compiled_function_that_is_no_model_is_not(tmp_path: Path) -> None:
    assert codes(tmp_path, more="cheap = torch.compile(lambda rows: rows + 1)") == []


def test_a_model_that_is_wrapped_for_several_cards_is_said_to_be_compared_bare(tmp_path: Path) -> None:
    assert codes(tmp_path, built="model = torch.nn.DataParallel(model)") == ["workload-wraps-itself"]
