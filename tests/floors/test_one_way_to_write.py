"""What a user names is written in one way only: whole or not at all."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import advisor

PACKAGE = Path(advisor.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
WRITES = {"write_text", "write_bytes", "savefig", "to_csv"}
ALLOWED = {
    "core/file_writing.py": "the one way",
    "core/child_process.py": "the pipe to the parent",
    "advice/verification.py": "the script, in a private folder that is gone afterwards",
    "cli/outputs.py": "a device such as /dev/null that the user names",
    "cli/streams.py": "the system's sink",
    "gui/files/own_cards.py": "a trial that is read back before it is kept, in a folder that is gone afterwards",
    "measure/rank_folder.py": "whole or not at all, in a private folder of its own",
    "worker/ranks/communication.py": "the findings of a rank, a line each as they come, in the private folder",
    "worker/train/resident_memory.py": "the kernel's switch that resets a peak",
}


def writes_of(source: str) -> list[int]:
    """Lines that write a file: by name, or by `open` with a mode that writes."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        place = 0 if isinstance(node.func, ast.Attribute) and name == "open" else 1
        modes = [*node.args[place : place + 1], *(keyword.value for keyword in node.keywords if keyword.arg == "mode")]
        said = [mode.value for mode in modes if isinstance(mode, ast.Constant) and isinstance(mode.value, str)]
        opened = name in {"open", "fdopen"} and any(set(mode) & set("wax+") and len(mode) <= 3 for mode in said)
        if name in WRITES or opened:
            found.append(node.lineno)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_file_is_written_by_no_other_way(path: Path) -> None:
    if path.relative_to(PACKAGE).as_posix() not in ALLOWED:
        assert writes_of(path.read_text(encoding="utf-8")) == []


def test_the_check_finds_a_write_and_lets_a_reading_pass() -> None:
    assert writes_of("open('x', 'w')\npath.write_text('x')\npath.open(mode='ab')") == [1, 2, 3]
    assert writes_of("open('x')\npath.open('rb')\npath.open(encoding='utf-8')") == []


@pytest.mark.parametrize("name", ALLOWED)
def test_each_exception_still_writes(name: str) -> None:
    assert writes_of((PACKAGE / name).read_text(encoding="utf-8"))


def test_every_tool_reads_its_flags_before_it_writes_anything() -> None:
    root = Path(__file__).resolve().parents[2]
    for path in sorted((root / "tools").glob("*.py")):
        source = path.read_text(encoding="utf-8")
        if 'if __name__ == "__main__":' in source:
            assert "argparse.ArgumentParser(" in source, path.name
            read = {ast.unparse(node) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)}
            assert "sys.argv" not in read, f"{path.name}: what it does not know, it ignores"
