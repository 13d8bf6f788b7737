"""The program's own window, which ends in the turn in which it was first painted: before detection is begun.

`close`: it is closed as by the window manager; `copied`: the same after something was copied; else the name of a
signal that comes to the process. Prints `taken apart` where the process ends object by object.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys

from PySide6.QtGui import QGuiApplication

from advisor.gui.application import make_application, run


def _end_when_painted(way: str) -> None:
    from advisor.gui.main_window import MainWindow

    painted = MainWindow._after_first_paint

    def ended(window: MainWindow) -> None:
        painted(window)
        if way == "copied":
            QGuiApplication.clipboard().setText("copied")
        if way in {"close", "copied"}:
            window.close()
        else:
            os.kill(os.getpid(), getattr(signal, way))

    MainWindow._after_first_paint = ended  # type: ignore[assignment,method-assign]


if __name__ == "__main__":
    make_application()
    _end_when_painted(sys.argv[1])
    atexit.register(print, "taken apart")
    sys.exit(run())
