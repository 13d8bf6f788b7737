"""Where nothing was measured there is nothing to keep: one interrupt ends a prediction, and what it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil  # noqa: TID251 - looks for what is left running
import pytest

NEVER_BUILT = """
import pathlib, time


def build_model():
    (pathlib.Path(__file__).parent / "begun").touch()
    time.sleep(3600)


def make_batch(batch_size):
    return None
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_interrupt_ends_a_prediction_and_its_worker(number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(NEVER_BUILT, encoding="utf-8")
    command = [sys.executable, "-m", "advisor", "--predict", str(tmp_path / "mine.py"), "--allow-code"]
    running = subprocess.Popen(
        command, env={**os.environ, "HOME": str(tmp_path)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not (tmp_path / "begun").exists():
        assert running.poll() is None
        time.sleep(0.05)
    workers = psutil.Process(running.pid).children(recursive=True)
    running.send_signal(number)
    printed, complaint = running.communicate(timeout=300)
    assert running.returncode == 4, complaint
    assert printed == ""
    assert "Traceback" not in complaint
    assert workers
    assert psutil.wait_procs(workers, timeout=300)[1] == []
