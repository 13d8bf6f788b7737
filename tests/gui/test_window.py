"""The frame: pages, language, scheme, menus, files, closing."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QWidget

from advisor.gui.application import NoDisplayError, check_display
from advisor.gui.context import PAGE_NAMES
from advisor.gui.dialogs.consent import ConsentDialog
from advisor.gui.dialogs.report_problem import report_text
from advisor.gui.dialogs.settings_dialog import SettingsDialog
from advisor.gui.plots.live_grid import LiveGrid
from advisor.gui.settings import Settings
from advisor.gui.threads import Outcome
from tests.gui import fakes
from tests.gui.conftest import renew

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from advisor.gui.context import PageName
    from advisor.gui.main_window import MainWindow
    from advisor.gui.pages.page import Page
    from advisor.gui.session import Session


def overhang(page: Page) -> int:
    """Pixels by which a page's content is wider than the place it has."""
    content = page.scroll_area.widget()
    assert content is not None
    return content.width() - page.scroll_area.viewport().width()


def words_of(widget: QWidget) -> str:
    """Everything that a widget's labels and buttons say."""
    labels = [one.text() for one in widget.findChildren(QLabel)]
    return "\n".join(labels + [one.text() for one in widget.findChildren(QPushButton)])


def test_every_page_opens_without_advice_machine_or_workload(window: MainWindow, qtbot: QtBot) -> None:
    for name in PAGE_NAMES[:5]:
        window.show_page(name)
        qtbot.wait(5)
        assert window._stack.currentWidget() is window.page(name)


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_a_page_shows_a_recorded_advice_in_both_languages_and_schemes(
    window: MainWindow, session: Session, settings: Settings, qtbot: QtBot, name: PageName
) -> None:
    session.machine = fakes.machine()
    session.show_recorded(fakes.advice())
    session.case_answers = {"none": None}  # type: ignore[dict-item]
    for language, scheme in (("en", "light"), ("zh", "dark")):
        settings.store("language", language)
        settings.store("scheme", scheme)
        renew(window)
        window.show_page(name)
        qtbot.wait(10)
        assert not window.grab().isNull()
    assert window.windowTitle() == "训练顾问"


def test_switching_the_language_keeps_what_a_page_knew(
    window: MainWindow, session: Session, settings: Settings
) -> None:
    session.show_recorded(fakes.advice())
    window.show_page("compare")
    page = window.page("compare")
    page.restore({"precision": "fp32", "batch": 16, "count": 2, "goal": "time", "filter": "4090", "all": True})
    before = page.view_state()
    settings.store("language", "zh")
    renew(window)
    assert window.page("compare").view_state() == before
    assert before["precision"] == "fp32"
    assert before["filter"] == "4090"
    assert window.current == "compare"


