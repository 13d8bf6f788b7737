"""The one look of tables: rows 32 high, thin lines, numbers to the right, copied by Ctrl+C."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QMenu, QSizePolicy, QTableView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QKeyEvent

    from advisor.gui.models.table_model import TableModel

ROW_HEIGHT = 32


class Table(QTableView):
    """Shows a `TableModel`; as high as its rows up to `visible_rows`."""

    def __init__(
        self, model: TableModel[Any], name: str, *, visible_rows: int | None = None, wide: Sequence[int] = (0,)
    ) -> None:
        """`wide`: columns that take the room which is left."""
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
        header.setMinimumSectionSize(48)
        for place in range(len(model.columns)):
            mode = QHeaderView.ResizeMode.Stretch if place in wide else QHeaderView.ResizeMode.ResizeToContents
            header.setSectionResizeMode(place, mode)
        header.setResizeContentsPrecision(60)
        self.setSortingEnabled(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._menu)
        self.copy_text = "Copy"
        model.modelReset.connect(self.fit)
        self.fit()

    def fit(self) -> None:
        """Take the height of the rows."""
        if self._visible_rows is None:
            return
        rows = min(max(self.model().rowCount(), 1), self._visible_rows)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + rows * ROW_HEIGHT + 4)

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
