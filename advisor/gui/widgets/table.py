"""The one look of tables: rows 32 high, thin lines, numbers to the right, copied by Ctrl+C."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QMenu, QSizePolicy, QTableView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QKeyEvent, QResizeEvent

    from advisor.gui.models.table_model import TableModel

ROW_HEIGHT = 32
_TALL_ROW_HEIGHT = 44
_PADDING = 26
_NARROW_PADDING = 23
_TEXT_MARGIN = 22
_ICON = 24
_ARROW = 4
_LEAST_WIDE = 64
_ROOM_FOR_NAMES = 120
_MEASURED_ROWS = 60


class Table(QTableView):
    """Shows a `TableModel`; as high as its rows up to `visible_rows`.

    Where a name of a wide column is too long for its place, rows are high enough for two lines.
    """

    def __init__(
        self,
        model: TableModel[Any],
        name: str,
        *,
        visible_rows: int | None = None,
        wide: Sequence[int] = (0,),
        optional: Sequence[int] = (),
    ) -> None:
        """`wide`: columns that take the room which is left; `optional`: hidden, in turn, where that is too little."""
        super().__init__()
        self._visible_rows = visible_rows
        self.setModel(model)
        self.table_model = model
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
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setMinimumSectionSize(40)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setIconSize(QSize(18, 10))
        self._wide = tuple(wide)
        self._optional = tuple(optional)
        self.setSortingEnabled(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._menu)
        self.copy_text = "Copy"
        model.modelReset.connect(self.fit)
        model.dataChanged.connect(self._values_changed)
        self.fit()

    def _values_changed(self, *_place: object) -> None:
        self.fit_columns()

    def fit(self) -> None:
        """Take the height of the rows."""
        self.fit_columns()
        self._fit_height()

    def _fit_height(self) -> None:
        if self._visible_rows is None:
            return
        rows = min(max(self.model().rowCount(), 1), self._visible_rows)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row_height = self.verticalHeader().defaultSectionSize()
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + rows * row_height + 4)

    def fit_columns(self) -> None:
        """Each column as wide as its texts; what is left goes to the wide columns, or is taken from them."""
        for place in self._optional:
            self.showColumn(place)
        widths = self._wished_widths()
        for place in self._optional:
            named = sum(width for column, width in widths.items() if column not in self._wide)
            if self.viewport().width() - named >= _ROOM_FOR_NAMES:
                break
            self.hideColumn(place)
            del widths[place]
        self._share(widths)

    def _wished_widths(self) -> dict[int, int]:
        """Of each column that is shown, the width of its texts."""
        model, metrics = self.table_model, self.fontMetrics()
        widths = {}
        for place, column in enumerate(model.columns):
            if self.isColumnHidden(place):
                continue
            texts = [column.text(record) for record in model.records[:_MEASURED_ROWS]]
            widest = max((metrics.horizontalAdvance(text) for text in texts), default=0)
            titled = metrics.horizontalAdvance(column.title) + (_ARROW if self.isSortingEnabled() else 0)
            widths[place] = max(widest + (_ICON if column.icon else 0), titled) + _PADDING
        return widths

    def _share(self, widths: dict[int, int]) -> None:
        wide = [place for place in self._wide if place in widths] or list(widths)[-1:]
        left = self.viewport().width() - sum(widths.values())
        if left < 0:
            widths = {place: width - _PADDING + _NARROW_PADDING for place, width in widths.items()}
            left = self.viewport().width() - sum(widths.values())
        for place in wide:
            widths[place] = max(widths[place] + left // len(wide), min(widths[place], _LEAST_WIDE))
        for place, width in widths.items():
            if width != self.columnWidth(place):
                self.setColumnWidth(place, width)
        self._set_row_height(wide)

    def _set_row_height(self, wide: Sequence[int]) -> None:
        model, metrics = self.table_model, self.fontMetrics()
        texts = [
            (place, model.columns[place].text(one))
            for place in wide
            if place in self._wide
            for one in model.records[:_MEASURED_ROWS]
        ]
        tall = any(metrics.horizontalAdvance(text) + _TEXT_MARGIN > self.columnWidth(place) for place, text in texts)
        height = _TALL_ROW_HEIGHT if tall and any(" " in text or "-" in text for _place, text in texts) else ROW_HEIGHT
        if height != self.verticalHeader().defaultSectionSize():
            self.setWordWrap(height == _TALL_ROW_HEIGHT)
            self.verticalHeader().setDefaultSectionSize(height)
            self._fit_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the new width among the columns."""
        super().resizeEvent(event)
        self.fit_columns()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the selected rows as tab-separated text."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def copy(self) -> None:
        """Put the selected rows, or all, on the clipboard."""
        model = self.table_model
        rows = sorted({index.row() for index in self.selectedIndexes()}) or range(len(model.records))
        lines = ["\t".join(column.title for column in model.columns)]
        lines += ["\t".join(column.text(model.records[row]) for column in model.columns) for row in rows]
        QGuiApplication.clipboard().setText("\n".join(lines))

    def _menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.addAction(self.copy_text).triggered.connect(lambda _on=False: self.copy())
        menu.popup(self.viewport().mapToGlobal(place))
