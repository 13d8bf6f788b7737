"""No file of a person's own is written over without --force, and no input by its own output."""

from __future__ import annotations

import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from advisor.cli.outputs import FORMATS, STDOUT, requested
from advisor.core.errors import InputError, OutputError
from advisor.present import csv_file, markdown_file
from advisor.present.own_files import is_own
from advisor.present.report import pdf_file
from advisor.present.script import launch_script
from advisor.present.written_mark import marked
from advisor.store import json_file
from tests.present.fakes import advice

OWN = {
    "script": "#!/usr/bin/env python3\nprint('mine')\n",
    "markdown": "# My notes\n\nwritten by advisor, I thought\n",
    "json": '{"schema_version": 3, "mine": true}',
    "csv": "workload,gpu_key,ms\nmine,t4,5\n",
    "pdf": "%PDF-1.7 a thesis",
}


def _arguments(**given: object) -> Namespace:
    asked: dict[str, object] = {**dict.fromkeys(FORMATS), "force": False, **given}
    return Namespace(**asked)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_file_of_ones_own_is_refused_and_untouched(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_text(OWN[kind], encoding="utf-8")
    with pytest.raises(InputError, match="was not written by advisor"):
        requested(_arguments(**{kind: path}))
    assert path.read_text(encoding="utf-8") == OWN[kind]
    assert requested(_arguments(**{kind: path}, force=True))


@pytest.mark.parametrize("kind", FORMATS)
def test_what_was_written_may_be_replaced(kind: str, tmp_path: Path) -> None:
    made = advice()
    contents = {
        "script": lambda: marked(launch_script.render(made), "script"),
        "markdown": lambda: marked(markdown_file.encode(made, "en").decode(), "markdown"),
        "json": lambda: json_file.encode(made),
        "csv": lambda: csv_file.encode(made),
        "pdf": lambda: pdf_file.encode(made, "en"),
    }
    path = tmp_path / "ours"
    path.write_bytes(contents[kind]())
    assert is_own(kind, path)
    assert requested(_arguments(**{kind: path}))


@pytest.mark.parametrize("kind", ["script", "markdown"])
def test_what_was_changed_since_is_ones_own_again(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    content = marked("first line\nYOUR DATA\n", kind)  # type: ignore[arg-type]
    path.write_bytes(content)
    assert is_own(kind, path)
    path.write_bytes(content.replace(b"YOUR DATA", b"MY DATA"))
    assert not is_own(kind, path)
    path.write_bytes(content + b"more\n")
    assert not is_own(kind, path)


def test_an_output_never_takes_the_place_of_an_input(tmp_path: Path) -> None:
    rows = tmp_path / "runs.csv"
    rows.write_text(OWN["csv"], encoding="utf-8")
    link = tmp_path / "link.csv"
    link.symlink_to(rows)
    for output in (rows, link, tmp_path / "." / "runs.csv"):
        with pytest.raises(InputError, match="an input or another output"):
            requested(_arguments(csv=output, evaluate=rows, force=True))


def test_two_outputs_never_share_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="an input or another output"):
        requested(_arguments(json=tmp_path / "both", csv=tmp_path / "both"))
    assert len(requested(_arguments(json=Path("/dev/null"), csv=Path("/dev/null")))) == 2
    assert len(requested(_arguments(json=STDOUT, csv=tmp_path / "one"))) == 2


def test_two_outputs_never_share_a_file_by_two_paths(tmp_path: Path) -> None:
    (tmp_path / "same").symlink_to(tmp_path)
    with pytest.raises(InputError, match="another output of the same command"):
        requested(_arguments(json=tmp_path / "new", markdown=tmp_path / "same" / "new"))


@pytest.mark.parametrize("name", ["x" * 5000, "nul\0byte"])
def test_a_name_that_no_disk_takes_is_a_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        requested(_arguments(json=tmp_path / name))


def test_the_command_line_keeps_a_makefile(tmp_path: Path) -> None:
    makefile = tmp_path / "Makefile"
    makefile.write_text("# builds\nall:\n", encoding="utf-8")
    command = [sys.executable, "-m", "advisor", "--predict", "iris_mlp", "--markdown", str(makefile)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 2
    assert makefile.read_text(encoding="utf-8") == "# builds\nall:\n"
