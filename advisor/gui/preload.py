"""Imports after the first paint, in a thread, what the first click would otherwise wait for."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import get_args

from PySide6.QtCore import QObject, QTimer, Signal

from advisor.gui.context import PAGE_NAMES
from advisor.gui.threads import Crew, call_as_job

_FIRST_MS = 30
"""First what was painted is shown."""
_SLICE_S = 0.004
"""What each turn of the event loop may spend on Qt's classes; a single one takes up to a few ms."""
_PLOTS = {"advisor.gui.plots.live_grid": "LiveGrid", "advisor.gui.plots.step_plot": "StepPlot"}
"""What draws the live plots, by its module: the first page waits for it, and not the event loop."""
_FIRST = ("numpy", "advisor.gui.models.readings", *_PLOTS)
_THEN = (
    "fluent.runtime",
    "advisor.measure.events",
    "advisor.store.advice_record",
    "advisor.predict.accuracy_record",
    "advisor.cases.case_file",
    "advisor.workload.python_source",
    "advisor.gui.job_request",
    "advisor.gui.jobs.lines",
    *(f"advisor.gui.pages.{name}_page" for name in PAGE_NAMES),
)


def plots_imported() -> bool:
    """Whether what draws the plots can be had without waiting for an import."""
    return all(hasattr(sys.modules.get(module), name) for module, name in _PLOTS.items())


class Preload(QObject):
    """Defining classes needs no event loop: a thread does it while the window answers.

    Not so Qt's own, which PySide6 makes when each is first asked for: two threads that do so at once end the process
    with a segmentation fault. All of them are made here, in the window's thread, before the other one begins.
    """

    plots_ready = Signal()

    def __init__(self, crew: Crew, parent: QObject) -> None:
        """Nothing is imported before `start`."""
        super().__init__(parent)
        self._crew = crew
        self._stopped = threading.Event()
        self._classes: Iterator[object] = iter(())
        self.done = False
        """Whether everything is there."""

    def start(self) -> None:
        """Begin soon."""
        QTimer.singleShot(_FIRST_MS, self, self._begin)

    def _begin(self) -> None:
        self._classes = _classes_of_qt()
        self._make_classes()

    def _make_classes(self) -> None:
        """As many as a turn has time for, and the others in the next ones."""
        end_s = time.perf_counter() + _SLICE_S
        for _ in self._classes:
            if time.perf_counter() > end_s:
                QTimer.singleShot(0, self, self._make_classes)
                return
        self._import_first()

    def stop(self) -> None:
        """Import nothing more."""
        self._stopped.set()

    def _import_first(self) -> None:
        if not self._stopped.is_set():
            self._crew.start(call_as_job(lambda: _import(_FIRST, self._stopped)), self._go_on, owner=self)

    def _go_on(self, _outcome: object) -> None:
        if not self._stopped.is_set():
            self.plots_ready.emit()
            self._crew.start(call_as_job(lambda: _import_rest(self._stopped)), self._ended, owner=self)

    def _ended(self, _outcome: object) -> None:
        self.done = not self._stopped.is_set()


def _classes_of_qt() -> Iterator[object]:
    """Everything in the modules of Qt that are loaded, made as it is asked for."""
    for name, module in list(sys.modules.items()):
        if name.startswith("PySide6."):
            yield from (getattr(module, name, None) for name in dir(module))


def _import(names: Sequence[str], stopped: threading.Event) -> None:
    for name in names:
        if not stopped.is_set():
            import_module(name)


def _import_rest(stopped: threading.Event) -> None:
    _import(_THEN, stopped)
    if stopped.is_set():
        return
    from advisor.cases.case_file import bundled_cases
    from advisor.core.sentences import Language, sentence
    from advisor.gui.models.form_fields import fields_of
    from advisor.predict.accuracy_record import accuracy_record
    from advisor.workload.workload import Data, NumbersModel, TemplateModel, Training

    # Kept from then on: each takes 30 to 130 ms of a first look at a page.
    for kind in (Training, Data, TemplateModel, NumbersModel):
        fields_of(kind)
    for language in get_args(Language):
        sentence("watch-blocks", language, count=2)
    bundled_cases()
    accuracy_record()
