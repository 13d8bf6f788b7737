"""The training log that the window was given last, and what it tells: where the time of its run goes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from advisor.gui.jobs.apart import apart
from advisor.gui.threads import Crew, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.gui.jobs.asks import LogAsk

SUFFIXES = (".log", ".txt", ".out", ".err", ".csv", ".jsonl")
"""What logs of training loops, batch systems and trackers are saved as."""


class ToldLog(QObject):
    """One log at a time: a newer one takes the place of one that is still read."""

    changed = Signal()

    def __init__(self, crew: Crew, parent: QObject | None = None) -> None:
        """None was given yet; `crew` has it read in a process of its own."""
        super().__init__(parent)
        self._crew = crew
        self._given_count = 0
        self.name = ""
        """Its file; empty for one from the clipboard."""
        self.reading = False
        self.outcome: Outcome | None = None
        """What it tells, or why nothing; None before it was read."""

    def read(self, path: Path) -> None:
        """Explain a file."""

        def text() -> str:
            from advisor.logs.log_lines import log_text

            return log_text(path)

        self._explain(path.name, text)

    def take(self, text: str) -> None:
        """Explain what was copied elsewhere."""
        told = text.encode("utf-8", "replace").decode()  # half of a pair of surrogates is no text
        self._explain("", lambda: told)

    def _explain(self, name: str, text: Callable[[], str]) -> None:
        def make_ask() -> LogAsk:
            from advisor.gui.jobs.asks import LogAsk

            return LogAsk(text=text())

        self._given_count += 1
        given = self._given_count
        self.name, self.reading, self.outcome = name, True, None
        self.changed.emit()

        def explained(outcome: Outcome) -> None:
            if given == self._given_count:
                self.reading, self.outcome = False, outcome
                self.changed.emit()

        self._crew.start(apart(make_ask), explained)
