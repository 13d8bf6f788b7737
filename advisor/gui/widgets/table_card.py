"""Cards that hold one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QSizePolicy

from advisor.gui.models.table_model import Column, TableModel
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import label
from advisor.gui.widgets.table import Table, WholeRows


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
