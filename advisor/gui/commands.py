"""What the menus do: open, save, export, copy, measure, settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMainWindow, QToolTip

from advisor.core.errors import UserFacingError
from advisor.core.sentences import in_a_row
from advisor.gui.dialogs.save_path import ask_save_path, usual_name
from advisor.gui.files.opening import Opening
from advisor.gui.session import Session
from advisor.gui.settings import Settings
from advisor.gui.texts import Texts
from advisor.gui.threads import Outcome, call_as_job

if TYPE_CHECKING:
    from advisor.present.advice_file import FileKind
    from advisor.recommend.asked import Asked
    from advisor.store.advice_record import AdviceRecord

_FILES: dict[str, tuple[FileKind, str]] = {
    "save-json": ("json", "json"),
    "export-pdf": ("pdf", "pdf"),
    "export-csv": ("csv", "csv"),
    "export-markdown": ("markdown", "md"),
    "save-script": ("script", "py"),
}
"""What an entry of the menus writes, and the suffix of its file."""
_NEEDS_ADVICE = (*_FILES, "copy-text", "copy-command")
_TOLD_MS = 6000


class Commands(QObject):
    """The verbs of the window; pages reach them through the context by name."""

    page_wanted = Signal(str)
    invalid_wanted = Signal()
    """A job was asked for while something that is typed is not allowed: that field is to be seen."""
    look_changed = Signal()
    """Language, scheme or units are others now: everything is to be shown anew."""

    def __init__(self, window: QMainWindow, session: Session, settings: Settings) -> None:
        """`window` is the owner and the parent of every dialog."""
        super().__init__(window)
        self.window_ = window
        self.settings = settings
        self.session = session
        self.actions: dict[str, QAction] = {}
        self.opening = Opening(window, session, settings, self.tell)
        self.opening.page_wanted.connect(self.page_wanted)
        self._next: tuple[bool, Asked | None] | None = None
        """How the job is to start that was asked for while another one is being cancelled; None: none was."""
        session.runner.ended.connect(lambda: QTimer.singleShot(0, self, self._start_next))
        session.described.changed.connect(self._tell_kept)

    @property
    def texts(self) -> Texts:
        """The words of the chosen language."""
        return Texts(self.settings.language, self.settings.units)

    def refresh(self) -> None:
        """Enable what can be done now."""
        session = self.session
        possible = {
            **dict.fromkeys(_NEEDS_ADVICE, session.advice is not None),
            **dict.fromkeys(("measure", "predict"), not session.runner.busy or session.runner.cancelling),
            "cancel": session.runner.busy,
            "undo": session.described.undo.canUndo() or bool(session.described.invalid),
            "redo": session.described.undo.canRedo(),
        }
        for name, action in self.actions.items():
            action.setEnabled(possible.get(name, True))

    def act(self, name: str) -> None:
        """Do one entry of the menus."""
        plain: dict[str, Callable[[], object]] = {
            "open": lambda: self.opening.ask_and_open("open-filter", "open-logs"),
            "open-log": lambda: self.opening.ask_and_open("open-logs"),
            "quit": self.window_.close,
            "settings": self.show_settings,
            "about": self.show_about,
            "report-problem": self.report_problem,
            "measure": lambda: self.start(measure=True),
            "predict": lambda: self.start(measure=False),
            "cancel": self.cancel,
            "verify": self.verify,
            "zoom-in": lambda: self.zoom(1),
            "zoom-out": lambda: self.zoom(-1),
            "zoom-usual": lambda: self.zoom(0),
            "tip": self.show_tip,
            "undo": self.undo,
            "redo": self.session.described.undo.redo,
            "copy-text": self.copy_text,
            "copy-command": self.copy_command,
        }
        try:
            if name in plain:
                plain[name]()
            elif name in _FILES and self.session.advice is not None:
                self._ask_and_save(name)
        except UserFacingError as error:
            self.show_error(error)

    def _tell_kept(self) -> None:
        from advisor.gui.models.kept_words import kept_words

        if words := kept_words(self.session.described.now, self.texts):
            self.tell(in_a_row(words))

    def tell(self, text: str) -> None:
        """A quiet word in the status line."""
        self.window_.statusBar().showMessage(text, _TOLD_MS)
        QTimer.singleShot(_TOLD_MS, self._hide_status)
        self.window_.statusBar().setVisible(True)

    def _hide_status(self) -> None:
        if not self.window_.statusBar().currentMessage():
            self.window_.statusBar().setVisible(False)

    def show_error(self, error: UserFacingError) -> None:
        """One dialog with what is wrong and what to do."""
        self.show_outcome(Outcome(kind="problem", error=error))

    def show_outcome(self, outcome: object) -> None:
        """A problem or a bug of ours, once; nothing for work that ended well."""
        from advisor.gui.dialogs.problem import show_problem

        if isinstance(outcome, Outcome) and outcome.failed:
            show_problem(self.window_, self.texts, outcome)

    def start(self, *, measure: bool, asked: Asked | None = None) -> None:
        """Run the main job on the described workload; `asked`: as an earlier advice was, whatever the settings say."""
        from advisor.gui.job_request import job_for

        if self.session.runner.busy:
            if self.session.runner.cancelling:
                self._next = (measure, asked)
                self.tell(self.texts("job-next"))
            return
        if self.session.described.workload is None:
            self.page_wanted.emit("model")
            return
        if self.session.described.invalid:
            self.page_wanted.emit("model")
            self.invalid_wanted.emit()
            self.tell(self.texts("model-invalid"))
            return
        if not self.opening.consent_for(self.session.described.workload):
            return
        self.session.runner.start(job_for(self.session, self.settings, measure=measure, asked=asked), measure=measure)
        self.page_wanted.emit("measure")

    def cancel(self) -> None:
        """Ask the running job to end; none follows it unless it is asked for after this."""
        self._next = None
        self.session.runner.cancel()
        self.refresh()

    def _start_next(self) -> None:
        """A job that is cancelled takes a moment to end: the one that was asked for meanwhile starts then."""
        following, self._next = self._next, None
        if following is not None:
            self.start(measure=following[0], asked=following[1])

    def ask_again(self, advice: AdviceRecord) -> None:
        """Ask once more as for an advice: measured where it was, with its goal, limits, prices, hosts and cards."""
        self.start(measure=bool(advice.measurements), asked=advice.asked)

    def undo(self) -> None:
        """Take back what is typed and not allowed, else the last edit of the job."""
        wrong = set(self.session.described.invalid)
        if wrong:
            self.session.described.forget_invalid()
            self.session.described.changed.emit()
        # What was typed before it became too much is one edit with it.
        if not wrong or self.session.described.last_edited in wrong:
            self.session.described.undo.undo()

    def open_path(self, path: Path) -> None:
        """Open any file or folder that the window can open; what is wrong with it is told."""
        try:
            self.opening.open(path)
        except UserFacingError as error:
            self.show_error(error)

    def verify(self) -> None:
        """Run the set-up that is advised for this machine for a minute, and keep what came true."""
        from advisor.gui.job_request import verify_job

        advice = self.session.advice
        if advice is None or self.session.runner.busy or not self.opening.consent_for(advice.workload):
            return
        allowed = self.session.described.may_run(advice.workload)
        self.session.runner.start(verify_job(advice, allow_code=allowed), measure=True, kind="verify")
        self.page_wanted.emit("measure")

    def _ask_and_save(self, kind: str) -> None:
        advice = self.session.advice
        if advice is None:
            return
        path = ask_save_path(self.window_, self.texts(f"menu-{kind}"), _usual_name(kind, advice))
        if path is not None:
            self.save(kind, path)

    def save(self, kind: str, path: Path, then: Callable[[], None] | None = None) -> None:
        """Write the advice in a thread and say where it went; or do what comes `then`, once it is written."""
        advice, language = self.session.advice, self.settings.language
        if advice is None:
            return

        def write() -> None:
            from advisor.present import advice_file

            advice_file.write(_FILES[kind][0], advice, path, language)

        def done(outcome: Outcome) -> None:
            if outcome.kind == "finished" and then is not None:
                then()
            elif outcome.kind == "finished":
                self.tell(self.texts("window-saved", path=str(path)))
            self.show_outcome(outcome)

        self.session.crew.start(call_as_job(write), done)

    def copy_text(self) -> None:
        """Put the advice as text on the clipboard."""
        from advisor.present import markdown_file

        if self.session.advice is not None:
            text = markdown_file.encode(self.session.advice, self.settings.language).decode()
            QGuiApplication.clipboard().setText(text)
            self.tell(self.texts("window-copied"))

    def copy_command(self) -> None:
        """Save the launch script where the user says, and put the command that runs it on the clipboard."""
        from advisor.present.script import launch_script

        if self.session.advice is not None:
            usual = launch_script.script_name(self.session.advice)
            path = ask_save_path(self.window_, self.texts("menu-save-script"), usual)
            if path is not None:
                self.save_and_copy(path)

    def save_and_copy(self, path: Path) -> None:
        """The same, for a path."""
        from advisor.present.script import launch_script

        chosen = None if self.session.advice is None else self.session.advice.main
        if chosen is None:
            return
        command = launch_script.launch_command(chosen, launch_script.shell_word(str(path.resolve())))

        def saved() -> None:
            QGuiApplication.clipboard().setText(command)
            self.tell(self.texts("window-script-saved", path=str(path)))

        self.save("save-script", path, saved)

    def report_problem(self) -> None:
        """Show what a problem report would hold."""
        from advisor.gui.dialogs.report_problem import show_report

        show_report(self.window_, self.texts, self.session.machine)

    def show_settings(self) -> None:
        """Ask for the settings and apply them at once."""
        from advisor.gui.dialogs.settings_dialog import SettingsDialog

        if SettingsDialog(self.window_, self.texts, self.settings).exec():
            self.look_changed.emit()

    def show_about(self) -> None:
        """Versions and licences."""
        from advisor.gui.dialogs.about import show_about

        show_about(self.window_, self.texts)

    def zoom(self, steps: int) -> None:
        """Larger or smaller letters by steps; 0: the usual ones."""
        from advisor.gui.settings import ZOOMS

        now = min(range(len(ZOOMS)), key=lambda place: abs(ZOOMS[place] - self.settings.zoom))
        chosen = ZOOMS[min(max(now + steps, 0), len(ZOOMS) - 1)] if steps else self.settings.usual_zoom
        self.choose("zoom", f"{chosen}")

    def show_tip(self) -> None:
        """Show what the mouse would show over whatever has the focus."""
        widget = QApplication.focusWidget()
        if widget is None:
            return
        text, place = widget.toolTip(), QRect(QPoint(0, 0), widget.size())
        if isinstance(widget, QAbstractItemView) and widget.currentIndex().isValid():
            index = widget.currentIndex()
            text = index.data(Qt.ItemDataRole.ToolTipRole) or text
            place = widget.visualRect(index)
        if text:
            QToolTip.showText(widget.mapToGlobal(place.bottomLeft()), str(text), widget, place, _TOLD_MS)
        else:
            self.tell(self.texts("tip-none"))

    def choose(self, key: str, value: str) -> None:
        """Show everything in another language or in other colours, now."""
        self.settings.store(key, value)
        self.look_changed.emit()


def _usual_name(kind: str, advice: AdviceRecord) -> str:
    """What a file of an advice is called: as the report's own commands name it, where they do."""
    if kind == "save-script":
        from advisor.present.script.launch_script import script_name

        return script_name(advice)
    return "advice.json" if kind == "save-json" else usual_name(advice.workload.name, _FILES[kind][1])
