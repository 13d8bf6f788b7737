"""Launcher, icon and file types of a Linux desktop say what the program has."""

from __future__ import annotations

import configparser
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from advisor.cli.arguments import build_parser
from advisor.core.bundled import resource

DESKTOP = resource("desktop")
SPACE = {"mime": "http://www.freedesktop.org/standards/shared-mime-info"}


def _entry(name: str) -> configparser.SectionProxy:
    reader = configparser.ConfigParser(interpolation=None)
    reader.optionxform = str  # type: ignore[method-assign,assignment]
    reader.read(DESKTOP / name, encoding="utf-8")
    return reader["Desktop Entry"]


@pytest.mark.parametrize("name", ["advisor.desktop", "advisor-open.desktop"])
def test_a_launcher_runs_a_command_line_that_the_program_takes_and_has_its_icon(name: str, tmp_path: Path) -> None:
    entry = _entry(name)
    program, *words = entry["Exec"].replace("%f", str(tmp_path / "one.advice.json")).split()
    assert program == "advisor"
    arguments = build_parser().parse_args(words)
    assert arguments.window
    assert (resource("icons") / f"{entry['Icon']}.svg").is_file()
    assert entry["Comment[zh_CN]"] != entry["Comment"]


def test_every_file_type_that_a_launcher_opens_is_declared() -> None:
    declared = {
        str(one.get("type")): one.findall("mime:glob", SPACE)
        for one in ET.parse(DESKTOP / "advisor-mime.xml").getroot().findall("mime:mime-type", SPACE)
    }
    opened = _entry("advisor-open.desktop")["MimeType"].strip(";").split(";")
    assert set(opened) == declared.keys()
    assert all(declared.values())
