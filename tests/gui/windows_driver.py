"""Opens and closes windows with an advice on every page, collecting garbage between; prints how many were closed."""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent

from advisor.gui.application import make_application
from advisor.gui.context import PAGE_NAMES
from advisor.gui.main_window import MainWindow
from advisor.gui.monitor_feed import MonitorFeed
from advisor.gui.session import Session
from advisor.gui.settings import Settings
from tests.gui import fakes

_TURNS = 30


def main() -> int:
    """Windows one after the other, each closed while its pages are still being filled."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--windows", type=int, default=20)
    count = parser.parse_args().windows
    application, advice = make_application(), fakes.advice()
    for number in range(count):
        folder = tempfile.mkdtemp()
        settings = Settings(Path(folder) / "window.ini")
        settings.store("data_folder", folder)
        session = Session(settings, MonitorFeed())
        session.machine = advice.machine
        window = MainWindow(session, settings)
        window.show()
        session.show_recorded(advice)
        for place, name in enumerate(PAGE_NAMES):
            window.show_page(name)
            for _ in range(_TURNS if (number + place) % 3 else 1):
                application.processEvents()
        if number % 2:
            window.commands.choose("language", "zh" if number % 4 == 1 else "en")
            application.processEvents()
        window.close()
        session.deleteLater()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        del window, session
        gc.collect()
        application.processEvents()
    sys.stdout.write(f"{count} windows closed\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
