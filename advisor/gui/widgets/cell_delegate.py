"""Paints a cell of text itself: asking the style sheet for each of some hundred cells takes most of a page's paint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QModelIndex, QPersistentModelIndex
    from PySide6.QtGui import QPainter
    from PySide6.QtWidgets import QStyleOptionViewItem, QTableView

    from advisor.gui.models.table_model import Column

_PADDING = 11
"""Left and right of a text, in pixels: as the style sheet has it."""


class CellDelegate(QStyledItemDelegate):
    """Ticks, pictures and texts of two lines are still the style's."""

    def __init__(
        self,
        table: QTableView,
        columns: list[Column[Any]],
        record_at: Callable[[QModelIndex | QPersistentModelIndex], Any],
    ) -> None:
        """Paints the cells of `table`; `record_at` tells what stands in a cell's row."""
        super().__init__(table)
        self._table, self._columns, self._record_at = table, columns, record_at

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one cell."""
        given: Any = option
        column, record = self._columns[index.column()], self._record_at(index)
        text = column.text(record)
        rect, metrics = given.rect, given.fontMetrics
        room = rect.width() - 2 * _PADDING
        bold = column.bold is not None and column.bold(record)
        long = metrics.horizontalAdvance(text) > room
        focused = given.state & QStyle.StateFlag.State_HasFocus
        if column.ticked or column.icon or focused or bold or (long and self._table.wordWrap()):
            super().paint(painter, option, index)
            return
        palette = given.palette
        if given.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, palette.highlight())
        painter.setPen(palette.color(QPalette.ColorRole.Mid))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        if not text:
            return
        colour = column.colour(record) if column.colour else None
        painter.setPen(colour or palette.color(QPalette.ColorRole.Text))
        painter.setFont(given.font)
        if long:
            text = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room)
        left = rect.left() + _PADDING
        if column.number:
            left = rect.right() + 1 - _PADDING - metrics.horizontalAdvance(text)
        painter.drawText(
            QPointF(left, rect.top() + (rect.height() - 1 - metrics.height()) / 2 + metrics.ascent()), text
        )
