"""All candidates, ranked with their ranges; switching precision, batch, count or goal ranks them anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QPushButton

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.catalogue.strategies import STRATEGY_LABELS
from advisor.core.sentences import visible
from advisor.gui.advice_figures import device_names, short_name
from advisor.gui.compare_figures import PredictionIndex, figure_of
from advisor.gui.models.table_model import Column, TableModel
from advisor.gui.pages.advice_charts import prediction_tip
from advisor.gui.pages.page import GAP, Page, ViewState
from advisor.gui.plots.bars import Bar, BarChart
from advisor.gui.plots.order_chart import OrderChart, OrderLine
from advisor.gui.theme import CPU_SERIES
from advisor.gui.widgets.accuracy_caption import accuracy_caption
from advisor.gui.widgets.card import Card, clear
from advisor.gui.widgets.choice import Choice
from advisor.gui.widgets.labels import label
from advisor.gui.widgets.notice import EmptyState
from advisor.gui.widgets.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.catalogue.precisions import Precision
    from advisor.core.units import Estimate
    from advisor.gui.context import Context
    from advisor.predict.prediction import Prediction
    from advisor.recommend.ranking import Row
    from advisor.recommend.recommendation import Goal

_MOST_ROWS = 400
_SAME_IN_A_RANKING = (1, 3, 4)
"""Columns of count, precision and batch: the switches name them already."""
_RANGE_COLUMN = 6


class ComparePage(Page):
    """Switches, bars, the order by precision, and the table."""

    def __init__(self, context: Context) -> None:
        """Show the session's advice, if there is one."""
        super().__init__(context, context.texts("page-compare"), context.texts("compare-subtitle"))
        self._state: ViewState = {}
        self._comparison: PredictionIndex | None = None
        self.session.advice_changed.connect(lambda: self.show_when_seen(self._rebuild))
        self._rebuild()

    def view_state(self) -> ViewState:
        """The four switches and the filter."""
        if self._comparison is None:
            return self._state
        return {
            "precision": self._precision,
            "batch": self._batch.currentData(),
            "count": self._count.currentData(),
            "goal": self._goal.currentData(),
            "filter": self._filter.text(),
            "all": self._all.isChecked(),
        }

    def restore(self, state: ViewState) -> None:
        """Set the switches again."""
        self._state = state
        self._rebuild()

    def _rebuild(self) -> None:
        clear(self.body)
        advice = self.session.advice
        self._comparison = None
        if advice is None or not advice.predictions:
            self.body.addWidget(
                EmptyState(
                    self.texts("compare-empty-title"),
                    self.texts("compare-empty-text"),
                    (self.texts("menu-predict"), lambda: self.context.act("predict")),
                ),
                1,
            )
            return
        self._comparison = PredictionIndex(advice)
        here = {one.device.key for one in advice.predictions if one.device.local}
        named = {key: short_name(visible(name)) for key, name in device_names(advice.predictions).items()}
        self._names = {
            key: self.texts("compare-here", device=name) if key in here else name for key, name in named.items()
        }
        self._build_switches()
        self._build_charts()
        self._build_table()
        self._rank()

    def _build_switches(self) -> None:
        assert self._comparison is not None
        advice = self.session.advice
        assert advice is not None
        chosen = advice.recommendation or advice.recommendation_local
        training = advice.workload.training
        precision = self._state.get("precision", chosen.precision if chosen else training.precision)
        known = self._comparison.precisions
        self._precision: Precision = next((one for one in known if one == precision), known[0])
        line = QHBoxLayout()
        line.setSpacing(6)
        self._buttons: dict[Precision, QPushButton] = {}
        for offered in known:
            button = QPushButton(PRECISION_LABELS[offered])
            button.setProperty("role", "small")
            button.setCheckable(True)
            button.setAutoExclusive(True)
            button.setChecked(offered == self._precision)
            button.clicked.connect(lambda _on=False, picked=offered: self._choose_precision(picked))
            self._buttons[offered] = button
            line.addWidget(button)
        line.addSpacing(10)
        batches = [(str(size), size) for size in self._comparison.batches]
        own = chosen.batch_size_per_device if chosen else training.batch_size
        self._batch = self._box(line, "compare-batch", batches, self._state.get("batch", own))
        counts = [(str(count), count) for count in self._comparison.counts]
        self._count = self._box(line, "compare-count", counts, self._state.get("count", chosen.count if chosen else 1))
        goals: list[tuple[str, object]] = [(self.texts("goal-time"), "time")]
        if self._comparison.has_cost():
            goals.append((self.texts("goal-cost"), "cost"))
        if self._comparison.has_energy():
            goals.append((self.texts("goal-energy"), "energy"))
        self._goal = self._box(line, "compare-goal", goals, self._state.get("goal", "time"))
        line.addStretch(1)
        self.body.addLayout(line)

    def _box(
        self, line: QHBoxLayout, code: str, offered: list[tuple[str, object]] | list[tuple[str, int]], chosen: object
    ) -> Choice:
        name = label(self.texts(code), "muted")
        box = Choice()
        for text, value in offered:
            box.addItem(text, value)
        box.setCurrentIndex(max(box.findData(chosen), 0))
        box.setAccessibleName(name.text())
        name.setBuddy(box)
        box.currentIndexChanged.connect(lambda _place: self._rank())
        line.addWidget(name)
        line.addWidget(box)
        line.addSpacing(6)
        return box

    def _choose_precision(self, precision: Precision) -> None:
        self._precision = precision
        self._rank()

    def _build_charts(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(GAP)
        bars = Card(self.texts("compare-bars-title"))
        self._unit = label("", "muted")
        bars.add_to_header(self._unit)
        self._bars = BarChart(self.theme, self.texts("compare-bars-title"), tie_text=self.texts("compare-tie-tip"))
        bars.body.addWidget(self._bars)
        self._tie_note = label(self.texts("compare-tie-note"), "muted", wrap=True)
        bars.body.addWidget(self._tie_note)
        bars.body.addStretch(1)
        line.addWidget(bars, 3)
        order = Card(self.texts("compare-order-title"))
        self._order = OrderChart(self.theme, self.texts("compare-order-title"))
        order.body.addWidget(self._order)
        order.body.addStretch(1)
        line.addWidget(order, 2)
        self.body.addLayout(line)

    def _build_table(self) -> None:
        card = Card(self.texts("compare-table-title"))
        self._filter = QLineEdit(str(self._state.get("filter", "")))
        self._filter.setPlaceholderText(self.texts("compare-filter"))
        self._filter.setAccessibleName(self.texts("compare-filter"))
        self._filter.setClearButtonEnabled(True)
        self._filter.setFixedWidth(230)
        self._filter.textChanged.connect(lambda _text: self._fill_table())
        self._all = QCheckBox(self.texts("compare-all"))
        self._all.setChecked(bool(self._state.get("all")))
        self._all.toggled.connect(lambda _on: self._fill_table())
        self._shown = label("", "muted")
        for widget in (self._shown, self._all, self._filter):
            card.add_to_header(widget)
        self._model = TableModel(self._columns())
        self._table = Table(self._model, self.texts("compare-table-title"), visible_rows=12, wide=(0,))
        self._table.copy_text = self.texts("window-copy")
        card.body.addWidget(self._table)
        assert self._comparison is not None
        if any(one.step_s.basis == "specified" for one in self._comparison.predictions):
            caption = accuracy_caption(self.texts.language, self._comparison.precisions)
            if caption is not None:
                card.body.addWidget(caption)
        card.hug()
        self.body.addWidget(card)
        self.body.addStretch(1)

    def _columns(self) -> list[Column[Prediction]]:
        texts = self.texts

        def tip(one: Prediction) -> str:
            return prediction_tip(one, self.context)

        def value(name: str) -> object:
            return lambda one: None if getattr(one, name) is None else getattr(one, name).value

        def made(code: str, text: object, order: object, *, number: bool = True) -> Column[Prediction]:
            return Column(title=texts(code), text=text, order=order, tip=tip, number=number)  # type: ignore[arg-type]

        refused, rate = texts("advice-does-not-fit"), value("samples_per_s")

        def fitting(text: Callable[[Prediction], str], instead: str = "–") -> Callable[[Prediction], str]:
            return lambda one: text(one) if one.fits is not False else instead

        columns = [
            made("column-device", lambda one: self._names[one.device.key], None, number=False),
            made("column-count", lambda one: str(one.count), lambda one: one.count),
            made("column-strategy", self._strategy, None, number=False),
            made("column-precision", lambda one: PRECISION_LABELS[one.precision], None, number=False),
            made("column-batch", lambda one: str(one.batch_size_per_device), lambda one: one.batch_size_per_device),
            made("compare-rate", fitting(lambda one: texts.rate(one.samples_per_s.value), refused), rate),
            made("column-range", fitting(lambda one: texts.span(one.samples_per_s, texts.rate)), rate),
            made("column-step", fitting(lambda one: texts.duration(one.step_s.value)), value("step_s")),
            made("column-job", fitting(lambda one: texts.duration(_value(one.job_s))), value("job_s")),
            made("column-memory", self._memory, value("peak_memory_bytes")),
        ]
        if self._comparison is not None and self._comparison.has_cost():
            cost = lambda one: texts.money(one.cost.value if one.cost else None, one.currency)  # noqa: E731 - a cell
            columns.append(made("advice-cost", cost, value("cost")))
        columns.append(made("column-basis", lambda one: texts.basis(one.step_s), None, number=False))
        return columns

    def _strategy(self, one: Prediction) -> str:
        name = STRATEGY_LABELS.get(one.strategy) or self.texts.strategy(one.strategy)
        steps = one.gradient_accumulation_steps
        return f"{name} ×{steps}" if steps > 1 else name

    def _memory(self, one: Prediction) -> str:
        if one.peak_memory_bytes is None:
            return self.texts("window-unknown")
        return self.texts.size(one.peak_memory_bytes.value)

    def _rank(self) -> None:
        """Rank anew; cheap, because the predictions are indexed."""
        if self._comparison is None:
            return
        goal: Goal = self._goal.currentData()
        batch, count = int(self._batch.currentData()), int(self._count.currentData())
        rows = self._comparison.rows(self._precision, batch, count, goal)
        self._rows = rows
        self._unit.setText(self.texts(f"compare-unit-{goal}"))
        self._bars.show_bars([self._bar(row, goal) for row in rows])
        self._tie_note.setVisible(any(row.tied for row in rows))
        self._show_order(batch, count, goal)
        self._fill_table()

    def _bar(self, row: Row, goal: Goal) -> Bar:
        one = row.prediction
        figure = figure_of(one, goal)
        fits = one.fits is not False
        advice = self.session.advice
        best = advice.recommendation if advice else None
        name = self._names[one.device.key]
        return Bar(
            name=f"{one.count} × {name}" if one.count > 1 else name,
            estimate=figure if fits else None,
            text=self._figure_text(figure, one, goal) if fits else self.texts("advice-does-not-fit"),
            tip=prediction_tip(one, self.context),
            chosen=best is not None and best.device.key == one.device.key,
            trusted=row.trusted,
            tie=row.place if row.tied else None,
            mark=self.texts("window-basis-measured") if one.measured else "",
        )

    def _figure_text(self, figure: Estimate | None, one: Prediction, goal: Goal) -> str:
        if figure is None:
            return self.texts("window-unknown")
        if goal == "cost":
            return self.texts.money(figure.value, one.currency)
        if goal == "energy":
            return self.texts.energy(figure.value)
        return self.texts.rate(figure.value)

    def _show_order(self, batch: int, count: int, goal: Goal) -> None:
        assert self._comparison is not None
        ranked = {
            precision: [row.prediction for row in self._comparison.rows(precision, batch, count, goal)]
            for precision in self._comparison.precisions
        }
        # A precision that one device alone was judged in has no order to show.
        columns = [name for name, order in ranked.items() if len(order) > 1 or name == self._precision]
        places: dict[str, list[int | None]] = {}
        told: dict[str, list[str]] = {}
        for number, precision in enumerate(columns):
            for place, one in enumerate(ranked[precision], start=1):
                if one.fits is False:
                    continue
                places.setdefault(one.device.key, [None] * len(columns))[number] = place
                text = self._figure_text(figure_of(one, goal), one, goal)
                told.setdefault(one.device.key, [""] * len(columns))[number] = f"{PRECISION_LABELS[precision]}, {text}"
        colours = [*self.theme.series[:CPU_SERIES], self.theme.bar]
        lines = []
        for number, (key, its) in enumerate(places.items()):
            colour = self.theme.series[CPU_SERIES] if key == "cpu" else colours[number % len(colours)]
            lines.append(OrderLine(name=self._names[key], places=tuple(its), texts=tuple(told[key]), colour=colour))
        names = [PRECISION_LABELS[precision] for precision in columns]
        self._order.show_order(names, lines, columns.index(self._precision))

    def _fill_table(self) -> None:
        if self._comparison is None:
            return
        everything = self._all.isChecked()
        for place in _SAME_IN_A_RANKING:
            self._table.setColumnHidden(place, not everything)
        self._table.setColumnHidden(_RANGE_COLUMN, everything)
        records = list(self._comparison.predictions) if everything else [row.prediction for row in self._rows]
        words = self._filter.text().casefold().split()
        if words:
            records = [one for one in records if all(word in self._searched(one) for word in words)]
        total = len(records)
        self._model.show(records if total <= _MOST_ROWS else records[:_MOST_ROWS])
        self._shown.setText(self.texts("compare-rows", shown=min(total, _MOST_ROWS), total=total))

    def _searched(self, one: Prediction) -> str:
        parts = (
            self._names[one.device.key],
            one.device.key,
            one.strategy,
            one.precision,
            PRECISION_LABELS[one.precision],
        )
        numbers = f"{one.count}x {one.count}× b{one.batch_size_per_device} {self.texts.basis(one.step_s)}"
        return f"{' '.join(parts)} {numbers}".casefold()


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.value
