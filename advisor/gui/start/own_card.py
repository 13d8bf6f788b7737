"""The form for a card that the table does not have: its data sheet's figures, kept in a file of one's own."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Container
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtWidgets import QFormLayout, QWidget

from advisor.core.errors import UserFacingError
from advisor.core.sentences import visible
from advisor.gui.dialogs.frame import AskingDialog, confirmed
from advisor.gui.dialogs.scrolled import Scrolled
from advisor.gui.files.own_cards import delete_card, keep_cards, own_cards, own_cards_path
from advisor.gui.models.form_fields import FormField, fields_of, parse, range_text
from advisor.gui.models.typed_number import FieldError
from advisor.gui.settings import Settings
from advisor.gui.texts import Texts
from advisor.gui.widgets.boxes import REST, across, put
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.judged_line import JudgedLine
from advisor.gui.widgets.labels import label, tell, untold

if TYPE_CHECKING:
    from advisor.catalogue.gpu_spec import GpuSpec

_SCALES: dict[str, tuple[str, float]] = {
    # As data sheets mean it, which write "24 GB" of 24 × 2³⁰ bytes.
    "memory-bytes": ("GiB", 2.0**30),
    "memory-bandwidth-bytes-per-s": ("GB/s", 1e9),
    "boost-clock-hz": ("MHz", 1e6),
    "fp32-flop-per-s": ("TFLOP/s", 1e12),
    "tf32-flop-per-s": ("TFLOP/s", 1e12),
    "fp16-flop-per-s": ("TFLOP/s", 1e12),
    "bf16-flop-per-s": ("TFLOP/s", 1e12),
    "power-w": ("W", 1.0),
}
"""Fields of `GpuSpec` in the units of data sheets."""
_PLAIN = ("name", "compute-capability", "sm-count", "source")
"""Fields that are kept as they are typed."""
_GENERATION = "compute_capability"
"""The one field for both makers: NVIDIA's compute capability, or the target of AMD's compiler."""
_OPTIONAL = ("tf32-flop-per-s", "fp16-flop-per-s", "bf16-flop-per-s", "power-w")
"""What a card need not have, or what only its energy follows from; without any other no time is predicted."""
_MOST_LETTERS = 128


class OwnCardDialog(AskingDialog):
    """Asks for the figures; nothing is stored until all that is needed is there."""

    def __init__(self, parent: QWidget, texts: Texts, settings: Settings, card: GpuSpec | None = None) -> None:
        """Empty fields, or those of a card of one's own, which can be deleted too."""
        super().__init__(
            parent, texts("own-title" if card is None else "own-change-title"), spacing=14, least_width=480
        )
        self._texts, self._settings, self._card = texts, settings, card
        self.key = ""
        """Of the card that was kept; stays empty where it was deleted."""
        form = QFormLayout()
        form.setHorizontalSpacing(18)
        form.setVerticalSpacing(8)
        self._before = {} if card is None else {name: _typed(card, name) for name in (*_SCALES, *_PLAIN)}
        self.fields: dict[str, JudgedLine] = {}
        for name in (_PLAIN[0], *_SCALES, *_PLAIN[1:]):
            self._add_field(form, name)
        self._problem = untold()
        self.scrolled = Scrolled(form)
        put(self.body, label(texts("own-explained"), "muted", wrap=True), (self.scrolled, 1), self._problem)
        if card is not None:
            put(self.body, across(0, push(texts("own-delete"), self._delete, "link"), REST))
        self.add_answers(texts("window-cancel"), texts("settings-save"), advised=True)
        self.scrolled.fit_window()

    def _add_field(self, form: QFormLayout, name: str) -> None:
        texts, field, unit = self._texts, _field(name), _SCALES[name][0] if name in _SCALES else ""
        words = f"{texts(f'own-{name}')}{f' ({unit})' if unit else ''}"
        judge, wording = partial(_judge, field), partial(self._words, field, unit)
        line = self.fields[name] = JudgedLine(self._before.get(name, ""), judge, wording)
        line.setCursorPosition(0)
        line.setAccessibleName(words)
        line.setMaxLength(_MOST_LETTERS)
        line.setPlaceholderText(texts("form-not-set" if name in _OPTIONAL else "form-required"))
        form.addRow(words, line)
        form.setWidget(form.rowCount(), QFormLayout.ItemRole.FieldRole, line.message)

    def _words(self, field: FormField, unit: str, error: FieldError) -> str:
        return self._texts(error.code, range=f"{range_text(field)} {unit}".strip())

    def accept(self) -> None:
        """Keep the card, or say beside each field what is wrong with it."""
        wrong = [line for line in self.fields.values() if not line.allowed()]
        if wrong:
            wrong[0].setFocus()
            self.scrolled.ensureWidgetVisible(wrong[0])
            return
        path = own_cards_path(self._settings)
        try:
            others = [spec for spec in own_cards(path) if self._card is None or spec.key != self._card.key]
            row = self._row({other.key for other in others})
            if row["name"] in {other.name for other in others}:
                tell(self._problem, self._texts("own-taken", name=visible(row["name"])))
                return
            keep_cards(path, [row])
        except UserFacingError as error:
            self._tell(error)
            return
        self._settings.store("gpu_file", str(path))
        self.key = str(row["key"])
        super().accept()

    def _delete(self) -> None:
        """Once it is confirmed, the card is gone from the file and from what is compared."""
        if self._card is None:
            return
        texts, card = self._texts, self._card
        question = texts("own-delete-question", name=visible(card.name))
        if not confirmed(self, texts("own-delete"), question, texts("history-delete"), texts("window-cancel")):
            return
        try:
            left = delete_card(own_cards_path(self._settings), card.key)
        except UserFacingError as error:
            self._tell(error)
            return
        if not left:
            self._settings.store("gpu_file", None)
        super().accept()

    def _tell(self, error: UserFacingError) -> None:
        tell(self._problem, " ".join(self._texts.error(error)).strip())

    def _row(self, taken: Container[str]) -> dict[str, Any]:
        """What was typed as a row of a file of cards; figures that were not touched stay what they were."""
        card = self._card
        row: dict[str, Any] = {} if card is None else msgspec.to_builtins(card)
        row["checked"] = datetime.now(UTC).date().isoformat()
        for name, line in self.fields.items():
            if card is None or line.text() != self._before[name]:
                value = parse(_field(name), line.text())
                row[name.replace("-", "_")] = value * _SCALES[name][1] if value and name in _SCALES else value
        generation = row[_GENERATION] or ""
        if generation.lower().startswith("gfx"):
            row |= {_GENERATION: None, "amdgpu_target": generation.lower()}
        elif generation:
            row["amdgpu_target"] = None
        row["key"] = _key(row["name"], taken) if card is None else card.key
        return row


