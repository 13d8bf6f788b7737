"""Labels that never take data for markup."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from advisor.sentences import visible


def label(text: str = "", role: str = "", *, wrap: bool = False, selectable: bool = False) -> QLabel:
    """A plain-text label in one of the style sheet's roles."""
    made = QLabel()
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setText(text)
    if role:
        made.setProperty("role", role)
    if wrap:
        made.setWordWrap(True)
        made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.MinimumExpanding)
    if selectable:
        made.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
    return made


class ElidedLabel(QLabel):
    """One line of foreign text: cut with an ellipsis where the place is short, whole in the tooltip."""

    def __init__(self, text: str = "", role: str = "") -> None:
        """`text` is shown verbatim, control characters as escapes."""
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if role:
            self.setProperty("role", role)
        self._full = ""
        self.set_full_text(text)

    def set_full_text(self, text: str) -> None:
        """Show another text."""
        self._full = visible(text)
        self.setAccessibleName(self._full)
        self._fit()

    def full_text(self) -> str:
        """The text as it is, before it was cut."""
        return self._full

    def resizeEvent(self, event: object) -> None:
        """Cut the text for the new width."""
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._fit()

    def _fit(self) -> None:
        shown = self.fontMetrics().elidedText(self._full, Qt.TextElideMode.ElideRight, max(self.width() - 2, 20))
        self.setText(shown)
        self.setToolTip(plain_tooltip(self._full) if shown != self._full else "")


def plain_tooltip(text: str) -> str:
    """Text for a tooltip: Qt shows what looks like markup as such, so it is escaped and marked as rich text."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", "<br>")
    return f"<qt>{escaped}</qt>" if text else ""


def set_role(widget: QWidget, role: str) -> None:
    """Give a widget another role of the style sheet, at once."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
