"""A window up to the moment at which the first thread imports what needs Qt; prints how many classes were to make.

Two numbers: of Qt's classes that were not made yet when the window was painted, and of those left at that moment.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from advisor.gui.application import make_application
from advisor.gui.main_window import MainWindow
from advisor.gui.monitor_feed import MonitorFeed
from advisor.gui.preload import Preload
from advisor.gui.session import Session
from advisor.gui.settings import Settings


def _to_make() -> int:
    """PySide6 names a class by `dir` before it is in the module's own dictionary."""
    modules = [module for name, module in sys.modules.items() if name.startswith("PySide6.")]
    return sum(name not in vars(module) for module in modules for name in dir(module))


def main() -> int:
    """Show a window and watch."""
    application = make_application()
    settings = Settings(Path(tempfile.mkdtemp()) / "window.ini")
    session = Session(settings, MonitorFeed())
    window = MainWindow(session, settings)
    counts: list[int] = []
    import_first = Preload._import_first

    def watched(preload: Preload) -> None:
        counts.append(_to_make())
        import_first(preload)

    Preload._import_first = watched  # type: ignore[assignment,method-assign]
    window.first_painted.connect(lambda: counts.append(_to_make()))
    window.show()
    while len(counts) < 2:
        application.processEvents()
    sys.stdout.write(f"{counts[0]} {counts[1]}\n")
    window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
