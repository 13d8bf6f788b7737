"""What the drawing of the house and the decisions name is there, and every room of the package is drawn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import advisor
from advisor.core.bundled import resource

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(advisor.__file__).parent
"""As it is installed: where a wheel is tested, no package lies beside these tests."""
DOCUMENTS = [ROOT / "docs" / "architecture.md", *sorted((ROOT / "docs" / "decisions").glob("*.md"))]
BESIDE = {"partial_report.json"}
"""Files of a run, not of the project."""
NAMED = re.compile(r"`((?:[\w*]+/)*[\w*]+\.(?:py|toml|ftl|md|json)|\w+(?:/\w+)*/)`")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.stem)
def test_every_file_and_folder_that_is_named_is_there(document: Path) -> None:
    folder = ""
    for name in NAMED.findall(document.read_text(encoding="utf-8")):
        homes = (ROOT, PACKAGE.parent, PACKAGE, ROOT / "docs", PACKAGE / folder, resource("sentences").parent.parent)
        assert name in BESIDE or any(list(home.glob(name.rstrip("/"))) for home in homes), name
        folder = name if name.endswith("/") else folder


def test_every_room_of_the_package_is_drawn() -> None:
    house = DOCUMENTS[0].read_text(encoding="utf-8").partition("## The house")[2].partition("## Where to look")[0]
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert rooms <= set(re.findall(r"(\w+)/", house))
