"""What the charts of the advice paint: every figure has its place, and a tooltip there that tells it."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from PySide6.QtCore import QPointF, Qt

from advisor.core.units import exactly
from advisor.gui.advised.charts import strategy_card
from advisor.gui.fonts import load_fonts
from advisor.gui.pages.advice_page import AdvicePage
from advisor.gui.pages.measure_page import MeasurePage
from advisor.gui.plots.bars import Bar, BarChart
from advisor.gui.plots.chart import Chart
from advisor.gui.plots.curves import Curve, CurveChart, Mark, Point
from advisor.gui.plots.order_chart import Look, OrderChart, OrderLine
from advisor.gui.plots.stacked import StackChart
from advisor.gui.plots.step_plot import StepPlot
from advisor.gui.theme import LIGHT, SMALL_SIZE, TICK_SIZE
from advisor.recommend.crossover import find_crossovers
from advisor.recommend.recommendation import rests_on
from tests.gui import fakes
from tests.gui.shown_page import shown_page

if TYPE_CHECKING:
    import pytest
    from PySide6.QtCore import QRectF
    from PySide6.QtGui import QPainter
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session

C = TypeVar("C", bound=Chart)


def painted(window: MainWindow, session: Session, qtbot: QtBot, kind: type[C]) -> list[C]:
    """The charts of a kind on the Advice page, each painted."""
    session.set_advice(fakes.advice())
    page = shown_page(window, "advice", AdvicePage, qtbot)
    charts = page.findChildren(kind)
    for chart in charts:
        assert len(colours_of(chart)) > 4
    return charts


def colours_of(chart: Chart) -> set[int]:
    """The different pixels of a painted chart."""
    image = chart.grab().toImage()
    return {image.pixel(x, y) for x in range(0, image.width(), 2) for y in range(0, image.height(), 2)}


def test_each_batch_size_of_a_curve_tells_its_figures_and_each_mark_its_word(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    charts = painted(window, session, qtbot, CurveChart)
    assert len(charts) == 2
    for chart in charts:
        told = [text for _place, text in chart._told]
        points = [point for curve in chart._curves for point in curve.points]
        assert points
        assert {point.tip for point in points} <= set(told)
        assert {mark.text for mark in chart._marks} <= set(told)


def test_larger_figures_stand_higher_and_larger_batches_further_right(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    for chart in painted(window, session, qtbot, CurveChart):
        points = [point for curve in chart._curves for point in curve.points]
        by_size, by_value = sorted(points, key=lambda one: one.x), sorted(points, key=lambda one: one.estimate.value)
        xs = [chart._at(one.x, one.estimate.value).x() for one in by_size]
        ys = [chart._at(one.x, one.estimate.value).y() for one in by_value]
        assert xs == sorted(xs)
        assert ys == sorted(ys, reverse=True)
        assert all(chart._place.left() - 1 <= x <= chart._place.right() + 1 for x in xs)
        assert all(chart._place.top() - 1 <= y <= chart._place.bottom() + 1 for y in ys)


def test_the_pieces_of_a_stack_stand_side_by_side_in_proportion(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    charts = painted(window, session, qtbot, StackChart)
    assert charts
    for chart in charts:
        places = {text: place for place, text in chart._told}
        for stack in chart._stacks:
            drawn = [
                (piece.size, places[f"{piece.name}: {piece.text}"])
                for piece in stack.pieces
                if f"{piece.name}: {piece.text}" in places
            ]
            assert drawn
            for (size, left), (next_size, right) in itertools.pairwise(drawn):
                assert left.right() <= right.left()
                if min(left.width(), right.width()) > 20:
                    assert abs(left.width() / right.width() / (size / next_size) - 1) < 0.15


def test_the_steps_of_a_saved_advice_are_drawn_as_the_page_comes(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    session.show_recorded(fakes.advice())
    page = shown_page(window, "measure", MeasurePage, qtbot)
    assert session.runner.job is not None
    timed = [one for one in session.runner.job.series.values() if one.times_s]
    assert timed
    assert [curve.series for curve in page.findChildren(StepPlot)[0]._curves] == timed


def test_a_tick_is_given_the_room_that_its_words_take(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    chart = CurveChart(LIGHT, "figures", ("batch", "time"))
    qtbot.addWidget(chart)
    chart.resize(460, 230)
    places: dict[str, QRectF] = {}
    monkeypatch.setattr(chart, "tick", lambda _painter, place, text, _align: places.update({text: place}))
    estimate = exactly(1.0, "specified")
    sizes = (1.0, 1024.0, 1_000_000.0)
    chart.show_curves(
        [Curve(name="", colour="#000000", points=tuple(Point(x=x, estimate=estimate, tip="") for x in sizes))]
    )
    chart.grab()
    widest = places["1,000,000"]
    assert widest.width() >= chart.width_of("1,000,000", TICK_SIZE)
    assert widest.right() <= chart.width()


def test_a_mark_beyond_the_axis_points_there_and_has_no_line(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    chart = CurveChart(LIGHT, "figures", ("batch", "time"))
    qtbot.addWidget(chart)
    chart.resize(460, 230)
    written: list[str] = []
    monkeypatch.setattr(chart, "write", lambda _painter, _place, text, **_how: written.append(text))
    points = tuple(Point(x=x, estimate=exactly(1.0, "specified"), tip="") for x in (8.0, 64.0))
    marks = [Mark(x=x, text=text, colour="#000000") for x, text in ((16.0, "knee"), (950_272.0, "fits"), (1.0, "own"))]
    chart.show_curves([Curve(name="", colour="#000000", points=points)], marks)
    chart.grab()
    assert {"knee", "fits →", "← own"} <= set(written)


def test_with_larger_letters_a_whole_chart_is_larger_and_tells_the_same(qtbot: QtBot) -> None:
    estimate = exactly(1.0, "specified")
    charts = [BarChart(replace(LIGHT, zoom=zoom), "figures") for zoom in (1.0, 1.6)]
    for chart in charts:
        qtbot.addWidget(chart)
        chart.resize(chart.sized(400, 1).width(), chart.height())
        chart.show_bars([Bar(name=name, estimate=estimate, text="1 /s", tip=f"of {name}") for name in "abc"])
        chart.grab()
    usual, larger = charts
    assert larger.height() == round(1.6 * usual.height())
    assert [chart.width_of("abc") for chart in charts] == [usual.width_of("abc")] * 2
    rows = [row * usual.height() / 3 + 10.0 for row in range(3)]
    assert [usual.text_at(QPointF(200.0, y)) for y in rows] == ["of a", "of b", "of c"]
    assert [larger.text_at(QPointF(200.0, y) * 1.6) for y in rows] == ["of a", "of b", "of c"]


def test_the_curves_of_cpu_and_gpu_are_those_that_the_sentence_below_is_of(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    advice = fakes.advice()
    main = advice.main
    assert main is not None
    faster = [
        msgspec.structs.replace(one, precision="bf16_amp", step_s=exactly(one.step_s.value / 2, "calibrated"))
        for one in advice.predictions
        if one.device.key == "cpu"
    ]
    assert {one.precision for one in advice.predictions if one.device.key == "cpu"} == {"fp32"}
    predictions = (*advice.predictions, *faster)
    found = next(one for one in find_crossovers(predictions) if one.gpu_key == main.device.key)
    session.set_advice(msgspec.structs.replace(advice, predictions=predictions, crossovers=(found,)))
    page = shown_page(window, "advice", AdvicePage, qtbot)
    (chart,) = [one for one in page.findChildren(CurveChart) if one._log_y]
    first = [curve.points[0].estimate.value for curve in chart._curves]
    assert first == [found.reason.numbers[name] for name in ("cpu_step_s", "gpu_step_s")]


def test_one_strategy_alone_has_no_chart_that_would_compare_it_with_nothing(window: MainWindow) -> None:
    advice = fakes.advice()
    chosen = advice.recommendation
    assert chosen is not None
    assert strategy_card(advice, chosen, window.page("advice").context) is not None
    own = tuple(one for one in advice.predictions if rests_on(chosen, one))
    assert own
    alone = msgspec.structs.replace(advice, predictions=own)
    assert strategy_card(alone, chosen, window.page("advice").context) is None


class Measured(OrderChart):
    """Notes what is written in one line, and by how much its place is too short."""

    missing: dict[str, float]
    tops: dict[str, float]
    middles: dict[str, float]

    def write(self, painter: QPainter, place: QRectF, text: str, **options: Any) -> float:
        if options.get("lines", 1) == 1:
            size, bold = options.get("size", SMALL_SIZE), options.get("bold", False)
            self.missing[text] = self.width_of(text, size, bold=bold) - place.width()
        self.tops[text], self.middles[text] = place.top(), place.center().x()
        return super().write(painter, place, text, **options)


def test_the_longest_name_of_a_card_is_whole_in_the_narrowest_order(qtbot: QtBot) -> None:
    load_fonts()  # the window's own: another font's letters are wider
    chart = Measured(LIGHT, "order")
    chart.missing, chart.tops, chart.middles = {}, {}, {}
    qtbot.addWidget(chart)
    look = Look(colour="#000000", style=Qt.PenStyle.SolidLine, shape="circle")
    name = "4 × RTX PRO 6000 Blackwell Workstation"
    line = OrderLine(name=name, places=(1, 1, 1), texts=("", "", ""), look=look)
    chart.show_order(["FP32", "TF32", "FP16 AMP"], [line], 0)
    chart.resize(276, 60)
    chart.grab()
    written = [text for text in chart.missing if text.replace("\u00a0", " ") in name]
    assert " ".join(written).replace("\u00a0", " ") == name
    assert max(chart.missing[text] for text in written) <= 0


def test_names_of_columns_that_lie_close_stand_in_rows_so_that_none_covers_another(qtbot: QtBot) -> None:
    chart = Measured(LIGHT, "order")
    qtbot.addWidget(chart)
    columns = ["FP32", "TF32", "FP16 AMP", "BF16 AMP", "pure BF16"]
    look = Look(colour="#000000", style=Qt.PenStyle.SolidLine, shape="circle")
    lines = [OrderLine(name="8 × A100 SXM4 40 GB", places=(1,) * 5, texts=("",) * 5, look=look)]
    chart.show_order(columns, lines, 3)
    for width in (900, 460, 260):
        chart.missing, chart.tops, chart.middles = {}, {}, {}
        chart.resize(width, 60)
        chart.grab()
        assert chart.height() == chart.sizeHint().height()
        ends = {name: chart.middles[name] + chart.width_of(name, 11, bold=True) / 2 for name in columns}
        begins = {name: chart.middles[name] - chart.width_of(name, 11, bold=True) / 2 for name in columns}
        for first, second in itertools.combinations(columns, 2):
            assert chart.tops[first] != chart.tops[second] or ends[first] < begins[second]
        assert max(chart.tops[name] for name in columns) + 20 < chart.height() - 27


def test_a_line_past_a_column_that_its_device_is_not_in_is_no_line_of_a_place(qtbot: QtBot) -> None:
    look = Look(colour="#ff0000", style=Qt.PenStyle.SolidLine, shape="circle")

    def red_pixels(places: tuple[int | None, ...]) -> int:
        chart = OrderChart(LIGHT, "order")
        qtbot.addWidget(chart)
        line = OrderLine(name="V100", places=places, texts=("",) * len(places), look=look)
        chart.show_order(["FP32", "TF32", "FP16 AMP"], [line], 0)
        chart.resize(500, 60)
        image = chart.grab().toImage()
        pixels = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
        return sum(one.red() > 200 and one.green() < 80 for one in pixels)

    there, past, nowhere = red_pixels((1, 1, 1)), red_pixels((1, None, 1)), red_pixels((1, None, None))
    assert nowhere < past < there / 2


def test_the_name_of_who_is_not_in_the_last_column_has_a_row_of_its_own(qtbot: QtBot) -> None:
    chart = Measured(LIGHT, "order")
    chart.missing, chart.tops, chart.middles = {}, {}, {}
    qtbot.addWidget(chart)
    look = Look(colour="#000000", style=Qt.PenStyle.SolidLine, shape="circle")
    places = {"A100": (1, 1), "V100": (2, None), "EPYC": (3, 2), "T4": (4, None)}
    lines = [OrderLine(name=name, places=own, texts=("", ""), look=look) for name, own in places.items()]
    chart.show_order(["FP32", "BF16 AMP"], lines, 0)
    chart.resize(400, chart.sizeHint().height())
    chart.grab()
    tops = [chart.tops[name] for name in ("A100", "EPYC", "V100", "T4")]
    assert tops == sorted(set(tops))
    assert tops[-1] + 26 <= chart.height()
