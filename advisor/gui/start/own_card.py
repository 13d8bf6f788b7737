"""The form for a card that the table does not have: its data sheet's figures, kept in a file of the user's own."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtWidgets import QDialog, QFormLayout, QWidget

from advisor.core.errors import UserFacingError
from advisor.gui.widgets.boxes import down
from advisor.gui.widgets.card import add_answers
from advisor.gui.widgets.choice import Line
from advisor.gui.widgets.labels import label

if TYPE_CHECKING:
    from pathlib import Path

    from advisor.gui.settings import Settings
    from advisor.gui.texts import Texts

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
_FILE_NAME = "my_gpus.toml"


class OwnCardDialog(QDialog):
    """Asks for the figures; nothing is stored until all that is needed is there."""

    def __init__(self, parent: QWidget, texts: Texts, settings: Settings) -> None:
        """Empty fields."""
        super().__init__(parent)
        self._texts, self._settings = texts, settings
        self.key = ""
        """Of the card that was kept."""
        self.setWindowTitle(texts("own-title"))
        self.setMinimumWidth(480)
        layout = down(14, self, (24, 20, 24, 18))
        layout.addWidget(label(texts("own-explained"), "muted", wrap=True))
        form = QFormLayout()
        form.setHorizontalSpacing(18)
        form.setVerticalSpacing(8)
        self.fields: dict[str, Line] = {}
        for name in (_TEXTS[0], *_SCALES, *_TEXTS[1:]):
            line = self.fields[name] = Line()
            unit = f" ({_SCALES[name][0]})" if name in _SCALES else ""
            words = f"{texts(f'own-{name}')}{unit}"
            line.setAccessibleName(words)
            form.addRow(words, line)
        layout.addLayout(form)
        self._problem = label("", "danger", wrap=True)
        self._problem.setVisible(False)
        layout.addWidget(self._problem)
        add_answers(self, layout, texts("window-cancel"), texts("settings-save"), advised=True)

    def accept(self) -> None:
        """Keep the card, or say what is missing."""
        try:
            row = self._row()
            path = self._settings.gpu_file or self._settings.history_folder / _FILE_NAME
            keep_card(path, row)
        except UserFacingError as error:
            self._problem.setText(" ".join(self._texts.error(error)).strip())
            self._problem.setVisible(True)
            return
        self._settings.store("gpu_file", str(path))
        self.key = str(row["key"])
        super().accept()

    def _row(self) -> dict[str, Any]:
        """What was typed as a row of a file of cards. Raises UserFacingError."""
        row: dict[str, Any] = {"checked": datetime.now(UTC).date().isoformat()}
        for name, line in self.fields.items():
            text = line.text().strip()
            if not text:
                continue
            if name not in _SCALES:
                row[name.replace("-", "_")] = text
                continue
            unit, scale = _SCALES[name]
            try:
                row[name.replace("-", "_")] = float(text.replace(",", "").replace(" ", "")) * scale
            except ValueError:
                text = self._texts("own-no-number", field=self._texts(f"own-{name}"), unit=unit)
                raise UserFacingError(text) from None
        for name in ("name", "source"):
            if name not in row:
                raise UserFacingError(self._texts("own-needed", field=self._texts(f"own-{name}")))
        row["key"] = f"my-{re.sub(r'[^a-z0-9]+', '-', row['name'].lower()).strip('-')}"[:64]
        return row


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
