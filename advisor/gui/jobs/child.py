"""The process that computes for the window: one ask from stdin, its events and result to stdout."""

from __future__ import annotations

from advisor.core.child_process import claim_stdout

_OUT = claim_stdout()  # before any other import: whatever prints from here on prints to stderr

import signal  # noqa: E402 - stdout is claimed first
import sys  # noqa: E402
import threading  # noqa: E402
import traceback  # noqa: E402
from typing import TYPE_CHECKING  # noqa: E402

import msgspec  # noqa: E402

from advisor.core.drive import drive  # noqa: E402
from advisor.core.errors import UserFacingError  # noqa: E402
from advisor.core.sentences import SaidError  # noqa: E402
from advisor.gui.jobs.asks import Ask, Broken, Refused  # noqa: E402
from advisor.gui.jobs.lines import line_of, result_lines  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable


def main() -> int:
    """Answer one ask; the exit code is 0 unless there was none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the window's: it cancels us
    line = sys.stdin.buffer.readline()
    if not line:
        return 2
    cancelled = threading.Event()
    threading.Thread(target=_listen, args=(cancelled,), daemon=True).start()
    _send(_answer_lines(msgspec.json.decode(line, type=Ask), cancelled))
    return 0


def _listen(cancelled: threading.Event) -> None:
    """Anything that is said further, and the end of it, asks the work to end."""
    sys.stdin.buffer.readline()
    cancelled.set()


def _answer_lines(ask: Ask, cancelled: threading.Event) -> Iterable[bytes]:
    from advisor.gui.jobs.answers import answer

    try:
        result = drive(answer(ask, cancelled), lambda event: _send((line_of(type(event).__name__, event),)))
        return result_lines(result)
    except UserFacingError as error:
        refused = Refused(text=error.text, remedy=error.remedy)
        if isinstance(error, SaidError):
            refused = msgspec.structs.replace(refused, reasons=error.reasons, remedy_reason=error.remedy_reason)
        return (line_of("Refused", refused),)
    except Exception as error:  # noqa: BLE001 - the window stays alive and shows it
        broken = Broken(text=f"{type(error).__name__}: {error}", traceback=traceback.format_exc())
        return (line_of("Broken", broken),)


def _send(lines: Iterable[bytes]) -> None:
    for line in lines:
        view = memoryview(line)
        while view:
            view = view[_OUT.write(view) :]


if __name__ == "__main__":
    sys.exit(main())
