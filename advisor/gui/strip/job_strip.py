"""The job at the foot of the navigation, on every page: how far, what, how long still, and how it ended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFrame

from advisor.core.sentences import visible
from advisor.gui.strip.ring import Ring
from advisor.gui.tooltips import give_tip
from advisor.gui.widgets.boxes import across, down
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.labels import label, set_role
from advisor.present.card_names import short_name

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent

    from advisor.gui.session import Session
    from advisor.gui.texts import Texts
    from advisor.gui.theme import Theme

_REASON_LENGTH = 120
_FIRST_SENTENCE = re.compile(r".*?(?:。|[.!?](?=\s)|$)", re.DOTALL)


class JobStrip(QFrame):
    """Hidden while there is nothing to tell; a click goes where there is more."""

    cancelled = Signal()
    wanted = Signal(str)
    """The page that shows what the strip tells of."""

    def __init__(self, session: Session, texts: Texts, theme: Theme) -> None:
        """Show the session's job as it is now."""
        super().__init__()
        self._session, self._texts, self._theme = session, texts, theme
        self.setObjectName("strip")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        layout = down(6, self, (10, 10, 10, 10))
        self.ring = Ring(theme)
        self.ring.setAccessibleName(texts("watch-progress"))
        self._what = label("", "strong", wrap=True)
        self._left = label("", "small", wrap=True)
        words = down(1)
        words.addWidget(self._what)
        words.addWidget(self._left)
        line = across(10)
        line.addWidget(self.ring, 0, Qt.AlignmentFlag.AlignTop)
        line.addLayout(words, 1)
        layout.addLayout(line)
        self._cancel = push(texts("watch-cancel"), self.cancelled.emit, "small")
        self._cancel.setToolTip(QKeySequence(Qt.Key.Key_Escape).toString(QKeySequence.SequenceFormat.NativeText))
        layout.addWidget(self._cancel)
        session.job_started.connect(self.refresh)
        session.job_progressed.connect(self.refresh)
        session.job_ended.connect(self.refresh)
        self.refresh()

    def refresh(self, *_: object) -> None:
        """Show how things stand now."""
        session = self._session
        if session.busy:
            self._show_running()
        elif session.job_troubled:
            self._show_trouble()
        elif session.job_outcome is not None and session.job_outcome.kind == "cancelled":
            self._show_end("cancelled", self._theme.muted, "–", self._texts("job-cancelled"), "")
        elif session.job_outcome is not None and not session.advice_seen:
            verified = session.job is not None and session.job.kind == "verify"
            code = "job-verified" if verified else "job-ready"
            self._show_end("ready", self._theme.good, "✓", self._texts(code), self._texts(f"{code}-below"))
        else:
            self.hide()

    def _show_running(self) -> None:
        session, texts, job = self._session, self._texts, self._session.job
        if job is None:
            return
        left_s = job.told_left_s
        self._state("running")
        self.ring.show_percent(job.told_percent)
        what = (texts.optional(job.phase) or visible(job.phase)) if job.phase else texts("watch-starting")
        left = "" if left_s is None else texts("watch-left", left=texts.seconds_left(left_s))
        if session.cancelling:
            what, left = texts("watch-cancelling"), ""
        self._say(what, left)
        self._cancel.setVisible(True)
        self._cancel.setEnabled(not session.cancelling)
        self.setVisible(True)

    def _show_trouble(self) -> None:
        session, texts = self._session, self._texts
        outcome = session.job_outcome
        if outcome is not None and outcome.failed:
            reason = texts.problem(outcome)[0]
        else:
            reason = texts.say(session.job.troubles[-1]) if session.job and session.job.troubles else ""
        reason = short_name(reason)  # The card's makers would take half of the strip.
        shown = _FIRST_SENTENCE.match(reason)[0]  # type: ignore[index] # the page that a click shows has all of it
        shown = shown if len(shown) <= _REASON_LENGTH else shown[: _REASON_LENGTH - 1].rstrip() + "…"
        self._show_end("failed", self._theme.danger, "!", texts("job-failed"), shown)
        give_tip(self, reason)

    def _show_end(self, state: str, colour: str, mark: str, what: str, below: str) -> None:
        self._state(state)
        self.ring.show_end(colour, mark)
        self._say(what, below)
        self._cancel.setVisible(False)
        self.setVisible(True)

    def _state(self, state: str) -> None:
        give_tip(self, "")
        set_role(self, f"strip-{state}")

    def _say(self, what: str, below: str) -> None:
        if (what, below) == (self._what.text(), self._left.text()):
            return
        self._what.setText(what)
        self._left.setText(below)
        self._left.setVisible(bool(below))
        self.setAccessibleName(f"{what} {below}".strip())

    def _go(self) -> None:
        session = self._session
        ready = session.job_outcome is not None and session.job_outcome.kind == "finished" and not session.job_troubled
        verified = session.job is not None and session.job.kind == "verify"
        self.wanted.emit(("history" if verified else "advice") if ready and not session.busy else "measure")

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Go where there is more."""
        if self.rect().contains(event.position().toPoint()):
            self._go()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The same by keyboard."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}:
            self._go()
        else:
            super().keyPressEvent(event)
