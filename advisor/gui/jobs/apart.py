"""Runs an ask in a process of its own and relays what it tells: the window's process computes nothing."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

import msgspec

from advisor.core.errors import UserFacingError
from advisor.core.sentences import Reason, SaidError

if TYPE_CHECKING:
    import threading

    from advisor.core.child_process import ChildProcess
    from advisor.gui.jobs.asks import Ask
    from advisor.gui.threads import Job

_MODULE = "advisor.gui.jobs.child"
_SLICE_S = 0.1
_GRACE_S = 0.3


class BrokenChildError(RuntimeError):
    """The computing process met a fault of ours; its own traceback is in `detail`."""

    def __init__(self, text: str, detail: str) -> None:
        """`detail`: traceback or log of the child."""
        super().__init__(text)
        self.detail = detail


def apart(make_ask: Callable[[], Ask]) -> Job:
    """A job that does the ask in a child; `make_ask` is called in the job's thread."""

    def job(cancelled: threading.Event) -> Generator[object, None, object]:
        from advisor.core.child_process import ChildProcess

        line = msgspec.json.encode(make_ask())
        child = ChildProcess(_MODULE)
        try:
            child.send(line)
            return (yield from _relay(child, cancelled))
        finally:
            child.close()

    return job


def _relay(child: ChildProcess, cancelled: threading.Event) -> Generator[object, None, object]:
    from advisor.gui.jobs.lines import RESULT_NAMES, Pieces, read_line

    pieces, asked = Pieces(), False
    while True:
        if cancelled.is_set() and getattr(cancelled, "at_once", False):
            child.cancel(_GRACE_S)
            return None
        if cancelled.is_set() and not asked:
            child.send(b"cancel")
            asked = True
        try:
            line = child.next_line(_SLICE_S)
        except TimeoutError:
            continue
        if line is None:
            raise _ended(child)
        name, value = read_line(line)
        _raise_trouble(value)
        if name in RESULT_NAMES:
            return pieces.whole(value)
        if not pieces.take(name, value):
            yield value


def _raise_trouble(value: object) -> None:
    from advisor.gui.jobs.asks import Broken, Refused

    if isinstance(value, Refused) and value.reasons:
        raise SaidError(value.reasons, value.remedy_reason)
    if isinstance(value, Refused):
        raise UserFacingError(value.text, value.remedy)
    if isinstance(value, Broken):
        raise BrokenChildError(value.text, value.traceback)


def _ended(child: ChildProcess) -> Exception:
    """Why a child closed its output without a result: killed, out of memory, or broken."""
    kind = child.exit_kind(saw_finish=False)
    if child.too_large:
        code = "job-child-too-large"
    elif kind == "died":
        code = "job-child-killed"
    else:
        return BrokenChildError("The computing process ended without an answer.", child.log)
    return SaidError((Reason.of(code),), Reason.of("job-child-remedy"))
