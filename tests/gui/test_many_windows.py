"""Windows come and go in one process: nothing calls into what is gone, and collecting garbage does not crash."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DRIVER = Path(__file__).parent / "windows_driver.py"
ROOT = DRIVER.parents[2]


@pytest.mark.nightly
def test_windows_that_are_closed_while_they_fill_leave_the_process_alive() -> None:
    count = 40
    command = [sys.executable, "-X", "faulthandler", str(DRIVER), "--windows", str(count)]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr[-2000:]
    assert answer.stdout.endswith(f"{count} windows closed\n")
    assert "already deleted" not in answer.stderr
    assert "Traceback" not in answer.stderr
