"""A form in a dialog that grows with its messages and scrolls where the screen ends: its answers stay in sight."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QFrame, QLayout, QScrollArea, QWidget

_TITLE = 40
"""Pixels of a window's title and borders, which are known only once it is shown."""
_LEAST_LINES = 8


class Scrolled(QScrollArea):
    """As high as what it holds, as long as the whole window fits on the screen."""

    def __init__(self, form: QLayout) -> None:
        """Hold a layout, without margins of its own."""
        super().__init__()
        form.setContentsMargins(0, 0, 0, 0)
        self._content = QWidget()
        self._content.setLayout(form)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(self._content)

    def sizeHint(self) -> QSize:
        """All of it, and room for the bar."""
        return self._content.sizeHint() + QSize(self.verticalScrollBar().sizeHint().width(), 0)

    def minimumSizeHint(self) -> QSize:
        """Its whole width, and a few of its lines."""
        width = self._content.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        return QSize(width, min(self.sizeHint().height(), _LEAST_LINES * self.fontMetrics().height()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """What it holds may be higher now."""
        taken = super().eventFilter(watched, event)
        if event.type() == QEvent.Type.LayoutRequest and watched is self._content:
            self.fit_window()
        return taken

    def fit_window(self) -> None:
        """Make the window as high as it needs and the screen allows, and move it up where it would pass the end."""
        window, shown = self.window(), self.window().isVisible()
        self.updateGeometry()
        room, frame = window.screen().availableGeometry(), window.frameGeometry()
        title = max(frame.height() - window.height(), _TITLE)
        wished = window.sizeHint().boundedTo(QSize(room.width(), room.height() - title))
        window.resize(wished.expandedTo(window.size()) if shown else wished)
        past = frame.top() + title + window.height() - room.bottom()
        if shown and past > 0:
            window.move(frame.left(), max(frame.top() - past, room.top()))
