"""The worker: claims stdout for events, then answers requests until there are no more."""

from __future__ import annotations

from advisor.core.child_process import claim_stdout

_EVENTS = claim_stdout()  # before any other import: whatever prints from here on prints to stderr

import gc  # noqa: E402 - stdout is claimed first
import os  # noqa: E402
import signal  # noqa: E402
import sys  # noqa: E402
from contextlib import suppress  # noqa: E402
from importlib import import_module  # noqa: E402
from typing import TYPE_CHECKING  # noqa: E402

if TYPE_CHECKING:
    from types import ModuleType

    from advisor.protocol.messages import Request
    from advisor.worker.event_box import EventBox

_WRONG_REQUEST = 2
_FAILED = 1


# What answers each kind of request: a module whose `answer(request, box)` sends each event as it is made.
_HANDLERS = {
    "TraceRequest": "advisor.worker.trace.answer",
    "ImportRequest": "advisor.worker.train.imports",
    "MicrobenchmarkRequest": "advisor.worker.train.microbenchmarks",
    "MeasureRequest": "advisor.worker.train.train_steps",
    "LoaderRequest": "advisor.worker.train.loader_passes",
    "RanksRequest": "advisor.worker.ranks.communication",
}
_BROKEN: dict[str, Exception] = {}
"""Modules that could not be imported."""


def main() -> int:
    """Answer one request of stdin, or with `--session` all of them; the exit code says how it went.

    `--traces`: what traces need is imported before the first request is there.
    """
    # The default action ends the process at once, also in the middle of a kernel; every sample was already sent.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's: it cancels us
    from advisor.protocol.messages import Answered, Finished
    from advisor.worker.event_box import EventBox

    # Not sys.stdin itself, which the data loader's workers close when they start: its lock would be held for ever.
    # Nor its descriptor, from which a model's file that asks its user would take our requests, or wait for ever.
    box = EventBox(_EVENTS, os.fdopen(os.dup(0), "rb"))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    session = "--session" in sys.argv[1:]
    if "--traces" in sys.argv[1:]:
        with suppress(Exception):  # the request that needs it tells
            _import(_HANDLERS["TraceRequest"])
    while (request := _next_request(box)) is not None:
        code = _answer(request, box)
        if not session:
            if code == 0:
                box.send(Finished())
            return code
        box.send(Answered(request=type(request).__name__))
    box.send(Finished())
    return 0


def _next_request(box: EventBox) -> Request | None:
    import msgspec

    from advisor.protocol.messages import Failed

    try:
        return box.next_request()
    except msgspec.MsgspecError as error:
        box.send(Failed(exception=type(error).__name__, text=f"The worker got no request: {error}", traceback=""))
        _leave(_WRONG_REQUEST)
        return None


def _answer(request: Request, box: EventBox) -> int:
    from advisor.worker.failures import describe

    try:
        _import(_HANDLERS[type(request).__name__]).answer(request, box)
    except BrokenPipeError:
        _leave(_FAILED)
    except BaseException as error:  # noqa: BLE001 - whatever a model raises becomes a named event: no signal interrupts us
        box.send(describe(error, request))
        return _FAILED
    return 0


def _import(name: str) -> ModuleType:
    """A module and all that it imports.

    What failed once fails alike: half of torch, imported anew, says something else. Nothing is collected meanwhile:
    what torch brings is there to stay, and to go through it again and again while it comes takes a fifth of the time.
    """
    if name in _BROKEN:
        raise _BROKEN[name]
    gc.disable()
    try:
        return import_module(name)
    except Exception as error:
        _BROKEN[name] = error
        raise
    finally:
        gc.enable()


def _leave(code: int) -> None:
    """End without running the interpreter's shutdown, which may wait for threads of a broken library."""
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _exit_code = main()
    _leave(_exit_code)
