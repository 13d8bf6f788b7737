"""What ends a process without a word: calls into what is gone, collected garbage, classes of Qt made in two threads."""

from __future__ import annotations

import os
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


def test_no_thread_imports_what_needs_qt_before_all_of_qts_classes_are_made() -> None:
    driver = DRIVER.with_name("qt_classes_driver.py")
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    answer = subprocess.run(
        [sys.executable, str(driver)], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr[-2000:]
    painted, imported = (int(count) for count in answer.stdout.split())
    assert painted > 100  # Made one by one as they are asked for, so the window's first paint waits for few.
    assert imported == 0
