"""A table of records: columns are functions of a record, sorting is by number and not by text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QFont, QIcon

from advisor.core.units import Estimate
from advisor.gui.texts import Texts
from advisor.gui.tooltips import plain_tooltip

Record = TypeVar("Record")
Index = QModelIndex | QPersistentModelIndex
_NEVER_TOLD = frozenset({int(Qt.ItemDataRole.BackgroundRole), int(Qt.ItemDataRole.SizeHintRole)})
_PLAIN_FLAGS = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren


@dataclass(frozen=True, kw_only=True)
class Column(Generic[Record]):
    """`text` is shown, `order` sorts (None last), `tip` explains."""

    title: str
    text: Callable[[Record], str]
    order: Callable[[Record], Any] | None = None
    tip: Callable[[Record], str] | None = None
    spoken: Callable[[Record], str] | None = None
    """What a screen reader hears instead of a text that holds a mark."""
    number: bool = False
    bold: Callable[[Record], bool] | None = None
    header_tip: str = ""
    icon: Callable[[Record], QIcon | None] | None = None
    name: str = ""
    """What the column is called where it is chosen; empty: it is always shown."""
    ticked: Callable[[Record], bool] | None = None
    tick: Callable[[Record, bool], None] | None = None
    edited: Callable[[Record], str] | None = None
    """The text that editing a cell in place begins with."""
    edit: Callable[[Record, str], bool] | None = None
    """Takes what was typed; False: it makes no sense and nothing is changed."""
    largest_first: bool = False
    """Where more is better: so the first click on the title sorts."""


def figures(
    title: str,
    figure: Callable[[Record], float | None],
    how: Callable[[float], str],
    tip: Callable[[Record], str] | None = None,
) -> Column[Record]:
    """A column of numbers: shown by `how`, a dash where one is unknown, and ordered by size."""

    def text(record: Record) -> str:
        number = figure(record)
        return "–" if number is None else how(number)

    return Column(title=title, text=text, order=figure, tip=tip, number=True)


def estimates(
    title: str, estimate: Callable[[Record], Estimate | None], how: Callable[[float], str], texts: Texts
) -> Column[Record]:
    """A column of numbers with their ranges as tips."""

    def value(record: Record) -> float | None:
        figure = estimate(record)
        return None if figure is None else figure.value

    return figures(title, value, how, tip=lambda record: texts.span(estimate(record), how))


class TableModel(QAbstractTableModel, Generic[Record]):
    """Holds the records in the order that they are shown in."""

    def __init__(self, columns: Sequence[Column[Record]], *, group: Callable[[Record], int] | None = None) -> None:
        """Columns are fixed; records come by `show`. Records of a smaller `group` stand first in every order."""
        super().__init__()
        self.columns = list(columns)
        self.records: list[Record] = []
        self._group = group
        self._sorted_by: tuple[int, Qt.SortOrder] | None = None

    def show(self, records: Sequence[Record]) -> None:
        """Show other records, in the chosen order if one was chosen; the same ones keep selection and place."""
        before, self.records = self.records, list(records)
        self._apply_order()
        if before and len(before) == len(self.records) and all(map(is_, before, self.records)):
            self.told_anew()
            return
        after, self.records = self.records, before
        self.beginResetModel()
        self.records = after
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Number of records."""
        return 0 if parent.isValid() else len(self.records)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Number of columns."""
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401 - Qt's variant
        """Text, alignment, tooltip and colours of a cell."""
        if role in _NEVER_TOLD or not index.isValid():
            return None
        record, column = self.records[index.row()], self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(record)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(column.tip(record) if column.tip else column.text(record))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{column.title or column.name}: {(column.spoken or column.text)(record)}"
        return _look(column, record, role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Which cells can be ticked or edited."""
        if not index.isValid():
            return super().flags(index)
        column = self.columns[index.column()]
        if column.tick is not None:
            return _PLAIN_FLAGS | Qt.ItemFlag.ItemIsUserCheckable
        return _PLAIN_FLAGS | Qt.ItemFlag.ItemIsEditable if column.edit is not None else _PLAIN_FLAGS

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: ANN401 - Qt's variant
        """Tick or edit a cell."""
        if not index.isValid():
            return False
        record, column = self.records[index.row()], self.columns[index.column()]
        if role == Qt.ItemDataRole.CheckStateRole and column.tick:
            column.tick(record, Qt.CheckState(value) == Qt.CheckState.Checked)
            self.dataChanged.emit(index, index, [role])
            return True
        return role == Qt.ItemDataRole.EditRole and column.edit is not None and column.edit(record, str(value))

    def told_anew(self) -> None:
        """The records are the same and say something else."""
        if self.records:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.records) - 1, len(self.columns) - 1))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401 - Qt's variant
        """Titles of the columns."""
        if orientation == Qt.Orientation.Vertical:
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole and column.header_tip:
            return plain_tooltip(column.header_tip)
        if role == Qt.ItemDataRole.InitialSortOrderRole and column.largest_first:
            return Qt.SortOrder.DescendingOrder.value
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1 keeps the order that the records came in."""
        self._sorted_by = (column, order) if 0 <= column < len(self.columns) else None
        self.sort_again()

    def sort_again(self) -> None:
        """Put the records in the chosen order again; what is selected stays selected."""
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        held = [(self.records[index.row()], index.column()) for index in kept]
        self._apply_order()
        rows = {id(record): row for row, record in enumerate(self.records)} if kept else {}
        self.changePersistentIndexList(kept, [self.index(rows[id(record)], column) for record, column in held])
        self.layoutChanged.emit()

    def _apply_order(self) -> None:
        if self._sorted_by is not None:
            self._sort_by(*self._sorted_by)
        if self._group is not None:
            self.records.sort(key=self._group)

    def _sort_by(self, place: int, order: Qt.SortOrder) -> None:
        column = self.columns[place]
        # Asked for once a record: a key that is a sentence in words costs more than all else here.
        keys = list(map(column.order or column.text, self.records))
        places = [place for place, key in enumerate(keys) if key is not None]
        places.sort(key=keys.__getitem__, reverse=order == Qt.SortOrder.DescendingOrder)
        unknown = [place for place, key in enumerate(keys) if key is None]
        self.records = [self.records[place] for place in places + unknown]


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

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:
        """Whether a row of the model is shown."""
        del source_parent
        return self._condition is None or self._condition(self._model.records[source_row])

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Let the model sort."""
        self._model.sort(column, order)

    def record(self, row: int) -> Any:  # noqa: ANN401 - whatever the table holds
        """The record in a shown row."""
        return self._model.records[self.source_row(self.index(row, 0))]

    def source_row(self, index: Index) -> int:
        """The row of the model that a shown cell stands in."""
        return self.mapToSource(index).row()


def _alignment(column: Column[Any]) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _look(column: Column[Record], record: Record, role: int) -> Any:  # noqa: ANN401 - Qt's variant
    if role == Qt.ItemDataRole.CheckStateRole and column.ticked:
        return Qt.CheckState.Checked if column.ticked(record) else Qt.CheckState.Unchecked
    if role == Qt.ItemDataRole.EditRole and column.edited:
        return column.edited(record)
    if role == Qt.ItemDataRole.FontRole and column.bold and column.bold(record):
        font = QFont()
        font.setBold(True)
        return font
    if role == Qt.ItemDataRole.DecorationRole and column.icon:
        return column.icon(record)
    return None
