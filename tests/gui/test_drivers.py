"""The window over the NVML stub: whatever the driver does, it stays alive and says what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from advisor.gui.main_window import MainWindow
from advisor.gui.session import Session
from tests.fake_nvml.stub import nvml_libraries, nvml_stub
from tests.gui.event_loop import EventLoopWatch
from tests.gui.test_window import words_of
from tests.waiting import needs_waits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytestqt.qtbot import QtBot

    from advisor.gui.settings import Settings
    from tests.fake_nvml.stub import NvmlStub

__all__ = ["nvml_libraries", "nvml_stub"]

pytestmark = pytest.mark.needs_compiler

MOST_AWAY_S = 0.2
"""The scorecard's line: longer than this a window feels stuck."""


@pytest.fixture
def live(qtbot: QtBot, settings: Settings) -> Iterator[MainWindow]:
    """A window with the real detection and the real sampler process."""
    session = Session(settings)
    made = MainWindow(session, settings)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: made._painted)
    yield made
    assert session.close()


def look(window: MainWindow, qtbot: QtBot) -> str:
    """Detect, and what the Machine page then says."""
    window.session.detect()
    qtbot.waitUntil(lambda: window.session.machine is not None, timeout=120_000)
    words: str = words_of(window.page("machine"))
    return words


def test_eight_gpus_have_a_card_and_a_line_each(live: MainWindow, qtbot: QtBot, nvml_stub: NvmlStub) -> None:
    nvml_stub.use("a100_8")
    words = look(live, qtbot)
    assert "GPU 0" in words
    assert "GPU 7" in words
    live.session.feed.start()
    buffer = live.session.feed.prepare()
    qtbot.waitUntil(lambda: len(buffer.devices("utilisation")) >= 8, timeout=120_000)
    grid = live.page("machine").grid  # type: ignore[attr-defined]
    assert len(grid.series) == 9
    assert grid.plots == []
    assert len(grid.rows._devices) == 9  # and the host


def test_a_lost_gpu_is_greyed_and_the_others_go_on(live: MainWindow, qtbot: QtBot, nvml_stub: NvmlStub) -> None:
    nvml_stub.use("lost")
    look(live, qtbot)
    live.session.feed.start()
    buffer = live.session.feed.prepare()
    qtbot.waitUntil(lambda: buffer.latest is not None, timeout=120_000)
    machine = live.session.machine
    assert machine is not None
    qtbot.waitUntil(
        lambda: any(one.lost for one in buffer.latest.gpus) or any(not one.usable for one in machine.gpus),  # type: ignore[union-attr]
        timeout=120_000,
    )
    page = live.page("machine")
    page._readings_arrived()  # type: ignore[attr-defined]
    cards = page._cards  # type: ignore[attr-defined]
    lost = {one.uuid for one in buffer.latest.gpus if one.lost}  # type: ignore[union-attr]
    for key, card in cards.items():
        assert card.isEnabled() == (key not in lost)


def test_mig_instances_are_listed(live: MainWindow, qtbot: QtBot, nvml_stub: NvmlStub) -> None:
    nvml_stub.use("mig")
    assert "MIG" in look(live, qtbot)


def test_a_throttling_gpu_is_drawn(live: MainWindow, qtbot: QtBot, nvml_stub: NvmlStub) -> None:
    nvml_stub.use("throttle")
    look(live, qtbot)
    live.session.feed.start()
    buffer = live.session.feed.prepare()
    qtbot.waitUntil(lambda: bool(buffer.devices("clock")), timeout=120_000)


@needs_waits
@pytest.mark.parametrize("scenario", ["hang", "crash", "init_hang"])
def test_a_driver_that_hangs_or_dies_is_named_and_the_window_goes_on(
    live: MainWindow,
    qtbot: QtBot,
    nvml_stub: NvmlStub,
    scenario: str,
    record_property: Callable[[str, object], None],
) -> None:
    for page in ("model", "machine"):  # built once before: the driver's trouble is what is timed
        live.show_page(page)
        qtbot.wait(50)
    nvml_stub.use(scenario)
    feed = live.session.feed
    with EventLoopWatch() as watch:
        feed.start()
        live.session.detect()
        qtbot.waitUntil(lambda: live.session.machine is not None, timeout=120_000)
        live.show_page("model")
        live.show_page("machine")
        qtbot.waitUntil(lambda: feed.problem is not None, timeout=120_000)
        qtbot.waitUntil(lambda: feed.buffer is not None and feed.buffer.latest is not None, timeout=120_000)
    assert watch.look_count > 5
    assert watch.longest_s <= MOST_AWAY_S
    assert live.session.machine is not None
    record_property("figure", f"{scenario}: event loop away for {1000 * watch.longest_s:.0f} ms at most")


@pytest.mark.parametrize("scenario", ["driver_not_loaded", "mismatch", "no_permission", "zero_gpus"])
def test_a_machine_without_usable_gpus_says_why(
    live: MainWindow, qtbot: QtBot, nvml_stub: NvmlStub, scenario: str
) -> None:
    nvml_stub.use(scenario)
    look(live, qtbot)
    machine = live.session.machine
    assert machine is not None
    texts = live.context.texts
    for notice in machine.notices:
        assert texts.say(notice) in words_of(live.page("machine"))
    assert machine.notices or scenario == "zero_gpus"