def _typed(card: GpuSpec, name: str) -> str:
    """A figure of a card as it is typed into the form."""
    value = getattr(card, name.replace("-", "_"))
    if name.replace("-", "_") == _GENERATION:
        value = value or card.amdgpu_target
    if value is None:
        return ""
    return f"{value / _SCALES[name][1]:.10g}" if name in _SCALES else str(value)


def _field(name: str) -> FormField:
    """A field of `GpuSpec` in the unit that it is typed in."""
    from advisor.catalogue.gpu_spec import GpuSpec

    field = next(field for field in fields_of(GpuSpec) if field.name == name.replace("-", "_"))
    needed, scale = name not in _OPTIONAL, _SCALES[name][1] if name in _SCALES else 1.0
    low = None if field.low is None else _inward(field.low / scale, math.ceil)
    high = None if field.high is None else _inward(field.high / scale, math.floor)
    return replace(field, required=needed, optional=not needed, low=low, high=high)


def _inward(limit: float, whole: Callable[[float], int]) -> float:
    """A limit in two digits, rounded to the side that is allowed: units of two do not divide those of ten."""
    if not limit:
        return limit
    step = 10.0 ** (math.floor(math.log10(abs(limit))) - 1)
    return float(f"{whole(round(limit / step, 6)) * step:.2g}")


def _judge(field: FormField, text: str) -> None:
    from advisor.catalogue.gpu_spec import CAPABILITY, TARGET

    value = parse(field, text)
    if field.name == _GENERATION and value and not re.fullmatch(f"{CAPABILITY}|{TARGET}", value.lower()):
        raise FieldError("own-no-capability")


def _key(name: str, taken: Container[str]) -> str:
    """By which the card is known; of letters that a key does not have, or a key that another has, the digest."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    key = f"my-{plain}"[:64]
    if name.isascii() and plain and key not in taken:
        return key
    return "-".join(("my", *([plain[:50]] if plain else []), sha256(name.encode()).hexdigest()[:8]))
