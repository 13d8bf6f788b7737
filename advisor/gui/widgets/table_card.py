"""A card that holds one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from advisor.gui.models.table_model import Column, TableModel
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import label
from advisor.gui.widgets.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence


class TableCard(Card):
    """As high as its rows, up to so many of them."""

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
    ) -> None:
        """`note` stands at the right of the title, `below` under the table; `wide` as in `Table`."""
        super().__init__(title, note=note)
        self.model: TableModel[Any] = TableModel(columns)
        self.model.show(records)
        self.table = Table(self.model, title, visible_rows=visible_rows, wide=wide)
        self.body.addWidget(self.table)
        if below:
            self.body.addWidget(label(below, "muted", wrap=True))
        self.hug()