def test_number_keys_bring_up_the_pages(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitActive(window):
        window.activateWindow()
    handle = window.windowHandle()
    QTest.keyClick(handle, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.current == "advice")


def test_every_control_can_be_reached_and_has_a_name(window: MainWindow, session: Session) -> None:
    session.machine = fakes.machine()
    session.show_recorded(fakes.advice())
    for name in ("machine", "model", "measure", "advice", "compare"):
        window.show_page(name)
        for button in window.page(name).findChildren(QPushButton):
            assert button.text() or button.accessibleName()
            assert button.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_menus_offer_only_what_can_be_done(window: MainWindow, session: Session) -> None:
    actions = window.commands.actions
    assert not actions["export-pdf"].isEnabled()
    assert not actions["cancel"].isEnabled()
    session.set_advice(fakes.advice())
    assert actions["export-pdf"].isEnabled()


def test_a_python_file_runs_only_with_consent(
    window: MainWindow, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.py"
    path.write_text("raise SystemExit('ran')", encoding="utf-8")
    asked: list[tuple[str, str]] = []

    def refuse(_parent: object, _texts: object, where: Path, digest: str) -> bool:
        asked.append((str(where), digest))
        return False

    monkeypatch.setattr("advisor.gui.dialogs.consent.ask_consent", refuse)
    window.commands.open_path(path)
    assert asked[0][0] == str(path)
    assert len(asked[0][1]) == 64
    assert session.described.consents == set()
    assert session.described.workload is None


def test_the_copied_text_is_the_advice(window: MainWindow, session: Session) -> None:
    session.set_advice(fakes.advice())
    window.commands.act("copy-text")
    assert "L40S" in QGuiApplication.clipboard().text()


@pytest.mark.parametrize(
    ("kind", "head"), [("export-pdf", b"%PDF"), ("save-json", b"{"), ("export-csv", b"device_key")]
)
def test_an_export_is_written_in_a_thread(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot, kind: str, head: bytes
) -> None:
    session.set_advice(fakes.advice())
    path = tmp_path / "out"
    window.commands.save(kind, path)
    qtbot.waitUntil(path.exists, timeout=120_000)
    assert path.read_bytes().startswith(head)
    qtbot.waitUntil(lambda: not session.crew._threads, timeout=120_000)


def test_an_export_that_cannot_be_written_is_one_sentence(
    window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    session.set_advice(fakes.advice())
    window.commands.save("save-json", tmp_path / "missing" / "out.json")
    qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(QDialog)), timeout=120_000)
    dialog = next(one for one in window.findChildren(QDialog) if one.isVisible())
    assert "cannot be written" in words_of(dialog)
    dialog.close()


def test_closing_waits_for_no_job_that_never_answers(window: MainWindow, session: Session) -> None:
    release = threading.Event()

    def hangs(cancelled: threading.Event) -> Generator[object, None, object]:
        del cancelled
        release.wait(30)
        yield None
        return None

    session.runner.start(hangs, measure=True)
    window.close()
    assert not window.closed_cleanly
    assert any(thread.isRunning() for thread in session.crew._threads)
    release.set()
    for thread in session.crew._threads:
        thread.wait(5000)


def test_a_job_that_breaks_is_told_on_the_page_and_not_in_a_dialog(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    def breaks(cancelled: threading.Event) -> Generator[object, None, object]:
        del cancelled
        yield None
        message = "<b>bold</b> trouble"
        raise RuntimeError(message)

    window.show_page("measure")
    with qtbot.waitSignal(session.runner.ended):
        session.runner.start(breaks, measure=True)
    assert "RuntimeError: <b>bold</b> trouble" in words_of(window.page("measure"))
    assert not [one for one in window.findChildren(QDialog) if one.isVisible()]


def test_without_a_display_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    with pytest.raises(NoDisplayError, match="advisor --measure"):
        check_display()


def test_a_problem_report_names_no_user_host_or_device() -> None:
    text = report_text(fakes.machine())
    assert fakes.FIRST not in text
    assert "NVIDIA GeForce RTX 4090" in text


def test_a_minimised_window_stops_drawing_and_watching(window: MainWindow, session: Session, source: object) -> None:
    session.machine = fakes.machine()
    session.feed.start()
    page = window.page("machine")
    page.activate()
    window._visibility_changed(hidden=True)
    assert source.intervals[-1] is None  # type: ignore[attr-defined]
    assert not page._timer.isActive()  # type: ignore[attr-defined]
    window._visibility_changed(hidden=False)
    assert source.intervals[-1] is not None  # type: ignore[attr-defined]


def test_the_safe_answer_of_the_consent_dialog_is_the_default(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    dialog = ConsentDialog(window, window.context.texts, tmp_path / "<b>model</b>.py", "ab" * 32)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    assert dialog.refusing.isDefault()
    words = words_of(dialog).replace("\n", "")  # a path goes on in the next line wherever one ends
    assert "<b>model</b>.py" in words
    assert "ab" * 16 in words
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert not dialog.result()


def test_settings_are_stored_only_when_accepted(window: MainWindow, settings: Settings, qtbot: QtBot) -> None:
    dialog = SettingsDialog(window, window.context.texts, settings)
    qtbot.addWidget(dialog)
    dialog._lines["max_hours"].setText("12.5")
    dialog._choices["language"].choose("zh")
    before = settings.limit("max_hours")
    dialog.accept()
    assert (before, settings.limit("max_hours")) == (None, 12.5)
    assert settings.language == "zh"


def test_nonsense_in_the_configuration_counts_as_not_set(tmp_path: Path) -> None:
    made = Settings(tmp_path / "window.ini")
    for key in ("language", "scheme", "units", "goal", "budget_s", "max_cost", "recent", "geometry"):
        made.store(key, "nan\x00<b>")
    assert made.scheme == "system"
    assert made.units == "binary"
    assert made.budget_s == 30.0
    assert made.limit("max_cost") is None
    assert made.recent_files == ()
    assert made.bytes_of("geometry") is None


def test_pages_of_eight_gpus_stay_readable(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    session.machine = fakes.machine(8)
    session.feed.prepare().add(fakes.readings(fakes.machine(8), count=300))
    session.machine_changed.emit()
    window.resize(1024, 700)
    qtbot.wait(20)
    assert overhang(window.page("machine")) <= 0


@pytest.mark.parametrize("name", PAGE_NAMES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_is_cut_off_at_the_right_of_a_small_window(
    window: MainWindow, session: Session, settings: Settings, qtbot: QtBot, name: PageName, language: str
) -> None:
    session.machine = fakes.machine()
    session.show_recorded(fakes.advice())
    settings.store("language", language)
    session.case_answers = {"none": None}  # type: ignore[dict-item]
    renew(window)
    window.resize(1024, 700)
    window.show_page(name)
    page = window.page(name)
    qtbot.waitUntil(lambda: not page.filling and overhang(page) <= 0, timeout=120_000)
    qtbot.wait(30)
    assert overhang(page) <= 0


def test_pages_of_the_language_before_hear_of_nothing_any_more(
    window: MainWindow, session: Session, settings: Settings, qtbot: QtBot
) -> None:
    for name in PAGE_NAMES:
        window.show_page(name)
    settings.store("language", "zh")
    renew(window)
    with qtbot.captureExceptions() as caught:
        session.runner.started.emit()
        session.runner.outcome = Outcome(kind="cancelled")
        session.runner.ended.emit()
        for told in (
            session.advice_changed,
            session.prices_changed,
            session.described.changed,
            session.machine_changed,
        ):
            told.emit()
    assert not caught


def test_a_double_click_presses_nothing_on_the_page_that_its_first_click_led_to(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.show_page("measure")
    qtbot.waitUntil(lambda: not window.page("measure").filling)
    window.show_page("machine")
    under, pressed = QPushButton("under", window.page("measure")), list[str]()
    over = QPushButton("over", window.page("machine"))
    for button in (under, over):
        button.setGeometry(100, 100, 200, 60)
        button.show()
        button.raise_()
        button.clicked.connect(partial(pressed.append, button.text()))
    over.clicked.connect(lambda: window.show_page("measure"))
    handle, place = window.windowHandle(), over.mapTo(window, over.rect().center())
    QTest.mouseDClick(handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    qtbot.waitUntil(lambda: window._stack.currentWidget() is window.page("measure"))
    assert pressed == ["over"]
    QTest.mouseClick(handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert pressed == ["over", "under"]
    QTest.mouseDClick(handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert pressed == ["over", "under", "under", "under"]


@pytest.mark.parametrize("name", ["machine", "measure"])
@pytest.mark.parametrize(("key", "value"), [("scheme", "dark"), ("zoom", "1.25"), ("language", "zh")])
def test_live_plots_go_on_in_other_colours_sizes_and_words(
    window: MainWindow, session: Session, qtbot: QtBot, name: PageName, key: str, value: str
) -> None:
    session.machine = fakes.machine(2)
    session.machine_changed.emit()
    window.show_page(name)
    before = window.page(name)
    qtbot.waitUntil(lambda: len(before.findChildren(LiveGrid)) == 1 and not before.filling)
    window.commands.choose(key, value)
    qtbot.waitUntil(lambda: window._stack.made.get(name) not in {None, before})
    page = window.page(name)
    qtbot.waitUntil(lambda: len(page.findChildren(LiveGrid)) == 1 and not page.filling)
    assert window._stack.currentWidget() is page
