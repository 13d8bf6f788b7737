"""Cards that hold one table, of which only whole rows are seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from advisor.gui.models.table_model import Column, TableModel
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import label
from advisor.gui.widgets.table import Table


class WholeRows(QWidget):
    """Holds a table that grows, and leaves free below it what is too little for a row.

    It places the table itself: margins that change with the height are part of the height that a layout asks for, and
    the page would grow and shrink for ever.
    """

    def __init__(self, table: Table) -> None:
        """The table takes the whole width."""
        super().__init__()
        self._table = table
        table.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        """As much as the table wishes."""
        return self._table.sizeHint().expandedTo(self.minimumSizeHint()).boundedTo(self._table.maximumSize())

    def minimumSizeHint(self) -> QSize:
        """As little as the table allows."""
        return self._table.minimumSizeHint().expandedTo(self._table.minimumSize())

    def event(self, event: QEvent) -> bool:
        """The table asks for another height, or is seen for the first time."""
        if event.type() in {QEvent.Type.LayoutRequest, QEvent.Type.Show}:
            self.setMaximumHeight(self._table.maximumHeight())
            self.updateGeometry()
            self._place()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take as many rows as are whole."""
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        table, height = self._table, self.height()
        spare = (height - table.frame_height) % table.row_height if height < table.maximumHeight() else 0
        table.setGeometry(0, 0, self.width(), height - spare)


class GrowingCard(Card):
    """Takes the room that is left, and never more than all rows of its table need."""

    _held: Table | None = None

    def hold(self, table: Table) -> None:
        """Put the table, which `grows`, at the end of the card."""
        self._held = table
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.body.addWidget(WholeRows(table), 1)

    def event(self, event: QEvent) -> bool:
        """The table has other rows, or what stands around it needs another height."""
        done = super().event(event)
        if self._held is not None and event.type() in {QEvent.Type.LayoutRequest, QEvent.Type.Resize}:
            more = self._held.maximumHeight() - self._held.minimumHeight()
            self.setMaximumHeight(max(self.sizeHint().height(), self.heightForWidth(self.width())) + more)
        return done


class TableCard(GrowingCard):
    """As high as its rows, up to so many of them, or where it `grows` as there is room for."""

    def __init__(  # noqa: PLR0913 - what stands in it, and around it
        self,
        title: str,
        columns: Sequence[Column[Any]],
        records: Sequence[Any],
        *,
        note: str = "",
        below: str = "",
        visible_rows: int = 8,
        wide: Sequence[int] = (0,),
        optional: Sequence[int] = (),
        grows: bool = False,
    ) -> None:
        """`note` stands at the right of the title, `below` under the table; `wide` and `optional` as in `Table`."""
        super().__init__(title, note=note)
        self.model: TableModel[Any] = TableModel(columns)
        self.model.show(records)
        self.table = Table(self.model, title, visible_rows=visible_rows, wide=wide, optional=optional, grows=grows)
        if grows:
            self.hold(self.table)
        else:
            self.body.addWidget(self.table)
            self.hug()
        if below:
            self.body.addWidget(label(below, "muted", wrap=True))
