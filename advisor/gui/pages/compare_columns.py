"""The columns of Compare's table: what a set-up is, what it reaches, and what an hour of it costs."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.catalogue.strategies import STRATEGY_LABELS
from advisor.gui.models.table_model import Column
from advisor.gui.pages.advice_charts import prediction_tip

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from advisor.catalogue.strategies import Strategy
    from advisor.core.units import Estimate
    from advisor.gui.compare_figures import ComparedSetUp, PredictionIndex
    from advisor.gui.context import Context
    from advisor.gui.texts import Texts

_PIN = ((4, 2), (10, 2), (9, 4), (9, 6), (11, 8), (3, 8), (5, 6), (5, 4))


def set_up_columns(
    context: Context,
    index: PredictionIndex,
    names: Mapping[str, str],
    tick: Callable[[ComparedSetUp, bool], None],
    set_price: Callable[[ComparedSetUp, str], bool],
) -> list[Column[ComparedSetUp]]:
    """All columns, the two marks first; `names` by device key."""
    texts = context.texts
    icons = {True: _pin_icon(context.theme.accent, filled=True), False: _pin_icon(context.theme.bar, filled=False)}

    @cache
    def strategy_name(strategy: Strategy) -> str:
        return STRATEGY_LABELS.get(strategy) or texts.strategy(strategy)

    def tip(set_up: ComparedSetUp) -> str:
        return prediction_tip(set_up.prediction, context)

    def figure(
        name: str, code: str, text: Callable[[ComparedSetUp], str], estimate: Callable[[ComparedSetUp], Estimate | None]
    ) -> Column[ComparedSetUp]:
        def order(set_up: ComparedSetUp) -> float | None:
            found = estimate(set_up)
            return None if found is None else found.value

        return Column(name=name, title=texts(code), text=text, order=order, tip=tip, number=True)

    def plain(
        name: str, text: Callable[[ComparedSetUp], str], order: Callable[[ComparedSetUp], object] | None
    ) -> Column[ComparedSetUp]:
        number = name in {"count", "batch"}
        return Column(name=name, title=texts(f"column-{name}"), text=text, order=order, tip=tip, number=number)

    refused, unknown = texts("advice-does-not-fit"), texts("window-unknown")
    dash = "–"

    def fitting(set_up: ComparedSetUp, text: str, instead: str = dash) -> str:
        return instead if set_up.prediction.fits is False else text

    columns = [
        Column(
            title="",
            name="tick",
            text=lambda _one: "",
            order=lambda one: not one.ticked,
            ticked=lambda one: one.ticked,
            tick=tick,
            header_tip=texts("compare-tick-tip"),
            tip=lambda _one: texts("compare-tick-tip"),
        ),
        Column(
            title="",
            name="pin",
            text=lambda _one: "",
            order=lambda one: not one.pinned,
            icon=lambda one: icons[one.pinned],
            header_tip=texts("compare-pin-tip"),
            tip=lambda _one: texts("compare-pin-tip"),
        ),
        plain("device", lambda one: names[one.prediction.device.key], None),
        plain("count", lambda one: str(one.prediction.count), lambda one: one.prediction.count),
        plain("strategy", lambda one: _strategy(one, strategy_name), None),
        plain("precision", lambda one: PRECISION_LABELS[one.prediction.precision], None),
        plain(
            "batch",
            lambda one: f"{one.prediction.batch_size_per_device:,}",
            lambda one: one.prediction.batch_size_per_device,
        ),
        figure(
            "rate",
            "compare-rate",
            lambda one: fitting(one, texts.rate(one.prediction.samples_per_s.value), refused),
            lambda one: one.prediction.samples_per_s,
        ),
        figure(
            "range",
            "column-range",
            lambda one: fitting(one, texts.span(one.prediction.samples_per_s, texts.rate)),
            lambda one: one.prediction.samples_per_s,
        ),
        figure(
            "step",
            "column-step",
            lambda one: fitting(one, texts.duration(one.prediction.step_s.value)),
            lambda one: one.prediction.step_s,
        ),
        figure(
            "job",
            "column-job",
            lambda one: fitting(one, texts.duration(_value(one.prediction.job_s))),
            lambda one: one.prediction.job_s,
        ),
        figure(
            "memory",
            "column-memory",
            lambda one: texts.size(_value(one.prediction.peak_memory_bytes)),
            lambda one: one.prediction.peak_memory_bytes,
        ),
        Column(
            name="price",
            title=texts("compare-price"),
            text=lambda one: _price(one, index, texts),
            order=lambda one: index.price_per_hour(one.prediction.device.key),
            tip=lambda _one: texts("compare-price-tip"),
            header_tip=texts("compare-price-tip"),
            number=True,
            edited=lambda one: _typed(index.price_per_hour(one.prediction.device.key)),
            edit=set_price,
            bold=lambda one: one.prediction.device.key in index.edited_prices,
        ),
        figure(
            "cost",
            "advice-cost",
            lambda one: fitting(one, _cost(one, texts)),
            lambda one: one.prediction.cost,
        ),
    ]
    if index.has_energy():
        columns.append(
            figure(
                "energy",
                "advice-energy",
                lambda one: fitting(one, texts.energy(_value(one.prediction.energy_j))),
                lambda one: one.prediction.energy_j,
            )
        )
    columns.append(plain("basis", lambda one: texts.basis(one.prediction.step_s) or unknown, None))
    return columns


def _strategy(set_up: ComparedSetUp, name_of: Callable[[Strategy], str]) -> str:
    name = name_of(set_up.prediction.strategy)
    steps = set_up.prediction.gradient_accumulation_steps
    return f"{name} ×{steps}" if steps > 1 else name


def _cost(set_up: ComparedSetUp, texts: Texts) -> str:
    cost = set_up.prediction.cost
    return "–" if cost is None else texts.money(cost.value, set_up.prediction.currency)


def _price(set_up: ComparedSetUp, index: PredictionIndex, texts: Texts) -> str:
    key = set_up.prediction.device.key
    price = index.price_per_hour(key)
    mark = "• " if key in index.edited_prices else ""
    return "–" if price is None else f"{mark}{texts.money(price, index.currency)}"


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.value


def _typed(price: float | None) -> str:
    return "" if price is None else f"{price:g}"


def _pin_icon(colour: str, *, filled: bool) -> QIcon:
    size = QSize(14, 14)
    pixmap = QPixmap(size * 2)
    pixmap.fill(Qt.GlobalColor.transparent)
    pixmap.setDevicePixelRatio(2)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colour), 1.4))
    painter.setBrush(QColor(colour) if filled else Qt.BrushStyle.NoBrush)
    painter.drawPolygon(QPolygonF([QPointF(*point) for point in _PIN]))
    painter.drawLine(7, 8, 7, 12)
    painter.end()
    return QIcon(pixmap)
