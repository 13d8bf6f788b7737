"""How branches are counted: a real package with real tests, in pieces, and the page that tells of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import run_coverage

SETTINGS = """
[tool.coverage.run]
branch = true
source = ["advisor"]
parallel = true
patch = ["subprocess"]
"""
SIGN = """
def sign(value):
    if value < 0:
        return -1
    return 1
"""
TEST = """
from advisor.cost.sign import sign

def test_it():
    assert sign({0}) == {0}
"""
CHILD_TEST = """
import subprocess, sys

def test_it():
    command = [sys.executable, "-m", "advisor.core.child"]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"6"
"""
HOUSE = {
    "pyproject.toml": SETTINGS,
    "advisor/__init__.py": "VERSION = 1",
    "advisor/cost/__init__.py": "",
    "advisor/cost/sign.py": SIGN,
    "advisor/core/__init__.py": "",
    "advisor/core/child.py": "print(2 * 3, end='')",
    "tests/cost/test_negative.py": TEST.format(-1),
    "tests/cost/test_positive.py": TEST.format(1),
    "tests/core/test_child.py": CHILD_TEST,
}


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of two rooms with their tests, in the place of this one."""
    root = tmp_path / "house"
    for name, text in HOUSE.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(run_coverage, "ROOT", root)
    monkeypatch.setattr(run_coverage, "PACKAGE", root / "advisor")
    monkeypatch.setenv("PYTHONPATH", str(root))
    return root


def counted(pieces: Path) -> dict[str, tuple[int, int]]:
    """Lines and branches taken of each room, and how many there are."""
    shares = run_coverage.measured("", pieces=pieces, missing=False)
    return {room: (share.taken, share.number) for room, share in shares.items()}


@pytest.mark.usefixtures("house")
def test_pieces_add_up_and_a_child_process_counts(tmp_path: Path) -> None:
    pieces = tmp_path / "pieces"
    assert run_coverage.run_piece(pieces, "cost/test_negative.py") == 0
    assert run_coverage.run_piece(pieces, "core") == 0
    assert counted(pieces) == {"core": (1, 1), "the package itself": (1, 1)}  # cost's own tests did not run whole
    assert run_coverage.run_piece(pieces, "cost/test_pos*") == 0
    assert counted(pieces) == {"core": (1, 1), "cost": (6, 6), "the package itself": (1, 1)}


def test_what_was_taken_of_a_file_that_changed_does_not_count(house: Path, tmp_path: Path) -> None:
    pieces = tmp_path / "pieces"
    run_coverage.run_piece(pieces, "cost/test_negative.py")
    sign = house / "advisor" / "cost" / "sign.py"
    sign.write_text(sign.read_text(encoding="utf-8").replace("return 1", "return +1"), encoding="utf-8")
    run_coverage.run_piece(pieces, "cost/test_positive.py")
    assert counted(pieces) == {"cost": (4, 6), "the package itself": (1, 1)}


def test_tests_that_fail_are_told_and_the_gate_of_a_room_that_computes_is_all_of_it(
    house: Path, tmp_path: Path
) -> None:
    pieces = tmp_path / "pieces"
    (house / "tests" / "cost" / "test_positive.py").write_text("def test_it():\n    assert False\n", encoding="utf-8")
    assert run_coverage.run_piece(pieces, "cost") == 1
    shares = run_coverage.measured("", pieces=pieces, missing=False)
    assert not run_coverage.holds("cost", shares["cost"])
    text = run_coverage.page(shares)
    assert "| cost | 4 | 6 | 66.7% | 100% | **less**, with tests that failed |" in text
    assert "Not counted yet: core." in text


def test_the_page_is_what_the_kept_shares_give() -> None:
    assert run_coverage.PAGE.read_text(encoding="utf-8") == run_coverage.page(run_coverage.read_kept())
