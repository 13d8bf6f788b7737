"""Progress on stderr: a bar on a terminal, plain lines elsewhere; stdout carries only the result."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

from advisor.core.sentences import Language, message_exists, sentence, visible
from advisor.measure.events import RunProgress

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as Bar
    from rich.progress import TaskID

_PLAIN_INTERVAL_S = 5.0


class ProgressPrinter:
    """Shows the events of a run to a person who waits; a context manager, so that the bar is always ended."""

    def __init__(self, language: Language, *, quiet: bool) -> None:
        """Choose the bar on a terminal, lines elsewhere, nothing when `quiet`."""
        self._language = language
        self._quiet = quiet
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._last_phase = self._last_line = ""
        self._last_line_s = 0.0

    def __enter__(self) -> Self:
        """Start the bar where there is a terminal to draw it on."""
        if not self._quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("", total=1.0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the bar, also when the run was interrupted."""
        if self._bar is not None:
            self._bar.stop()

    def show(self, event: object) -> None:
        """Show one event; only progress is shown, samples and readings are for the record."""
        if self._quiet or not isinstance(event, RunProgress):
            return
        text = self._text(event)
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=event.fraction, description=text)
            return
        now_s, line = time.monotonic(), f"{100 * event.fraction:3.0f} %  {text}"
        due = event.phase != self._last_phase or now_s - self._last_line_s > _PLAIN_INTERVAL_S
        if due and line != self._last_line:
            self._last_phase, self._last_line, self._last_line_s = event.phase, line, now_s
            print(line, file=sys.stderr, flush=True)

    def _text(self, event: RunProgress) -> str:
        """The phase and the batch size it is at; the names of kernels are for logs."""
        has_message = message_exists(event.phase, self._language)
        phase = sentence(event.phase, self._language) if has_message else visible(event.phase)
        batch = sentence("advice-batch-row", self._language, batch=event.detail) if event.detail.isdigit() else ""
        return " · ".join(part for part in (phase, batch) if part)
