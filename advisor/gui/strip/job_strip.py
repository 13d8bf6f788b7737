"""The job at the foot of the navigation, on every page: how far, what, how long still, and how it ended."""

from __future__ import annotations

import re

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QProgressBar, QSizePolicy

from advisor.gui.context import PAGES_OF_ENDS
from advisor.gui.session import Session
from advisor.gui.texts import Texts
from advisor.gui.theme import TICK_SIZE, Theme
from advisor.gui.tooltips import give_tip
from advisor.gui.widgets.boxes import across, down
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.labels import label, set_look
from advisor.present.card_names import short_name

_REASON_LENGTH = 120
_FIRST_SENTENCE = re.compile(r".*?(?:。|[.!?](?=\s)|$)", re.DOTALL)

RING_SIDE, SMALL_RING_SIDE = 40, 25
_WIDTH = 4.0
_MARGIN = 10
_WHOLE = 100
_TOP = 90 * 16
"""Qt counts angles in sixteenths of a degree, from three o'clock."""
_TURN = 360 * 16


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
        self.ring = Ring(theme)
        self.ring.setAccessibleName(texts("watch-progress"))
        self._what = label("", "strong", wrap=True)
        self._left = label("", "small", wrap=True)
        self._folded = False
        line = across(10)
        line.addWidget(self.ring, 0, Qt.AlignmentFlag.AlignTop)
        line.addLayout(down(1, self._what, self._left), 1)
        self._cancel = push(texts("watch-cancel"), self.cancelled.emit, "small")
        self._cancel.setToolTip(QKeySequence(Qt.Key.Key_Escape).toString(QKeySequence.SequenceFormat.NativeText))
        down(6, line, self._cancel, inside=self, margins=(_MARGIN, 10, _MARGIN, 10))
        session.runner.started.connect(self.refresh)
        session.runner.progressed.connect(self.refresh)
        session.runner.ended.connect(self.refresh)
        self.refresh()

    def fold(self, *, folded: bool) -> None:
        """Where the navigation is folded, the ring alone: its words are a tip, and the page of the job cancels it."""
        self._folded = folded
        self.ring.fit(SMALL_RING_SIDE if folded else RING_SIDE)
        layout = self.layout()
        if layout is not None:
            side = 0 if folded else _MARGIN
            layout.setContentsMargins(side, 10, side, 10)
        self._show_words()
        self.refresh()

    def _show_words(self) -> None:
        self._what.setHidden(self._folded)
        self._left.setHidden(self._folded or not self._left.text())

    def refresh(self) -> None:
        """Show how things stand now."""
        session, end = self._session, self._session.runner.end
        if session.runner.busy:
            self._show_running()
        elif end == "failed":
            self._show_trouble()
        elif end == "cancelled":
            self._show_end(end, self._theme.muted, "–", self._texts("job-cancelled"), "")
        elif end is not None and not session.runner.advice_seen:
            words = self._texts(f"job-{end}"), self._texts(f"job-{end}-below")
            self._show_end("ready", self._theme.good, "✓", *words)
        else:
            self.hide()

    def _show_running(self) -> None:
        session, texts, job = self._session, self._texts, self._session.runner.job
        if job is None:
            return
        self._state("running")
        self.ring.show_percent(job.told_percent)
        what = texts.phase(job.phase) or texts("watch-starting")
        left = texts.time_left(job.told_left_s, late=job.told_late)
        if session.runner.cancelling:
            what, left = texts("watch-cancelling"), ""
        self._say(what, left)
        self._cancel.setVisible(not self._folded)
        self._cancel.setEnabled(not session.runner.cancelling)
        self.setVisible(True)

    def _show_trouble(self) -> None:
        session, texts = self._session, self._texts
        outcome = session.runner.outcome
        if outcome is not None and outcome.failed:
            reason = texts.problem(outcome)[0]
        else:
            reason = (
                texts.say(session.runner.job.troubles[-1]) if session.runner.job and session.runner.job.troubles else ""
            )
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
        set_look(self, "role", f"strip-{state}")

    def _say(self, what: str, below: str) -> None:
        if self._folded:
            give_tip(self, f"{what} {below}".strip())
        if (what, below) == (self._what.text(), self._left.text()):
            return
        self._what.setText(what)
        self._left.setText(below)
        self._show_words()
        self.setAccessibleName(f"{what} {below}".strip())

    def _go(self) -> None:
        end = self._session.runner.end
        self.wanted.emit("measure" if end is None else PAGES_OF_ENDS.get(end, "measure"))

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


class Ring(QProgressBar):
    """A bar drawn as a ring, per cent or a mark in its middle; a screen reader sees an ordinary progress bar."""

    def __init__(self, theme: Theme) -> None:
        """Nothing done yet."""
        super().__init__()
        self._theme = theme
        self._colour, self._mark = theme.accent, ""
        self.setRange(0, _WHOLE)
        self.setValue(0)
        self.setTextVisible(False)
        self.fit(RING_SIDE)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def fit(self, side: int) -> None:
        """High and wide in letters of the usual size; the style sheet, which holds for bars as such, says the same."""
        self._side = self._theme.sized(side)
        set_look(self, "role", "ring" if side == RING_SIDE else "ring-small")
        self.setFixedSize(self._side, self._side)

    def show_percent(self, percent: int) -> None:
        """How much is done."""
        self._colour, self._mark = self._theme.accent, ""
        self.setValue(percent)
        self.update()

    def show_end(self, colour: str, mark: str) -> None:
        """A full ring in a colour with a sign in it."""
        self._colour, self._mark = colour, mark
        self.setValue(_WHOLE)
        self.update()

    def sizeHint(self) -> QSize:
        """As it was fitted."""
        return QSize(self._side, self._side)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ring."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inset = _WIDTH / 2 + 0.5
        place = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        painter.setPen(QPen(QColor(self._theme.line), _WIDTH))
        painter.drawEllipse(place)
        pen = QPen(QColor(self._colour), _WIDTH)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        if self.value():
            painter.drawArc(place, _TOP, -_TURN * self.value() // _WHOLE)
        font = self.font()
        size = TICK_SIZE if not self._mark else TICK_SIZE + 5
        font.setPixelSize(round(self._side * size / RING_SIDE))
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.text if not self._mark else self._colour))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._mark or f"{self.value()}%")
        painter.end()
