"""What a process waits for a core is told of any process that lives, and adds to a deadline that bounds its work."""

from __future__ import annotations

import os
import time

import pytest

from advisor.core.core_waits import waited_for_core_s
from advisor.measure.worker_session import WorkerHung, WorkerSession
from advisor.protocol.messages import MeasureRequest, TraceRequest
from advisor.workload.workload_file import load_workload


def test_waits_only_grow_and_nobody_waits_in_a_process_that_is_not_there() -> None:
    first = waited_for_core_s(os.getpid())
    assert 0 <= first <= waited_for_core_s(os.getpid())
    assert waited_for_core_s(2**22 + 1) == 0.0


IRIS = load_workload("iris_mlp")
ASKED: dict[str, TraceRequest | MeasureRequest] = {
    "_TRACE_CORE_WAITS_S": TraceRequest(workload=IRIS, precisions=("fp32",)),
    "_CORE_WAITS_S": MeasureRequest(workload=IRIS, device="cpu", batch_sizes=(16,), budget_s=1.0),
}


@pytest.mark.parametrize("limit", ASKED)
@pytest.mark.parametrize(("most_s", "asked_again"), [(1e5, True), (0.5, False)])
def test_a_deadline_waits_for_a_worker_that_waits_for_a_core_but_not_without_end(
    monkeypatch: pytest.MonkeyPatch, limit: str, most_s: float, asked_again: bool
) -> None:
    told = iter([10.0, 1e6, 10.0])
    monkeypatch.setattr("advisor.measure.worker_session.waited_for_core_s", lambda _pid: next(told))
    monkeypatch.setattr(f"advisor.measure.worker_session.{limit}", most_s)
    session = WorkerSession(visible="")
    try:
        answers = session.ask(ASKED[limit], deadline_s=time.monotonic() - 1.0)
        if asked_again:
            next(answers)
        with pytest.raises(WorkerHung):
            list(answers)
    finally:
        session.close()
