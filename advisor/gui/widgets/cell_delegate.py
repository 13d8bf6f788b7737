"""Paints a cell of text itself: asking the style sheet for each of some hundred cells takes most of a page's paint."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QGuiApplication,
    QPainter,
    QPalette,
    QPixmap,
    QPixmapCache,
    QStaticText,
)
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from advisor.core.units import unbroken

if TYPE_CHECKING:
    from advisor.gui.models.table_model import Column

_PADDING = 11
"""Left and right of a text, in pixels: as the style sheet has it."""

_KEPT = 4096
"""Texts of a table that are kept: some windows full."""
_KEPT_KB = 64 * 1024
"""Of pictures of cells, of all tables together: a wide cell on a dense screen takes 200 KB."""
_numbers = count()


class _Text(NamedTuple):
    """A text laid out for its place: `long` where an ellipsis stands for a part of it."""

    shown: QStaticText
    width: float
    long: bool


class CellDelegate(QStyledItemDelegate):
    """Ticks, pictures and texts of two lines are still the style's, which paints each kind of them once.

    The same texts are painted with every turn of a wheel: what is laid out for a text and a width is kept.
    """

    def __init__(
        self,
        table: QTableView,
        columns: list[Column[Any]],
        record_at: Callable[[QModelIndex | QPersistentModelIndex], Any],
    ) -> None:
        """Paints the cells of `table`; `record_at` tells what stands in a cell's row."""
        super().__init__(table)
        self._table, self._columns, self._record_at = table, columns, record_at
        self._texts: dict[tuple[str, int], _Text] = {}
        self._number = next(_numbers)
        QPixmapCache.setCacheLimit(max(QPixmapCache.cacheLimit(), _KEPT_KB))
        self._laid_out_with: QFont | None = None

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one cell."""
        given: Any = option
        column, record = self._columns[index.column()], self._record_at(index)
        rect, metrics, state = given.rect, given.fontMetrics, given.state
        text = self._laid_out(column.text(record), rect.width() - 2 * _PADDING, given.font, metrics)
        bold = column.bold is not None and column.bold(record)
        focused = bool(state & QStyle.StateFlag.State_HasFocus)
        if column.ticked or column.icon or focused or bold or (text.long and self._table.wordWrap()):
            icon = column.icon(record) if column.icon else None
            ticked = column.ticked(record) if column.ticked else None
            kind = (column.text(record), icon and icon.cacheKey(), ticked, bold, state.value, column.number)
            self._paint_styled(painter, option, index, kind)
            self._mark_row(painter, given, index)
            return
        palette = given.palette
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, palette.highlight())
        # Filled, not drawn with a pen: on a dense screen a pen lies half a pixel above the style's own border.
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), palette.color(QPalette.ColorRole.Mid))
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.setFont(given.font)
        left = rect.right() + 1 - _PADDING - text.width if column.number else rect.left() + _PADDING
        painter.drawStaticText(QPointF(left, rect.top() + (rect.height() - 1 - metrics.height()) / 2), text.shown)
        self._mark_row(painter, given, index)

    def _mark_row(self, painter: QPainter, given: Any, index: QModelIndex | QPersistentModelIndex) -> None:  # noqa: ANN401 - Qt's option
        """Lines around the row that keys would act on: selected it looks the same whether Tab came here or went on."""
        if not (self._table.hasFocus() and index.row() == self._table.currentIndex().row()):
            return
        rect, accent = given.rect, given.palette.color(QPalette.ColorRole.Link)
        for top in (rect.top(), rect.bottom()):
            painter.fillRect(QRect(rect.left(), top, rect.width(), 1), accent)

    def displayText(self, value: object, locale: object) -> str:
        """What the style paints in one or two lines: no line of it begins with the unit of a figure."""
        del locale
        return unbroken(str(value))

    def _laid_out(self, text: str, room: int, font: QFont, metrics: QFontMetrics) -> _Text:
        if font != self._laid_out_with:
            self._texts, self._number, self._laid_out_with = {}, next(_numbers), QFont(font)
        laid_out = self._texts.get((text, room))
        if laid_out is None:
            long = metrics.horizontalAdvance(text) > room
            fitting = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room) if long else text
            shown = QStaticText(fitting)
            shown.setTextFormat(Qt.TextFormat.PlainText)
            shown.prepare(font=font)
            laid_out = _Text(shown, metrics.horizontalAdvance(fitting), long)
            if len(self._texts) >= _KEPT:
                self._texts.clear()
            self._texts[text, room] = laid_out
        return laid_out

    def _paint_styled(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
        kind: object,
    ) -> None:
        """As the style paints it, on the table's ground; once for all cells of a kind and size."""
        given: Any = option
        place, scale = QRect(given.rect), painter.device().devicePixelRatioF()
        about = (kind, place.width(), place.height(), scale, given.palette.cacheKey(), self._table.wordWrap())
        key, picture = f"cell {self._number} {about}", QPixmap()
        if not QPixmapCache.find(key, picture):
            picture = QPixmap(place.size() * scale)
            picture.setDevicePixelRatio(scale)
            # Letters on nothing come out heavier than those beside them, which are painted on the card.
            picture.fill(QGuiApplication.palette().color(QPalette.ColorRole.Base))
            given.rect = place.translated(-place.topLeft())
            drawing = QPainter(picture)
            super().paint(drawing, option, index)
            drawing.end()
            QPixmapCache.insert(key, picture)
        painter.drawPixmap(place.topLeft(), picture)
