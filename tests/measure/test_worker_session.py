"""One worker's life: let go, refused, killed, too large, too late or cancelled, and what is then said of it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from advisor.hardware.detect import detect_machine
from advisor.measure.device_workers import DeviceWorkers
from advisor.measure.plan import make_plan
from advisor.measure.worker_session import Cancelled, WorkerHung, WorkerSession, failure_of, scrubbed_environment
from advisor.protocol.messages import Failed, ImportRequest, WorkerEvent
from tests.leftovers import needs_proc
from tests.measure.test_plan import WORKLOAD

PATIENCE_S = 60.0
REFUSED = 2
"""Exit code of a worker that was sent no request it knows."""


@pytest.fixture
def sessions() -> Iterator[list[WorkerSession]]:
    opened: list[WorkerSession] = []
    yield opened
    for session in opened:
        session.close()


def started(sessions: list[WorkerSession], **settings: Any) -> WorkerSession:
    sessions.append(WorkerSession(visible="", **settings))
    return sessions[-1]


def events_of(session: WorkerSession, patience_s: float = PATIENCE_S) -> list[WorkerEvent]:
    answers = session.answers(deadline_s=time.monotonic() + patience_s)
    return [event for event in answers if event is not None]


def test_a_worker_that_is_let_go_finishes_by_itself(
    sessions: list[WorkerSession], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("advisor.measure.worker_session._END_S", PATIENCE_S)
    session = started(sessions)
    assert session.alive
    session.end()
    assert session.exit_code == 0
    assert not session.alive


def test_a_worker_that_knows_no_such_request_says_so_and_is_gone(sessions: list[WorkerSession]) -> None:
    session = started(sessions)
    session._child.send(b'{"type": "no_request"}')
    (event,) = events_of(session)
    assert isinstance(event, Failed)
    assert "no_request" in event.text
    assert not session.alive
    assert failure_of(None, session) == ("died", {"code": REFUSED})


@needs_proc
def test_a_worker_that_something_killed_is_told_from_one_that_died(sessions: list[WorkerSession]) -> None:
    session = started(sessions)
    os.kill(session.pid, signal.SIGKILL)
    assert events_of(session) == []
    assert failure_of(None, session) == ("killed", {})


@needs_proc
def test_a_worker_over_its_memory_is_ended_and_said_to_be_too_large(sessions: list[WorkerSession]) -> None:
    session = started(sessions, memory_limit_bytes=1)
    assert events_of(session) == []
    assert failure_of(None, session) == ("too-large", {})
    assert not session.alive


@needs_proc
def test_a_worker_for_the_processor_is_ended_before_the_machine_s_memory_is_gone(sessions: list[WorkerSession]) -> None:
    plan = make_plan(WORKLOAD, detect_machine(), budget_s=30)
    workers = DeviceWorkers(plan.devices[0], threading.Event())
    sessions.append(workers.for_request(ImportRequest(workload=WORKLOAD)))
    limit = sessions[-1]._child._memory_limit_bytes
    assert limit is not None
    assert limit == pytest.approx(0.9 * detect_machine().memory.available_bytes, rel=0.1)


def test_a_worker_that_does_not_answer_by_its_deadline_is_ended(sessions: list[WorkerSession]) -> None:
    session = started(sessions)
    with pytest.raises(WorkerHung) as raised:
        events_of(session, 0.0)
    assert failure_of(raised.value, session) == ("hung", {})
    assert not session.alive


def test_cancelling_ends_the_worker_at_once(sessions: list[WorkerSession]) -> None:
    cancelled = threading.Event()
    session = started(sessions, cancelled=cancelled)
    answers = session.answers(deadline_s=time.monotonic() + PATIENCE_S)
    assert next(answers) is None
    cancelled.set()
    with pytest.raises(Cancelled):
        list(answers)
    assert not session.alive
    assert session.exit_code != 0


@pytest.mark.parametrize(("visible", "seen"), [(None, "7"), ("", ""), ("GPU-a", "GPU-a")])
def test_a_worker_sees_the_chosen_card_alone(visible: str | None, seen: str) -> None:
    assert scrubbed_environment({"CUDA_VISIBLE_DEVICES": "7"}, visible=visible)["CUDA_VISIBLE_DEVICES"] == seen


def test_a_worker_never_asks_the_hub() -> None:
    environment = scrubbed_environment({"HF_HUB_OFFLINE": "0"}, visible="")
    assert environment["HF_HUB_OFFLINE"] == environment["TRANSFORMERS_OFFLINE"] == "1"
    assert environment["HF_HUB_DISABLE_TELEMETRY"] == "1"
