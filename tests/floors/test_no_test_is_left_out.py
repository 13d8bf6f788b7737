"""Every test file is collected: a folder that a pattern of the settings hides is never run, and nothing says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from _pytest.pathlib import fnmatch_ex

TESTS = Path(__file__).resolve().parents[1]
BY_NAME = {"benchmarks"}
"""Folders that are run by name alone."""


def hidden(patterns: list[str], file: Path) -> bool:
    """Whether pytest doesn't come to a test file, because a folder on the way to it matches."""
    folders = [folder for folder in file.parents if folder.is_relative_to(TESTS)]
    return any(fnmatch_ex(pattern, folder) for pattern in patterns for folder in folders)


def test_no_folder_of_tests_is_hidden_but_those_that_are_run_by_name(pytestconfig: pytest.Config) -> None:
    patterns = pytestconfig.getini("norecursedirs")
    files = sorted(TESTS.rglob("test_*.py"))
    assert len(files) > 300
    assert {file.relative_to(TESTS).parts[0] for file in files if hidden(patterns, file)} == BY_NAME


def test_a_name_that_a_room_bears_too_hides_its_tests() -> None:
    file = TESTS / "worker" / "models" / "test_load_model.py"
    assert file.exists()
    assert hidden(["models"], file)
    assert not hidden(["tests/accuracy/models"], file)
