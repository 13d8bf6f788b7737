"""Whatever becomes of stdout and stderr, files and history are written, no traceback is shown and the code is right."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from advisor.store import json_file
from advisor.store.history import History

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shells of Unix")
PREDICT = f"{sys.executable} -m advisor --predict iris_mlp --json out.json"


def _shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    settings = {"HOME": str(folder), "XDG_DATA_HOME": str(folder / "data"), "LANG": "C.UTF-8"}
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env={**os.environ, **settings},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def _kept(folder: Path) -> int:
    with History(folder / "data" / "advisor") as history:
        return len(history.runs())


@pytest.mark.parametrize(
    ("streams", "code"),
    [
        ("2>&1 | head -1", 0),
        ("| head -1", 0),
        ("| true", 0),
        (">&-", 0),
        ("2>&-", 0),
        ("<&- >&- 2>&-", 0),
        ("> /dev/full", 5),
        ("2> /dev/full", 0),
        ("> /dev/full 2>&1", 5),
    ],
)
def test_files_and_history_are_written_whatever_becomes_of_the_streams(tmp_path: Path, streams: str, code: int) -> None:
    ended = _shell(f"{PREDICT} {streams}", tmp_path)
    assert ended.returncode == code, ended.stdout + ended.stderr
    assert "Traceback" not in ended.stdout + ended.stderr
    assert "Exception ignored" not in ended.stderr
    assert json_file.read(tmp_path / "out.json").predictions
    assert _kept(tmp_path) == 1


@pytest.mark.parametrize("command", ["--list | head -1", "--help | true", "--detect > /dev/full", "--list >&-"])
def test_no_command_ends_in_a_traceback(tmp_path: Path, command: str) -> None:
    ended = _shell(f"{sys.executable} -m advisor {command}", tmp_path)
    assert "Traceback" not in ended.stderr
    assert "Exception ignored" not in ended.stderr
    assert ended.returncode in (0, 5)


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_help_that_cannot_be_printed_is_no_success(tmp_path: Path, flag: str) -> None:
    ended = _shell(f"{sys.executable} -m advisor {flag} > /dev/full", tmp_path)
    assert (ended.returncode, ended.stderr.count("could not be printed")) == (5, 1)


def test_a_file_that_stdout_does_not_take_is_told_by_that_name(tmp_path: Path) -> None:
    ended = _shell(f"{sys.executable} -m advisor --predict iris_mlp --json - > /dev/full", tmp_path)
    assert ended.returncode == 5
    assert "advisor: stdout: cannot be written: No space left on device." in ended.stderr


def test_a_closing_terminal_keeps_what_was_measured(tmp_path: Path) -> None:
    saved = tmp_path / "advice.json"
    command = [sys.executable, "-m", "advisor", "--measure", "rnn_characters", "--budget", "60", "--json", str(saved)]
    settings = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"), "LANG": "C.UTF-8"}
    running = subprocess.Popen(
        command,
        env={**os.environ, **settings},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # Where the tests themselves run under nohup, a child would inherit that hang-ups are ignored.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # noqa: PLW1509 - no threads here
    )
    assert running.stderr is not None
    for line in running.stderr:
        if line.lstrip().startswith(("1", "2", "3", "4", "5")):  # some per cent are done
            break
    running.send_signal(signal.SIGHUP)
    time.sleep(0.1)
    running.send_signal(signal.SIGHUP)
    running.stderr.close()
    assert running.wait(timeout=600) == 4
    codes = {caveat.code for caveat in json_file.read(saved).caveats}
    assert codes & {"advice-interrupted", "advice-interrupted-early"}
    assert _kept(tmp_path) == 1
