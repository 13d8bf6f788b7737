"""The workbench of Compare: every set-up in one table that is sorted, filtered, pinned, priced and exported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QMenu, QSizePolicy, QToolButton

from advisor.core.sentences import visible
from advisor.gui.context import Context
from advisor.gui.dialogs.save_path import ask_save_path
from advisor.gui.models.table_model import ShownRows, TableModel
from advisor.gui.models.typed_number import FieldError
from advisor.gui.models.typed_prices import MOST_AN_HOUR, TypedPrices, typed_price
from advisor.gui.pages.compare_columns import set_up_columns
from advisor.gui.pages.compare_figures import ComparedSetUp, PredictionIndex
from advisor.gui.widgets.boxes import REST, across
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.choice import Line
from advisor.gui.widgets.labels import label, tell, untold
from advisor.gui.widgets.table import Table
from advisor.gui.widgets.table_card import GrowingCard
from advisor.predict.prediction import Prediction
from advisor.present.look import OVER_LIMITS
from advisor.recommend.recommendation import Goal

_HIDDEN_AT_FIRST = frozenset({"range", "energy"})
_GIVES_WAY = ("energy", "range", "step", "basis", "epoch", "cost", "memory", "job", "precision", "pin", "price")
"""Hidden, in turn, where the window is too narrow for all: what tells set-ups apart after what follows from others."""
_PRICED_GIVES_WAY = ("energy", "range", "step", "basis", "epoch", "memory", "pin", "job", "rate", "precision")
"""The same where prices are known and this is enough: who typed one looks for what the job costs; the bars above have
its samples a second."""
_VISIBLE_ROWS = 12
_FILTER_WIDTH = 230
"""Pixels with usual letters: what stands in the empty line is as wide."""


class SetUpsCard(GrowingCard):
    """The table over all set-ups; `changed` says that ticks or prices are others."""

    changed = Signal()
    altered = Signal()
    """Filter, columns or pins are others: nothing that a chart shows."""

    def __init__(self, context: Context, index: PredictionIndex, names: Mapping[str, str], samples: int) -> None:
        """`names` by device key; `samples` of the data, which what is left out passes in a step."""
        super().__init__(context.texts("compare-table-title"))
        self._context, self._index, self._names = context, index, names
        self.texts = context.texts
        self._words: dict[ComparedSetUp, str] = {}
        self._asked_for: set[str] = set()
        """Columns that were chosen: they stay, however narrow the window."""
        self._condition: Callable[[ComparedSetUp], bool] = lambda _one: True
        self.model: TableModel[ComparedSetUp] = TableModel(
            set_up_columns(context, index, names, self._tick, self._set_price), group=_group
        )
        self.rows = ShownRows(self.model)
        self._fill_header()
        wide = (self._place("device"),)
        self.table = Table(
            self.model,
            self.texts("compare-table-title"),
            visible_rows=_VISIBLE_ROWS,
            wide=wide,
            rows=self.rows,
            grows=True,
        )
        self._let_give_way()
        self.table.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self.table.setAccessibleDescription(self.texts("compare-table-help"))
        self.table.clicked.connect(self._clicked)
        self.table.offered = self._offered
        for keys, act in (("P", self._pin_current), ("Space", self._tick_current), ("F2", self._price_current)):
            shortcut = QShortcut(QKeySequence(keys), self.table)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(act)
        header = self.table.horizontalHeader()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(lambda at: self._menu.popup(header.mapToGlobal(at)))
        self._refused, self._prices, self.nothing = untold(), untold("muted"), untold("muted")
        self.put(self._refused, self.nothing)  # Above the rows: what lies below them may be out of sight.
        self.hold(self.table)
        self.put(label(self.texts("compare-table-help"), "muted", wrap=True), self._prices)
        if any(set_up.over_limits for set_up in index.set_ups):
            self.put(label(self.texts("compare-over-limits-note", mark=OVER_LIMITS), "muted", wrap=True))
        if left_out := len(index.set_ups) - len(index.shown):
            self.put(label(self.texts("compare-beyond-data", count=left_out, samples=samples), "muted", wrap=True))
        self.hide_columns(_HIDDEN_AT_FIRST)

    def _fill_header(self) -> None:
        self.search = Line(least_digits=1)
        self.search.setPlaceholderText(self.texts("compare-filter"))
        self.search.setAccessibleName(self.texts("compare-filter"))
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(self._context.theme.sized(_FILTER_WIDTH))
        self.search.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.all = QCheckBox(self.texts("compare-all"))
        self.fitting = QCheckBox(self.texts("compare-fitting"))
        for box in (self.all, self.fitting):
            box.setChecked(True)
        self.search.textChanged.connect(lambda _text: self._filter())
        for box in (self.all, self.fitting):
            box.toggled.connect(lambda _on: self._filter())
        self.counted = label("", "muted")
        columns = QToolButton()
        columns.setText(self.texts("compare-columns"))
        columns.setProperty("role", "small")
        columns.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(columns)
        self._menu.aboutToShow.connect(self._fill_column_menu)
        columns.setMenu(self._menu)
        export = push(self.texts("compare-export"), self._ask_and_export, "small")
        self.add_to_header(self.counted, columns, export)
        # A line of their own: beside the others they would make the page wider than the narrowest window.
        self.put(across(10, (self.search, 1), self.all, self.fitting, REST))

    def _has(self, name: str) -> bool:
        return any(column.name == name for column in self.model.columns)

    def _place(self, name: str) -> int:
        return next(place for place, column in enumerate(self.model.columns) if column.name == name)

    def _set_price(self, set_up: ComparedSetUp, typed: str) -> bool:
        try:
            price = typed_price(typed)
        except FieldError as error:
            reason = self.texts(error.code, range=f"0 … {MOST_AN_HOUR:,.0f}".replace(",", "\u00a0"))
            tell(self._refused, self.texts("compare-price-refused", typed=visible(typed.strip()), reason=reason))
            return False
        tell(self._refused, "")
        self._index.set_price(set_up.prediction.device.key, price)
        self._let_give_way()
        self.model.told_anew()
        self.changed.emit()
        return True

    def _let_give_way(self) -> None:
        """Which columns go first where there is no room; one that a person asked for is not among them."""
        orders = (_GIVES_WAY, _PRICED_GIVES_WAY if self._index.has_cost() else ())
        self.table.optional, self.table.first_optional = (
            tuple(self._place(name) for name in order if self._has(name) and name not in self._asked_for)
            for order in orders
        )

    def tell_prices(self, typed: TypedPrices | None) -> None:
        """Say of what day and in what currency the typed prices are; None: there are none."""
        day, currency = ("", "") if typed is None else (typed.date, visible(typed.currency))
        tell(self._prices, self.texts("compare-prices-kept", date=day, currency=currency) if day else "")

    def _tick(self, set_up: ComparedSetUp, ticked: bool) -> None:
        set_up.ticked = ticked
        self.changed.emit()

    def _clicked(self, index: QModelIndex) -> None:
        if index.column() == self._place("pin"):
            self._pin(self.rows.record(index.row()))

    def _pin(self, set_up: ComparedSetUp) -> None:
        set_up.pinned = not set_up.pinned
        self.model.sort_again()
        self.rows.invalidate()
        self.altered.emit()

    def _pin_current(self) -> None:
        if self.table.currentIndex().isValid():
            self._pin(self.rows.record(self.table.currentIndex().row()))

    def _tick_current(self) -> None:
        index = self.table.currentIndex()
        if index.isValid():
            set_up = self.rows.record(index.row())
            self._tick(set_up, not set_up.ticked)
            self.model.told_anew()

    def _price_current(self) -> None:
        place = self._place("price")
        if self.table.currentIndex().isValid() and not self.table.isColumnHidden(place):
            self.table.edit(self.table.currentIndex().siblingAtColumn(place))

    def _offered(self) -> list[tuple[str, Callable[[], object]]]:
        """What can be done with the row that the menu is of."""
        set_up = self.rows.record(self.table.currentIndex().row())
        offered: list[tuple[str, Callable[[], object]]] = [
            (self.texts("compare-untick" if set_up.ticked else "compare-tick"), self._tick_current),
            (self.texts("compare-unpin" if set_up.pinned else "compare-pin"), self._pin_current),
        ]
        priced = not self.table.isColumnHidden(self._place("price"))
        return [*offered, *([(self.texts("compare-set-price"), self._price_current)] if priced else [])]

    def show_where(self, condition: Callable[[ComparedSetUp], bool], goal: Goal) -> None:
        """What is shown while not all set-ups are; as long as no column sorts, the best for the goal come first."""
        self._condition = condition
        self.table.resting = True
        self.rows.show_only(self._wanted(), now=False)
        self.model.show(self._index.best_first(goal))
        self.table.resting = False
        self._rows_changed()

    def _filter(self) -> None:
        self.rows.show_only(self._wanted())
        self._rows_changed()
        self.altered.emit()

    def _wanted(self) -> Callable[[ComparedSetUp], bool]:
        words = self.search.text().casefold().split()
        everything, fitting = self.all.isChecked(), self.fitting.isChecked()

        def shown(set_up: ComparedSetUp) -> bool:
            if set_up.pinned:
                return True
            if fitting and set_up.prediction.fits is False:
                return False
            if not everything and not self._condition(set_up):
                return False
            return not words or all(word in self._searched(set_up) for word in words)

        return shown

    def _rows_changed(self) -> None:
        self.table.fit()
        shown = self.rows.rowCount()
        self.counted.setText(self.texts("compare-rows", shown=shown, total=len(self._index.shown)))
        tell(self.nothing, "" if shown else self.texts("compare-none-match"))

    def _searched(self, set_up: ComparedSetUp) -> str:
        words = self._words.get(set_up)
        if words is None:
            words = self._words[set_up] = self._all_words(set_up.prediction)
        return words

    def _all_words(self, prediction: Prediction) -> str:
        parts = (self._names[prediction.device.key], prediction.device.key, prediction.strategy, prediction.precision)
        count, batch = prediction.count, prediction.batch_size_per_device
        numbers = f"{count}x {count}× b{batch} {self.texts.basis(prediction.step_s)}"
        return f"{' '.join(parts)} {self.texts.precision(prediction.precision)} {numbers}".casefold()

    def hidden_columns(self) -> frozenset[str]:
        """Names of the columns that were chosen away."""
        return frozenset(self.model.columns[place].name for place in self.table.never_shown)

    def hide_columns(self, names: frozenset[str]) -> None:
        """Show all columns but these."""
        self.table.hide_columns(place for place, column in enumerate(self.model.columns) if column.name in names)
        self.altered.emit()

    def columns_changed(self) -> bool:
        """Whether other columns are shown than at first."""
        return self.hidden_columns() != frozenset(name for name in _HIDDEN_AT_FIRST if self._has(name))

    def _fill_column_menu(self) -> None:
        self._menu.clear()
        for column in self.model.columns:
            if column.name in {"tick", "pin", "device"}:
                continue
            action = self._menu.addAction(column.title)
            action.setCheckable(True)
            # One that gave way to the others, for lack of room, is asked for as any other that is not seen.
            action.setChecked(not self.table.isColumnHidden(self._place(column.name)))
            action.toggled.connect(lambda on, name=column.name: self._choose_column(name, shown=on))

    def _choose_column(self, name: str, *, shown: bool) -> None:
        hidden = self.hidden_columns()
        # A column that a person asks for stays, however narrow the window: the table scrolls sideways.
        self._asked_for.add(name)
        self._let_give_way()
        self.hide_columns(hidden - {name} if shown else hidden | {name})

    def reset(self) -> None:
        """Prices, pins, filter and columns as they were at first."""
        self._index.reset_prices()
        self._asked_for.clear()
        tell(self._refused, "")
        for set_up in self._index.set_ups:
            set_up.pinned = False
        self.search.clear()
        self.all.setChecked(True)
        self.fitting.setChecked(True)
        self._let_give_way()
        self.hide_columns(_HIDDEN_AT_FIRST)
        self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._filter()

    def _ask_and_export(self) -> None:
        path = ask_save_path(self, self.texts("compare-export"), "set-ups.csv")
        if path is not None:
            self.export(path)

    def export(self, path: Path) -> None:
        """Write what is shown, in its order and with its columns, as CSV; a problem is told as every other one."""
        from advisor.gui.threads import Outcome, call_as_job
        from advisor.present.csv_file import write_shown

        session = self._context.session
        titles, cells = self.table.shown_texts()

        def written(outcome: Outcome) -> None:
            if outcome.failed:
                session.problem_raised.emit(outcome)
            else:
                self._context.tell(self.texts("window-saved", path=str(path)))

        session.crew.start(call_as_job(lambda: write_shown(titles, cells, path)), written)


def _group(set_up: ComparedSetUp) -> int:
    """Pinned rows stand first, what does not fit last, in every order."""
    return 0 if set_up.pinned else 2 if set_up.prediction.fits is False else 1
