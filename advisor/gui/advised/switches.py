"""The switches of the advice: what each would bring, drawn into the picture, and asked for anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QPushButton, QWidget

from advisor.core.sentences import visible
from advisor.core.shown_names import shown_card
from advisor.gui.context import Context
from advisor.gui.widgets.boxes import REST, across
from advisor.gui.widgets.buttons import WordsOfBox, push
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import label
from advisor.present.switch_table import gain_cells, switch_code
from advisor.present.window_words import window_words
from advisor.recommend.combined_switches import can_be_combined, settings_of, switched, without_rivals
from advisor.recommend.comparison import counted
from advisor.recommend.switches import Switch, SwitchKind

if TYPE_CHECKING:
    from advisor.store.advice_record import AdviceRecord

_WIDEST_TABLE = 1000
"""Figures that stand farther from their names are read with a ruler."""
_NARROWEST_NAME = 130
"""Pixels of a switch's name, which goes on in further lines."""


class SwitchesCard(Card):
    """What each switch would bring to the advised set-up; those that are on are `changed` to."""

    changed = Signal(object)
    wanted = Signal(object)
    """Of these switches an advice is wanted."""

    def __init__(self, context: Context, advice: AdviceRecord, switches: Sequence[Switch]) -> None:
        """One line a switch, the one that gains most first."""
        texts = context.texts
        super().__init__(texts("summary-switches"))
        self._context, self._advice = context, advice
        self.buttons: list[QPushButton] = []
        """Each asks for an advice: they rest while a job runs."""
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
        if any(map(self._sets, self._switches.values())):
            self._advise = push(texts("switches-advise"), self._ask, "small")
            self.buttons.append(self._advise)
            self.put(across(0, self._advise, REST))
        self.hug()

    def _ask(self) -> None:
        """Of what is ticked, or say what is to be ticked before."""
        if any(map(self._sets, self.on)):
            self.wanted.emit(self.on)
        else:
            self._context.tell(self._context.texts("switches-none-set" if self.on else "switches-none-ticked"))

    def _sets(self, switch: Switch) -> bool:
        """Whether what it changes is a setting of the workload."""
        return bool(settings_of(switch, self._advice.workload.training))

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
            told = label(f"{name} · {note}", "muted", wrap=True)
            places.addLayout(across(8, (told, 1), *self._button_of(switch, name)), line, 0)
        for column, cell in enumerate(gain_cells(switch, self._signed), start=1):
            places.addWidget(label(cell), line, column, _side(column))

    def _button_of(self, switch: Switch, name: str) -> list[QPushButton]:
        """The way to what cannot be drawn beside the advised set-up, and fits all the same."""
        if switch.fits is False or not self._sets(switch):
            return []
        texts = self._context.texts
        button = push(texts("switches-advise-this"), lambda: self.wanted.emit((switch,)), "small")
        button.setAccessibleName(texts("switches-advise-one", switch=name))
        self.buttons.append(button)
        return [button]

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
