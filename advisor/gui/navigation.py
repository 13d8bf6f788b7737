"""The column of pages at the left, with the machine in a word at its foot; icons alone where letters leave no room."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from advisor.core.bundled import resource
from advisor.gui.context import PAGE_NAMES, PageName
from advisor.gui.strip.job_strip import JobStrip
from advisor.gui.texts import Texts
from advisor.gui.theme import NAVIGATION_WIDTH, Theme
from advisor.gui.widgets.boxes import REST, down, put
from advisor.gui.widgets.labels import ElidedLabel, label

_FULL_FROM = 720
"""Pixels of the window, in letters of the usual size, from which the names of pages leave them enough room."""
_AROUND_ICON, _ICON_SIDE = 34, 18
"""Pixels: what the column's margins, the mark of the chosen page and the padding beside an icon take."""


class Navigation(QWidget):
    """One button a page; arrow keys move between them."""

    chosen = Signal(str)

    def __init__(self, texts: Texts, theme: Theme, strip: JobStrip) -> None:
        """Make the buttons in the chosen language and colours; `strip` tells of the job below them."""
        super().__init__()
        self.setObjectName("navigation")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._texts, self._theme, self._strip = texts, theme, strip
        self._folded = False
        self.setAccessibleName(texts("window-navigation"))
        self._brand = label(texts("window-title"), "brand")
        self._brand.setContentsMargins(12, 0, 0, 10)
        self._group = QButtonGroup(self)
        self._buttons: dict[PageName, QPushButton] = {}
        for name in PAGE_NAMES:
            button = QPushButton()
            button.setCheckable(True)
            button.setIcon(page_icon(name, theme.muted, theme.accent))
            button.setIconSize(QSize(theme.sized(_ICON_SIDE), theme.sized(_ICON_SIDE)))
            button.setAccessibleName(texts(f"page-{name}"))
            button.clicked.connect(lambda _on=False, page=name: self.chosen.emit(page))
            self._group.addButton(button)
            self._buttons[name] = button
        self._lines = [ElidedLabel("", "small") for _ in range(3)]
        for line in self._lines:
            line.setContentsMargins(12, 0, 4, 0)
        layout = down(2, self._brand, *self._buttons.values(), REST, strip, inside=self, margins=(8, 14, 8, 14))
        layout.addSpacing(6)
        put(layout, *self._lines)
        self._show_names()

    def fit(self, window_width: int) -> None:
        """Show the names of the pages, or in a window that is narrow for its letters their icons alone."""
        folded = window_width < self._theme.sized(_FULL_FROM)
        if folded != self._folded:
            self._folded = folded
            self._show_names()

    def _show_names(self) -> None:
        folded, zoom = self._folded, max(self._theme.zoom, 1.0)
        # The small ring of the job is no wider than an icon with what is around it.
        folded_width = self._theme.sized(_ICON_SIDE) + _AROUND_ICON
        self.setFixedWidth(folded_width if folded else round(NAVIGATION_WIDTH * zoom))
        for position, (name, button) in enumerate(self._buttons.items(), start=1):
            words = self._texts(f"page-{name}")
            button.setText("" if folded else f"  {words}")
            button.setToolTip(f"{words} · Ctrl+{position}" if folded else f"Ctrl+{position}")
        self._brand.setHidden(folded)
        for line in self._lines:
            line.setHidden(folded or not line.full_text())
        self._strip.fold(folded=folded)

    def show_page(self, name: PageName) -> None:
        """Mark a page as the one shown; the focus goes with it, also while a dialog has the keys."""
        if self.window().focusWidget() in self._buttons.values():
            self._buttons[name].setFocus()
        self._buttons[name].setChecked(True)

    def show_machine(self, lines: list[str]) -> None:
        """Words at the foot, one a line."""
        for place, text in zip(self._lines, [*lines, "", "", ""], strict=False):
            place.set_full_text(text)
            place.setHidden(self._folded or not text)


@cache
def page_icon(name: str, colour: str, chosen_colour: str) -> QIcon:
    """An icon of `resources/icons` in the theme's colours."""
    source = (resource("icons") / f"{name}.svg").read_text(encoding="utf-8")
    icon = QIcon()
    for state, shade in ((QIcon.State.Off, colour), (QIcon.State.On, chosen_colour)):
        pixmap = QPixmap()
        drawn = source.replace("#5B6675", shade).replace('width="18" height="18"', 'width="36" height="36"', 1)
        pixmap.loadFromData(drawn.encode(), "SVG")
        pixmap.setDevicePixelRatio(2)
        icon.addPixmap(pixmap, QIcon.Mode.Normal, state)
    return icon
