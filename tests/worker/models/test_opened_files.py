"""What a model file opens is found where it is run or around the file; what lies nowhere is told by its kind."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from torch import nn

from advisor.core.sentences import SaidError, say
from advisor.worker.models.load_model import LoadedModel, load
from advisor.workload.workload_file import load_workload

MODEL = """
import json, sys
from pathlib import Path
import torch
BEFORE
def build_model():
    BUILT
    return torch.nn.Linear(4, width)
def make_batch(batch_size, length):
    BATCH
    return torch.randn(batch_size, 4), torch.zeros(batch_size).long()
def training_step(model, batch):
    STEP
    return torch.nn.functional.cross_entropy(model(batch[0]), batch[1])
"""
READ = 'width = json.loads(Path("configs/x.json").read_text())["width"]'


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The program was started in a folder that holds nothing."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr("advisor.worker.models.opened_files._STARTED_IN", str(folder))
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    sys.modules.pop("own_widths_in_src", None)


def built(tmp_path: Path, where: str = "repository/nets", **parts: str) -> LoadedModel:
    """The model of a file in `where` of a repository that holds `configs/x.json` and `src/own_widths_in_src.py`."""
    root = tmp_path / "repository"
    for name, text in {
        "configs/x.json": '{"width": 7}',
        "src/own_widths_in_src.py": "WIDTH = 7\n",
        ".git/a": "",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    code = MODEL
    for part in ("before", "built", "batch", "step"):
        code = code.replace(part.upper(), parts.get(part, "width = 7" if part == "built" else "pass"))
    file = tmp_path / where / "net.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(code, "utf-8")
    return load(load_workload(str(file)), allow_code=True)


def width_of(model: LoadedModel) -> int:
    assert isinstance(model.module, nn.Linear)
    model.loss(model.module, model.make_batch(2))
    return model.module.out_features


@pytest.mark.parametrize("where", ["repository", "repository/nets"])
@pytest.mark.parametrize("part", ["before", "built", "batch", "step"])
def test_a_relative_path_is_found_around_the_file_that_opens_it(tmp_path: Path, where: str, part: str) -> None:
    assert width_of(built(tmp_path, where, **{part: READ})) == 7


def test_what_was_found_elsewhere_is_told_with_its_folder(tmp_path: Path) -> None:
    (note,) = built(tmp_path, built=READ).notes
    assert note.code == "workload-reads-elsewhere"
    for language in ("en", "zh"):
        assert {"configs/x.json", "net.py", str(tmp_path / "repository")} <= set(
            say(note, language).replace("，", " ").replace(",", " ").split()
        )
    assert built(tmp_path).notes == ()


def test_the_folder_of_the_command_comes_first(tmp_path: Path) -> None:
    here = Path("configs/x.json")
    here.parent.mkdir()
    here.write_text('{"width": 3}', "utf-8")
    model = built(tmp_path, built=READ)
    assert width_of(model) == 3
    assert model.notes == ()


def test_a_folder_above_the_repository_is_not_looked_into(tmp_path: Path) -> None:
    (tmp_path / "above.json").write_text('{"width": 3}', "utf-8")
    with pytest.raises(SaidError, match=r"it opens `above.json`, which is not there"):
        built(tmp_path, built=READ.replace("configs/x.json", "above.json"))


def test_a_folder_that_the_file_adds_by_a_relative_path_is_found_around_it(tmp_path: Path) -> None:
    line = "sys.path.append('src'); from own_widths_in_src import WIDTH"
    assert width_of(built(tmp_path, before=line, built="width = WIDTH")) == 7


def test_a_library_that_names_the_folder_only_in_its_words_is_understood(tmp_path: Path) -> None:
    line = "if not Path('./configs').is_dir(): raise OSError(\"'./configs' is not a valid name\")"
    assert width_of(built(tmp_path, built=f"{line}\n    width = 7")) == 7


@pytest.mark.parametrize("name", ["/nowhere/at/all.json", "configs/missing.json"])
def test_a_file_that_lies_nowhere_is_named_with_what_an_advice_needs(tmp_path: Path, name: str) -> None:
    with pytest.raises(SaidError) as caught:
        built(tmp_path, built=READ.replace("configs/x.json", name))
    assert caught.value.statement.code == "worker-file-opens-missing"
    for language in ("en", "zh"):
        assert name in say(caught.value.statement, language)


@pytest.mark.parametrize(
    "raised",
    [
        "__import__('urllib.error').error.URLError('no network')",
        "__import__('socket').gaierror(-2, 'Name or service not known')",
        "ConnectionRefusedError('no')",
    ],
)
@pytest.mark.parametrize("part", ["before", "built", "batch"])
def test_what_no_network_brought_is_told_with_what_makes_it_unnecessary(tmp_path: Path, part: str, raised: str) -> None:
    with pytest.raises(SaidError) as caught:
        built(tmp_path, **{part: f"raise RuntimeError('wrapped') from {raised}"}).make_batch(2)
    assert caught.value.statement.code == "worker-file-downloads"
    assert "pretrained=False" in say(caught.value.statement, "en")


def test_a_hub_that_is_not_asked_while_a_file_runs_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    line = "import transformers; width = transformers.AutoConfig.from_pretrained('nobody/has-this-one').hidden_size"
    with pytest.raises(SaidError) as caught:
        built(tmp_path, built=line)
    assert caught.value.statement.code == "worker-file-asks-hub"
