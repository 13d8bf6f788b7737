"""Write sbom.cdx.json, the bill of materials that travels in the wheel: what is shipped in it and installed beside it.

python tools/write_sbom.py [--check]

CycloneDX 1.6. Versions are those of constraints.txt, with which the tests pass; licences and what depends on what come
from the metadata of the packages installed here, so that this runs in the environment of the tests.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from advisor import __version__

ROOT = Path(__file__).resolve().parent.parent
BILL = ROOT / "sbom.cdx.json"
FONTS = ROOT / "resources" / "fonts"
_LONGEST_NAME = 60


def main() -> int:
    """Write the bill, or with --check tell whether it is as it should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the committed file differs")
    check = parser.parse_args().check
    made = json.dumps(bill(), indent=1, ensure_ascii=False) + "\n"
    if check:
        return 0 if BILL.is_file() and BILL.read_text(encoding="utf-8") == made else 1
    BILL.write_text(made, encoding="utf-8")
    return 0


def bill() -> dict[str, Any]:
    """The whole bill, the same for the same packages."""
    versions = tested_versions()
    needs = _closure(direct_names(), versions)
    components = [_package(name, versions[name]) for name in sorted(needs)]
    fonts = [_font(path) for path in sorted(FONTS.glob("*.otf"))]
    own = {"type": "application", "bom-ref": "advisor", "name": "advisor", "version": __version__}
    refs = {name: _ref(name, versions[name]) for name in needs}
    own_needs = sorted([*(refs[name] for name in direct_names()), *(font["bom-ref"] for font in fonts)])
    dependencies = [{"ref": "advisor", "dependsOn": own_needs}]
    dependencies += [
        {"ref": refs[name], "dependsOn": sorted(refs[one] for one in needs[name])} for name in sorted(needs)
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": own | {"licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": [*components, *fonts],
        "dependencies": dependencies,
    }


def normal(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def tested_versions() -> dict[str, str]:
    """Version by name, as constraints.txt holds them."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("#")[0].split(";")[0].strip().partition("==") for line in lines)
    return {normal(name): version.strip() for name, sign, version in pairs if sign}


def direct_names() -> list[str]:
    """What the wheel asks for, to advise, to measure and to show its window."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *extras["measure"], *extras["window"]]
    return sorted({normal(Requirement(line).name) for line in asked})


def _closure(names: list[str], versions: dict[str, str]) -> dict[str, list[str]]:
    """Each package that is needed, with what it needs itself; those without a tested version are left out."""
    found: dict[str, list[str]] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = sorted(one for one in _needs(name) if one in versions)
            waiting += found[name]
    return found


def _needs(name: str) -> set[str]:
    try:
        required = distribution(name).requires or []
    except PackageNotFoundError:
        return set()
    wanted = (Requirement(line) for line in required)
    return {normal(one.name) for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})}


def _ref(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"


def _package(name: str, version: str) -> dict[str, Any]:
    found = {"type": "library", "bom-ref": _ref(name, version), "name": name, "version": version}
    found["purl"] = _ref(name, version)
    licence = _licence(name)
    return found | ({"licenses": [{"license": {"name": licence}}]} if licence else {})


def _licence(name: str) -> str:
    """As the package's metadata say it; nothing where they say nothing."""
    try:
        told = distribution(name).metadata.json
    except PackageNotFoundError:
        return ""
    if told.get("license_expression"):
        return str(told["license_expression"])
    said = str(told.get("license", ""))
    if not said or len(said) > _LONGEST_NAME or "\n" in said:  # some put the whole text there
        classed = [line.rpartition(" :: ")[2] for line in told.get("classifier", []) if "License ::" in line]
        said = " AND ".join(sorted(classed))
    return said


def _font(path: Path) -> dict[str, Any]:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {
        "type": "file",
        "bom-ref": f"file:resources/fonts/{path.name}",
        "name": f"resources/fonts/{path.name}",
        "description": "a subset of Noto Sans CJK SC, renamed",
        "hashes": [{"alg": "SHA-256", "content": digest}],
        "licenses": [{"license": {"id": "OFL-1.1"}}],
    }


if __name__ == "__main__":
    sys.exit(main())
