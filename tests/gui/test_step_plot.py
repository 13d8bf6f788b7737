"""The plot of step times: thinned without losing an outlier, ticks where they are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from advisor.gui.jobs.job_state import StepSeries
from advisor.gui.plots.step_plot import StepPlot
from advisor.gui.texts import Texts
from advisor.gui.theme import LIGHT

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_step_times_of_many_batches_are_thinned(qtbot: QtBot) -> None:
    plot = StepPlot(LIGHT, Texts("en"))
    qtbot.addWidget(plot)
    series = [StepSeries("cpu", "CPU", batch, "fp32") for batch in (1, 8)]
    for one in series:
        one.times_s = [number * 0.01 for number in range(4000)]
        one.walls_s = [0.01 * one.batch_size] * 4000
        one.warm_up = [False] * 4000
    series[1].walls_s[1234] = 5.0
    plot.redraw(series, {})
    assert all(len(x) <= 300 for _pen, x, _y in plot.traces.drawn)
    assert plot.traces.drawn[1][2].max() == pytest.approx(np.log10(5.0))


@pytest.mark.parametrize("wall_s", [0.0021, 0.0049, 0.0101, 0.3])
def test_a_tick_of_step_times_stands_at_the_time_that_it_names(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, wall_s: float
) -> None:
    plot = StepPlot(LIGHT, Texts("en"))
    qtbot.addWidget(plot)
    one = StepSeries("cpu", "CPU", 8, "fp32")
    one.times_s, one.walls_s, one.warm_up = [0.0, 1.0], [wall_s, 1.01 * wall_s], [False] * 2
    fixed: list[tuple[tuple[float, float], list[tuple[float, str]]]] = []
    monkeypatch.setattr(plot.plot, "fix", lambda _x, y, _x_ticks, y_ticks: fixed.append((y, list(y_ticks))))
    plot.redraw([one], {})
    ((low, high), ticks) = fixed[-1]
    units = {"µs": 1e-6, "ms": 1e-3, "s": 1.0}
    assert ticks
    for place, text in ticks:
        number, unit = text.split()
        assert 10**place == pytest.approx(float(number) * units[unit])
    assert low <= np.log10(wall_s) < np.log10(1.01 * wall_s) <= high
