"""What a process waits for a core is told of any process that lives, and adds to a deadline that bounds its work."""

from __future__ import annotations

import os
import threading
import time

import msgspec
import pytest

from advisor.core.core_waits import waited_for_core_s
from advisor.measure.worker_session import WorkerHung, WorkerSession
from advisor.protocol.messages import Failed, TraceRequest
from advisor.workload.workload_file import load_workload


def test_waits_only_grow_and_nobody_waits_in_a_process_that_is_not_there() -> None:
    first = waited_for_core_s(os.getpid())
    assert 0 <= first <= waited_for_core_s(os.getpid())
    assert waited_for_core_s(2**22 + 1) == 0.0


IRIS = load_workload("iris_mlp")
ASKED = TraceRequest(workload=IRIS, precisions=("fp32",))


@pytest.mark.parametrize(("most_s", "asked_again"), [(1e5, True), (0.5, False)])
def test_a_deadline_waits_for_a_worker_that_waits_for_a_core_but_not_without_end(
    monkeypatch: pytest.MonkeyPatch, most_s: float, asked_again: bool
) -> None:
    told = iter([10.0, 1e6, 10.0])
    monkeypatch.setattr("advisor.measure.worker_session.waited_for_core_s", lambda _pid: next(told))
    monkeypatch.setattr("advisor.measure.worker_session._CORE_WAITS_S", most_s)
    session = WorkerSession(visible="")
    try:
        answers = session.ask(ASKED, deadline_s=time.monotonic() - 1.0)
        if asked_again:
            next(answers)
        with pytest.raises(WorkerHung):
            list(answers)
    finally:
        session.close()


@pytest.mark.parametrize(("spoke_s", "hears_more"), [(1e5, True), (-1e5, False)])
def test_a_worker_that_speaks_does_not_hang_and_one_that_falls_silent_does(
    monkeypatch: pytest.MonkeyPatch, spoke_s: float, hears_more: bool
) -> None:
    late = threading.Event()
    monkeypatch.setattr("advisor.measure.worker_session._SPOKE_S", spoke_s)
    monkeypatch.setattr("advisor.measure.worker_session.waited_for_core_s", lambda _pid: 0.0)
    session = WorkerSession(visible="")
    said = iter([msgspec.json.encode(Failed(exception="ValueError", text="once", traceback=""))])

    def next_line(_timeout_s: float) -> bytes:
        line = next(said, None)
        if line is None:
            raise TimeoutError
        return line

    clock = time.monotonic
    monkeypatch.setattr(
        "advisor.measure.worker_session.time.monotonic", lambda: clock() + (1e3 if late.is_set() else 0)
    )
    monkeypatch.setattr(session._child, "next_line", next_line)
    try:
        answers = session.answers(deadline_s=clock() + 500.0)
        assert isinstance(next(answers), Failed)
        late.set()
        if hears_more:
            assert next(answers) is None
        else:
            with pytest.raises(WorkerHung):
                list(answers)
    finally:
        session.close()
