"""The program's own window, as a person starts it; tells where things stand, so that a real pointer can go there.

Started by `pointer.py` on an X server of its own. Prints a line of JSON whenever something changed: page, model,
whether a job runs, and the middle of each place that can be pointed at, in pixels of the screen. It presses nothing.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from advisor.gui.application import main, make_application
from advisor.gui.main_window import MainWindow
from advisor.gui.strip.job_strip import JobStrip

_LOOK_MS = 100


def _middle(widget: QWidget) -> list[int]:
    place = widget.mapToGlobal(QPoint(widget.width() // 2, widget.height() // 2))
    return [place.x(), place.y()]


def _state(window: MainWindow) -> dict[str, Any]:
    session, places = window.session, {}
    for name, button in window.navigation._buttons.items():
        places[f"page {name}"] = _middle(button)
    start = getattr(window.page("machine"), "start", None) if window.current == "machine" else None
    if start is not None:
        places["model"], places["measure"] = _middle(start.model), _middle(start.button)
        view = start.model.view()
        for row in range(start.model.count()) if view.isVisible() else ():
            box = view.visualRect(view.model().index(row, 0))
            if view.viewport().rect().contains(box.center()):
                at = view.viewport().mapToGlobal(box.center())
                places[f"choose {start.model.itemText(row)}"] = [at.x(), at.y()]
    for strip in window.findChildren(JobStrip):
        if strip.isVisible():
            places["strip"] = _middle(strip)
    return {
        "page": window.current,
        "model": session.described.reference,
        "ready": session.machine is not None and session.described.workload is not None and window.preload.done,
        "busy": session.runner.busy,
        "samples": sum(len(one.times_s) for one in session.runner.job.series.values())
        if session.runner.job is not None
        else 0,
        "troubled": session.runner.end == "failed",
        "advice": session.advice is not None,
        "filling": window.page(window.current).filling,
        "places": places,
    }


def _watch() -> None:
    told: list[str] = [""]

    def look() -> None:
        window = next((one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow)), None)
        if window is None or not window.isVisible():
            return
        line = json.dumps(_state(window))
        if line != told[0]:
            told[0] = line
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    timer = QTimer(QApplication.instance())
    timer.setInterval(_LOOK_MS)
    timer.timeout.connect(look)
    timer.start()


if __name__ == "__main__":
    make_application()
    _watch()
    sys.exit(main())
