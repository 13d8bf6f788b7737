"""The columns of Compare's table: what a set-up is, what it reaches, and what an hour of it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

from advisor.catalogue.strategies import Strategy
from advisor.core.units import Estimate
from advisor.gui.advised.charts import prediction_tip
from advisor.gui.context import Context
from advisor.gui.models.table_model import Column
from advisor.gui.texts import CHANGED, Texts
from advisor.present.look import OVER_LIMITS
from advisor.present.table_cells import added_names

if TYPE_CHECKING:
    from advisor.gui.pages.compare_figures import ComparedSetUp, PredictionIndex

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
    def strategy_name(strategy: Strategy, trains: bool) -> str:
        return texts.short_strategy(strategy, trains=trains)

    def tip(set_up: ComparedSetUp) -> str:
        return prediction_tip(set_up.prediction, context, over_limits=set_up.over_limits)

    def figure(  # noqa: PLR0913 - what a column is made of
        name: str,
        code: str,
        field: str,
        how: Callable[[float], str],
        *,
        instead: str | None = "–",
        text: Callable[[ComparedSetUp], str] | None = None,
    ) -> Column[ComparedSetUp]:
        """A field of the prediction by size; `instead` of its text where the set-up does not fit; None: the text."""

        def value(set_up: ComparedSetUp) -> float | None:
            estimate: Estimate | None = getattr(set_up.prediction, field)
            return None if estimate is None else estimate.value

        def written(set_up: ComparedSetUp) -> str:
            if instead is not None and set_up.prediction.fits is False:
                return instead
            if text is not None:
                return text(set_up)
            number = value(set_up)
            return unknown if number is None else how(number)

        return Column(
            name=name,
            title=texts(code),
            text=written,
            order=value,
            tip=tip,
            number=True,
            largest_first=field == "samples_per_s",
        )

    def plain(
        name: str, text: Callable[[ComparedSetUp], str], order: Callable[[ComparedSetUp], object] | None = None
    ) -> Column[ComparedSetUp]:
        number = name in {"count", "batch"}
        return Column(name=name, title=texts(f"column-{name}"), text=text, order=order, tip=tip, number=number)

    unknown = texts("window-unknown")
    epoch = figure("epoch", "column-epoch", "job_s", lambda job_s: texts.duration(job_s / index.epochs))
    columns = [
        Column(
            title="",
            name="tick",
            text=lambda _one: "",
            order=lambda set_up: not set_up.ticked,
            ticked=lambda set_up: set_up.ticked,
            tick=tick,
            header_tip=texts("compare-tick-tip"),
            tip=lambda _one: texts("compare-tick-tip"),
        ),
        Column(
            title="",
            name="pin",
            text=lambda _one: "",
            order=lambda set_up: not set_up.pinned,
            icon=lambda set_up: icons[set_up.pinned],
            header_tip=texts("compare-pin-tip"),
            tip=lambda _one: texts("compare-pin-tip"),
        ),
        _device_column(names, texts, tip),
        plain("count", lambda set_up: str(set_up.prediction.count), lambda set_up: set_up.prediction.count),
        plain("strategy", lambda set_up: _strategy(set_up, strategy_name, texts)),
        plain("precision", lambda set_up: texts.precision(set_up.prediction.precision)),
        plain("batch", lambda set_up: f"{_batch(set_up):,}", _batch),
        figure("rate", "compare-rate", "samples_per_s", texts.rate, instead=texts("advice-does-not-fit")),
        figure("range", "column-range", "samples_per_s", texts.rate, text=lambda set_up: _span(set_up, texts)),
        figure("step", "column-step", "step_s", texts.duration),
        *([epoch] if index.epochs != 1 else []),
        figure("job", "column-job", "job_s", texts.duration),
        figure("memory", "column-memory", "peak_memory_bytes", texts.size, instead=None),
        Column(
            name="price",
            title=texts("compare-price"),
            text=lambda set_up: _price(set_up, index, texts),
            order=lambda set_up: index.price_per_hour(set_up.prediction.device.key),
            tip=lambda _one: texts("compare-price-tip"),
            header_tip=texts("compare-price-tip"),
            number=True,
            edited=lambda set_up: _typed(index.price_per_hour(set_up.prediction.device.key)),
            edit=set_price,
            bold=lambda set_up: set_up.prediction.device.key in index.edited_prices,
        ),
        figure("cost", "advice-cost", "cost", str, text=lambda set_up: _cost(set_up, texts)),
    ]
    if index.has_energy():
        columns.append(figure("energy", "advice-energy", "energy_j", texts.energy))
    return [*columns, plain("basis", lambda set_up: texts.basis(set_up.prediction.step_s) or unknown)]


def _device_column(
    names: Mapping[str, str], texts: Texts, tip: Callable[[ComparedSetUp], str]
) -> Column[ComparedSetUp]:
    def marked(set_up: ComparedSetUp, mark: str) -> str:
        name = names[set_up.prediction.device.key]
        return f"{name}{mark}" if set_up.over_limits else name

    over = f", {texts('picture-over-limits')}"
    return Column(
        name="device",
        title=texts("column-device"),
        text=lambda set_up: marked(set_up, f" {OVER_LIMITS}"),
        spoken=lambda set_up: marked(set_up, over),
        tip=tip,
    )


def _span(set_up: ComparedSetUp, texts: Texts) -> str:
    return texts.span(set_up.prediction.samples_per_s, texts.rate)


def _batch(set_up: ComparedSetUp) -> int:
    return set_up.prediction.batch_size_per_device


def _strategy(set_up: ComparedSetUp, name_of: Callable[[Strategy, bool], str], texts: Texts) -> str:
    added = added_names(set_up.prediction.added, texts.language)
    name = " + ".join((name_of(set_up.prediction.strategy, set_up.prediction.trains), *added))
    steps = set_up.prediction.gradient_accumulation_steps
    return f"{name} ×{steps}" if steps > 1 else name


def _cost(set_up: ComparedSetUp, texts: Texts) -> str:
    cost = set_up.prediction.cost
    return "–" if cost is None else texts.money(cost.value, set_up.prediction.currency)


def _price(set_up: ComparedSetUp, index: PredictionIndex, texts: Texts) -> str:
    key = set_up.prediction.device.key
    price = index.price_per_hour(key)
    mark = f"{CHANGED} " if key in index.edited_prices else ""
    return "–" if price is None else f"{mark}{texts.money(price, index.currency)}"


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
