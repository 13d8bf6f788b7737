"""Every error that a person may meet has its sentences in both languages: none is an English text in the code."""

from __future__ import annotations

import ast
from pathlib import Path

import advisor

PACKAGE = Path(advisor.__file__).parent
PLAIN = {"InputError", "OutputError", "UserFacingError"}
ENGLISH = {
    "cli/commands.py": 1,  # a machine that has no descriptor left cannot open the sentences either
    "gui/application.py": 1,  # no window, no Qt: the terminal that started it
    "core/bundled.py": 2,  # the program's own files are damaged, as the sentences may be
}
"""Errors in English alone, and why."""


def plain_errors(path: Path) -> int:
    """How many errors of a file are made with a text that stands in the code."""
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    named = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id in PLAIN]
    return sum(1 for call in named if any(isinstance(part, ast.Constant | ast.JoinedStr) for part in call.args))


def test_no_error_is_told_in_english_alone() -> None:
    found = {path.relative_to(PACKAGE).as_posix(): plain_errors(path) for path in PACKAGE.rglob("*.py")}
    assert {path: count for path, count in found.items() if count} == ENGLISH
