"""A device in a card: name, memory, what it is doing, and what its driver would not say."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QProgressBar

from advisor.gui.tooltips import give_tip
from advisor.gui.widgets.boxes import REST, across
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import ElidedLabel, label, set_look

_WHOLE = 1000
"""Steps of a meter."""


class DeviceCard(Card):
    """One device; the facts stand in two columns of name and value."""

    def __init__(self, title: str, colour: str, *, chip: str = "", chip_role: str = "chip") -> None:
        """`title` is foreign text and shown verbatim."""
        super().__init__(spacing=6, margins=(14, 11, 14, 12))
        dot = label("●")
        dot.setStyleSheet(f"color: {colour}; font-size: 11px;")
        self.name = ElidedLabel(title, "strong", lines=2)
        self._meter = QProgressBar()
        self._meter.setRange(0, _WHOLE)
        self._meter.setTextVisible(False)
        self._meter.setStyleSheet(f"QProgressBar::chunk {{ background: {colour}; border-radius: 3px; }}")
        self._memory = ElidedLabel("", "muted")
        under = across(6, (self._memory, 1), *([label(chip, chip_role)] if chip else ()))
        self._facts = QGridLayout()
        self._facts.setHorizontalSpacing(10)
        self._facts.setVerticalSpacing(2)
        for column in (1, 3):
            self._facts.setColumnStretch(column, 1)
        self._values: dict[str, ElidedLabel] = {}
        self.put(across(8, dot, (self.name, 1)), self._meter, under, self._facts, REST)
        self.setAccessibleName(title)
        self.hug()

    def add_fact(self, key: str, name: str, value: str, *, tip: str = "") -> None:
        """A further fact; `tip` says what the name means, or the reason where the value is unknown."""
        place = len(self._values)
        shown = ElidedLabel(value)
        self._values[key] = shown
        named = label(name, "muted")
        self._facts.addWidget(named, place // 2, 2 * (place % 2))
        self._facts.addWidget(shown, place // 2, 2 * (place % 2) + 1)
        if tip:
            if not any(character.isdigit() or character == "–" for character in shown.full_text()):
                set_look(shown, "role", "muted")
            shown.explain(tip)
            give_tip(named, tip)  # Whoever does not know the word points at it.

    def set_fact(self, key: str, value: str) -> None:
        """Another value of a fact that was added."""
        if key in self._values:
            self._values[key].set_full_text(value)

    def show_memory(self, share: float | None, words: str) -> None:
        """How much of it is used, from 0 to 1 and in words; None: nobody knows."""
        self._meter.setValue(round(_WHOLE * min(max(share or 0.0, 0.0), 1.0)))
        self._memory.set_full_text(words)
        self._meter.setAccessibleName(words)

    def add_line(self, text: str) -> None:
        """A further line over the whole width."""
        self.body.insertWidget(self.body.count() - 1, ElidedLabel(text, "muted"))
