"""The form for a card that the table does not have: its data sheet's figures, kept in a file of the user's own."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtWidgets import QFormLayout, QWidget

from advisor.core.errors import UserFacingError
from advisor.gui.dialogs.frame import AskingDialog
from advisor.gui.models.form_fields import FormField, fields_of, parse, range_text
from advisor.gui.models.typed_number import FieldError
from advisor.gui.settings import Settings
from advisor.gui.texts import Texts
from advisor.gui.widgets.boxes import put
from advisor.gui.widgets.judged_line import JudgedLine
from advisor.gui.widgets.labels import label, tell, untold

_SCALES: dict[str, tuple[str, float]] = {
    "memory-bytes": ("GB", 1e9),
    "memory-bandwidth-bytes-per-s": ("GB/s", 1e9),
    "fp32-flop-per-s": ("TFLOP/s", 1e12),
    "tf32-flop-per-s": ("TFLOP/s", 1e12),
    "fp16-flop-per-s": ("TFLOP/s", 1e12),
    "bf16-flop-per-s": ("TFLOP/s", 1e12),
    "power-w": ("W", 1.0),
}
"""Fields of `GpuSpec` in the units of data sheets."""
_TEXTS = ("name", "compute-capability", "source")
_NEEDED = ("name", "memory-bytes", "memory-bandwidth-bytes-per-s", "fp32-flop-per-s", "source")
"""Without these nothing can be predicted, or nobody can check it."""
_MOST_LETTERS = 128
_FILE_NAME = "my_gpus.toml"


class OwnCardDialog(AskingDialog):
    """Asks for the figures; nothing is stored until all that is needed is there."""

    def __init__(self, parent: QWidget, texts: Texts, settings: Settings) -> None:
        """Empty fields."""
        super().__init__(parent, texts("own-title"), spacing=14, least_width=480)
        self._texts, self._settings = texts, settings
        self.key = ""
        """Of the card that was kept."""
        form = QFormLayout()
        form.setHorizontalSpacing(18)
        form.setVerticalSpacing(8)
        self.fields: dict[str, JudgedLine] = {}
        for name in (_TEXTS[0], *_SCALES, *_TEXTS[1:]):
            field, unit = _field(name), _SCALES[name][0] if name in _SCALES else ""
            line = self.fields[name] = JudgedLine("", partial(_judge, field), partial(self._words, field, unit))
            words = f"{texts(f'own-{name}')}{f' ({unit})' if unit else ''}"
            line.setAccessibleName(words)
            line.setMaxLength(_MOST_LETTERS)
            line.setPlaceholderText(texts("form-required" if name in _NEEDED else "form-not-set"))
            form.addRow(words, line)
            form.setWidget(form.rowCount(), QFormLayout.ItemRole.FieldRole, line.message)
        self._problem = untold()
        put(self.body, label(texts("own-explained"), "muted", wrap=True), form, self._problem)
        self.add_answers(texts("window-cancel"), texts("settings-save"), advised=True)

    def _words(self, field: FormField, unit: str, error: FieldError) -> str:
        return self._texts(error.code, range=f"{range_text(field)} {unit}".strip())

    def accept(self) -> None:
        """Keep the card, or say beside each field what is wrong with it."""
        wrong = [line for line in self.fields.values() if not line.allowed()]
        if wrong:
            wrong[0].setFocus()
            return
        try:
            row = self._row()
            path = self._settings.gpu_file or self._settings.history_folder / _FILE_NAME
            keep_card(path, row)
        except UserFacingError as error:
            tell(self._problem, " ".join(self._texts.error(error)).strip())
            return
        self._settings.store("gpu_file", str(path))
        self.key = str(row["key"])
        super().accept()

    def _row(self) -> dict[str, Any]:
        """What was typed as a row of a file of cards."""
        row: dict[str, Any] = {"checked": datetime.now(UTC).date().isoformat()}
        for name, line in self.fields.items():
            value = parse(_field(name), line.text())
            if value is not None:
                row[name.replace("-", "_")] = value * _SCALES[name][1] if name in _SCALES else value
        row["key"] = _key(row["name"])
        return row


def _field(name: str) -> FormField:
    """A field of `GpuSpec` in the unit that it is typed in."""
    from advisor.catalogue.gpu_spec import GpuSpec

    found = next(one for one in fields_of(GpuSpec) if one.name == name.replace("-", "_"))
    needed, scale = name in _NEEDED, _SCALES[name][1] if name in _SCALES else 1.0
    low, high = (None if limit is None else limit / scale for limit in (found.low, found.high))
    return replace(found, required=needed, optional=not needed, low=low, high=high)


def _judge(field: FormField, text: str) -> None:
    from advisor.catalogue.gpu_spec import CAPABILITY

    value = parse(field, text)
    if field.name == "compute_capability" and value and not re.fullmatch(CAPABILITY, value):
        raise FieldError("own-no-capability")


def _key(name: str) -> str:
    """By which the card is known; of letters that a key does not have, their digest."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if name.isascii() and plain:
        return f"my-{plain}"[:64]
    return "-".join(("my", *([plain[:50]] if plain else []), sha256(name.encode()).hexdigest()[:8]))


def keep_card(path: Path, row: dict[str, Any]) -> None:
    """Add or replace a card in the user's file, which is read back as any other.

    Raises InputError for figures that are missing or make no sense (the file stays as it was), OutputError where the
    file cannot be written.
    """
    import tempfile
    from pathlib import Path

    import tomlkit

    from advisor.catalogue.spec_table import read_gpu_file
    from advisor.core.file_writing import write_atomically

    kept = []
    if path.exists():
        kept = [msgspec.to_builtins(spec) for key, spec in read_gpu_file(path).items() if key != row["key"]]
    rows = [{name: value for name, value in one.items() if value is not None} for one in (*kept, row)]
    text = tomlkit.dumps({"gpu": rows})
    with tempfile.TemporaryDirectory() as folder:
        tried = Path(folder) / path.name
        tried.write_text(text, encoding="utf-8")
        read_gpu_file(tried)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text.encode())
