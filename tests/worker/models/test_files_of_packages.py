"""A model file is built with what it imports from around it, as its script finds it, or is told where that lies."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.core.sentences import SaidError
from advisor.present.script import launch_script
from advisor.store.advice_record import AdviceRecord
from advisor.worker.models.load_model import load
from tests.present.test_launch_script import run_script
from tests.worker.models.test_script_of_a_model_file import advice_of_file

MODEL = """
import torch
IMPORT
def build_model(width=3): return torch.nn.Linear(4, width * FACTOR)
def make_batch(n, length): return torch.randn(n, 4), torch.zeros(n).long()
"""
IMPORTS = {
    "a file beside it": ("from own_factors import FACTOR", "nets/own_factors.py"),
    "its package by a dot": ("from .own_factors import FACTOR", "nets/own_factors.py"),
    "a package above by two dots": ("from ..own_parts.factors import FACTOR", "own_parts/factors.py"),
    "its package by name": ("from nets.own_factors import FACTOR", "nets/own_factors.py"),
}


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a file imports stays with no other test."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in {"nets", "own_factors", "own_parts", "whole"}:
            del sys.modules[name]


def advice_of(folder: Path, line: str, beside: str) -> AdviceRecord:
    root = folder / "whole"
    (root / "nets").mkdir(parents=True)
    (root / beside).parent.mkdir(exist_ok=True)
    (root / beside).write_text("FACTOR = 2\n", "utf-8")
    if line.startswith("from nets"):
        (root / "nets" / "__init__.py").touch()
    file = root / "nets" / "net.py"
    file.write_text(MODEL.replace("IMPORT", line), "utf-8")
    return advice_of_file(file)


@pytest.mark.parametrize("kind", IMPORTS)
def test_a_file_is_built_with_what_it_imports_from_around_it(tmp_path: Path, kind: str) -> None:
    made = advice_of(tmp_path, *IMPORTS[kind])
    model = load(made.workload, device="cpu", allow_code=True).module
    assert sum(weight.numel() for weight in model.parameters()) == 5 * 6


def test_a_module_beside_the_file_comes_before_an_installed_one_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "site"
    installed.mkdir()
    (installed / "own_factors.py").write_text("FACTOR = 7\n", "utf-8")
    monkeypatch.setattr(sys, "path", [str(installed), *sys.path])
    made = advice_of(tmp_path, "from own_factors import FACTOR", "nets/own_factors.py")
    model = load(made.workload, device="cpu", allow_code=True).module
    assert sum(weight.numel() for weight in model.parameters()) == 5 * 6
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(installed))
    assert run_script(elsewhere, made, "--steps", "2")["steps"] == 2


def test_a_folder_of_no_modules_leaves_an_installed_package_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "site"
    installed.mkdir()
    (installed / "own_factors.py").write_text("FACTOR = 2\n", "utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path, str(installed)])
    made = advice_of(tmp_path, "from own_factors import FACTOR", "nets/own_factors/pictures.txt")
    model = load(made.workload, device="cpu", allow_code=True).module
    assert sum(weight.numel() for weight in model.parameters()) == 5 * 6


def test_pythons_own_library_is_not_shadowed_by_a_file_of_its_name(tmp_path: Path) -> None:
    made = advice_of(tmp_path, "from wsgiref import simple_server; FACTOR = 2", "nets/wsgiref.py")
    model = load(made.workload, device="cpu", allow_code=True).module
    assert sum(weight.numel() for weight in model.parameters()) == 5 * 6


def test_the_script_in_another_folder_finds_what_the_file_imports(tmp_path: Path) -> None:
    made = advice_of(tmp_path, *IMPORTS["a package above by two dots"])
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert run_script(elsewhere, made, "--steps", "2")["steps"] == 2
    assert str(tmp_path / "whole" / "nets" / "net.py") in launch_script.render(made)


def test_what_python_does_not_find_above_is_told_with_its_folder(tmp_path: Path) -> None:
    made = advice_of(tmp_path, "from own_parts.factors import FACTOR", "own_parts/factors.py")
    with pytest.raises(SaidError) as caught:
        load(made.workload, device="cpu", allow_code=True)
    assert [reason.code for reason in caught.value.reasons] == ["worker-file-module-elsewhere"]
    assert f"PYTHONPATH={tmp_path / 'whole'}" in str(caught.value)


def test_what_is_nowhere_is_told_to_be_installed(tmp_path: Path) -> None:
    made = advice_of(tmp_path, "from no_such_package_at_all import FACTOR", "own_factors.py")
    with pytest.raises(SaidError, match="no_such_package_at_all, which is not installed"):
        load(made.workload, device="cpu", allow_code=True)


def test_what_is_installed_under_another_name_is_told_by_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    made = advice_of(tmp_path, "import cv2", "own_factors.py")
    with pytest.raises(SaidError, match="Install opencv-python, which brings it"):
        load(made.workload, device="cpu", allow_code=True)


def test_a_script_that_ends_as_it_is_imported_is_told_where_to_put_that(tmp_path: Path) -> None:
    line = "import argparse; p = argparse.ArgumentParser(); p.add_argument('--data', required=True); p.parse_args()"
    made = advice_of(tmp_path, line, "own_factors.py")
    with pytest.raises(SaidError, match='if __name__ == "__main__"'):
        load(made.workload, device="cpu", allow_code=True)
