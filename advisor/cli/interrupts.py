"""Ctrl-C as a wish that running work hears, so that what was measured is kept."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def cancelled_by_interrupt(*, measures: bool = True) -> Iterator[threading.Event]:
    """An event that the first Ctrl-C (SIGTERM, SIGHUP) sets; a second Ctrl-C or SIGTERM ends the program at once.

    Where nothing is measured (`measures`), nothing is to be kept, and the first one ends it.
    """
    cancelled = threading.Event()
    hang_up = getattr(signal, "SIGHUP", None)
    asking = [signal.SIGINT, signal.SIGTERM]
    if hang_up is not None and signal.getsignal(hang_up) != signal.SIG_IGN:  # under nohup it stays ignored
        asking.append(hang_up)

    def ask(number: int, _frame: object) -> None:
        if cancelled.is_set() or not measures:
            if number == hang_up and measures:  # a closing terminal sends it more than once
                return
            raise KeyboardInterrupt
        cancelled.set()
        print("\nadvisor: stopping; what was measured is kept. Again to end at once.", file=sys.stderr)

    if threading.current_thread() is not threading.main_thread():
        yield cancelled
        return
    before = {number: signal.signal(number, ask) for number in asking}
    try:
        yield cancelled
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
