"""Language, colours, units, limits, prices, budget and data folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QGridLayout,
    QLineEdit,
    QWidget,
)

from advisor.gui.widgets.boxes import across, down
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.card import add_answers
from advisor.gui.widgets.choice import Choice
from advisor.gui.widgets.labels import label

if TYPE_CHECKING:
    from advisor.gui.settings import Settings
    from advisor.gui.texts import Texts


class SettingsDialog(QDialog):
    """Edits the settings; nothing is stored until it is accepted."""

    def __init__(self, parent: QWidget, texts: Texts, settings: Settings) -> None:
        """Show the present settings."""
        super().__init__(parent)
        self._texts, self._settings = texts, settings
        self.setWindowTitle(texts("settings-title"))
        self.setMinimumWidth(560)
        self._places = QGridLayout()
        self._places.setHorizontalSpacing(18)
        self._places.setVerticalSpacing(9)
        self._places.setColumnStretch(1, 1)
        self._choices: dict[str, Choice] = {}
        self._lines: dict[str, QLineEdit] = {}
        self._choice("language", (("English", "en"), ("中文", "zh")), settings.language)
        schemes = tuple((texts(f"scheme-{name}"), name) for name in ("system", "light", "dark"))
        self._choice("scheme", schemes, settings.scheme)
        self._choice("units", (("GiB (1024³)", "binary"), ("GB (1000³)", "decimal")), settings.units)
        self._choice("goal", tuple((texts(f"goal-{name}"), name) for name in ("time", "cost", "energy")), settings.goal)
        self._number("budget_s", "budget", settings.budget_s)
        self._number("max_cost", "max-cost", settings.max_cost)
        self._number("max_power_w", "max-power", settings.max_power_w)
        self._number("max_hours", "max-hours", settings.max_hours)
        self._line("currency", "currency", settings.currency).setMaxLength(8)
        self._path("price_file", "prices", settings.price_file, folder=False)
        self._path("data_folder", "data-folder", settings.data_folder, folder=True)
        layout = down(16, self, (24, 20, 24, 18))
        layout.addLayout(self._places)
        add_answers(self, layout, texts("window-cancel"), texts("settings-save"), advised=True)

    def _place(self, code: str, field: QWidget, *, with_button: QWidget | None = None) -> None:
        line = self._places.rowCount()
        name = label(self._texts(f"settings-{code}"))
        name.setBuddy(field)
        field.setAccessibleName(name.text())
        self._places.addWidget(name, line, 0)
        if with_button is None:
            self._places.addWidget(field, line, 1)
        else:
            both = across(8)
            both.addWidget(field, 1)
            both.addWidget(with_button)
            self._places.addLayout(both, line, 1)

    def _choice(self, key: str, offered: tuple[tuple[str, str], ...], chosen: str) -> None:
        box = self._choices[key] = Choice()
        box.offer(offered, chosen)
        self._place(key, box)

    def _line(self, key: str, code: str, text: str, beside: QWidget | None = None) -> QLineEdit:
        field = self._lines[key] = QLineEdit(text)
        self._place(code, field, with_button=beside)
        return field

    def _number(self, key: str, code: str, number: float | None) -> None:
        field = self._line(key, code, "" if number is None else f"{number:g}")
        validator = QDoubleValidator(0.0, 1e9, 3, field)
        validator.setNotation(QDoubleValidator.Notation.StandardNotation)
        field.setValidator(validator)
        field.setPlaceholderText(self._texts("settings-no-limit"))

    def _path(self, key: str, code: str, path: Path | None, *, folder: bool) -> None:
        def ask() -> None:
            title = self._texts(f"settings-{code}")
            if folder:
                chosen = QFileDialog.getExistingDirectory(self, title, field.text())
            else:
                chosen, _ = QFileDialog.getOpenFileName(self, title, field.text(), "*.toml")
            if chosen:
                field.setText(chosen)

        field = self._line(key, code, str(path or ""), push(self._texts("window-browse"), ask))
        field.setPlaceholderText(self._texts("settings-usual" if folder else "settings-none"))

    def accept(self) -> None:
        """Store everything."""
        for key, box in self._choices.items():
            self._settings.store(key, str(box.currentData()))
        for key, field in self._lines.items():
            text = field.text().strip()
            if key in {"price_file", "data_folder"}:
                text = str(Path(text).expanduser()) if text else ""
            elif key != "currency":
                text = text.replace(",", "")
            self._settings.store(key, text or None)
        super().accept()
