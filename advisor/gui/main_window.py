"""The main window: navigation, pages made when first shown, menus, drag and drop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, QTranslator, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from advisor.core.sentences import Language
from advisor.gui.commands import Commands
from advisor.gui.context import PAGE_NAMES, PAGES_OF_ENDS, Context, PageName
from advisor.gui.idle_collection import IdleCollection
from advisor.gui.menus import build_menus
from advisor.gui.navigation import Navigation
from advisor.gui.pages.page import Page
from advisor.gui.pages.page_stack import PageStack
from advisor.gui.preload import Preload
from advisor.gui.session import Session
from advisor.gui.settings import Settings
from advisor.gui.strip.call import Call
from advisor.gui.strip.job_strip import JobStrip
from advisor.gui.style_sheet import style_sheet
from advisor.gui.theme import palette_of, theme_for
from advisor.gui.widgets.boxes import across, delete_now
from advisor.gui.widgets.buttons import pressed_by_key

_POPUP_MS = 150
"""How often is looked whether an open menu was closed."""


class MainWindow(QMainWindow):
    """Pages are thrown away and made again when language or scheme change; the session stays."""

    first_painted = Signal()
    closed_cleanly = True

    def __init__(self, session: Session, settings: Settings) -> None:
        """Make the frame and the Machine page; everything else waits until it is wanted."""
        super().__init__()
        self.session = session
        self.settings = settings
        self._painted = False
        self._translators: list[QTranslator] = []
        self._collection = IdleCollection(lambda: session.runner.busy, self)
        self.preload = Preload(session.crew, self)
        self.current: PageName = "machine"
        self._pressed_on: PageName = self.current
        self.setAcceptDrops(True)
        self.setMinimumSize(960, 620)
        self.resize(1280, 800)
        self.commands = Commands(self, session, settings)
        self.commands.page_wanted.connect(self.show_page)
        self.commands.look_changed.connect(self.rebuild_soon)
        self._rebuild_timer = QTimer(self, singleShot=True)
        self._rebuild_timer.timeout.connect(self._rebuild_a_part)
        self._front_timer = QTimer(self, singleShot=True)
        self._front_timer.timeout.connect(self._bring_to_front)
        self._call = Call(self, session, settings)
        central = QWidget()
        self._stack = PageStack(lambda: self.context)
        self._frame = across(0, (self._stack, 1), inside=central)
        self.setCentralWidget(central)
        self._rebuilding: Iterator[None] = iter(())
        self._leaving: list[Page] = []
        """Pages whose successors are made; gone once those are shown."""
        self._speak(settings.language)
        self._build()
        self._renew_menus()
        self.show_page(self.current)
        self._machine_changed()
        session.machine_changed.connect(self._machine_changed)
        session.advice_changed.connect(self._forget_old_advice)
        session.runner.ended.connect(self._job_ended)
        for signal in (
            session.runner.started,
            session.advice_changed,
            session.described.undo.indexChanged,
            session.described.validity_changed,
        ):
            signal.connect(self.commands.refresh)
        self.commands.invalid_wanted.connect(self._go_to_invalid)
        session.problem_raised.connect(self.commands.show_outcome)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_scheme_changed)

    def _build(self) -> None:
        texts = self.commands.texts
        theme = theme_for(self.settings.scheme, self.settings.zoom)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            palette, sheet = palette_of(theme), style_sheet(theme)
            if palette != application.palette():
                application.setPalette(palette)
            if sheet != application.styleSheet():
                # Styling pages that nobody will see takes most of a second.
                for name in list(self._stack.made):
                    self._stack.drop(name)
                application.setStyleSheet(sheet)
        self.context = Context(
            session=self.session,
            settings=self.settings,
            texts=texts,
            theme=theme,
            go=self.show_page,
            open_path=self.commands.open_path,
            act=self.commands.act,
            ask_again=self.commands.ask_again,
            tell=self.commands.tell,
            shown=self.isVisible,
        )
        self.setWindowTitle(texts("window-title"))
        strip = JobStrip(self.session, texts, theme)
        strip.cancelled.connect(self.commands.cancel)
        strip.wanted.connect(self._show_answer)
        self.navigation = Navigation(texts, theme, strip)
        self.navigation.chosen.connect(self.show_page)
        self.navigation.fit(self.width())
        self._frame.insertWidget(0, self.navigation)
        # Left to Qt it is shown after the next layout, which first widens the page and then narrows it again.
        self.navigation.show()
        self.navigation.show_page(self.current)

    def _renew_menus(self) -> None:
        build_menus(self, self.commands, self.context.texts, self.settings)

    def _speak(self, language: Language) -> None:
        while self._translators:
            QCoreApplication.removeTranslator(self._translators.pop())
        if language == "zh":
            from advisor.gui.dialogs.qt_words import chinese_words

            self._translators = chinese_words(self)

    def rebuild_soon(self) -> None:
        """Show everything in the language, scheme and units that the settings now name.

        Once, after everything that asks for it now: the pages behind go first, one in each turn.
        """
        self._rebuilding = self._parts()
        self._rebuild_timer.start()

    def _rebuild_a_part(self) -> None:
        for _ in self._rebuilding:
            self._rebuild_timer.start()
            return

    def _parts(self) -> Iterator[None]:
        """Make everything anew, a part up to each `yield`; a person may go to another page between any two."""
        while (behind := next((name for name in self._stack.made if name != self.current), None)) is not None:
            self._stack.drop(behind)
            yield
        self._speak(self.settings.language)
        yield  # Qt tells all widgets of it in the next turn.
        yield
        self._frame.removeWidget(self.navigation)
        delete_now(self.navigation)
        self._build()
        self._machine_changed()
        yield
        self._renew_menus()
        yield
        while (
            name := next((of for of, page in self._stack.made.items() if page.context is not self.context), None)
        ) is not None:
            if name == self.current:
                self._leaving.append(self._stack.take_out(name))
                self.page(name)
            else:
                self._stack.drop(name)
            yield
        self.page(self.current)
        yield
        # Not `show_page`: with another style sheet all pages went, and the one made first is in front, asleep.
        self._bring_to_front()
        yield
        while self._leaving:
            self._stack.delete(self._leaving.pop())
            yield

    def page(self, name: PageName) -> Page:
        """A page, made when first asked for."""
        return self._stack.page(name)

    def show_page(self, name: str) -> None:
        """Bring a page to the front."""
        chosen: PageName = next(page for page in PAGE_NAMES if page == name)
        if chosen == "advice" and self.session.advice is not None and not self.session.runner.busy:
            self.session.runner.see_advice()
        made = chosen not in self._stack.made
        page = self.page(chosen)
        in_front = self._stack.currentWidget() is page
        if chosen == self.current and (in_front or self._front_timer.isActive()):
            return
        if self.current in self._stack.made:
            self._stack.made[self.current].coming = False
            self._stack.made[self.current].deactivate()
        self.current = chosen
        self.navigation.show_page(chosen)
        if made and self.isVisible():
            # Made in one turn of the event loop, laid out and painted in the next.
            page.coming = True
            # What is left is not painted once more, however much has just changed on it.
            self._stack.setUpdatesEnabled(False)
            self._front_timer.start()
        else:
            self._bring_to_front()

    def _bring_to_front(self) -> None:
        self._front_timer.stop()
        try:
            page = self.page(self.current)
            self._stack.setCurrentWidget(page)
        finally:
            self._stack.setUpdatesEnabled(True)
        page.coming = False
        if self._painted:
            page.activate()

    def _forget_old_advice(self) -> None:
        """What was chosen of an advice is not chosen of the next, also where its pages were thrown away meanwhile."""
        self._stack.forget("advice", "compare")

    def _machine_changed(self) -> None:
        from advisor.gui.models.machine_words import summary_lines

        self.navigation.show_machine(summary_lines(self.session.machine, self.context.texts))
        self.commands.refresh()

    def _job_ended(self) -> None:
        """Go to the advice where the job went well; troubles are told on the Measure page, without a dialog."""
        self.commands.refresh()
        end = self.session.runner.end
        if end in PAGES_OF_ENDS:
            self._leave_measure(PAGES_OF_ENDS[end])

    def _leave_measure(self, name: PageName) -> None:
        """Once no menu or list is open: going to another page would close it under the pointer."""
        if self.current != "measure":
            return
        if QApplication.activePopupWidget() is None:
            self._show_answer(name)
        else:
            QTimer.singleShot(_POPUP_MS, self, lambda: self._leave_measure(name))

    def _show_answer(self, name: str) -> None:
        self.show_page(name)
        self.page(self.current).show_answer()

    def _go_to_invalid(self) -> None:
        from advisor.gui.pages.model_page import ModelPage

        page = self._stack.made.get("model")
        if isinstance(page, ModelPage):
            page.go_to_invalid()

    def _system_scheme_changed(self) -> None:
        if self.settings.scheme == "system":
            self.rebuild_soon()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The names of the pages go where the window is narrow for its letters."""
        super().resizeEvent(event)
        self.navigation.fit(self.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Announce the first paint: what is slow to load waits for it."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            QTimer.singleShot(0, self._after_first_paint)

    def _after_first_paint(self) -> None:
        self.first_painted.emit()
        self.page(self.current).activate()
        self.preload.start()

    def changeEvent(self, event: QEvent) -> None:
        """A minimised window stops drawing, and after half a minute stops watching."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self._visibility_changed(hidden=self.isMinimized())

    def showEvent(self, event: QShowEvent) -> None:
        """The window came back."""
        super().showEvent(event)
        self.windowHandle().installEventFilter(self)
        if self._painted:
            self._visibility_changed(hidden=False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A double click is the page's where it began: what the next page has in that place was not meant."""
        if isinstance(event, QMouseEvent):
            second = bool(event.flags() & Qt.MouseEventFlag.MouseEventCreatedDoubleClick)
            if event.type() == QEvent.Type.MouseButtonPress and not second:
                self._pressed_on = self.current
            elif event.type() == QEvent.Type.MouseButtonDblClick and self._pressed_on != self.current:
                return True
        return super().eventFilter(watched, event)

    def _visibility_changed(self, *, hidden: bool) -> None:
        self.session.feed.set_hidden(hidden=hidden)
        self._collection.set_hidden(hidden=hidden)
        page = self._stack.made.get(self.current)
        if page is not None and self._painted:
            (page.deactivate if hidden else page.activate)()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """What Tab comes to is scrolled into view: left to Qt, only where Tab was pressed in the same scrolled part."""
        moved = super().focusNextPrevChild(forward)
        field = self.focusWidget()
        if moved and field is not None and self.current in self._stack.made:
            self._stack.made[self.current].bring_into_view(field)
        return moved

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return presses what has the focus; what nothing else takes turns the page, also from the navigation."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and pressed_by_key(self.focusWidget()):
            return
        page = self._stack.made.get(self.current)
        if page is None or not page.turn(event.key()):
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept local files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            _take_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped; of several files the first one, and say so."""
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            _take_copy(event)
            self.commands.open_path(paths[0])
        if len(paths) > 1:
            self.commands.tell(self.context.texts("window-dropped-several", path=str(paths[0]), count=len(paths)))

    def closeEvent(self, event: QCloseEvent) -> None:
        """End the worker and the sampler within two seconds, whatever state they are in; the window goes at once."""
        from advisor.gui.start.last_time import keep_last

        keep_last(self.session, self.settings)
        self.settings.store("geometry", bytes(self.saveGeometry().data()).hex())
        self.settings.write()
        for page in self._stack.made.values():
            page.deactivate()
        self._collection.end()
        self.preload.stop()
        self._speak("en")
        self.hide()
        self.closed_cleanly = self.session.close()
        event.accept()


def _take_copy(event: QDropEvent) -> None:
    """Accept, never as a move: whoever dragged a file that was moved may delete it."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
