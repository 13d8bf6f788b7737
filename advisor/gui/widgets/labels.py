"""Labels that never take data for markup."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QEnterEvent, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from advisor.core.sentences import visible
from advisor.core.units import unbroken
from advisor.gui.tooltips import plain_tooltip


def label(text: str = "", role: str = "", *, wrap: bool = False, selectable: bool = False) -> QLabel:
    """A plain-text label in one of the style sheet's roles; `wrap` breaks it into lines."""
    made = WrappedLabel(selectable=selectable) if wrap else QLabel()
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setText(text)
    if role:
        made.setProperty("role", role)
    return made


def untold(role: str = "danger") -> QLabel:
    """A wrapped label that takes no room until something is told in it."""
    made = label("", role, wrap=True)
    made.setVisible(False)
    return made


def tell(place: QLabel, words: str) -> None:
    """Tell something in a label; empty words free its room."""
    place.setText(words)
    place.setVisible(bool(words))


def paragraph(text: str, width: int, role: str = "") -> QLabel:
    """Selectable text as high as its lines at a width in pixels, and no higher: in a dialog it leaves no gaps."""
    made = label("", role, wrap=True, selectable=True)
    made.ensurePolished()
    made.setText(re.sub(r"[^\s\u2e80-\uffef]+", lambda word: _in_lines(word[0], width, made.fontMetrics()), text))
    made.setFixedSize(width, made.heightForWidth(width))
    return made


def _in_lines(word: str, width: int, metrics: QFontMetrics) -> str:
    """A word too long for a line, such as a path, goes on in the next, after a folder if it can: Qt would cut it off.

    Chinese is left to Qt, which may break it anywhere.
    """
    lines = []
    while metrics.horizontalAdvance(word) > width:
        most = bisect_right(range(len(word)), width, key=lambda size: metrics.horizontalAdvance(word[:size])) - 1
        folder_end = max(word.rfind("/", most // 2, most), word.rfind("\\", most // 2, most)) + 1
        count = folder_end or max(most, 1)
        lines.append(word[:count])
        word = word[count:]
    return "\n".join([*lines, word])


class WrappedLabel(QLabel):
    """Text of several lines; a page of them is laid out several times with each part that comes.

    Its height at a width is computed once. It can be selected from the first time that the mouse is over it: Qt lays
    out text that can be selected as a document, which takes three times as long.
    """

    def __init__(self, *, selectable: bool = False) -> None:
        """Empty until a text is set."""
        super().__init__()
        self._selectable = selectable
        self._heights: dict[int, int] = {}
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.MinimumExpanding)

    def heightForWidth(self, width: int) -> int:
        """The height of all lines, in pixels."""
        height = self._heights.get(width)
        if height is None:
            height = self._heights[width] = super().heightForWidth(width)
        return height

    def setText(self, text: str) -> None:
        """Show another text; no line begins with the unit of a figure."""
        self._heights.clear()
        super().setText(unbroken(text))

    def changeEvent(self, event: QEvent) -> None:
        """In another font or style the lines are others."""
        self._heights.clear()
        super().changeEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        """The mouse may select it from now on."""
        if self._selectable:
            self.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            self._heights.clear()
        super().enterEvent(event)


class ElidedLabel(QLabel):
    """One line of foreign text: cut with an ellipsis where the place is short, whole in the tooltip."""

    def __init__(self, text: str = "", role: str = "", *, lines: int = 1) -> None:
        """`text` is shown verbatim, control characters as escapes; with two lines it goes on in the second."""
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if role:
            self.setProperty("role", role)
        self._full = self._explained = ""
        self._is_cut = False
        self._lines = lines
        self.set_full_text(text)

    def set_full_text(self, text: str) -> None:
        """Show another text."""
        full = visible(text)
        if full == self._full:
            return
        self._full = full
        self.setAccessibleName(self._full)
        self._fit()

    def explain(self, words: str) -> None:
        """Say in the tooltip what the text means, whatever it becomes and however much of it is cut."""
        self._explained = words
        self.setAccessibleDescription(words)
        self._show_tip()

    def full_text(self) -> str:
        """The text as it is, before it was cut."""
        return self._full

    def resizeEvent(self, event: object) -> None:
        """Cut the text for the new width."""
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._fit()

    def _fit(self) -> None:
        metrics, room = self.fontMetrics(), max(self.contentsRect().width() - 2, 20)
        first, second = self._full, ""
        if self._lines > 1:
            first, second = in_two_lines(self._full, room, metrics.horizontalAdvance)
        cut = [metrics.elidedText(line, Qt.TextElideMode.ElideRight, room) for line in (first, second) if line]
        shown = "\n".join(cut)
        if shown == self.text():
            return
        self.setText(shown)
        self._is_cut = cut != [line for line in (first, second) if line]
        self._show_tip()

    def _show_tip(self) -> None:
        lines = (self._full if self._is_cut else "", self._explained)
        self.setToolTip(plain_tooltip("\n".join(line for line in lines if line)))


class QuietLabel(QWidget):
    """A short text that changes many times a second, at the right of its place.

    A plain label has the whole page laid out anew with every text; this one asks for room only when it needs more
    than ever before.
    """

    def __init__(self, role: str = "") -> None:
        """Empty until a text is set."""
        super().__init__()
        self._label = label("", role)
        self._label.setParent(self)
        self._label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._room = QSize(0, self._label.sizeHint().height())
        self._full = ""
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_text(self, text: str) -> None:
        """Show another text, with an ellipsis where the place is short."""
        if text == self._full:
            return
        self._full = text
        self._label.setText(text)
        wished = self._label.sizeHint().expandedTo(self._room)
        if wished != self._room:
            self._room = wished
            self.updateGeometry()
        self._fit()

    def text(self) -> str:
        """What is told, also where an ellipsis stands for its end."""
        return self._full

    def sizeHint(self) -> QSize:
        """Room for the widest text so far."""
        return self._room

    def minimumSizeHint(self) -> QSize:
        """Less than the text: an ellipsis says what a narrow window leaves out, so that no number is cut."""
        return QSize(0, self._room.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The text takes all of it."""
        super().resizeEvent(event)
        self._label.setGeometry(self.rect())
        self._fit()

    def _fit(self) -> None:
        """Whole values alone: an ellipsis in place of the first that does not fit."""
        metrics, shown = self._label.fontMetrics(), self._full
        while self.width() < metrics.horizontalAdvance(shown) and shown not in {"", "…"}:
            shown = f"{before} · …" if (before := shown.removesuffix(" · …").rpartition(" · ")[0]) else "…"
        self._label.setText(shown)


def in_two_lines(text: str, room: float, width: Callable[[str], float]) -> tuple[str, str]:
    """The text as one line, or as two: as much in the first as fits, broken after a space or a hyphen.

    Neither a figure and its unit nor a count and what is counted are parted.
    """
    if width(text) <= room:
        return text, ""
    text = unbroken(text)
    breaks = [place + 1 for place, letter in enumerate(text[:-1]) if letter in " -"]
    fitting = [place for place in breaks if width(text[:place].rstrip(" ")) <= room]
    place = max(fitting, default=min(breaks, default=len(text)))
    return text[:place].rstrip(" "), text[place:]


def set_look(widget: QWidget, name: str, value: str) -> None:
    """Set a property by which the style sheet tells widgets apart (`role`, `invalid`), seen at once."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
