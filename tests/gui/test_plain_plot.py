"""The bare plot of readings: what it keeps as painted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QApplication

from advisor.gui.plots.plain_plot import PlainPlot
from advisor.gui.theme import LIGHT, TICK_SIZE

if TYPE_CHECKING:
    from PySide6.QtGui import QImage
    from pytestqt.qtbot import QtBot

    from advisor.gui.theme import Theme

TICKS = [(0.0, "0"), (50.0, "50"), (100.0, "100")]


def plot(qtbot: QtBot, width: int, height: int, theme: Theme = LIGHT) -> PlainPlot:
    """A shown plot from 0 to 100 in both directions."""
    made = PlainPlot(theme, "readings", left_width=36)
    qtbot.addWidget(made)
    made.resize(width, height)
    made.fix((0.0, 100.0), (0.0, 100.0), TICKS, TICKS)
    with qtbot.waitExposed(made):
        made.show()
    return made


def settled(made: PlainPlot) -> QImage:
    """What is painted once every event was handled."""
    for _ in range(5):
        QApplication.processEvents()
    image: QImage = made.grab().toImage()
    return image


@pytest.mark.parametrize("before", [(300, 120), (520, 260), (300, 260)])
def test_a_resized_plot_looks_as_one_made_at_that_size(qtbot: QtBot, before: tuple[int, int]) -> None:
    resized = plot(qtbot, *before)
    settled(resized)
    resized.resize(420, 180)
    assert settled(resized) == settled(plot(qtbot, 420, 180))


def test_with_larger_letters_the_words_of_the_axes_are_larger_and_have_the_room(qtbot: QtBot) -> None:
    usual, larger = plot(qtbot, 520, 260), plot(qtbot, 520, 260, replace(LIGHT, zoom=1.6))
    settled(larger)
    for side in ("left", "bottom"):
        fonts = [one._axes[side].style["tickFont"].pixelSize() for one in (usual, larger)]
        assert fonts == [TICK_SIZE, round(1.6 * TICK_SIZE)]
    assert larger._axes["left"].width() == pytest.approx(1.6 * usual._axes["left"].width(), abs=1)
    assert larger._axes["bottom"].height() == pytest.approx(1.6 * usual._axes["bottom"].height(), abs=1)


def test_words_of_a_narrow_plots_times_do_not_touch(qtbot: QtBot) -> None:
    made = plot(qtbot, 520, 120)
    ticks = [(-2.0 * place, f"−{2 * place} min" if place else "now") for place in range(6)]
    made.fix((-10.0, 0.0), (0.0, 100.0), ticks, TICKS)
    settled(made)
    assert made._axes["bottom"]._tickLevels == [ticks]
    made.resize(250, 120)
    settled(made)
    (shown,) = made._axes["bottom"]._tickLevels
    assert shown[0] == ticks[0]
    assert 1 < len(shown) < len(ticks)
    apart = made.box.width() * (shown[0][0] - shown[1][0]) / 10
    assert apart > max(made.fontMetrics().horizontalAdvance(text) for _at, text in shown)
