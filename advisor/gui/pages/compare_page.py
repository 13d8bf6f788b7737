"""All candidates, ranked with their ranges; switching precision, batch, count or goal ranks them anew."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from advisor.catalogue.precisions import Precision
from advisor.core.sentences import in_a_row
from advisor.core.units import Estimate
from advisor.gui.compare_figures import ComparedSetUp, PredictionIndex, figure_of, precision_orders, told_prices
from advisor.gui.context import Context
from advisor.gui.pages.advice_charts import prediction_tip
from advisor.gui.pages.compare_table import SetUpsCard
from advisor.gui.pages.page import GAP, Page, ViewState
from advisor.gui.plots.bars import Bar, BarChart
from advisor.gui.plots.order_chart import Look, OrderChart, OrderLine
from advisor.gui.texts import CHANGED
from advisor.gui.theme import device_look
from advisor.gui.tooltips import give_tip
from advisor.gui.widgets.accuracy_caption import accuracy_caption
from advisor.gui.widgets.boxes import REST, across, clear, put
from advisor.gui.widgets.buttons import one_of, push
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.choice import Choice
from advisor.gui.widgets.labels import label, tell
from advisor.gui.widgets.notice import EmptyState
from advisor.predict.prediction import Prediction
from advisor.present.card_names import names_with_place
from advisor.present.look import device_places, device_shape
from advisor.recommend.comparison import counted
from advisor.recommend.ranking import Row
from advisor.recommend.recommendation import Goal

_MOST_BARS = 24
"""More bars than this say nothing at a glance; the table says the rest."""
_MOST_LINES = 12


class ComparePage(Page):
    """Switches, bars, the order by precision, and the table."""

    _comparison: PredictionIndex
    """Made first of all parts: nothing asks for it before."""

    def __init__(self, context: Context) -> None:
        """Show the session's advice, if there is one."""
        super().__init__(context, context.texts("page-compare"), context.texts("compare-subtitle"))
        self._state: ViewState = {}
        self._ready = self._switched_early = False
        self.session.advice_changed.connect(self._advice_arrived)
        self._rebuild(now=False)

    def view_state(self) -> ViewState:
        """The four switches, the filter, the order, and what was ticked, pinned, priced and chosen of the columns."""
        if not self._ready:
            return self._state
        return {
            "precision": self._precision,
            **{name: box.currentData() for name, box in self._boxes.items()},
            "filter": self._table.search.text(),
            "all": self._table.all.isChecked(),
            "fitting": self._table.fitting.isChecked(),
            "ticked": self._ticks(),
            "pinned": frozenset(set_up.prediction.set_up for set_up in self._comparison.set_ups if set_up.pinned),
            "hidden": self._table.hidden_columns(),
            "order": self._table.table.order(),
        }

    def restore(self, state: ViewState) -> None:
        """Set the switches again."""
        self._state = state
        self._rebuild(now=False)

    def _advice_arrived(self) -> None:
        self.show_when_seen(self._rebuild_anew)

    def _rebuild_anew(self) -> None:
        """Another advice has other set-ups: what was ticked and priced belongs to the one before."""
        self._state = {}
        self._rebuild()

    def _rebuild(self, *, now: bool = True) -> None:
        """Make the page, a part in each turn: together they take a tenth of a second."""
        self._ready = self._switched_early = False
        clear(self.body)
        if self.session.advice is None or not self.session.advice.predictions:
            self.in_turns([self._show_empty], now=now)
            return
        parts = [self._build_switches, self._build_charts, self._build_table, self._show_rows]
        self.in_turns([self._index, *parts, self._tick, self._place_table], now=now)

    def _show_empty(self) -> None:
        texts = self.texts
        act = (texts("menu-predict"), lambda: self.context.act("predict"))
        empty = EmptyState(texts("compare-empty-title"), texts("compare-empty-text"), act)
        self.rest_while_busy(*empty.buttons)
        self.body.addWidget(empty, 1)

    def _index(self) -> None:
        advice = self.session.advice
        assert advice is not None
        self._comparison = PredictionIndex(
            advice, told_prices(self.context.settings), currency=self.context.settings.currency
        )
        for key, price in self.session.prices_in(self._comparison.currency).items():
            self._comparison.set_price(key, price)
        self._names = names_with_place(advice.predictions, self.texts.language)
        self._places = device_places(advice.machine, advice.predictions)

    def _tick(self) -> None:
        """What was ticked before is ticked again; from now on the page knows more than its state."""
        ticked = self._state.get("ticked")
        self._ready = True
        if self._switched_early:
            self._show_rows()
        elif ticked is not None:
            for set_up in self._comparison.set_ups:
                set_up.ticked = set_up.prediction.set_up in ticked
        self._ticks_changed()

    def _build_switches(self) -> None:
        advice = self.session.advice
        assert advice is not None
        chosen = advice.main
        training = advice.workload.training
        precisions = self._comparison.precisions
        own = chosen.precision if chosen else training.precision
        self._defaults: dict[str, object] = {
            "precision": next((offered for offered in precisions if offered == own), precisions[0]),
            "batch": chosen.batch_size_per_device if chosen else training.batch_size,
            "count": chosen.count if chosen else 1,
            "goal": "time",
        }
        precision = self._state.get("precision", own)
        self._precision: Precision = next((offered for offered in precisions if offered == precision), precisions[0])
        line = across(6)
        self._buttons: dict[Precision, QPushButton] = {}
        for offered in precisions:
            choose, chosen_now = partial(self._choose_precision, offered), offered == self._precision
            self._buttons[offered] = one_of(self.texts.precision(offered), choose, chosen=chosen_now)
        put(line, *self._buttons.values())
        line.addSpacing(10)
        self._labels: dict[str, QLabel] = {}
        self._boxes: dict[str, Choice] = {}
        self._box(line, "batch", [(f"{size:,}", size) for size in self._comparison.batches])
        self._box(line, "count", [(str(count), count) for count in self._comparison.counts])
        goals: list[tuple[str, object]] = [(self.texts("goal-time"), "time")]
        goals += [(self.texts("goal-cost"), "cost")] if self._comparison.has_cost() else []
        goals += [(self.texts("goal-energy"), "energy")] if self._comparison.has_energy() else []
        self._box(line, "goal", goals)
        self._reset_button = push(self.texts("compare-reset"), self._reset, "small")
        give_tip(self._reset_button, self.texts("compare-reset-tip"))
        put(line, REST, self._reset_button)
        self.body.addLayout(line)

    def _box(self, line: QHBoxLayout, name: str, offered: Sequence[tuple[str, object]]) -> None:
        words = label(self.texts(f"compare-{name}"), "muted")
        box = self._boxes[name] = Choice()
        box.offer(offered, self._state.get(name, self._defaults[name]))
        box.setAccessibleName(words.text())
        words.setBuddy(box)
        box.currentIndexChanged.connect(lambda _place: self._switch())
        self._labels[name] = words
        put(line, words, box)
        line.addSpacing(6)

    def _choose_precision(self, precision: Precision) -> None:
        self._precision = precision
        self._buttons[precision].setChecked(True)
        self._switch()

    def _reset(self) -> None:
        """Everything as it was when the advice came."""
        if not self._ready:
            return
        for name, box in self._boxes.items():
            with QSignalBlocker(box):
                box.choose(self._defaults[name])
        self._table.reset()
        self._offer_goals()
        self._choose_precision(
            next(precision for precision in self._buttons if precision == self._defaults["precision"])
        )

    def _mark_changes(self) -> None:
        """A dot beside each switch that is not as the advice has it, and the way back."""
        changed = self._precision != self._defaults["precision"]
        for name, words in self._labels.items():
            box, usual = self._boxes[name], self._defaults[name]
            other = box.currentData() != usual and box.findData(usual) >= 0
            words.setText(f"{CHANGED} {self.texts(f'compare-{name}')}" if other else self.texts(f"compare-{name}"))
            changed = changed or other
        for precision, button in self._buttons.items():
            dotted = precision == self._precision != self._defaults["precision"]
            button.setText(
                f"{CHANGED} {self.texts.precision(precision)}" if dotted else self.texts.precision(precision)
            )
        self.session.set_prices(self._comparison.edited_prices, self._comparison.currency)
        self._table.tell_prices(self.session.prices if self._comparison.edited_prices else None)
        touched = any(set_up.pinned for set_up in self._comparison.set_ups) or bool(self._comparison.edited_prices)
        filtered = (
            bool(self._table.search.text()) or not self._table.all.isChecked() or not self._table.fitting.isChecked()
        )
        ticks = self._ticks() != self._ticks_of_switches
        self._reset_button.setVisible(changed or touched or filtered or ticks or self._table.columns_changed())

    def _build_charts(self) -> None:
        bars = Card(self.texts("compare-bars-title"))
        self._unit = label("", "muted")
        bars.add_to_header(self._unit)
        self._bars = BarChart(self.theme, self.texts("compare-bars-title"), tie_text=self.texts("compare-tie-tip"))
        self._legend = label("", "muted", wrap=True)
        bars.put(self._bars, self._legend, REST)
        order = self._order_card = Card(self.texts("compare-order-title"))
        self._order = OrderChart(self.theme, self.texts("compare-order-title"))
        self._order_note = label("", "muted", wrap=True)
        order.put(self._order, self._order_note, REST)
        charts = QWidget()
        across(GAP, (bars, 3), (order, 2), inside=charts)
        self.body.addWidget(charts)

    def _build_table(self) -> None:
        self._table = SetUpsCard(self.context, self._comparison, self._names)
        if "hidden" in self._state:
            self._table.hide_columns(self._state["hidden"])
        if "order" in self._state:
            self._table.table.set_order(*self._state["order"])
        for set_up in self._comparison.set_ups:
            set_up.pinned = set_up.prediction.set_up in self._state.get("pinned", ())
        self._table.search.setText(self._state.get("filter", ""))
        self._table.all.setChecked(self._state.get("all", True))
        self._table.fitting.setChecked(self._state.get("fitting", True))
        self._table.changed.connect(self._table_changed)
        self._table.altered.connect(self._mark_changes)
        if any(prediction.step_s.basis == "specified" for prediction in self._comparison.predictions):
            caption = accuracy_caption(self.texts.language, self._comparison.precisions)
            if caption is not None:
                self._table.put(caption)

    def _place_table(self) -> None:
        put(self.body, (self._table, 1), (None, 0))

    def _switch(self) -> None:
        """Precision, batch, count or goal is another: tick the best of each device anew, or once the table is there."""
        if not self._ready:
            self._switched_early = True
            return
        self._show_rows()
        self._ticks_changed()

    def _show_rows(self) -> None:
        goal, batch, count = self._choice()
        self._comparison.tick_best(self._precision, batch, count, goal)
        self._ticks_of_switches = self._ticks()
        precision = self._precision

        def at_switches(set_up: ComparedSetUp) -> bool:
            prediction = set_up.prediction
            here = prediction.count == count or prediction.device.key == "cpu"
            return set_up.ticked or (
                prediction.precision == precision and prediction.batch_size_per_device == batch and here
            )

        self._table.show_where(at_switches, goal)

    def _ticks(self) -> frozenset[tuple[object, ...]]:
        return frozenset(set_up.prediction.set_up for set_up in self._comparison.ticked())

    def _choice(self) -> tuple[Goal, int, int]:
        goal, batch, count = (self._boxes[name].currentData() for name in ("goal", "batch", "count"))
        return goal, int(batch), int(count)

    def _table_changed(self) -> None:
        self._offer_goals()
        self._ticks_changed()

    def _offer_goals(self) -> None:
        """With the first price, cost becomes a goal."""
        goals, has_cost = self._boxes["goal"], self._comparison.has_cost()
        place = goals.findData("cost")
        if has_cost and place < 0:
            goals.insertItem(1, self.texts("goal-cost"), "cost")
        elif place >= 0 and not has_cost:
            goals.removeItem(place)

    def _ticks_changed(self) -> None:
        """Draw the ranking and the order by precision of what is ticked."""
        goal, _batch, _count = self._choice()
        ticked = self._comparison.ticked()
        rows = self._comparison.ranked(ticked, goal)
        self._unit.setText(self.texts(f"compare-unit-{goal}"))
        self._bars.show_bars([self._bar(row, goal, rows) for row in rows[:_MOST_BARS]])
        legend = [self.texts("compare-tie-note")] if any(row.tied for row in rows) else []
        legend.append(self.texts("compare-bars-note"))
        legend += [] if all(row.trusted for row in rows) else [self.texts("compare-disturbed-note")]
        if len(rows) > _MOST_BARS:
            legend.append(self.texts("compare-more-bars", shown=_MOST_BARS, total=len(rows)))
        self._legend.setText(in_a_row(legend))
        self._show_order(self._first_ranked(ticked, rows), goal)
        self._mark_changes()

    def _first_ranked(self, ticked: Sequence[ComparedSetUp], rows: Sequence[Row]) -> list[ComparedSetUp]:
        """As many of what is ticked as have a line of their own, the best first; the advised one is among them."""
        places = {id(row.prediction): place for place, row in enumerate(rows)}
        ordered = sorted(ticked, key=lambda set_up: places[id(set_up.prediction)])
        best = self.session.advice.recommendation if self.session.advice else None
        advised = next(
            (set_up for set_up in ordered if best is not None and set_up.prediction.set_up == best.set_up), None
        )
        shown = ordered[:_MOST_LINES]
        if advised is not None and advised not in shown:
            shown[-1] = advised
        fewer = len(shown) < len(ordered)
        tell(self._order_note, self.texts("compare-more-bars", shown=len(shown), total=len(ordered)) if fewer else "")
        return shown

    def _bar(self, row: Row, goal: Goal, rows: Sequence[Row]) -> Bar:
        prediction = row.prediction
        figure = figure_of(prediction, goal)
        over = self._comparison.is_over_limits(prediction)
        marks = [self.texts("basis-measured")] if prediction.measured else []
        marks += [self.texts("picture-over-limits")] if over else []
        fits = prediction.fits is not False
        advice = self.session.advice
        best = advice.recommendation if advice else None
        return Bar(
            name=self._bar_name(prediction, rows),
            estimate=figure if fits else None,
            text=self._figure_text(figure, prediction, goal) if fits else self.texts("advice-does-not-fit"),
            tip=prediction_tip(prediction, self.context, over_limits=over),
            chosen=best is not None and best.device.key == prediction.device.key and best.count == prediction.count,
            trusted=row.trusted,
            tie=row.place if row.tied else None,
            mark=" · ".join(marks),
        )

    def _bar_name(self, prediction: Prediction, rows: Sequence[Row]) -> str:
        """The device, and of the set-up what is not as the switches say or what tells it from another bar."""
        _goal, batch, _count = self._choice()
        parts = [counted(prediction.count, self._names[prediction.device.key])]
        if prediction.precision != self._precision:
            parts.append(self.texts.precision(prediction.precision))
        if prediction.batch_size_per_device != batch:
            parts.append(self.texts("advice-batch-row", batch=f"{prediction.batch_size_per_device:,}"))
        twins = [
            row
            for row in rows
            if row.prediction.differs_at_most_by(prediction, "strategy", "gradient_accumulation_steps")
        ]
        if len(twins) > 1:
            steps = prediction.gradient_accumulation_steps
            parts.append(self.texts.short_strategy(prediction.strategy))
            parts += [f"×{steps}"] if steps > 1 else []
        return " · ".join(parts)

    def _figure_text(self, figure: Estimate | None, prediction: Prediction, goal: Goal) -> str:
        if figure is None:
            return self.texts("window-unknown")
        if goal == "cost":
            return self.texts.money(figure.value, prediction.currency)
        if goal == "energy":
            return self.texts.energy(figure.value)
        return self.texts.rate(figure.value)

    def _show_order(self, ticked: Sequence[ComparedSetUp], goal: Goal) -> None:
        ranked = precision_orders(self._comparison, ticked, goal)
        # A precision that one device alone was judged in has no order to show.
        columns = [name for name, order in ranked.items() if len(order) > 1 or name == self._precision]
        lines = []
        for number, set_up in enumerate(ticked):
            places: list[int | None] = [None] * len(columns)
            places_text = [""] * len(columns)
            for column, precision in enumerate(columns):
                for place, (origin, other) in enumerate(ranked[precision], start=1):
                    if origin == number:
                        text = self._figure_text(figure_of(other, goal), other, goal)
                        places[column], places_text[column] = place, f"{self.texts.precision(precision)}, {text}"
            if any(places):
                key, count = set_up.prediction.device.key, set_up.prediction.count
                name = counted(count, self._names[key])
                place_of = self._places.get(key)
                colour, style = device_look(self.theme, place_of)
                look = Look(colour=colour, style=style, shape=device_shape(place_of))
                lines.append(OrderLine(name=name, places=tuple(places), texts=tuple(places_text), look=look))
        # One device alone has no order, and one precision alone turns none.
        self._order_card.setVisible(len(lines) > 1 and len(columns) > 1)
        self._order.show_order(
            [self.texts.precision(precision) for precision in columns], lines, columns.index(self._precision)
        )
