"""Drives the window through a whole run with the real worker; a test starts it on each Qt platform.

Prints one line a step; any Qt warning is printed as `QT: …` and ends it with code 1.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

if TYPE_CHECKING:
    from collections.abc import Callable

_WARNINGS: list[str] = []
_IGNORED = "This plugin does not support propagateSizeHints()"


def _heard(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
    if kind not in {QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg} and text != _IGNORED:
        _WARNINGS.append(text)


def main(folder: Path) -> int:  # noqa: PLR0915 - one story from start to close
    """Start, describe, measure, cancel, measure, advise, export, reopen, switch, close."""
    qInstallMessageHandler(_heard)
    from advisor.gui.application import make_application

    application = make_application()
    from advisor.gui.main_window import MainWindow
    from advisor.gui.model_preview import ModelTracer
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings

    settings = Settings(folder / "window.ini")
    for key, value in (("budget_s", "5"), ("data_folder", str(folder)), ("language", "en"), ("scheme", "light")):
        settings.store(key, value)
    session = Session(settings)
    window = MainWindow(session, settings)

    def until(what: str, done: Callable[[], object], limit_s: float = 90.0) -> None:
        deadline_s = time.monotonic() + limit_s
        while not done():
            if time.monotonic() > deadline_s:
                raise TimeoutError(
                    f"{what}: {session.runner.outcome}, {session.runner.job and session.runner.job.troubles}"
                )
            application.processEvents()
            time.sleep(0.005)
        print(what, flush=True)

    window.show()
    until("painted", lambda: window._painted)
    assert "torch" not in sys.modules
    session.detect()
    session.feed.start()
    session.described.load("iris_mlp")
    until("described", lambda: session.machine is not None and session.described.workload is not None)
    window.show_page("model")
    until("traced", lambda: ModelTracer.of(session).preview() is not None)
    window.commands.act("measure")
    until("measuring", lambda: session.runner.job is not None and session.runner.job.sample_count > 5)
    started_s = time.monotonic()
    window.commands.act("cancel")
    until("cancelled", lambda: not session.runner.busy, 30.0)
    print(f"cancelling took {time.monotonic() - started_s:.2f} s", flush=True)
    window.commands.act("measure")
    until("measured", lambda: not session.runner.busy)
    assert session.advice is not None
    assert session.advice.measurements
    until("advised", lambda: window.current == "advice")
    for kind, name in (("export-pdf", "a.pdf"), ("save-json", "a.json"), ("export-csv", "a.csv")):
        window.commands.save(kind, folder / name)
        until(name, (folder / name).exists)
    before = session.advice
    window.commands.open_path(folder / "a.json")
    until("opened", lambda: session.advice is not before)
    assert session.advice == before
    window.commands.choose("language", "zh")
    window.commands.choose("scheme", "dark")
    until("switched", lambda: window.context.texts.language == "zh" and window.context.theme.dark)
    for name in ("machine", "model", "measure", "advice", "compare", "history"):
        window.show_page(name)
        application.processEvents()
        window.grab().save(str(folder / f"{name}.png"))
    until("history", lambda: not getattr(window.page("history"), "busy", False))
    assert "torch" not in sys.modules
    # What predicts is a process of its own: in this one it would take the window's turns.
    assert not {"advisor.predict.assembly", "advisor.measure.runner"} & set(sys.modules)
    window.close()
    assert window.closed_cleanly
    print("closed", flush=True)
    for text in _WARNINGS:
        print(f"QT: {text}", flush=True)
    return 1 if _WARNINGS else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
