"""The picture of the advice: the job on every candidate, and where switches would bring it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from advisor.gui.advised.charts import prediction_tip
from advisor.gui.context import Context
from advisor.gui.plots.job_chart import JobChart, JobRow
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import label
from advisor.present.job_picture import JobPicture, PictureRow, legend, row_detail, row_name, row_names, tick_text
from advisor.present.look import device_colour, device_places, device_shape
from advisor.recommend.combined_switches import Switched

if TYPE_CHECKING:
    from advisor.store.advice_record import AdviceRecord


class PictureCard(Card):
    """Job time on every candidate; `picked` tells the place of a row that was chosen."""

    picked = Signal(int)

    def __init__(self, context: Context, advice: AdviceRecord, picture: JobPicture, current: int) -> None:
        """`current` is the row that is marked."""
        texts = context.texts
        super().__init__(texts("picture-title"), texts("picture-unit"), spacing=5, margins=(16, 11, 12, 8))
        self._context, self._advice, self._picture = context, advice, picture
        names = row_names(advice)
        places = device_places(advice.machine, advice.predictions)
        self.chart = JobChart(context.theme, texts("picture-title"), texts("compare-tie-tip"))
        self._rows = [self._row(row, names, places) for row in picture.rows]
        ticks = [(picture.across(time_s), tick_text(time_s)) for time_s in picture.ticks_s]
        self.chart.show_rows(self._rows, ticks, current)
        self.chart.picked.connect(self.picked)
        words = ("" if texts.language == "zh" else " ").join((*legend(picture, texts.language), texts("picture-click")))
        self.put(self.chart, label(words, "muted", wrap=True))
        self.hug()

    def _row(self, row: PictureRow, names: dict[str, str], places: dict[str, int]) -> JobRow:
        prediction, texts, theme = row.prediction, self._context.texts, self._context.theme
        place = places.get(prediction.device.key)
        job = None if row.refused else prediction.job_s
        return JobRow(
            name=row_name(row, names),
            detail=row_detail(row, self._advice, texts.language),
            at=self._picture.across(job.value) if job else None,
            low=self._picture.across(job.low) if job else 0.0,
            high=self._picture.across(job.high) if job else 0.0,
            text=texts.duration(job.value) if job else texts("advice-does-not-fit"),
            price=texts.money(prediction.cost.value, prediction.currency)
            if prediction.cost is not None and job
            else "",
            colour=device_colour(place, theme.shade),
            shape=device_shape(place),
            tip=prediction_tip(prediction, self._context, over_limits=self._advice.is_over_limits(prediction)),
            chip=texts("picture-here") if row.here else "",
            advised=row.advised,
            tied=row.tied,
            trusted=row.trusted,
            solid=prediction.step_s.basis != "specified",
        )

    def show_switched(self, switched: Switched | None) -> None:
        """Move the advised row to where these switches would bring it; None: as advised."""
        advised = next((row for row in self._rows if row.advised), None)
        if switched is None or advised is None:
            self.chart.show_switched(None)
            return
        job, across = switched.job_s, self._picture.across
        text = self._context.texts.duration(job.value)
        at, low, high = across(job.value), across(job.low), across(job.high)
        self.chart.show_switched(replace(advised, text=text, at=at, low=low, high=high))
