"""The step times of a job: key figures of the newest ones, and a table with a row for each batch size and device."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QIcon

from advisor.core.sentences import visible
from advisor.gui.context import Context
from advisor.gui.jobs.job_state import JobState, StepSeries
from advisor.gui.models.table_model import Column, TableModel, figures
from advisor.gui.widgets.boxes import REST
from advisor.gui.widgets.card import Card, KeyFigure
from advisor.gui.widgets.labels import label
from advisor.gui.widgets.table import Table
from advisor.present.card_names import short_name

_DEVICE_COLUMN, _PRECISION_COLUMN, _INTERVAL_COLUMN = 0, 2, 4
_TABLE_WIDTH = 380
"""Pixels in letters of the usual size: where the plot leaves the table less, it stands below."""
_LEAST_FOR_INTERVAL = 2
"""One block alone says nothing of the spread."""


class MeasuredSteps:
    """`figures` by name and the `card` of the table, for a page to place."""

    def __init__(self, context: Context, icon_of: Callable[[StepSeries], QIcon | None]) -> None:
        """`icon_of`: how a series is drawn in the plot, as far as there is one."""
        self._texts, self._session = context.texts, context.session
        self._names: dict[str, str] = {}
        names = ("median", "rate", "memory", "verdict")
        self.figures = {name: KeyFigure(self._texts(f"watch-{name}")) for name in names}
        self.model = TableModel(self._columns(icon_of))
        title = self._texts("watch-table-title")
        self.card = Card(title)
        self.table = Table(self.model, title, visible_rows=9, wide=(0,), optional=(_INTERVAL_COLUMN,))
        self._common = label("", "muted")
        self.card.add_to_header(self._common)
        self.card.put(self.table, REST)
        self.card.setMinimumWidth(context.theme.sized(_TABLE_WIDTH))

    def show(self, job: JobState) -> None:
        """The figures of the newest series, and a row for each."""
        names = self._names = self._device_names(job)
        self.model.show(job.timed)  # First: what is measured anew has no names for the rows before.
        # One device or precision is named once, above the table, not in each row.
        precisions = {self._texts.precision(series.precision) for series in job.timed}
        said_above = {_DEVICE_COLUMN: len(names) == 1, _PRECISION_COLUMN: len(precisions) == 1}
        self.table.hide_columns(column for column, said in said_above.items() if said)
        common = [*(names.values() if len(names) == 1 else ()), *(precisions if len(precisions) == 1 else ())]
        self._common.setText(" · ".join(common))
        current, texts = job.current(), self._texts
        if current is None:
            for figure in self.figures.values():
                figure.show_figure("–")
            return
        median_s = current.median_s()
        batch = texts("advice-batch-row", batch=self._batch(current))
        place = batch if len(names) == 1 else f"{batch} · {names[current.device_key]}"
        self.figures["median"].show_figure(texts.duration(median_s) if median_s else "–", place)
        # Some of the model's blocks alone are no step of the model.
        whole = median_s is not None and current.layer_limit is None
        rate = texts.sample_rate(current.batch_size / median_s) if median_s and whole else "–"
        self.figures["rate"].show_figure(rate, self._texts.precision(current.precision))
        peak = texts.size(current.peak_bytes) if current.peak_bytes is not None else "–"
        self.figures["memory"].show_figure(peak, texts("watch-memory-below"))
        verdict = self._verdict(current)
        blocks = texts("watch-blocks", count=len(current.walls_s))
        self.figures["verdict"].show_figure(verdict, blocks, tip=self._verdict_tip(current))

    def _device_names(self, job: JobState) -> dict[str, str]:
        """Short names by device key; cards of one name are told apart by their number."""
        names = {series.device_key: short_name(visible(series.device_name)) for series in job.timed}
        gpus = self._session.machine.gpus if self._session.machine is not None else ()
        numbers = {gpu.key: gpu.index for gpu in gpus}
        shared = {name for name in names.values() if list(names.values()).count(name) > 1}
        return {
            key: f"GPU {numbers[key]} · {name}" if name in shared and key in numbers else name
            for key, name in names.items()
        }

    def _batch(self, series: StepSeries) -> str:
        if series.layer_limit is None:
            return f"{series.batch_size:,}"
        return self._texts("watch-part-of-layers", batch=f"{series.batch_size:,}", layers=series.layer_limit)

    def _verdict(self, series: StepSeries) -> str:
        if series.verdict is None:
            job = self._session.runner.job
            running = self._session.runner.busy and job is not None and series is job.current() and not series.ended
            return self._texts("watch-state-running" if running else "watch-state-ended")
        return self._texts.verdict(series.verdict.kind)

    def _verdict_tip(self, series: StepSeries) -> str:
        if series.verdict is not None and series.verdict.reason is not None:
            return self._texts.say(series.verdict.reason)
        return self._verdict(series)

    def _columns(self, icon_of: Callable[[StepSeries], QIcon | None]) -> list[Column[StepSeries]]:
        texts = self._texts

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
                icon=icon_of,
                order=lambda series: series.batch_size,
                number=True,
            ),
            Column(title=texts("column-precision"), text=lambda series: self._texts.precision(series.precision)),
            figures(texts("column-median"), StepSeries.median_s, texts.duration, tip=ends),
            Column(title=texts("column-interval"), text=interval, tip=ends, number=True),
            Column(title=texts("column-verdict"), text=self._verdict, tip=self._verdict_tip),
        ]
