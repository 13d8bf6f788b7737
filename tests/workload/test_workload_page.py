"""The page of workload files says what the types say, and its examples run."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from advisor.workload.workload import PythonModel
from advisor.workload.workload_file import load_workload
from tools.write_workload_page import PAGE, page

TEXT = PAGE.read_text(encoding="utf-8")


def examples(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_the_page_is_as_the_types_have_it() -> None:
    assert page() == TEXT, "run python tools/write_workload_page.py"


@pytest.mark.parametrize("text", examples("toml"))
def test_every_workload_of_the_page_is_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "my_network.py").write_text(examples("python")[0], encoding="utf-8")
    (tmp_path / "shown.toml").write_text(text, encoding="utf-8")
    assert load_workload(tmp_path / "shown.toml").training.batch_size in {32, 128}


def test_the_python_file_of_the_page_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_network.py").write_text(examples("python")[0], encoding="utf-8")
    (tmp_path / "shown.toml").write_text(examples("toml")[1], encoding="utf-8")
    workload = load_workload(tmp_path / "shown.toml")
    assert isinstance(workload.model, PythonModel)
    monkeypatch.syspath_prepend(str(tmp_path))
    import importlib

    own = importlib.import_module("my_network")
    arguments = workload.model.arguments
    model, batch = own.build_model(**arguments), own.make_batch(2, workload.data.image_size, **arguments)
    loss = own.training_step(model, batch)
    loss.backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())
    sys.modules.pop("my_network")
