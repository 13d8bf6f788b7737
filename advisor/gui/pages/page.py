"""The frame that all pages share: title, subtitle, actions, and a scrolled body."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer
from PySide6.QtGui import QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractSlider,
    QBoxLayout,
    QFrame,
    QLayout,
    QPushButton,
    QScrollArea,
    QScrollBar,
    QWidget,
)
from shiboken6 import isValid

from advisor.gui.context import Context
from advisor.gui.preload import plots_imported
from advisor.gui.threads import Outcome
from advisor.gui.widgets.boxes import across, clear, down, widgets_of
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.labels import ElidedLabel, label

GAP = 14
_WIDEST = 2560
_SIDE = 24
_LATER_MS = 60
"""Until it is asked again whether what draws the plots has been imported."""
_TURNS: dict[int, QAbstractSlider.SliderAction] = {
    Qt.Key.Key_PageUp: QAbstractSlider.SliderAction.SliderPageStepSub,
    Qt.Key.Key_PageDown: QAbstractSlider.SliderAction.SliderPageStepAdd,
    Qt.Key.Key_Home: QAbstractSlider.SliderAction.SliderToMinimum,
    Qt.Key.Key_End: QAbstractSlider.SliderAction.SliderToMaximum,
}
ViewState = dict[str, Any]
"""What one page gave and the same page takes back."""


class Page(QWidget):
    """A page is a view of the session: it can be thrown away and made again at any time.

    `view_state` and `restore` carry over what only the page knows (a sort order, a half-filled form) when
    language or scheme change.
    """

    def __init__(self, context: Context, title: str, subtitle: str = "") -> None:
        """Make the frame; subclasses fill `body`."""
        super().__init__()
        self.context = context
        self.texts = context.texts
        self.theme = context.theme
        self.session = context.session
        self._waiting: Callable[[], None] | None = None
        self._steps_left: deque[Callable[[], None]] = deque()
        self._job_buttons: list[QPushButton] = []
        # Methods, not functions made here: Qt lets go of them with the page, and of those it never would.
        self.session.runner.started.connect(self._show_job_actions)
        self.session.runner.ended.connect(self._show_job_actions)
        self._made: QWidget | QLayout | None = None
        """The part that is laid out next."""
        self.coming = False
        """Whether it was made to be shown in the next turn of the event loop."""
        self._turns = QTimer(self, singleShot=True)
        self._turns.timeout.connect(self._next_step)
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(title)
        content = QWidget()
        content.setObjectName("page")
        # With every part that comes it grows, and what stands there already need not be painted anew.
        content.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self.body = down(GAP, inside=content, margins=(24, 4, 24, 20))
        self.scroll_area = QScrollArea()
        self.scroll_area.setWidgetResizable(True)
        self.scroll_area.setFrameShape(QFrame.Shape.NoFrame)
        # Sideways only with letters so large that a page is wider than the window.
        self.scroll_area.setWidget(content)
        self.scroll_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # Its room is kept from the start: a bar that comes and goes lays out and paints the whole page again.
        self.scroll_area.setVerticalScrollBar(_NeededBar(Qt.Orientation.Vertical))
        self.scroll_area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        down(0, self._make_head(title, subtitle), (self.scroll_area, 1), inside=self)

    def _make_head(self, title: str, subtitle: str) -> QWidget:
        head = QWidget()
        self.title = label(title, "title")
        self.subtitle = ElidedLabel(subtitle, "muted", lines=2)
        self._actions = across(10)
        self._first_line = across(10, (self.title, 1), self._actions)
        # Below both: beside the actions nothing would be left of it with large letters.
        self.head = down(1, self._first_line, self.subtitle, inside=head, margins=(24, 16, 24, 10))
        return head

    def resizeEvent(self, event: QResizeEvent) -> None:
        """On a very wide screen the content stays in the middle."""
        super().resizeEvent(event)
        self._set_margins()

    def _set_margins(self) -> None:
        """The content ends where the buttons of the head end, with a scroll bar or without."""
        side = _SIDE + max(0, (self.width() - _WIDEST) // 2)
        taken = self.scroll_area.verticalScrollBar().sizeHint().width()
        wished = (side, 4, side - taken, 20)
        self.head.setContentsMargins(side, 16, side, 10)
        self._place_actions(self.width() - 2 * side)
        have = self.body.contentsMargins()
        if (have.left(), have.top(), have.right(), have.bottom()) != wished:
            self.body.setContentsMargins(*wished)

    def _place_actions(self, room: int) -> None:
        """Beside the title; with large letters in a narrow window below it, and at worst one below the other."""
        hints = [widget.sizeHint().width() for widget in widgets_of(self._actions) if not widget.isHidden()]
        needed = sum(hints) + self._actions.spacing() * max(0, len(hints) - 1)
        beside = needed <= room - self.title.sizeHint().width() - self._first_line.spacing()
        level, stacked = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._first_line.setDirection(level if beside else stacked)
        self._first_line.setAlignment(
            self._actions, Qt.AlignmentFlag.AlignVCenter if beside else Qt.AlignmentFlag.AlignLeft
        )
        self._actions.setDirection(level if needed <= room else stacked)

    def add_action(self, text: str, action: Callable[[], None], *, primary: bool = False) -> QPushButton:
        """Put a button at the right of the title."""
        button = push(text, action, "primary" if primary else "")
        self._actions.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        return button

    def add_job_actions(self) -> None:
        """The two buttons that begin a job; they rest while one runs."""
        self.rest_while_busy(
            self.add_action(self.texts("menu-predict"), lambda: self.context.act("predict")),
            self.add_action(self.texts("menu-measure"), lambda: self.context.act("measure"), primary=True),
        )

    def rest_while_busy(self, *buttons: QPushButton) -> None:
        """While a job runs these buttons, as long as they are there, cannot be pressed and say why."""
        self._job_buttons = [*filter(isValid, self._job_buttons), *buttons]
        self._show_job_actions()

    def _show_job_actions(self) -> None:
        for button in filter(isValid, self._job_buttons):
            button.setEnabled(not self.session.runner.busy)
            button.setToolTip(self.texts("job-busy-tip") if self.session.runner.busy else "")

    def show_when_seen(self, show: Callable[[], None]) -> None:
        """Show something else now, or as soon as the page comes to the front: hidden pages cost nothing."""
        if self.isVisible() or not self.window().isVisible():
            self._waiting = None
            show()
        else:
            self._waiting = show

    def fill(self, parts: Sequence[Callable[[], QWidget | QLayout | None]]) -> None:
        """Show other content: a part is made in one turn of the event loop, and laid out and painted in the next.

        A page of many cards takes a fifth of a second to make, and nothing else would move meanwhile. Where no
        window is on the screen the page is filled at once.
        """
        clear(self.body)
        self.body.addStretch(1)
        self.in_turns([step for part in parts for step in (partial(self._make_part, part), self._add_part)])

    def in_turns(self, steps: Sequence[Callable[[], None]], *, now: bool = True) -> None:
        """Do these steps instead of those still to come, each in a turn of its own; the first one `now`."""
        self._steps_left = deque(steps)
        if now or not self.context.shown():
            self._next_step()
        else:
            self._turns.start()

    def once_imported(self, make: Callable[[], None]) -> None:
        """Make plots now, or as soon as what draws them has been imported: the event loop does not wait for it."""
        if self.context.shown() and not plots_imported():
            QTimer.singleShot(_LATER_MS, self, lambda: self.once_imported(make))
        else:
            make()

    @property
    def filling(self) -> bool:
        """Whether parts are still to come."""
        return self.coming or bool(self._steps_left)

    def _make_part(self, part: Callable[[], QWidget | QLayout | None]) -> None:
        self._made = part()

    def _add_part(self) -> None:
        made, self._made = self._made, None
        if isinstance(made, QLayout):
            self.body.insertLayout(self.body.count() - 1, made)
        elif made is not None:
            self.body.insertWidget(self.body.count() - 1, made)

    def _next_step(self) -> None:
        while self._steps_left:
            self.body.setEnabled(not self.isVisible())
            later = False
            try:
                self._steps_left.popleft()()
            finally:
                # Also where a step failed: the other parts still come, and the page is laid out as ever.
                if not self.body.isEnabled():
                    self._settle()
                if self._steps_left and self.context.shown():
                    self._turns.start()
                    later = True
            if later:
                return

    def _settle(self) -> None:
        """Lay out once what came, at the height that it needs.

        Left to Qt it is shown after a first layout, and all is squeezed into the height so far and painted so, before
        the page grows.
        """
        for widget in widgets_of(self.body):
            if widget.isHidden() and not widget.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide):
                widget.move(0, self.height())  # Where it is not seen until it has its place.
                widget.show()
        self.body.setEnabled(True)
        QCoreApplication.sendEvent(self.scroll_area, QEvent(QEvent.Type.LayoutRequest))
        self.body.activate()

    def showEvent(self, event: QShowEvent) -> None:
        """Show what came while another page was in front."""
        super().showEvent(event)
        show, self._waiting = self._waiting, None
        if show is not None:
            show()

    def bring_into_view(self, widget: QWidget) -> None:
        """Scroll to a widget of this page that lies outside what is seen."""
        if self.scroll_area.isAncestorOf(widget):
            self.scroll_area.ensureWidgetVisible(widget, _SIDE, GAP)

    def show_answer(self) -> None:
        """Bring what the last job found into view, where the page holds more than that."""

    def turn(self, key: int) -> bool:
        """Scroll by a screen or to an end; False where the key does no such thing."""
        if key not in _TURNS:
            return False
        self.scroll_area.verticalScrollBar().triggerAction(_TURNS[key])
        return True

    def tell_saved(self, outcome: object, path: object) -> None:
        """Say where a file went, or why it did not."""
        if isinstance(outcome, Outcome) and outcome.failed:
            self.session.problem_raised.emit(outcome)
        else:
            self.context.tell(self.texts("window-saved", path=str(path)))

    def activate(self) -> None:
        """The page came to the front."""

    def deactivate(self) -> None:
        """The page went to the back."""

    def view_state(self) -> ViewState:
        """What only this page knows."""
        return {}

    def restore(self, state: ViewState) -> None:
        """Take over what an earlier instance of this page knew."""


class _NeededBar(QScrollBar):
    """Draws nothing while all fits, and keeps its room."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar, if it is needed."""
        if self.maximum() > self.minimum():
            super().paintEvent(event)
