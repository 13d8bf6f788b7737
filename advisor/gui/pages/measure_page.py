"""The measurement as it runs: progress, live plots, step times as they come, and the verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QPlainTextEdit, QProgressBar, QWidget

from advisor.gui.context import Context
from advisor.gui.jobs.job_state import JobState, StepSeries
from advisor.gui.pages.live_page import REDRAW_MS, LivePage
from advisor.gui.pages.measured_steps import MeasuredSteps
from advisor.gui.pages.page import GAP
from advisor.gui.threads import Outcome
from advisor.gui.widgets.boxes import beside, clear, down, put
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.card import FigureRow
from advisor.gui.widgets.labels import label
from advisor.gui.widgets.notice import Notice
from advisor.present.look import device_places

if TYPE_CHECKING:
    from advisor.gui.plots.step_plot import StepPlot

_BUSY_REDRAW_MS = 500
"""Half the rate while something is timed: the window must not disturb what it shows."""


class MeasurePage(LivePage):
    """Start, cancel, and everything that a run tells."""

    _low_plots = True

    def __init__(self, context: Context) -> None:
        """Show the running or last job of the session."""
        super().__init__(context, context.texts("page-measure"))
        self._steps: StepPlot | None = None
        self._told: tuple[object, ...] | None = None
        self._meanwhile: QWidget | None = None
        """What has the focus while the button that cancels rests."""
        self._predict = self.add_action(self.texts("menu-predict"), lambda: context.act("predict"))
        self._start = self.add_action(self.texts("menu-measure"), lambda: context.act("measure"), primary=True)
        self._cancel = self.add_action(self.texts("watch-cancel"), lambda: context.act("cancel"), primary=True)
        self._bar = QProgressBar()
        self._bar.setRange(0, 100)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.texts("watch-progress"))
        self._notices = down(GAP)
        self._measured = MeasuredSteps(context, self._icon_of)
        self._steps_place = down(GAP)
        self._explanation = Notice([], role="hero")
        self._explanation.put(label(self.texts("watch-explained"), wrap=True))
        figures = FigureRow(list(self._measured.figures.values()), least_width=160, spacing=GAP)
        middle = beside(GAP, (self._steps_place, 5), (self._measured.card, 7))
        self.body.addWidget(self._bar)
        self.body.addWidget(self._explanation, 0, Qt.AlignmentFlag.AlignTop)
        put(self.body, self._notices, figures, (middle, 2), (self._plots, 3))
        self.session.runner.started.connect(self._job_changed)
        self.session.runner.progressed.connect(self._progressed)
        self.session.runner.ended.connect(self._job_ended)
        self.session.advice_changed.connect(self._job_changed)  # A saved one brings what was measured for it.
        self.session.machine_changed.connect(self._machine_changed)
        self.session.described.changed.connect(self._progressed)
        self._job_changed()

    def activate(self) -> None:
        """Draw, at half the rate while something is timed."""
        self._active = True
        self._told = None
        self._ensure_plots()
        self._progressed()
        self._timer.start(_BUSY_REDRAW_MS if self.session.runner.busy else REDRAW_MS)
        self._redraw()

    def _ensure_plots(self) -> None:
        steps = [self._make_steps, self._show_parts, self._redraw, self._make_grid]
        self.once_imported(lambda: self.in_turns(steps, now=False))

    def _icon_of(self, series: StepSeries) -> QIcon | None:
        """How the plot draws a series; None before there is a plot."""
        return None if self._steps is None else self._steps.icon_of(series)

    def _make_steps(self) -> None:
        from advisor.gui.plots.step_plot import StepPlot

        if self._steps is None:
            self._steps = StepPlot(self.theme, self.texts)
            self._steps.setMinimumHeight(220)
            self._steps_place.addWidget(self._steps)

    def _machine_changed(self) -> None:
        had_grid = self.grid is not None
        self._forget_grid()
        if had_grid and self._active:
            self._ensure_plots()

    def _job_changed(self) -> None:
        self._told = None
        busy = self.session.runner.busy
        for widget, wanted in ((self._start, False), (self._predict, False), (self._cancel, True), (self._bar, True)):
            widget.setVisible(busy == wanted)
        if not busy:
            self._give_focus_back()
        clear(self._notices)
        self._show_outcome(self.session.runner.outcome)
        if self._active:
            self._timer.start(_BUSY_REDRAW_MS if busy else REDRAW_MS)
        self._show_parts()
        self._progressed()

    def _show_parts(self) -> None:
        """What has nothing to show yet is not shown."""
        job = self.session.runner.job
        # Made room for before the first step is timed: laying out the page again would disturb just that one.
        to_come = job is not None and job.measure and job.kind == "advise" and self.session.runner.busy
        has_steps = job is not None and (bool(job.series) or to_come)
        self._explanation.setVisible(not has_steps and not self.session.runner.busy)
        self._measured.card.setVisible(has_steps)
        if self._steps is not None:
            self._steps.setVisible(has_steps)
        for figure in self._measured.figures.values():
            figure.setVisible(has_steps)

    def _job_ended(self) -> None:
        self._job_changed()
        self._redraw()

    def _progressed(self) -> None:
        job, texts = self.session.runner.job, self.texts
        name = (
            texts.title(self.session.described.workload.name)
            if self.session.described.workload
            else texts("watch-no-workload")
        )
        if job is None or not self.session.runner.busy:
            self.subtitle.set_full_text(name if job is None else f"{name} · {self._ended_words(job)}")
        else:
            self._bar.setValue(job.told_percent)
            words = [name, texts.phase(job.phase) or texts("watch-starting"), self._detail(job.detail)]
            words.append(texts("watch-percent", percent=str(job.told_percent)))
            if self.session.runner.cancelling:
                words = [name, texts("watch-cancelling")]
            else:
                words.append(texts.time_left(job.told_left_s, late=job.told_late))
            self.subtitle.set_full_text(" · ".join(word for word in words if word))
            self._let_cancel(not self.session.runner.cancelling)
        if job is None:
            return
        if self._told is None or not self.session.runner.busy:
            self._show_newest()

    def _let_cancel(self, possible: bool) -> None:
        """A button that rests has no focus: Qt gives it to whatever comes next, until it can come back."""
        had_focus = self._cancel.hasFocus() and not possible
        self._cancel.setEnabled(possible)
        if had_focus:
            self._meanwhile = self.window().focusWidget()

    def _give_focus_back(self) -> None:
        """What stands in the place of the button that was pressed has the focus, unless a person went elsewhere."""
        meanwhile, self._meanwhile = self._meanwhile, None
        if meanwhile is not None and meanwhile is self.window().focusWidget():
            self._start.setFocus()

    def _show_newest(self) -> None:
        """The figures of the newest step times: as often as the plots are drawn, and where there is something new."""
        job = self.session.runner.job
        if job is None:
            return
        state = (
            job.sample_count,
            len(job.series),
            len(job.measurements),
            [series.ended for series in job.series.values()],
        )
        if state != self._told and (self._active or self._told is None):
            self._told = state
            self._show_parts()
            self._measured.show(job)

    def _detail(self, detail: str) -> str:
        """A batch size is said as one; the names of kernels are for logs."""
        return self.texts("advice-batch-row", batch=detail) if detail.isdigit() else ""

    def _ended_words(self, job: JobState) -> str:
        count = len({series.batch_size for series in job.series.values() if series.summary is not None})
        return self.texts("watch-done", count=count) if count else self.texts("watch-nothing-measured")

    def _show_outcome(self, outcome: Outcome | None) -> None:
        job = self.session.runner.job
        failures = [] if job is None else job.failures
        if outcome is not None and outcome.kind == "cancelled":
            kept = job is not None and job.step_count > 0
            notice = Notice([self.texts("watch-cancelled" if kept else "watch-cancelled-early")], role="hero")
            if kept:
                self._offer_advice(notice)
            self._notices.addWidget(notice)
        elif outcome is not None and outcome.failed:
            notice = Notice(self.texts.problem(outcome), role="danger", title=self.texts("watch-failed"))
            if outcome.detail:
                self._add_log(notice, outcome.detail)
            self._notices.addWidget(notice)
        troubles = [] if job is None else job.troubles
        if troubles:
            words = [self.texts.say(reason) for reason in troubles]
            words.append(self.texts("watch-predicted-only"))
            notice = Notice(words, role="danger", title=self.texts("watch-failed"))
            self._offer_advice(notice)
            self._notices.addWidget(notice)
        here = self.texts("watch-this-device")
        said = {self.texts.say(failure.reason_or("worker-said", device=here)): failure for failure in failures}
        for told, failure in list(said.items())[:3]:  # Eight cards alike fail alike.
            notice = Notice([told], title=self.texts("watch-worker-failed"))
            if failure.traceback:
                self._add_log(notice, failure.traceback)
            self._notices.addWidget(notice)

    def _offer_advice(self, notice: Notice) -> None:
        """What was made of the measurement all the same is not on this page."""
        if self.session.advice is not None:
            notice.put(push(self.texts("watch-show-advice"), lambda: self.context.go("advice"), "link"))

    def _add_log(self, notice: Notice, text: str) -> None:
        """A log that opens on demand."""
        log = QPlainTextEdit(text)
        log.setReadOnly(True)
        log.setFixedHeight(150)
        log.setVisible(False)
        log.setAccessibleName(self.texts("problem-log"))
        notice.put(push(self.texts("watch-show-log"), lambda: log.setVisible(log.isHidden()), "link"), log)

    def _redraw(self) -> None:
        if not self._active:
            return
        super()._redraw()
        if self._steps is not None and self.session.runner.job is not None:
            places = device_places(self.session.machine, ())
            self._steps.redraw(list(self.session.runner.job.series.values()), places)
        self._show_newest()
