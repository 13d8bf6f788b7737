"""A model file looks for what it imports in its own folder and in the one that holds its package."""

from __future__ import annotations

from pathlib import Path

from advisor.workload.python_home import Home, folder_that_has, home_of


def written(file: Path, text: str = "") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def test_a_file_by_itself_looks_in_its_own_folder_alone(tmp_path: Path) -> None:
    assert home_of(tmp_path / "net.py", b"import layers") == Home("", (tmp_path,))


def test_dots_lead_to_the_package_with_or_without_a_file_that_makes_it_one(tmp_path: Path) -> None:
    file = written(tmp_path / "models" / "vision" / "net.py")
    vision = file.parent
    assert home_of(file, b"from .layers import Block") == Home("vision", (vision, tmp_path / "models"))
    assert home_of(file, b"def f():\n    from ..layers import Block") == Home("models.vision", (vision, tmp_path))
    written(vision / "__init__.py")
    written(tmp_path / "models" / "__init__.py")
    home = home_of(file, b"from .layers import Block")
    assert home == Home("models.vision", (vision, tmp_path))
    assert home.name_of("net") == "models.vision.net"


def test_a_file_of_a_package_that_imports_by_whole_names_runs_by_itself(tmp_path: Path) -> None:
    file = written(tmp_path / "models" / "net.py")
    written(file.parent / "__init__.py")
    home = home_of(file, b"from models.layers import Block")
    assert home == Home("", (file.parent, tmp_path))
    assert home.name_of("net") == "net"


def test_a_folder_whose_name_no_import_can_say_is_no_package(tmp_path: Path) -> None:
    file = written(tmp_path / "my-models" / "net.py")
    assert home_of(file, b"from .layers import Block") == Home("", (file.parent,))
    assert home_of(file, b"from . import (") == Home("", (file.parent,))


def test_what_lies_in_a_folder_above_is_found_there(tmp_path: Path) -> None:
    file = written(tmp_path / "repository" / "models" / "net.py")
    written(tmp_path / "repository" / "ops" / "norms.py")
    written(tmp_path / "repository" / "common_blocks.py")
    assert folder_that_has("ops.norms", file) == tmp_path / "repository"
    assert folder_that_has("common_blocks", file) == tmp_path / "repository"
    assert folder_that_has("not_there_at_all", file) is None
