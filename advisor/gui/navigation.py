"""The column of pages at the left, with the machine in a word at its foot."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from advisor.core.bundled import resource
from advisor.gui.context import PAGE_NAMES, PageName
from advisor.gui.texts import Texts
from advisor.gui.theme import NAVIGATION_WIDTH, Theme
from advisor.gui.widgets.boxes import REST, down, put
from advisor.gui.widgets.labels import ElidedLabel, label


class Navigation(QWidget):
    """One button a page; arrow keys move between them."""

    chosen = Signal(str)

    def __init__(self, texts: Texts, theme: Theme, strip: QWidget) -> None:
        """Make the buttons in the chosen language and colours; `strip` tells of the job below them."""
        super().__init__()
        self.setObjectName("navigation")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(round(NAVIGATION_WIDTH * max(theme.zoom, 1.0)))
        self.setAccessibleName(texts("window-navigation"))
        brand = label(texts("window-title"), "brand")
        brand.setContentsMargins(12, 0, 0, 10)
        self._group = QButtonGroup(self)
        self._buttons: dict[PageName, QPushButton] = {}
        for position, name in enumerate(PAGE_NAMES, start=1):
            button = QPushButton(f"  {texts(f'page-{name}')}")
            button.setCheckable(True)
            button.setIcon(page_icon(name, theme.muted, theme.accent))
            button.setIconSize(QSize(18, 18))
            button.setAccessibleName(texts(f"page-{name}"))
            button.setToolTip(f"Ctrl+{position}")
            button.clicked.connect(lambda _on=False, page=name: self.chosen.emit(page))
            self._group.addButton(button)
            self._buttons[name] = button
        self._lines = [ElidedLabel("", "small") for _ in range(3)]
        for line in self._lines:
            line.setContentsMargins(12, 0, 4, 0)
        layout = down(2, brand, *self._buttons.values(), REST, strip, inside=self, margins=(8, 14, 8, 14))
        layout.addSpacing(6)
        put(layout, *self._lines)

    def show_page(self, name: PageName) -> None:
        """Mark a page as the one shown; the focus goes with it, also while a dialog has the keys."""
        if self.window().focusWidget() in self._buttons.values():
            self._buttons[name].setFocus()
        self._buttons[name].setChecked(True)

    def show_machine(self, lines: list[str]) -> None:
        """Words at the foot, one a line."""
        for place, text in zip(self._lines, [*lines, "", "", ""], strict=False):
            place.set_full_text(text)
            place.setVisible(bool(text))


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
