"""Imports after the first paint, in a thread, what the first click would otherwise wait for."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from typing import get_args

from PySide6.QtCore import QObject, QTimer, Signal

from advisor.gui.context import PAGE_NAMES
from advisor.gui.threads import Crew, call_as_job

_FIRST_MS = 30
"""First what was painted is shown."""
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
    """Defining classes needs no event loop: a thread does it while the window answers."""

    plots_ready = Signal()

    def __init__(self, crew: Crew, parent: QObject) -> None:
        """Nothing is imported before `start`."""
        super().__init__(parent)
        self._crew = crew
        self._stopped = threading.Event()
        self.done = False
        """Whether everything is there."""

    def start(self) -> None:
        """Begin soon."""
        QTimer.singleShot(_FIRST_MS, self, self._begin)

    def stop(self) -> None:
        """Import nothing more."""
        self._stopped.set()

    def _begin(self) -> None:
        if not self._stopped.is_set():
            self._crew.start(call_as_job(lambda: _import(_FIRST, self._stopped)), self._go_on, owner=self)

    def _go_on(self, _outcome: object) -> None:
        if not self._stopped.is_set():
            self.plots_ready.emit()
            self._crew.start(call_as_job(lambda: _import_rest(self._stopped)), self._ended, owner=self)

    def _ended(self, _outcome: object) -> None:
        self.done = not self._stopped.is_set()


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
