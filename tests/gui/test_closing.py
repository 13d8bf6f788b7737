"""The window ends well whenever it is closed, and by whatever the terminal sends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

DRIVER = Path(__file__).parent / "closing_driver.py"
ROOT = DRIVER.parents[2]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal")
@pytest.mark.parametrize("way", ["close", "SIGINT", "SIGTERM", "SIGHUP"])
def test_a_window_that_ends_as_soon_as_it_is_painted_keeps_its_place_and_does_not_abort(
    tmp_path: Path, way: str
) -> None:
    homes = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("CONFIG", "DATA", "CACHE", "STATE")}
    environment = {**os.environ, **homes, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, str(DRIVER), way]
    ended = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert "QThread" not in ended.stderr
    (kept,) = tmp_path.glob("config/**/window.ini")
    assert "geometry=" in kept.read_text(encoding="utf-8")
