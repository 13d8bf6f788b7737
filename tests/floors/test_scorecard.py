"""The scorecard names tests that are there, and its page is what was recorded."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools import write_reliability

ROOT = Path(__file__).resolve().parents[2]

LINES = write_reliability.read_lines()


def test_every_line_of_the_scorecard_and_every_threat_is_there_once() -> None:
    ids = [line.id for line in LINES]
    assert ids == [*(str(number) for number in range(1, 24)), *(f"S{number}" for number in range(1, 17))]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.id)
def test_a_line_names_tests_that_exist(line: write_reliability.Line) -> None:
    assert line.tests
    for test in line.tests:
        path, _, name = test.partition("::")
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert any(found.startswith("test_") for found in names)
        assert not name or name in names


def test_the_page_is_what_the_kept_figures_give() -> None:
    assert write_reliability.PAGE.read_text(encoding="utf-8") == write_reliability.page(
        LINES, write_reliability.read_kept()
    )


def test_a_line_that_failed_or_never_ran_says_so() -> None:
    ran = write_reliability.Ran(
        date="2026-01-01", system="s", passed=3, failed=1, skipped=0, spent_s=1, figures=("7 of 8",)
    )
    text = write_reliability.page(LINES[:2], {LINES[0].id: {"night": ran}})
    assert "**fails** (1 of 4) | 7 of 8" in text
    assert "not run" in text


def test_a_part_that_passes_later_takes_the_place_of_its_failure_and_figures_add_up() -> None:
    def ran(tests: dict[str, str], figure: str) -> write_reliability.Ran:
        return write_reliability._ran((figure,), tests, spent_s=2, named=True)

    first = ran({"one": "passed", "two": "failed"}, "first")
    assert first.verdict == "**fails** (1 of 2)"
    whole = first.with_part(ran({"two": "passed", "three": "passed"}, "more"))
    assert (whole.passed, whole.failed, whole.spent_s) == (3, 0, 4)
    assert whole.figures == ("first", "more")
    assert whole.verdict == "holds"
