"""A child speaks in lines, ends on request or by force with all it started, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from advisor.core.child_process import ChildProcess
from tests.leftovers import leftovers, members_of, needs_proc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 20.0


@pytest.fixture
def start() -> Iterator[Callable[[str], ChildProcess]]:
    """Starts speaking children and ends them after the test."""
    started: list[ChildProcess] = []

    def begin(what: str) -> ChildProcess:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        started.append(ChildProcess("tests.core.speaking_child", what, environment=environment))
        return started[-1]

    yield begin
    for child in started:
        child.close()


def lines_of(child: ChildProcess) -> list[bytes]:
    lines = []
    while (line := child.next_line(PATIENCE_S)) is not None:
        lines.append(line.rstrip())
    return lines


def gone(pid: int) -> bool:
    end_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < end_s:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        except OSError:
            return True
        if stat.rpartition(")")[2].split()[0] == "Z":
            return True  # dead, and waiting for whoever inherited it
        time.sleep(0.02)
    return False


def test_a_line_sent_comes_back(start: Callable[[str], ChildProcess]) -> None:
    child = start("echo")
    child.send(b'{"a": 1}')
    assert child.next_line(PATIENCE_S) == b'{"a": 1}\n'


def test_a_print_of_the_child_never_reaches_the_events(start: Callable[[str], ChildProcess]) -> None:
    child = start("print")
    assert lines_of(child) == [b"the event"]
    assert child.exit_kind(saw_finish=True) == "finished"
    child.close()
    assert "a user's print" in child.log


def test_silence_ends_at_the_deadline(start: Callable[[str], ChildProcess]) -> None:
    child = start("echo")
    with pytest.raises(TimeoutError):
        child.next_line(0.05)


def test_more_lines_than_the_queue_holds_all_arrive_in_order(start: Callable[[str], ChildProcess]) -> None:
    assert lines_of(start("flood")) == [str(number).encode() for number in range(50_000)]


def test_a_line_cut_off_by_death_is_no_event(start: Callable[[str], ChildProcess]) -> None:
    child = start("half")
    assert lines_of(child) == [b"whole"]
    assert child.exit_kind(saw_finish=False) == "died"
    assert "unfinished line" in child.log


def test_an_exception_is_told_from_a_death_and_leaves_its_traceback(start: Callable[[str], ChildProcess]) -> None:
    child = start("fail")
    assert lines_of(child) == []
    assert child.exit_kind(saw_finish=False) == "failed"
    child.close()
    assert "RuntimeError: on purpose" in child.log


def test_the_end_of_the_stream_is_told_again_and_again(start: Callable[[str], ChildProcess]) -> None:
    child = start("print")
    lines_of(child)
    assert [child.next_line(PATIENCE_S) for _ in range(3)] == [None] * 3


def test_cancel_ends_a_child_that_ignores_the_request(start: Callable[[str], ChildProcess]) -> None:
    child = start("deaf")
    child.next_line(PATIENCE_S)
    child.cancel(grace_s=0.1)
    assert child.process.returncode == -signal.SIGKILL
    assert child.exit_kind(saw_finish=False) == "cancelled"


@needs_proc
def test_close_ends_the_whole_group(start: Callable[[str], ChildProcess]) -> None:
    child = start("family")
    line = child.next_line(PATIENCE_S)
    assert line is not None
    grandchild = int(line)
    assert grandchild in members_of(child.process.pid)
    child.close()
    assert gone(grandchild)


@needs_proc
def test_a_killed_child_is_told_as_dead_while_what_it_forked_holds_its_output_open(
    start: Callable[[str], ChildProcess],
) -> None:
    child = start("forked")
    line = child.next_line(PATIENCE_S)
    assert line is not None
    forked = int(line)
    os.kill(child.process.pid, signal.SIGKILL)
    assert lines_of(child) == [b"last words"]
    assert child.process.returncode == -signal.SIGKILL
    assert forked in members_of(child.process.pid)  # It did hold it open.
    child.close()
    assert gone(forked)


@needs_proc
def test_a_grandchild_is_ended_although_the_child_was_reaped(start: Callable[[str], ChildProcess]) -> None:
    child = start("family")
    line = child.next_line(PATIENCE_S)
    assert line is not None
    os.kill(child.process.pid, signal.SIGKILL)
    child.process.wait(PATIENCE_S)
    child.close()
    assert gone(int(line))


@needs_proc
def test_nothing_is_left_after_close(start: Callable[[str], ChildProcess]) -> None:
    before = leftovers()
    for what in ("echo", "flood", "fail", "stuck"):
        start(what).close()
    assert leftovers() == before


def test_closing_twice_does_no_harm(start: Callable[[str], ChildProcess]) -> None:
    child = start("echo")
    child.close()
    child.close()
    child.send(b"into the void")


def test_a_child_that_does_not_read_cannot_block_its_parent(
    start: Callable[[str], ChildProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("advisor.core.child_process._SEND_DEADLINE_S", 0.2)
    child = start("stuck")
    child.next_line(PATIENCE_S)
    child.send(b"x" * 4_000_000)
    assert child.process.poll() is None, "it gave up while the child was there and did not read"


@needs_proc
def test_a_killed_parent_takes_its_child_along() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen(
        [sys.executable, "-m", "tests.core.parent_to_kill"], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait(PATIENCE_S)
    parent.stdout.close()
    assert gone(child)


def test_a_file_of_the_user_does_not_shadow_the_standard_library(
    start: Callable[[str], ChildProcess], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('shadowed')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (answer,) = lines_of(start("shadow"))
    assert not answer.startswith(str(tmp_path).encode())
