"""The measurement as it runs: progress, live plots, step times as they come, and the verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QProgressBar

from advisor.core.sentences import visible
from advisor.gui.context import Context
from advisor.gui.jobs.job_state import JobState, StepSeries
from advisor.gui.models.table_model import Column, TableModel, figures
from advisor.gui.pages.live_page import REDRAW_MS, LivePage
from advisor.gui.pages.page import GAP
from advisor.gui.threads import Outcome
from advisor.gui.widgets.boxes import REST, beside, clear, down, put
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.card import Card, FigureRow, KeyFigure
from advisor.gui.widgets.labels import label
from advisor.gui.widgets.notice import Notice
from advisor.gui.widgets.table import Table
from advisor.present.card_names import short_name
from advisor.present.look import device_places

if TYPE_CHECKING:
    from advisor.gui.plots.step_plot import StepPlot

_BUSY_REDRAW_MS = 500
"""Half the rate while something is timed: the window must not disturb what it shows."""
_DEVICE_COLUMN, _PRECISION_COLUMN, _INTERVAL_COLUMN = 0, 2, 4
_TABLE_WIDTH = 380
"""Pixels in letters of the usual size: where the plot leaves the table less, it stands below."""
_LEAST_FOR_INTERVAL = 2
"""One block alone says nothing of the spread."""


class MeasurePage(LivePage):
    """Start, cancel, and everything that a run tells."""

    _low_plots = True

    def __init__(self, context: Context) -> None:
        """Show the running or last job of the session."""
        super().__init__(context, context.texts("page-measure"))
        self._steps: StepPlot | None = None
        self._told: tuple[object, ...] | None = None
        self._names: dict[str, str] = {}
        self._predict = self.add_action(self.texts("menu-predict"), lambda: context.act("predict"))
        self._start = self.add_action(self.texts("menu-measure"), lambda: context.act("measure"), primary=True)
        self._cancel = self.add_action(self.texts("watch-cancel"), lambda: context.act("cancel"), primary=True)
        self._bar = QProgressBar()
        self._bar.setRange(0, 100)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.texts("watch-progress"))
        self._notices = down(GAP)
        self._figures = {
            name: KeyFigure(self.texts(f"watch-{name}")) for name in ("median", "rate", "memory", "verdict")
        }
        self._model = TableModel(self._columns())
        self._table_card = Card(self.texts("watch-table-title"))
        self._table = Table(
            self._model, self.texts("watch-table-title"), visible_rows=9, wide=(0,), optional=(_INTERVAL_COLUMN,)
        )
        self._table_device = label("", "muted")
        self._table_card.add_to_header(self._table_device)
        self._table_card.put(self._table, REST)
        self._table_card.setMinimumWidth(self.theme.sized(_TABLE_WIDTH))
        self._steps_place = down(GAP)
        self._explanation = Notice([], role="hero")
        self._explanation.put(label(self.texts("watch-explained"), wrap=True))
        figures = FigureRow(list(self._figures.values()), least_width=160, spacing=GAP)
        middle = beside(GAP, (self._steps_place, 5), (self._table_card, 7))
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
        self._table_card.setVisible(has_steps)
        if self._steps is not None:
            self._steps.setVisible(has_steps)
        for figure in self._figures.values():
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
            self._cancel.setEnabled(not self.session.runner.cancelling)
        if job is None:
            return
        if self._told is None or not self.session.runner.busy:
            self._show_newest()

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
            self._show_series(job)

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

    def _show_series(self, job: JobState) -> None:
        names = self._names = self._device_names(job)
        self._model.show(job.timed)  # First: what is measured anew has no names for the rows before.
        # One device or precision is named once, above the table, not in each row.
        precisions = {self.texts.precision(series.precision) for series in job.timed}
        said_above = {_DEVICE_COLUMN: len(names) == 1, _PRECISION_COLUMN: len(precisions) == 1}
        self._table.hide_columns(column for column, said in said_above.items() if said)
        common = [*(names.values() if len(names) == 1 else ()), *(precisions if len(precisions) == 1 else ())]
        self._table_device.setText(" · ".join(common))
        current, texts = job.current(), self.texts
        if current is None:
            for figure in self._figures.values():
                figure.show_figure("–")
            return
        median_s = current.median_s()
        batch = texts("advice-batch-row", batch=self._batch(current))
        place = batch if len(names) == 1 else f"{batch} · {names[current.device_key]}"
        self._figures["median"].show_figure(texts.duration(median_s) if median_s else "–", place)
        # Some of the model's blocks alone are no step of the model.
        whole = median_s is not None and current.layer_limit is None
        rate = texts.sample_rate(current.batch_size / median_s) if median_s and whole else "–"
        self._figures["rate"].show_figure(rate, self.texts.precision(current.precision))
        peak = texts.size(current.peak_bytes) if current.peak_bytes is not None else "–"
        self._figures["memory"].show_figure(peak, texts("watch-memory-below"))
        verdict = self._verdict(current)
        blocks = texts("watch-blocks", count=len(current.walls_s))
        self._figures["verdict"].show_figure(verdict, blocks, tip=self._verdict_tip(current))

    def _device_names(self, job: JobState) -> dict[str, str]:
        """Short names by device key; cards of one name are told apart by their number."""
        names = {series.device_key: short_name(visible(series.device_name)) for series in job.timed}
        gpus = self.session.machine.gpus if self.session.machine is not None else ()
        numbers = {gpu.key: gpu.index for gpu in gpus}
        shared = {name for name in names.values() if list(names.values()).count(name) > 1}
        return {
            key: f"GPU {numbers[key]} · {name}" if name in shared and key in numbers else name
            for key, name in names.items()
        }

    def _batch(self, series: StepSeries) -> str:
        if series.layer_limit is None:
            return f"{series.batch_size:,}"
        return self.texts("watch-part-of-layers", batch=f"{series.batch_size:,}", layers=series.layer_limit)

    def _verdict(self, series: StepSeries) -> str:
        if series.verdict is None:
            job = self.session.runner.job
            running = self.session.runner.busy and job is not None and series is job.current() and not series.ended
            return self.texts("watch-state-running" if running else "watch-state-ended")
        return self.texts.verdict(series.verdict.kind)

    def _verdict_tip(self, series: StepSeries) -> str:
        if series.verdict is not None and series.verdict.reason is not None:
            return self.texts.say(series.verdict.reason)
        return self._verdict(series)

    def _columns(self) -> list[Column[StepSeries]]:
        texts = self.texts

        def interval(series: StepSeries) -> str:
            if series.summary is None:
                return ""
            if series.summary.sample_count < _LEAST_FOR_INTERVAL:
                return "–"
            half_s = (series.summary.high_s - series.summary.low_s) / 2
            return f"± {100 * half_s / series.summary.median_s:.1f} %"

        def ends(series: StepSeries) -> str:
            if series.summary is None:
                return ""
            return f"{texts.duration(series.summary.low_s)} – {texts.duration(series.summary.high_s)}"

        return [
            Column(title=texts("column-device"), text=lambda series: self._names[series.device_key]),
            Column(
                title=texts("column-batch"),
                text=self._batch,
                icon=lambda series: self._steps.icon_of(series) if self._steps is not None else None,
                order=lambda series: series.batch_size,
                number=True,
            ),
            Column(title=texts("column-precision"), text=lambda series: self.texts.precision(series.precision)),
            figures(texts("column-median"), StepSeries.median_s, texts.duration, tip=ends),
            Column(title=texts("column-interval"), text=interval, tip=ends, number=True),
            Column(title=texts("column-verdict"), text=self._verdict, tip=self._verdict_tip),
        ]

    def _redraw(self) -> None:
        if not self._active:
            return
        super()._redraw()
        if self._steps is not None and self.session.runner.job is not None:
            places = device_places(self.session.machine, ())
            self._steps.redraw(list(self.session.runner.job.series.values()), places)
        self._show_newest()
