"""All candidates, ranked with their ranges; switching precision, batch, count or goal ranks them anew."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from advisor.catalogue.precisions import Precision
from advisor.gui.context import Context
from advisor.gui.files.given_prices import told_prices
from advisor.gui.pages.accuracy_caption import accuracy_caption
from advisor.gui.pages.compare_charts import CompareCharts, Switched
from advisor.gui.pages.compare_figures import AS_ASKED, ComparedSetUp, PredictionIndex
from advisor.gui.pages.compare_table import SetUpsCard
from advisor.gui.pages.page import Page, ViewState
from advisor.gui.texts import CHANGED
from advisor.gui.tooltips import give_tip
from advisor.gui.widgets.boxes import FlowLayout, across, clear, put
from advisor.gui.widgets.buttons import one_of, push
from advisor.gui.widgets.choice import Choice
from advisor.gui.widgets.labels import label
from advisor.gui.widgets.notice import EmptyState
from advisor.present.card_names import names_with_place
from advisor.recommend.recommendation import names_set_ups


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
        self.session.price_file_changed.connect(self._prices_arrived)
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
        """Another advice has other set-ups: what was ticked and priced belongs to the one before, seen or not."""
        self._state, self._ready = {}, False
        self.in_turns([])
        self.show_when_seen(self._rebuild)

    def _prices_arrived(self) -> None:
        """The same set-ups, ticked as they are, cost something else."""
        self._state, self._ready = self.view_state(), False
        self.in_turns([])
        self.show_when_seen(self._rebuild)

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
            "count": AS_ASKED if names_set_ups(chosen) else chosen.count if chosen else 1,
            "goal": "time",
        }
        precision = self._state.get("precision", own)
        self._precision: Precision = next((offered for offered in precisions if offered == precision), precisions[0])
        switches = QWidget()
        flow = FlowLayout(switches, 12)  # larger letters put one below the other
        self._buttons: dict[Precision, QPushButton] = {}
        for offered in precisions:
            choose, chosen_now = partial(self._choose_precision, offered), offered == self._precision
            self._buttons[offered] = one_of(self.texts.precision(offered), choose, chosen=chosen_now)
        flow.addWidget(_together(*self._buttons.values()))
        self._labels: dict[str, QLabel] = {}
        self._boxes: dict[str, Choice] = {}
        self._box(flow, "batch", [(f"{size:,}", size) for size in self._comparison.batches])
        counts: list[tuple[str, object]] = [(str(count), count) for count in self._comparison.counts]
        self._box(
            flow, "count", [(self.texts("compare-as-asked"), AS_ASKED), *counts] if names_set_ups(chosen) else counts
        )
        self._rest_batch()
        goals: list[tuple[str, object]] = [(self.texts("goal-time"), "time")]
        goals += [(self.texts("goal-cost"), "cost")] if self._comparison.has_cost() else []
        goals += [(self.texts("goal-energy"), "energy")] if self._comparison.has_energy() else []
        self._box(flow, "goal", goals)
        self._reset_button = push(self.texts("compare-reset"), self._reset, "small")
        give_tip(self._reset_button, self.texts("compare-reset-tip"))
        flow.addWidget(self._reset_button)
        self.body.addWidget(switches)

    def _box(self, flow: FlowLayout, name: str, offered: Sequence[tuple[str, object]]) -> None:
        words = label(self.texts(f"compare-{name}"), "muted")
        box = self._boxes[name] = Choice()
        box.offer(offered, self._state.get(name, self._defaults[name]))
        box.setAccessibleName(words.text())
        words.setBuddy(box)
        box.currentIndexChanged.connect(lambda _place: self._switch())
        self._labels[name] = words
        flow.addWidget(_together(words, box))

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
        advice = self.session.advice
        assert advice is not None
        self._charts = CompareCharts(self.context, advice, self._comparison, self._names)
        self.body.addWidget(self._charts)

    def _build_table(self) -> None:
        advice = self.session.advice
        assert advice is not None
        self._table = SetUpsCard(self.context, self._comparison, self._names, advice.workload.data.samples)
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
        self._rest_batch()
        if not self._ready:
            self._switched_early = True
            return
        self._show_rows()
        self._ticks_changed()

    def _rest_batch(self) -> None:
        """A set-up that is compared as it was asked for has its own batch size."""
        own = self._boxes["count"].currentData() == AS_ASKED
        self._boxes["batch"].setEnabled(not own)
        give_tip(self._boxes["batch"], self.texts("compare-own-batch") if own else "")

    def _show_rows(self) -> None:
        switched = self._switched()
        self._comparison.tick_best(switched.precision, switched.batch_size, switched.count, switched.goal)
        self._ticks_of_switches = self._ticks()

        def at_switches(set_up: ComparedSetUp) -> bool:
            prediction = set_up.prediction
            here = prediction.count == switched.count or prediction.device.key == "cpu"
            size = prediction.batch_size_per_device
            return set_up.ticked or (
                prediction.precision == switched.precision and size == switched.batch_size and here
            )

        self._table.show_where(at_switches, switched.goal)

    def _ticks(self) -> frozenset[tuple[object, ...]]:
        return frozenset(set_up.prediction.set_up for set_up in self._comparison.ticked())

    def _switched(self) -> Switched:
        goal, batch, count = (self._boxes[name].currentData() for name in ("goal", "batch", "count"))
        return Switched(precision=self._precision, batch_size=int(batch), count=int(count), goal=goal)

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
        self._charts.show_ranking(self._comparison.ticked(), self._switched())
        self._mark_changes()


def _together(*widgets: QWidget) -> QWidget:
    """Widgets that stay beside each other wherever their line ends."""
    made = QWidget()
    across(6, *widgets, inside=made)
    return made
