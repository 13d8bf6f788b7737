"""Files stay short enough to be read in one go, folders to be seen at one glance."""

from __future__ import annotations

from pathlib import Path

import pytest

import advisor
from advisor.core.bundled import workloads_folder

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 400
FILES_IN_A_PACKAGE = 25
FOLDERS = (Path(advisor.__file__).parent, workloads_folder(), ROOT / "tests", ROOT / "tools")
PACKAGES = sorted(path.parent for path in Path(advisor.__file__).parent.rglob("__init__.py"))
PYTHON_FILES = sorted({path for folder in FOLDERS for path in folder.rglob("*.py")})


def test_there_are_files_to_check() -> None:
    assert len(PYTHON_FILES) > 50


@pytest.mark.parametrize("path", PYTHON_FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_a_file_has_at_most_400_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LIMIT


@pytest.mark.parametrize("path", PYTHON_FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_a_file_is_not_named_after_nothing(path: Path) -> None:
    assert path.stem not in {"utils", "util", "misc", "helpers", "helper", "manager", "common"}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: "/".join(path.parts[-2:]))
def test_a_package_has_at_most_25_files(package: Path) -> None:
    assert len(list(package.glob("*.py"))) <= FILES_IN_A_PACKAGE
