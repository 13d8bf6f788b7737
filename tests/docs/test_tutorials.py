"""Every command of a tutorial runs as it stands there, in the folder that the commands before it left."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from advisor.cli.arguments import build_parser

FOLDER = Path(__file__).parent.parent.parent / "docs" / "tutorials"
PAGES = sorted(FOLDER.glob("*.md"))
_BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`(advisor --[^`]+)`")
_EXIT_CODE = re.compile(r"# exit code (\d)$")


class Step(NamedTuple):
    """A block of a page: a file, commands, or what the command before it printed."""

    kind: str
    title: str
    text: str


def steps_of(page: Path) -> list[Step]:
    return [Step(*(part or "" for part in found)) for found in _BLOCK.findall(page.read_text(encoding="utf-8"))]


def surroundings(folder: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder / "data"), "LC_ALL": "C.UTF-8"}


def printed_by(command: str, folder: Path) -> str:
    words = shlex.split(command, comments=True)
    assert words[0] == "advisor", command
    expected = int(found[1]) if (found := _EXIT_CODE.search(command)) else 0
    ended = subprocess.run(
        [sys.executable, "-m", "advisor", *words[1:]],
        cwd=folder,
        env=surroundings(folder),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode == expected, f"{command}\n{ended.stdout[-2000:]}{ended.stderr[-2000:]}"
    return ended.stdout


def label(line: str) -> str:
    """What of a printed line is the same on every machine and with every figure: its words up to the first figure."""
    return re.split(r"\d|  +|…", line.strip())[0].strip()


def test_there_is_a_tutorial_for_each_of_five_people() -> None:
    assert [page.stem for page in PAGES] == ["card", "hourly", "laptop", "llm", "server"]


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.nightly if page.stem == "llm" else ()) for page in PAGES],
    ids=lambda page: page.stem,
)
def test_the_commands_of_a_tutorial_run_and_print_what_it_shows(page: Path, tmp_path: Path) -> None:
    printed = ""
    ran = shown = 0
    for step in steps_of(page):
        if step.title:
            (tmp_path / step.title).write_text(step.text, encoding="utf-8")
        elif step.kind == "sh":
            printed = "".join(printed_by(command, tmp_path) for command in step.text.splitlines())
            ran += len(step.text.splitlines())
        else:
            labels = [
                name for line in step.text.splitlines() if len(name := label(line)) > 2 and not MACHINE.match(name)
            ]
            shown += len(labels)
            # Figures, cards' ranks and so which reasons are told may move with the table; that most are there may not.
            missing = [name for name in labels if name not in printed]
            assert len(missing) <= len(labels) // 2, (missing, printed)
    assert ran >= 2
    assert shown >= 2


MACHINE = re.compile(r"Processor|Memory:|Train on AMD")
"""Lines that name the machine on which the page was written."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_command_that_a_tutorial_names_in_a_sentence_has_the_flags_of_today(page: Path) -> None:
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    for command in _INLINE.findall(text):
        build_parser().parse_args(shlex.split(command)[1:])
