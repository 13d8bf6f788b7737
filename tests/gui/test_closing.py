"""The window ends well whenever it is closed, and by whatever the terminal sends."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from advisor.gui.main_window import MainWindow

DRIVER = Path(__file__).parent / "closing_driver.py"
ROOT = DRIVER.parents[2]


def ended(tmp_path: Path, way: str, *before: str) -> subprocess.CompletedProcess[str]:
    homes = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("CONFIG", "DATA", "CACHE", "STATE")}
    environment = {**os.environ, **homes, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "xcb" if before else "offscreen"}
    command = [*before, sys.executable, str(DRIVER), way]
    return subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal")
@pytest.mark.parametrize("way", ["close", "SIGINT", "SIGTERM", "SIGHUP"])
def test_a_window_that_ends_as_soon_as_it_is_painted_keeps_its_place_and_does_not_abort(
    tmp_path: Path, way: str
) -> None:
    told = ended(tmp_path, way)
    assert told.returncode == 0, told.stderr[-2000:]
    assert "QThread" not in told.stderr
    (kept,) = tmp_path.glob("config/**/window.ini")
    assert "geometry=" in kept.read_text(encoding="utf-8")


def test_the_process_goes_with_its_window(tmp_path: Path) -> None:
    told = ended(tmp_path, "close")
    assert (told.returncode, told.stdout) == (0, ""), told.stderr[-2000:]


def test_what_was_copied_is_handed_over_before_the_process_goes(tmp_path: Path) -> None:
    if shutil.which("xvfb-run") is None:
        pytest.skip("needs Xvfb")
    told = ended(tmp_path, "copied", "xvfb-run", "-a")
    assert (told.returncode, told.stdout) == (0, "taken apart\n"), told.stderr[-2000:]


def test_where_the_window_was_is_in_the_file_as_soon_as_it_is_closed(window: MainWindow, tmp_path: Path) -> None:
    window.close()
    assert "geometry=" in (tmp_path / "window.ini").read_text(encoding="utf-8")
