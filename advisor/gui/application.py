"""Opens the window: a display is checked first, because Qt aborts the process without one."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from advisor.core.errors import UserFacingError

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QWidget


_PLATFORMS_WITHOUT_DISPLAY = ("offscreen", "minimal", "vnc", "linuxfb", "eglfs")


_SWITCH_INTERVAL_S = 0.0005
_LETTERS = "system_letters"
"""Where the application keeps how many pixels high the letters of the system are."""
_FRAME = (16, 40)
"""Pixels that the borders and the title of a window take: they are known only once it is shown."""


class NoDisplayError(UserFacingError):
    """There is nothing to draw on."""


def check_display() -> None:
    """Raise NoDisplayError where Qt would abort: Linux without X11 or Wayland."""
    if not sys.platform.startswith(("linux", "freebsd")):
        return
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    if platform.split(":")[0] in _PLATFORMS_WITHOUT_DISPLAY:
        return
    if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
        text = "The window needs a display, and neither DISPLAY nor WAYLAND_DISPLAY is set."
        raise NoDisplayError(text, "Run `advisor --measure` in the terminal, or connect with `ssh -X`.")


def make_application() -> QApplication:
    """The one QApplication, in Fusion style with the bundled font. Raises UserFacingError."""
    check_display()
    try:
        from PySide6.QtWidgets import QApplication
    except ImportError as error:
        text = f"The window needs PySide6, which cannot be loaded: {error}."
        raise UserFacingError(
            text,
            'Install it with pip install "training-advisor[window]", or run `advisor --measure` without one.',
        ) from error
    from PySide6.QtGui import QFontInfo

    from advisor.gui.fonts import load_fonts

    application = QApplication.instance()
    if not isinstance(application, QApplication):
        application = QApplication(["advisor"])
    # A frame takes the interpreter's lock dozens of times; while the job's thread predicts, each may wait this long.
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    application.setApplicationName("advisor")
    application.setDesktopFileName("advisor")
    application.setStyle("Fusion")
    if application.property(_LETTERS) is None:  # as they were before our own
        application.setProperty(_LETTERS, QFontInfo(application.font()).pixelSize())
    load_fonts()
    return application


def main(open_file: Path | None = None, language: str | None = None) -> int:
    """Open the window and stay until it is closed; returns the exit code. Raises UserFacingError.

    `open_file`: any file that the window can open; `language`: `en` or `zh`, for this and later times.
    """
    application = make_application()
    from PySide6.QtCore import Qt, QTimer

    from advisor.gui.fonts import system_zoom
    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.gui.settings import Settings

    settings = Settings()
    settings.usual_zoom = system_zoom(application.property(_LETTERS) or 0)
    if language is not None:
        settings.store("language", language)
    session = Session(settings)
    window = MainWindow(session, settings)
    place(window, settings.bytes_of("geometry"))

    def begin() -> None:
        from PySide6.QtGui import QIcon

        from advisor.core.bundled import resource
        from advisor.gui.start.last_time import restore_last

        window.setWindowIcon(QIcon(str(resource("icons") / "advisor.svg")))
        session.detect()
        window.preload.plots_ready.connect(session.feed.start)
        if open_file is not None:
            window.commands.open_path(open_file)
        restore_last(session, settings)

    window.first_painted.connect(begin, Qt.ConnectionType.QueuedConnection)
    _quit_on_signals(application, window.close)
    QTimer.singleShot(0, window.show)
    code = application.exec()
    if not window.closed_cleanly:
        # A thread waits for a worker that does not answer. The worker dies with this process.
        _end_now(code)
    return code


def run(open_file: Path | None = None, language: str | None = None) -> int:
    """`main` as the last thing that its process does: it ends at once. Raises UserFacingError.

    Taking everything apart that the window had made would go on for half a second after it was closed.
    """
    code = main(open_file, language)
    from PySide6.QtGui import QGuiApplication

    if not QGuiApplication.clipboard().ownsClipboard():
        _end_now(code)
    return code  # Qt hands what was copied to the system while it is taken apart.


def _end_now(code: int) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def place(window: QWidget, geometry: bytes | None) -> None:
    """Where it last was, or as large as it is made; with its frame never larger than what the screen leaves free.

    `geometry`: as Qt saves it; None: it was nowhere yet.
    """
    from PySide6.QtCore import QSize

    room = window.screen().availableSize() - QSize(*_FRAME)
    window.setMinimumSize(window.minimumSize().boundedTo(room))
    if geometry:
        window.restoreGeometry(geometry)  # Qt knows what frame it had, and makes it fit where it does not.
    else:
        window.resize(window.size().boundedTo(room))


def _quit_on_signals(application: QApplication, close: Callable[[], object]) -> None:
    """Let Ctrl+C in the terminal, and its own end, close the window: Python handles signals only when its code runs."""
    import signal
    import socket

    from PySide6.QtCore import QSocketNotifier

    # A pair of sockets: notifiers and wake-up descriptors take no pipes on Windows.
    reader, writer = socket.socketpair()
    reader.settimeout(0)
    writer.settimeout(0)
    signal.set_wakeup_fd(writer.fileno())
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
        signal.signal(number, lambda _number, _frame: close())
    notifier = QSocketNotifier(reader.fileno(), QSocketNotifier.Type.Read, application)
    notifier.activated.connect(lambda: reader.recv(64))

    def let_go() -> None:
        signal.set_wakeup_fd(-1)
        writer.close()

    application.aboutToQuit.connect(let_go)
