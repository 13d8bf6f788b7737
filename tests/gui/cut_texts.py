"""Finds texts of a shown widget that its place cuts, from the metrics of its own font."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QStyle,
    QStyleOptionComboBox,
    QStyleOptionFrame,
    QTabBar,
    QTableView,
    QWidget,
)

from advisor.gui.widgets.labels import ElidedLabel, QuietLabel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_TAB_PADDING = 8
"""Pixels at each end of a tab, as the style sheet has it."""
_SLACK = 1
"""Pixels: advances are rounded."""
_LINE_MARGIN = 4
"""Qt keeps two pixels at each end of a line for the cursor."""


def cut_texts(page: QWidget) -> list[str]:
    """What is cut on a page, as `kind: text`; nothing for what is scrolled to or not shown."""
    found = [text for widget in page.findChildren(QWidget) if widget.isVisible() for text in _cut(widget)]
    return list(dict.fromkeys(found))


def _cut(widget: QWidget) -> Iterator[str]:
    """The newest values beside a plot (`QuietLabel`) are left out: whole values give way to an ellipsis there."""
    for kind, find in _FINDERS:
        if isinstance(widget, kind):
            yield from find(widget)
            return


def _cut_elided(widget: ElidedLabel) -> Iterator[str]:
    if "".join(widget.text().split()) != "".join(widget.full_text().split()):
        yield f"elided: {widget.full_text()}"


def _cut_choice(widget: QComboBox) -> Iterator[str]:
    option = QStyleOptionComboBox()
    widget.initStyleOption(option)
    place = widget.style().subControlRect(
        QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, widget
    )
    if _too_wide(widget, widget.currentText(), place.width()):
        yield f"choice: {widget.currentText()}"


def _cut_button(widget: QAbstractButton) -> Iterator[str]:
    spare = _LINE_MARGIN if isinstance(widget, QPushButton) else 0
    if widget.text() and widget.width() < widget.sizeHint().width() - spare:
        yield f"button: {widget.text()}"


def _cut_content(widget: QScrollArea) -> Iterator[str]:
    """A page that is wider than its place and cannot be scrolled sideways."""
    content = widget.widget()
    scrolled = widget.horizontalScrollBarPolicy() != Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    if content is not None and not scrolled and content.width() > widget.viewport().width():
        yield f"content: {content.width()} wide in {widget.viewport().width()}"


def _too_wide(widget: QWidget, text: str, room: float) -> bool:
    metrics = QFontMetrics(widget.font())
    return any(metrics.horizontalAdvance(line) > room + _SLACK for line in text.splitlines())


def _cut_label(widget: QLabel) -> Iterator[str]:
    if isinstance(widget.parentWidget(), QuietLabel):
        return
    room, text = widget.contentsRect(), widget.text()
    if widget.wordWrap():
        if text and widget.height() < widget.heightForWidth(widget.width()) - _SLACK:
            yield f"lines: {text}"
    elif _too_wide(widget, text, room.width()):
        yield f"label: {text}"


def _cut_line(widget: QLineEdit) -> Iterator[str]:
    if isinstance(widget.parentWidget(), QComboBox):
        return
    option = QStyleOptionFrame()
    widget.initStyleOption(option)
    place = widget.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, widget)
    shown = widget.text() or widget.placeholderText()
    if _too_wide(widget, shown, place.width() - _LINE_MARGIN):
        yield f"line: {shown}"


def _cut_headings(widget: QTableView) -> Iterator[str]:
    header: QHeaderView = widget.horizontalHeader()
    model = widget.model()
    if header.isHidden() or model is None:
        return
    for column in range(model.columnCount()):
        text = str(model.headerData(column, Qt.Orientation.Horizontal) or "")
        if not header.isSectionHidden(column) and _too_wide(header, text, header.sectionSize(column)):
            yield f"heading: {text}"


def _cut_tabs(widget: QTabBar) -> Iterator[str]:
    for place in range(widget.count()):
        if _too_wide(widget, widget.tabText(place), widget.tabRect(place).width() - 2 * _TAB_PADDING):
            yield f"tab: {widget.tabText(place)}"


_FINDERS: tuple[tuple[type[QWidget], Callable[[Any], Iterator[str]]], ...] = (
    (ElidedLabel, _cut_elided),
    (QLabel, _cut_label),
    (QComboBox, _cut_choice),
    (QLineEdit, _cut_line),
    (QAbstractButton, _cut_button),
    (QTableView, _cut_headings),
    (QTabBar, _cut_tabs),
    (QScrollArea, _cut_content),
)
