"""The window from start to close with the real worker, offscreen and on an X server."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("whole_run.py")


def run(folder: Path, platform: str, *before: str) -> str:
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": platform,
        "OMP_NUM_THREADS": "1",
        "PYTHONFAULTHANDLER": "1",  # A crash names its place.
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [*before, sys.executable, str(SCRIPT), str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.nightly
def test_a_whole_run_goes_through_offscreen(tmp_path: Path) -> None:
    told = run(tmp_path, "offscreen")
    assert told.endswith("closed\n")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


def test_a_whole_run_goes_through_on_an_x_server(tmp_path: Path) -> None:
    if shutil.which("xvfb-run") is None:
        pytest.skip("needs Xvfb")
    told = run(tmp_path, "xcb", "xvfb-run", "-a", "-s", "-screen 0 1400x900x24")
    assert told.endswith("closed\n")
