"""Which rows of a table are shown: a filter over all of them that leaves the order to the table's own model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.gui.models.table_model import TableModel


class ShownRows(QSortFilterProxyModel):
    """Shows the records that a condition lets through.

    The source sorts whole records by number in one go; the proxy's own sorting would ask for two cells a comparison,
    which for thousands of rows is long enough to be felt.
    """

    def __init__(self, model: TableModel[Any]) -> None:
        """All rows are shown until `show_only`."""
        super().__init__()
        self._model = model
        self._condition: Callable[[Any], bool] | None = None
        self.setSourceModel(model)

    def show_only(self, condition: Callable[[Any], bool], *, now: bool = True) -> None:
        """Show the records for which the condition holds; not `now`: from the next ones that come."""
        self._condition = condition
        if now:
            self.invalidate()

    def filterAcceptsRow(self, source_row: int, source_parent: QModelIndex | QPersistentModelIndex) -> bool:
        """Whether a row of the model is shown."""
        del source_parent
        return self._condition is None or self._condition(self._model.records[source_row])

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Let the model sort."""
        self._model.sort(column, order)

    def record(self, row: int) -> Any:  # noqa: ANN401 - whatever the table holds
        """The record in a shown row."""
        return self._model.records[self.source_row(self.index(row, 0))]

    def source_row(self, index: QModelIndex | QPersistentModelIndex) -> int:
        """The row of the model that a shown cell stands in."""
        return self.mapToSource(index).row()
