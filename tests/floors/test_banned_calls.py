"""Calls that would run somebody else's code, or hide what is run, occur nowhere."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import advisor
from advisor.core.bundled import workloads_folder

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (Path(advisor.__file__).parent, workloads_folder(), ROOT / "tools")
FILES = sorted({path for folder in FOLDERS for path in folder.rglob("*.py")})
BANNED_NAMES = {"eval", "exec", "all_gather_object", "broadcast_object_list", "gather_object", "scatter_object_list"}
BANNED_MODULES = {"pickle", "dill", "cloudpickle", "shelve", "marshal"}


def _called_name(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _is_method_of(call: ast.Call, owner: str, name: str) -> bool:
    function = call.func
    return (
        isinstance(function, ast.Attribute)
        and function.attr == name
        and isinstance(function.value, ast.Name)
        and function.value.id == owner
    )


def banned_calls(source: str) -> list[str]:
    """Every banned call or import in a file, as `line: what`."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
            found += [f"{node.lineno}: import {name}" for name in names if name.split(".")[0] in BANNED_MODULES]
        if not isinstance(node, ast.Call):
            continue
        plain = isinstance(node.func, ast.Name) or _called_name(node) not in {"eval", "exec"}
        if (
            _called_name(node) in BANNED_NAMES and plain
        ):  # module.eval() is torch's evaluation mode, exec() is Qt's loop
            found.append(f"{node.lineno}: {_called_name(node)}()")
        if _is_method_of(node, "torch", "load"):
            found.append(f"{node.lineno}: torch.load()")
        for keyword in node.keywords:
            is_true = isinstance(keyword.value, ast.Constant) and keyword.value.value is True
            if keyword.arg in {"shell", "trust_remote_code"} and is_true:
                found.append(f"{node.lineno}: {keyword.arg}=True")
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_a_file_makes_no_banned_call(path: Path) -> None:
    assert banned_calls(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from pickle import loads",
        "import torch\ntorch.load('x')",
        "eval('1')",
        "exec('1')",
        "run('ls', shell=True)",
        "from_pretrained('x', trust_remote_code=True)",
        "dist.all_gather_object([], 1)",
    ],
)
def test_the_check_finds_what_is_banned(source: str) -> None:
    assert len(banned_calls(source)) == 1


def test_the_check_lets_evaluation_mode_and_qt_loops_pass() -> None:
    assert banned_calls("model.eval()\napplication.exec()") == []
