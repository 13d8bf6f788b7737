"""Renders every page from a recorded advice: `python -m advisor.gui.screenshots DIR`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from advisor.core.errors import UserFacingError
from advisor.gui.context import PAGE_NAMES
from advisor.gui.main_window import MainWindow
from advisor.gui.pages.page import Page

if TYPE_CHECKING:
    from advisor.store.advice_record import AdviceRecord

_SETTLE_ROUNDS = 8
_BUSY_LIMIT_S = 300.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Write one PNG a page; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m advisor.gui.screenshots", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--language", choices=("en", "zh"), default="en")
    parser.add_argument("--size", default="1280x800", metavar="WxH")
    parser.add_argument("--advice", type=Path, required=True, metavar="FILE.json")
    parser.add_argument("--whole", action="store_true", help="as high as the content, not as high as the window")
    chosen = parser.parse_args(arguments)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from advisor.store import json_file

    try:
        width, height = (int(part) for part in chosen.size.split("x"))
        advice = json_file.read(chosen.advice)
    except UserFacingError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    except ValueError:
        sys.stderr.write(f"--size: {chosen.size!r} is not WIDTHxHEIGHT, such as 1280x800.\n")
        return 2
    chosen.folder.mkdir(parents=True, exist_ok=True)
    for path in render(
        advice, chosen.folder, dark=chosen.dark, language=chosen.language, size=(width, height), whole=chosen.whole
    ):
        sys.stdout.write(f"{path}\n")
    return 0


def render(  # noqa: PLR0913 - the flags of the command
    advice: AdviceRecord, folder: Path, *, dark: bool, language: str, size: tuple[int, int], whole: bool = False
) -> list[Path]:
    """Render all pages at a size in pixels; returns the files written."""
    from advisor.gui.application import make_application

    application = make_application()
    with tempfile.TemporaryDirectory() as private:
        window = _window(advice, Path(private), dark=dark, language=language)
        window.resize(*size)
        window.show()
        written = []
        for name in PAGE_NAMES:
            window.show_page(name)
            page = window.page(name)
            _settle(application)
            _wait_while_busy(application, page)
            if whole:
                room = page.scroll_area.viewport()
                extra = page.body.totalHeightForWidth(room.width()) - room.height()
                window.resize(size[0], size[1] + max(extra, 0))
                _settle(application)
            path = folder / f"{name}_{language}_{'dark' if dark else 'light'}_{size[0]}x{size[1]}.png"
            window.grab().save(str(path))
            written.append(path)
            window.resize(*size)
        window.close()
        window.deleteLater()
        _settle(application)
    return written


def _window(advice: AdviceRecord, private: Path, *, dark: bool, language: str) -> MainWindow:
    from advisor.gui.history_access import keep
    from advisor.gui.main_window import MainWindow
    from advisor.gui.monitor_feed import MonitorFeed
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings

    settings = Settings(private / "window.ini")
    settings.store("language", language)
    settings.store("scheme", "dark" if dark else "light")
    settings.store("data_folder", str(private))
    session = Session(settings, MonitorFeed())
    session.machine = advice.machine
    session.show_recorded(advice)
    keep(private, advice)
    return MainWindow(session, settings)


def _wait_while_busy(application: QApplication, page: Page) -> None:
    """Pages that compute in a thread are rendered with their results."""
    deadline_s = time.monotonic() + _BUSY_LIMIT_S
    for _ in range(2):
        while (page.coming or page.filling or getattr(page, "busy", False)) and time.monotonic() < deadline_s:
            application.processEvents()
            time.sleep(0.005)
        _settle(application)


def _settle(application: QApplication) -> None:
    for _ in range(_SETTLE_ROUNDS):
        application.processEvents()
        application.sendPostedEvents()


if __name__ == "__main__":
    sys.exit(main())
