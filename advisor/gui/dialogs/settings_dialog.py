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
    QPushButton,
    QWidget,
)

from advisor.gui.widgets.boxes import across, down
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
        self._language = self._choice("language", (("English", "en"), ("中文", "zh")), settings.language)
        schemes = tuple((texts(f"scheme-{name}"), name) for name in ("system", "light", "dark"))
        self._scheme = self._choice("scheme", schemes, settings.scheme)
        self._units = self._choice("units", (("GiB (1024³)", "binary"), ("GB (1000³)", "decimal")), settings.units)
        goals = tuple((texts(f"goal-{name}"), name) for name in ("time", "cost", "energy"))
        self._goal = self._choice("goal", goals, settings.goal)
        self._budget = self._number("budget", settings.budget_s)
        self._max_cost = self._number("max-cost", settings.max_cost)
        self._max_power = self._number("max-power", settings.max_power_w)
        self._max_hours = self._number("max-hours", settings.max_hours)
        self._currency = self._line("currency", settings.currency)
        self._currency.setMaxLength(8)
        self._prices = self._path("prices", str(settings.price_file or ""), folder=False)
        self._folder = self._path("data-folder", str(settings.data_folder or ""), folder=True)
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

    def _choice(self, code: str, offered: tuple[tuple[str, str], ...], chosen: str) -> Choice:
        box = Choice()
        box.offer(offered, chosen)
        self._place(code, box)
        return box

    def _line(self, code: str, text: str) -> QLineEdit:
        field = QLineEdit(text)
        self._place(code, field)
        return field

    def _number(self, code: str, number: float | None) -> QLineEdit:
        field = self._line(code, "" if number is None else f"{number:g}")
        validator = QDoubleValidator(0.0, 1e9, 3, field)
        validator.setNotation(QDoubleValidator.Notation.StandardNotation)
        field.setValidator(validator)
        field.setPlaceholderText(self._texts("settings-no-limit"))
        return field

    def _path(self, code: str, path: str, *, folder: bool) -> QLineEdit:
        field = QLineEdit(path)
        field.setPlaceholderText(self._texts("settings-usual" if folder else "settings-none"))
        browse = QPushButton(self._texts("window-browse"))

        def ask() -> None:
            if folder:
                chosen = QFileDialog.getExistingDirectory(self, self._texts(f"settings-{code}"), field.text())
            else:
                chosen, _ = QFileDialog.getOpenFileName(self, self._texts(f"settings-{code}"), field.text(), "*.toml")
            if chosen:
                field.setText(chosen)

        browse.clicked.connect(ask)
        self._place(code, field, with_button=browse)
        return field

    def accept(self) -> None:
        """Store everything."""
        store = self._settings.store
        for key, box in (
            ("language", self._language),
            ("scheme", self._scheme),
            ("units", self._units),
            ("goal", self._goal),
        ):
            store(key, str(box.currentData()))
        for key, field in (
            ("budget_s", self._budget),
            ("max_cost", self._max_cost),
            ("max_power_w", self._max_power),
            ("max_hours", self._max_hours),
        ):
            store(key, field.text().replace(",", "") or None)
        store("currency", self._currency.text().strip() or None)
        for key, field in (("price_file", self._prices), ("data_folder", self._folder)):
            text = field.text().strip()
            store(key, str(Path(text).expanduser()) if text else None)
        super().accept()
