"""The Compare page's charts: a bar of each ticked set-up, and how the devices' order turns with the precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from advisor.catalogue.precisions import Precision
from advisor.core.sentences import in_a_row
from advisor.core.units import Estimate
from advisor.gui.advised.charts import prediction_tip
from advisor.gui.context import Context
from advisor.gui.pages.compare_figures import ComparedSetUp, PredictionIndex, figure_of, precision_orders
from advisor.gui.pages.page import GAP
from advisor.gui.plots.bars import Bar, BarChart
from advisor.gui.plots.order_chart import Look, OrderChart, OrderLine
from advisor.gui.theme import device_look
from advisor.gui.widgets.boxes import REST, beside
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import label, tell
from advisor.predict.prediction import Prediction
from advisor.present.look import device_places, device_shape
from advisor.recommend.comparison import counted
from advisor.recommend.ranking import Row
from advisor.recommend.recommendation import Goal
from advisor.store.advice_record import AdviceRecord

_MOST_BARS = 24
"""More bars than this say nothing at a glance; the table says the rest."""
_MOST_LINES = 12


@dataclass(frozen=True, kw_only=True)
class Switched:
    """What the page's switches say."""

    precision: Precision
    batch_size: int
    """Of one device."""
    count: int
    goal: Goal


class CompareCharts(QWidget):
    """Both charts, beside each other."""

    def __init__(
        self, context: Context, advice: AdviceRecord, comparison: PredictionIndex, names: Mapping[str, str]
    ) -> None:
        """`names`: of devices, by key."""
        super().__init__()
        self._context, self._advice, self._comparison, self._names = context, advice, comparison, names
        self._places = device_places(advice.machine, advice.predictions)
        texts, theme = context.texts, context.theme
        bars = Card(texts("compare-bars-title"))
        self._unit = label("", "muted")
        bars.add_to_header(self._unit)
        self.bars = BarChart(theme, texts("compare-bars-title"), tie_text=texts("compare-tie-tip"))
        self.legend = label("", "muted", wrap=True)
        bars.put(self.bars, self.legend, REST)
        self.order_card = Card(texts("compare-order-title"))
        self._order = OrderChart(theme, texts("compare-order-title"))
        self.order_note = label("", "muted", wrap=True)
        self.order_card.put(self._order, self.order_note, REST)
        beside(GAP, (bars, 3), (self.order_card, 2), inside=self)

    def show_ranking(self, ticked: Sequence[ComparedSetUp], switched: Switched) -> None:
        """Draw the ranking, and the order by precision, of what is ticked."""
        texts, goal = self._context.texts, switched.goal
        rows = self._comparison.ranked(ticked, goal)
        self._unit.setText(texts(f"compare-unit-{goal}"))
        self.bars.show_bars([self._bar(row, switched, rows) for row in rows[:_MOST_BARS]])
        legend = [texts("compare-tie-note")] if any(row.tied for row in rows) else []
        legend.append(texts("compare-bars-note" if rows else "compare-none-ticked"))
        legend += [] if all(row.trusted for row in rows) else [texts("compare-disturbed-note")]
        if len(rows) > _MOST_BARS:
            legend.append(texts("compare-more-bars", shown=_MOST_BARS, total=len(rows)))
        self.legend.setText(in_a_row(legend))
        self._show_order(self._first_ranked(ticked, rows), switched)

    def _first_ranked(self, ticked: Sequence[ComparedSetUp], rows: Sequence[Row]) -> list[ComparedSetUp]:
        """As many of what is ticked as have a line of their own, the best first; the advised one is among them."""
        places = {id(row.prediction): place for place, row in enumerate(rows)}
        ordered = sorted(ticked, key=lambda set_up: places[id(set_up.prediction)])
        best = self._advice.recommendation
        advised = next(
            (set_up for set_up in ordered if best is not None and set_up.prediction.set_up == best.set_up), None
        )
        shown = ordered[:_MOST_LINES]
        if advised is not None and advised not in shown:
            shown[-1] = advised
        fewer = len(shown) < len(ordered)
        words = self._context.texts("compare-more-bars", shown=len(shown), total=len(ordered)) if fewer else ""
        tell(self.order_note, words)
        return shown

    def _bar(self, row: Row, switched: Switched, rows: Sequence[Row]) -> Bar:
        texts, prediction = self._context.texts, row.prediction
        figure = figure_of(prediction, switched.goal)
        over = self._comparison.is_over_limits(prediction)
        marks = [texts("basis-measured")] if prediction.measured else []
        marks += [texts("picture-over-limits")] if over else []
        fits = prediction.fits is not False
        best = self._advice.recommendation
        return Bar(
            name=self._bar_name(prediction, switched, rows),
            estimate=figure if fits else None,
            text=self._figure_text(figure, prediction, switched.goal) if fits else texts("advice-does-not-fit"),
            tip=prediction_tip(prediction, self._context, over_limits=over),
            chosen=best is not None and best.device_and_count == prediction.device_and_count,
            trusted=row.trusted,
            tie=row.place if row.tied else None,
            mark=" · ".join(marks),
        )

    def _bar_name(self, prediction: Prediction, switched: Switched, rows: Sequence[Row]) -> str:
        """The device, and of the set-up what is not as the switches say or what tells it from another bar."""
        texts = self._context.texts
        parts = [counted(prediction.count, self._names[prediction.device.key])]
        if prediction.precision != switched.precision:
            parts.append(texts.precision(prediction.precision))
        if prediction.batch_size_per_device != switched.batch_size:
            parts.append(texts("advice-batch-row", batch=f"{prediction.batch_size_per_device:,}"))
        twins = [
            row
            for row in rows
            if row.prediction.differs_at_most_by(prediction, "strategy", "gradient_accumulation_steps")
        ]
        if len(twins) > 1:
            steps = prediction.gradient_accumulation_steps
            parts.append(texts.short_strategy(prediction.strategy, trains=prediction.trains))
            parts += [f"×{steps}"] if steps > 1 else []
        return " · ".join(parts)

    def _figure_text(self, figure: Estimate | None, prediction: Prediction, goal: Goal) -> str:
        texts = self._context.texts
        if figure is None:
            return texts("window-unknown")
        if goal == "cost":
            return texts.money(figure.value, prediction.currency)
        if goal == "energy":
            return texts.energy(figure.value)
        return texts.rate(figure.value)

    def _show_order(self, shown: Sequence[ComparedSetUp], switched: Switched) -> None:
        texts, goal = self._context.texts, switched.goal
        ranked = precision_orders(self._comparison, shown, goal)
        # A precision that one device alone was judged in has no order to show.
        columns = [name for name, order in ranked.items() if len(order) > 1 or name == switched.precision]
        lines = []
        for number, set_up in enumerate(shown):
            places: list[int | None] = [None] * len(columns)
            places_text = [""] * len(columns)
            for column, precision in enumerate(columns):
                for place, (origin, other) in enumerate(ranked[precision], start=1):
                    if origin == number:
                        text = self._figure_text(figure_of(other, goal), other, goal)
                        places[column], places_text[column] = place, f"{texts.precision(precision)}, {text}"
            if any(places):
                key, count = set_up.prediction.device_and_count
                place_of = self._places.get(key)
                colour, style = device_look(self._context.theme, place_of)
                look = Look(colour=colour, style=style, shape=device_shape(place_of))
                name = counted(count, self._names[key])
                lines.append(OrderLine(name=name, places=tuple(places), texts=tuple(places_text), look=look))
        # One device alone has no order, and one precision alone turns none.
        self.order_card.setVisible(len(lines) > 1 and len(columns) > 1)
        self._order.show_order(
            [texts.precision(precision) for precision in columns], lines, columns.index(switched.precision)
        )
