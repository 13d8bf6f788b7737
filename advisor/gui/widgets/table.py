"""The one look of tables: rows of one height, thin lines, numbers to the right, copied by Ctrl+C."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QCoreApplication, QModelIndex, QPersistentModelIndex, QPoint, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QMenu,
    QSizePolicy,
    QTableView,
)

from advisor.gui.texts import CHANGED
from advisor.gui.theme import TEXT_SIZE
from advisor.gui.widgets.cell_delegate import CellDelegate

if TYPE_CHECKING:
    from advisor.gui.models.table_model import ShownRows, TableModel

ROW_HEIGHT = 32
_TALL_ROW_HEIGHT = 44
_ROW_PADDING = 12
_PADDING = 26
_NARROW_PADDING = 23
_TEXT_MARGIN = 22
_ICON = 28
_ARROW = 4
_LEAST_WIDE = 64
_MOST_WIDE = 480
"""Beyond this a column of names shares what room is left with all others."""
_ROOM_FOR_NAMES = 120
"""In pixels, of each column of names in letters of the usual size."""
_MEASURED_ROWS = 60
_MARK_WIDTH = 40
"""Of a column that holds a tick or a mark alone."""


class _Measured(NamedTuple):
    """Texts of a column: the widest, in pixels, and whether one of them can go on in a second line."""

    widest: int
    breaks: bool


class Table(QTableView):
    """Shows a `TableModel`; as high as its rows up to `visible_rows`.

    Where a name of a wide column is too long for its place, rows are high enough for two lines.
    """

    def __init__(  # noqa: PLR0913 - what a table is made of
        self,
        model: TableModel[Any],
        name: str,
        *,
        visible_rows: int | None = None,
        wide: Sequence[int] = (0,),
        optional: Sequence[int] = (),
        rows: ShownRows | None = None,
        grows: bool = False,
    ) -> None:
        """`wide`: columns that take the room which is left; `optional`: hidden, in turn, where that is too little.

        `rows`: which of the model's rows are shown; None: all. `grows`: beyond `visible_rows`, where there is room.
        """
        super().__init__()
        self._visible_rows = visible_rows
        self._rows = rows
        self._grows = grows
        self._measured: dict[int, _Measured] = {}
        self._first_records: list[Any] | None = None
        self.resting = False
        """Whether more changes are to come: nothing is measured until then."""
        self._measured_with = ""
        self.never_shown: frozenset[int] = frozenset()
        """Columns that were chosen away."""
        self.setModel(rows or model)
        self.table_model = model
        self.setItemDelegate(CellDelegate(self, model.columns, self.record_at))
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.verticalHeader().setVisible(False)
        self.verticalHeader().setDefaultSectionSize(self._row_height())
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setMinimumSectionSize(40)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setIconSize(QSize(22, 10))
        self._wide = tuple(wide)
        self.optional = tuple(optional)
        self.first_optional: tuple[int, ...] = ()
        """Hidden instead, where that is enough: what these leave is worth more than what `optional` would."""
        self.offered: Callable[[], Sequence[tuple[str, Callable[[], object]]]] = tuple
        """What the menu of a row offers besides copying: words, and what they do."""
        self.setSortingEnabled(True)
        # Whoever asks for another order asks what comes first in it.
        header.sectionClicked.connect(lambda _column: self.scrollToTop())
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._menu)
        model.modelReset.connect(self.fit)
        model.dataChanged.connect(self._values_changed)
        self.model().layoutChanged.connect(self._values_changed)  # Sorted: other texts come first.
        self.fit()

    def order(self) -> tuple[int, int]:
        """The column that sorts the rows, -1 for none, and its direction as Qt numbers it."""
        header = self.horizontalHeader()
        return header.sortIndicatorSection(), header.sortIndicatorOrder().value

    def set_order(self, column: int, direction: int) -> None:
        """Sort by a column, as `order` tells it."""
        self.horizontalHeader().setSortIndicator(column, Qt.SortOrder(direction))

    def hide_columns(self, places: Iterable[int]) -> None:
        """Hide these columns and show all others, as far as there is room for the optional ones."""
        self.never_shown = frozenset(places)
        for place in range(len(self.table_model.columns)):
            self.setColumnHidden(place, place in self.never_shown)
        self.fit_columns()

    def record_at(self, index: QModelIndex | QPersistentModelIndex) -> Any:  # noqa: ANN401 - whatever the table holds
        """The record of a cell."""
        row = index.row() if self._rows is None else self._rows.source_row(index)
        return self.table_model.records[row]

    def shown_records(self, limit: int | None = None) -> list[Any]:
        """The records as they stand in the table, from the top."""
        if self._rows is None:
            return self.table_model.records[:limit]
        count = self._rows.rowCount() if limit is None else min(self._rows.rowCount(), limit)
        return [self._rows.record(row) for row in range(count)]

    def _values_changed(self, *_place: object) -> None:
        self._forget_texts()
        self.fit_columns()

    def _forget_texts(self) -> None:
        self._measured, self._first_records = {}, None

    def fit(self) -> None:
        """Take the height of the rows, and of the columns what their texts need now."""
        self._forget_texts()
        if self.resting:
            return
        self.fit_columns()
        self._fit_height()

    def _fit_height(self) -> None:
        if self._visible_rows is None:
            return
        rows = min(max(self.model().rowCount(), 1), self._visible_rows)
        row_height, frame = self.row_height, self.frame_height
        self.verticalScrollBar().setSingleStep(row_height)
        most = max(self.model().rowCount(), 1) if self._grows else rows
        self.setMinimumHeight(frame + rows * row_height)
        self.setMaximumHeight(frame + most * row_height)
        if not self._grows:
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def row_height(self) -> int:
        """Of every row, in pixels."""
        return self.verticalHeader().defaultSectionSize()

    @property
    def frame_height(self) -> int:
        """Of all but the rows, in pixels."""
        return self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth()

    def fit_columns(self) -> None:
        """Each column as wide as its texts; what is left goes to the wide columns, or is taken from them."""
        widths = self._hidden_in_turn(self.first_optional, narrow=True) if self.first_optional else None
        if widths is None or not self._has_room(widths, narrow=True):
            widths = self._hidden_in_turn(self.optional)
        self._share(widths)

    def _hidden_in_turn(self, optional: Sequence[int], *, narrow: bool = False) -> dict[int, int]:
        """Hide of these columns what has no room; the widths of those that are shown. `narrow`: as `_has_room`."""
        for place in range(len(self.table_model.columns)):
            self.setColumnHidden(place, place in self.never_shown)
        widths = self._wished_widths()
        for place in optional:
            if place in self.never_shown:
                continue
            if self._has_room(widths, narrow=narrow):
                break
            self.hideColumn(place)
            del widths[place]
        return widths

    def _has_room(self, widths: Mapping[int, int], *, narrow: bool = False) -> bool:
        """Whether there is room for these columns and a name; `narrow`: with texts as near as they may come."""
        widths = _brought_nearer(widths) if narrow else widths
        named = sum(width for column, width in widths.items() if column not in self._wide)
        names = _ROOM_FOR_NAMES * self.font().pixelSize() / TEXT_SIZE
        return self.viewport().width() - named >= names * len(self._wide)

    def _wished_widths(self) -> dict[int, int]:
        """Of each column that is shown, the width of its texts."""
        metrics, widths = self.fontMetrics(), {}
        for place, column in enumerate(self.table_model.columns):
            if self.isColumnHidden(place):
                continue
            widest = self._texts_of(place).widest
            titled = metrics.horizontalAdvance(column.title) + (_ARROW if self.isSortingEnabled() else 0)
            if column.ticked or (column.icon and not widest and not column.title):
                widths[place] = _MARK_WIDTH
            else:
                widths[place] = max(widest + (_ICON if column.icon else 0), titled) + _PADDING
        return widths

    def _texts_of(self, place: int) -> _Measured:
        """The first texts of a column, measured once: with every width of the window they would be said anew."""
        font = self.font().key()
        if font != self._measured_with:
            self._measured, self._measured_with = {}, font
        if place not in self._measured:
            column = self.table_model.columns[place]
            if self._first_records is None:
                self._first_records = self.shown_records(_MEASURED_ROWS)
            texts = [column.text(record) for record in self._first_records]
            heavier = column.bold is not None and any(map(column.bold, self._first_records))
            metrics = QFontMetrics(_bold(self.font())) if heavier else self.fontMetrics()
            self._measured[place] = _Measured(
                max((metrics.horizontalAdvance(text) for text in texts), default=0),
                any(" " in text or "-" in text for text in texts),
            )
        return self._measured[place]

    def _share(self, widths: dict[int, int]) -> None:
        wide = [place for place in self._wide if place in widths] or list(widths)[-1:]
        left = self.viewport().width() - sum(widths.values())
        if left < 0:
            widths = _brought_nearer(widths)
            left = self.viewport().width() - sum(widths.values())
        needed = dict(widths)
        for place in wide:
            widths[place] = max(widths[place] + left // len(wide), min(widths[place], _LEAST_WIDE))
        self._spread(widths, wide, needed)
        for place, width in widths.items():
            if width != self.columnWidth(place):
                self.setColumnWidth(place, width)
        self._set_row_height(wide)

    @staticmethod
    def _spread(widths: dict[int, int], wide: Sequence[int], needed: Mapping[int, int]) -> None:
        """On a very wide screen all columns take of the room: figures far from their names are read with a ruler."""
        others = [place for place, width in widths.items() if place not in wide and width > _MARK_WIDTH]
        most = {place: max(_MOST_WIDE, needed[place]) for place in wide}
        each = sum(max(widths[place] - most[place], 0) for place in wide) // (len(others) + len(wide))
        if each and others:
            for place in wide:
                widths[place] = min(widths[place], most[place])
            for place in (*wide, *others):
                widths[place] += each

    def _set_row_height(self, wide: Sequence[int]) -> None:
        texts = {place: self._texts_of(place) for place in wide if place in self._wide}
        tall = any(measured.widest + _TEXT_MARGIN > self.columnWidth(place) for place, measured in texts.items())
        two_lines = max(_TALL_ROW_HEIGHT, 2 * self.fontMetrics().height() + _ROW_PADDING // 2)
        height = two_lines if tall and any(measured.breaks for measured in texts.values()) else self._row_height()
        if height != self.verticalHeader().defaultSectionSize():
            self.setWordWrap(height > self._row_height())
            self.verticalHeader().setDefaultSectionSize(height)
            self._fit_height()

    def _row_height(self) -> int:
        """Higher where the letters are larger than usual."""
        return max(ROW_HEIGHT, self.fontMetrics().height() + _ROW_PADDING)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the new width among the columns; where that made the scroll bar go, its room too."""
        super().resizeEvent(event)
        shared = self.viewport().width()
        self.fit_columns()
        if self.viewport().width() != shared:
            self.fit_columns()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the selected rows as tab-separated text."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def copy(self) -> None:
        """Put the selected rows, or all, on the clipboard."""
        chosen = sorted({index.row() for index in self.selectedIndexes()})
        titles, cells = self.shown_texts(chosen or None)
        QGuiApplication.clipboard().setText("\n".join("\t".join(line) for line in [titles, *cells]))

    def shown_texts(self, rows: Sequence[int] | None = None) -> tuple[list[str], list[list[str]]]:
        """Titles and cells as they are shown, hidden columns and marks left out; `rows` None: all."""
        columns = [
            column
            for place, column in enumerate(self.table_model.columns)
            if column.title and not self.isColumnHidden(place)
        ]
        records = self.shown_records()
        chosen = records if rows is None else [records[row] for row in rows]
        cells = [[column.text(record).removeprefix(f"{CHANGED} ") for column in columns] for record in chosen]
        return [column.title for column in columns], cells

    def _menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        for words, act in self.offered() if self.currentIndex().isValid() else ():
            menu.addAction(words).triggered.connect(lambda _on=False, chosen=act: chosen())
        if not menu.isEmpty():
            menu.addSeparator()
        menu.addAction(QCoreApplication.translate("QWidgetTextControl", "&Copy")).triggered.connect(
            lambda _on=False: self.copy()
        )
        menu.popup(self.viewport().mapToGlobal(place))


def _brought_nearer(widths: Mapping[int, int]) -> dict[int, int]:
    """A column of marks has no letters to bring nearer, and none is narrower."""
    return {place: max(width - _PADDING + _NARROW_PADDING, _MARK_WIDTH) for place, width in widths.items()}


def _bold(font: QFont) -> QFont:
    heavy = QFont(font)
    heavy.setBold(True)
    return heavy
