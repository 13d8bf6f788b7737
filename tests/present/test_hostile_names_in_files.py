"""A foreign name is that name in every format: no markup, no control bytes, no code."""

from __future__ import annotations

import ast
import csv
import io
import re

import pytest

from advisor.cli.terminal import print_summary
from advisor.core.sentences import visible
from advisor.present import csv_file, markdown_file
from advisor.present.script import launch_script
from advisor.present.summary import summarise
from advisor.store import json_file
from tests.present.fakes import advice
from tests.present.hostile_names import NAMES


def without_control_characters(text: str) -> bool:
    return not any((ord(character) < 32 and character != "\n") or ord(character) == 127 for character in text)


@pytest.mark.parametrize("name", NAMES)
def test_json_keeps_the_name_itself(name: str) -> None:
    hostile = advice(workload_name=name, device_name=name)
    content = json_file.encode(hostile)
    assert json_file.decode(content, "x") == hostile
    assert without_control_characters(content.decode())


@pytest.mark.parametrize("name", NAMES)
def test_csv_shows_the_name_in_one_cell(name: str) -> None:
    content = csv_file.encode(advice(device_name=name)).decode()
    rows = list(csv.DictReader(io.StringIO(content, newline="")))
    apostrophe = "'" if name.strip()[:1] in ("=", "+", "-", "@") else ""  # a spreadsheet then takes it for text
    assert {row["device_name"] for row in rows} == {apostrophe + visible(name)}
    assert without_control_characters(content)


@pytest.mark.parametrize("name", NAMES)
def test_markdown_shows_the_name_without_markup(name: str) -> None:
    text = markdown_file.encode(advice(workload_name=name, device_name=name), "en").decode()
    title = text.splitlines()[0]
    shown = re.sub(r"\\([\\`*_{}\[\]<>#|~$&])", r"\1", title)
    assert shown == f"# Advice for {visible(name)}"
    assert not re.search(r"(?<!\\)[`*_<>\[\]|~$]", title)
    assert without_control_characters(text)


@pytest.mark.parametrize("name", NAMES)
def test_the_terminal_shows_the_name_without_colour_or_control(name: str) -> None:
    stream = io.StringIO()
    print_summary(summarise(advice(workload_name=name, device_name=name), "en"), stream)
    printed = stream.getvalue()
    assert printed.replace("\n", "").startswith(f"Advice for {visible(name)}")
    assert without_control_characters(printed)


@pytest.mark.parametrize("name", NAMES)
def test_the_launch_script_keeps_the_name_inside_its_comment(name: str) -> None:
    script = launch_script.render(advice(workload_name=name, device_name=name))
    plain = ast.dump(ast.parse(launch_script.render(advice())))
    assert ast.dump(ast.parse(script)) == plain
    assert script.splitlines()[0].startswith(f"# Trains {visible(name)}")
