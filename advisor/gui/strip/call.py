"""Calls a person who looked elsewhere when a job has ended: by the desktop's own notification."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from advisor.gui.session import Session
from advisor.gui.settings import Settings

_SHOWN_MS = 15_000


class Call(QObject):
    """An icon in the tray from the first job on, where the desktop has a tray."""

    def __init__(self, window: QWidget, session: Session, settings: Settings) -> None:
        """`window` is brought to the front by a click on the notification."""
        super().__init__(window)
        self._window, self._session, self._settings = window, session, settings
        self._icon: QSystemTrayIcon | None = None
        session.runner.started.connect(self._prepare)
        session.runner.ended.connect(self._ended)

    def _prepare(self) -> None:
        if self._icon is not None or not QSystemTrayIcon.isSystemTrayAvailable():
            return
        self._icon = QSystemTrayIcon(self._window.windowIcon(), self)
        self._icon.messageClicked.connect(self._raise)
        self._icon.activated.connect(lambda _why: self._raise())
        self._icon.show()

    def _raise(self) -> None:
        self._window.showNormal() if self._window.isMinimized() else self._window.show()
        self._window.raise_()
        self._window.activateWindow()

    def _ended(self) -> None:
        if self._window.isActiveWindow():
            return
        from advisor.gui.texts import Texts

        texts = Texts(self._settings.language, self._settings.units)
        QApplication.alert(self._window)
        end = self._session.runner.end
        if self._icon is None or end is None or end == "cancelled":
            return
        code = "job-failed" if end == "failed" else "job-ready"
        workload = self._session.described.workload
        title = texts.title(workload.name) if workload is not None else ""
        self._icon.showMessage(texts(code), title, self._window.windowIcon(), _SHOWN_MS)
