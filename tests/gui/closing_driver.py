"""The program's own window, which ends in the turn in which it was first painted: before detection is begun.

`close`: it is closed as by the window manager; else the name of a signal that comes to the process.
"""

from __future__ import annotations

import os
import signal
import sys

from advisor.gui.application import main, make_application


def _end_when_painted(way: str) -> None:
    from advisor.gui.main_window import MainWindow

    painted = MainWindow._after_first_paint

    def ended(window: MainWindow) -> None:
        painted(window)
        if way == "close":
            window.close()
        else:
            os.kill(os.getpid(), getattr(signal, way))

    MainWindow._after_first_paint = ended  # type: ignore[assignment,method-assign]


if __name__ == "__main__":
    make_application()
    _end_when_painted(sys.argv[1])
    sys.exit(main())
