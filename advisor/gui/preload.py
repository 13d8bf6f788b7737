"""Imports after the first paint what the first click would otherwise wait for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from advisor.gui.context import PAGE_NAMES
from advisor.gui.threads import call_as_job

if TYPE_CHECKING:
    from advisor.gui.threads import Crew

_FIRST_MS = 700
"""First the page that is seen: it imports pyqtgraph, and the machine is looked at."""
_TICK_MS = 30
_WITHOUT_QT = (
    "fluent.runtime",
    "numpy",
    "advisor.measure.events",
    "advisor.store.advice_record",
    "advisor.workload.python_source",
    "advisor.gui.job_request",
    "advisor.gui.jobs.lines",
)
_WITH_QT = (
    "advisor.gui.plots.live_grid",
    "advisor.gui.plots.step_plot",
    *(f"advisor.gui.pages.{name}_page" for name in PAGE_NAMES),
)


class Preload(QObject):
    """What knows nothing of Qt is imported in a thread; the rest in the window's thread, a module at a time."""

    def __init__(self, crew: Crew, parent: QObject) -> None:
        """Nothing is imported before `start`."""
        super().__init__(parent)
        self._crew = crew
        self._left = list(_WITH_QT)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._next)

    def start(self) -> None:
        """Begin soon, with what knows nothing of Qt."""
        self._timer.start(_FIRST_MS)

    def stop(self) -> None:
        """Import nothing more."""
        self._left = []
        self._timer.stop()

    def _next(self) -> None:
        if self._timer.interval() == _FIRST_MS:
            self._timer.stop()
            self._timer.setInterval(_TICK_MS)
            self._crew.start(call_as_job(_import_plain), lambda _outcome: self._timer.start(), owner=self)
        elif self._left:
            import_module(self._left.pop(0))
        else:
            self._timer.stop()


def _import_plain() -> None:
    for name in _WITHOUT_QT:
        import_module(name)
    from advisor.gui.models.form_fields import fields_of
    from advisor.workload.workload import Data, Training

    # Kept from then on: what the forms offer is read from the types, which takes 30 ms.
    fields_of(Training)
    fields_of(Data)
