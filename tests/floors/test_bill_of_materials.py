"""The wheel carries a bill of materials that names what is shipped in it and what is installed beside it."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import distribution
from typing import Any

import pytest

from advisor import __version__
from advisor.core.bundled import resource
from tools import write_sbom


@pytest.fixture(scope="module")
def bill() -> dict[str, Any]:
    """The bill as it travels in the wheel, or in a checkout the file that the wheel is built with."""
    files = [path for path in distribution("training-advisor").files or [] if path.name == write_sbom.BILL.name]
    text = files[0].read_text() if files else write_sbom.BILL.read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def test_it_names_every_direct_dependency_at_its_tested_version(bill: dict[str, Any]) -> None:
    versions = write_sbom.tested_versions()
    told = {one["name"]: one["version"] for one in bill["components"] if one["type"] == "library"}
    assert {name: versions[name] for name in write_sbom.direct_names()}.items() <= told.items()
    assert all(versions[name] == version for name, version in told.items()), "run tools/write_sbom.py"
    assert bill["metadata"]["component"]["version"] == __version__


def test_each_shipped_font_has_its_digest_and_licence(bill: dict[str, Any]) -> None:
    told = {one["name"]: one for one in bill["components"] if one["type"] == "file"}
    fonts = sorted(resource("fonts").glob("*.otf"))
    assert sorted(told) == [f"resources/fonts/{path.name}" for path in fonts]
    for path in fonts:
        (digest,) = told[f"resources/fonts/{path.name}"]["hashes"]
        assert digest["content"] == hashlib.sha256(path.read_bytes()).hexdigest()


def test_what_depends_on_what_names_components_alone_and_each_has_a_licence(bill: dict[str, Any]) -> None:
    known = {one["bom-ref"] for one in bill["components"]} | {"advisor"}
    assert {one["ref"] for one in bill["dependencies"]} <= known
    assert {need for one in bill["dependencies"] for need in one["dependsOn"]} <= known
    assert [one["name"] for one in bill["components"] if not one.get("licenses")] == []
