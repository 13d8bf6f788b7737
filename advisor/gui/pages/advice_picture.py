"""The picture of the advice, and the switches that redraw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QWidget

from advisor.core.sentences import visible
from advisor.core.shown_names import shown_card
from advisor.gui.context import Context
from advisor.gui.pages.advice_charts import prediction_tip
from advisor.gui.plots.job_chart import JobChart, JobRow
from advisor.gui.widgets.boxes import across
from advisor.gui.widgets.buttons import WordsOfBox
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import label
from advisor.present.job_picture import JobPicture, PictureRow, legend, row_detail, row_name, row_names, tick_text
from advisor.present.look import device_colour, device_places, device_shape
from advisor.present.switch_table import gain_cells, switch_code
from advisor.present.window_words import window_words
from advisor.recommend.combined_switches import Switched, can_be_combined, switched, without_rivals
from advisor.recommend.comparison import counted
from advisor.recommend.switches import Switch, SwitchKind

if TYPE_CHECKING:
    from advisor.store.advice_record import AdviceRecord


_WIDEST_TABLE = 1000
"""Figures that stand farther from their names are read with a ruler."""
_NARROWEST_NAME = 130
"""Pixels of a switch's name, which goes on in further lines."""


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


class SwitchesCard(Card):
    """What each switch would bring to the advised set-up; those that are on are `changed` to."""

    changed = Signal(object)

    def __init__(self, context: Context, advice: AdviceRecord, switches: Sequence[Switch]) -> None:
        """One line a switch, the one that gains most first."""
        texts = context.texts
        super().__init__(texts("summary-switches"))
        self._context, self._advice = context, advice
        self._told = label("", "strong")
        self.add_to_header(self._told)
        lines = QWidget()
        lines.setMaximumWidth(_WIDEST_TABLE)
        places = QGridLayout(lines)
        places.setContentsMargins(0, 0, 0, 0)
        places.setHorizontalSpacing(18)
        places.setVerticalSpacing(6)
        for column, code in enumerate(
            ("column-switch", "column-times", "column-gain-range", "column-saved", "column-need")
        ):
            places.addWidget(label(texts(code), "muted"), 0, column, _side(column))
        self._boxes: dict[SwitchKind, QCheckBox] = {}
        self._switches = {switch.kind: switch for switch in switches if can_be_combined(switch)}
        ordered = sorted(switches, key=lambda switch: -(switch.gain.value if switch.gain is not None else 0.0))
        for line, each in enumerate(ordered, start=1):
            self._add_line(places, line, each)
        places.setColumnStretch(0, 1)
        places.setColumnMinimumWidth(0, context.theme.sized(_NARROWEST_NAME))
        self.put(lines, label(texts("switches-note"), "muted", wrap=True))
        self.hug()

    def _add_line(self, places: QGridLayout, line: int, switch: Switch) -> None:
        texts = self._context.texts
        name = window_words(texts(switch_code(switch)), texts.language)
        if can_be_combined(switch):
            words = WordsOfBox(name)
            words.box.toggled.connect(lambda on, kind=switch.kind: self._toggle(kind, on=on))
            self._boxes[switch.kind] = words.box
            places.addLayout(across(8, words.box, (words, 1)), line, 0)
        else:
            where = counted(switch.count, shown_card(visible(switch.device_name)))
            note = texts("advice-does-not-fit") if switch.fits is False else where
            places.addWidget(label(f"{name} · {note}", "muted", wrap=True), line, 0)
        for column, cell in enumerate(gain_cells(switch, self._signed), start=1):
            places.addWidget(label(cell), line, column, _side(column))

    @property
    def on(self) -> tuple[Switch, ...]:
        """The switches that are on."""
        return tuple(self._switches[kind] for kind, box in self._boxes.items() if box.isChecked())

    def _signed(self, size_bytes: float) -> str:
        return ("−" if size_bytes < 0 else "") + self._context.texts.size(abs(size_bytes))

    def _toggle(self, kind: SwitchKind, *, on: bool) -> None:
        if on:
            kept = without_rivals(kind, (other for other, box in self._boxes.items() if box.isChecked()))
            for other, box in self._boxes.items():
                if box.isChecked() and other not in kept:
                    box.setChecked(False)
        self._tell()

    def _tell(self) -> None:
        main = self._advice.recommendation
        if main is None or main.job_s is None or not self.on:
            self._told.setText("")
            self.changed.emit(None)
            return
        with_these = switched(main.job_s, self.on)
        texts = self._context.texts
        words = [texts("switches-job", time=texts.duration(with_these.job_s.value))]
        if with_these.saved_bytes is not None and main.peak_memory_bytes is not None:
            left = max(main.peak_memory_bytes.value - with_these.saved_bytes, 0.0)
            words.append(texts.size(left))
        self._told.setText(" · ".join(words))
        self.changed.emit(with_these)


def _side(column: int) -> Qt.AlignmentFlag:
    return Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
