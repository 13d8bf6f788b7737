"""Language, colours, units, limits, hosts and their links, prices, budget and data folder."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCompleter, QFileDialog, QGridLayout, QListView, QWidget

from advisor.cost.scaling.links import WORDS, names_link
from advisor.gui.dialogs.frame import AskingDialog
from advisor.gui.dialogs.scrolled import Scrolled
from advisor.gui.models.typed_number import FieldError, typed_number
from advisor.gui.models.typed_path import typed_path
from advisor.gui.settings import MOST_LINK_LETTERS, Settings
from advisor.gui.widgets.boxes import across, put
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.choice import Choice
from advisor.gui.widgets.judged_line import JudgedLine
from advisor.gui.widgets.labels import label
from advisor.protocol.budgets import MEASURING_S

if TYPE_CHECKING:
    from advisor.gui.texts import Texts


_MOST = 1e9


class SettingsDialog(AskingDialog):
    """Edits the settings; nothing is stored until it is accepted."""

    def __init__(self, parent: QWidget, texts: Texts, settings: Settings) -> None:
        """Show the present settings."""
        super().__init__(parent, texts("settings-title"), spacing=16, least_width=560)
        self._texts, self._settings = texts, settings
        self._places = QGridLayout()
        self._places.setHorizontalSpacing(18)
        self._places.setVerticalSpacing(9)
        self._places.setColumnStretch(1, 1)
        self._choices: dict[str, Choice] = {}
        self._lines: dict[str, JudgedLine] = {}
        self._choice("language", (("English", "en"), ("中文", "zh")), settings.language)
        schemes = tuple((texts(f"scheme-{name}"), name) for name in ("system", "light", "dark"))
        self._choice("scheme", schemes, settings.scheme)
        self._choice("units", (("GiB (1024³)", "binary"), ("GB (1000³)", "decimal")), settings.units)
        self._choice("goal", tuple((texts(f"goal-{name}"), name) for name in ("time", "cost", "energy")), settings.goal)
        self._number("budget_s", "budget", settings.budget_s)
        for key, code in (("max_cost", "max-cost"), ("max_power_w", "max-power"), ("max_hours", "max-hours")):
            self._number(key, code, settings.limit(key))
        given = settings.host_memory_bytes
        self._number("host_memory_gib", "host-memory", None if given is None else given / 2.0**30)
        self._link(settings.interconnect or "")
        self._line("currency", "currency", settings.currency).setMaxLength(8)
        self._path("price_file", "prices", settings.price_file, folder=False)
        self._path("data_folder", "data-folder", settings.data_folder, folder=True)
        self.scrolled = Scrolled(self._places)
        put(self.body, (self.scrolled, 1))
        self.add_answers(texts("window-cancel"), texts("settings-save"), advised=True)
        self.scrolled.fit_window()

    def _place(self, code: str, field: QWidget, *beside: QWidget) -> None:
        line = self._places.rowCount()
        name = label(self._texts(f"settings-{code}"))
        name.setBuddy(field)
        field.setAccessibleName(name.text())
        self._places.addWidget(name, line, 0)
        self._places.addLayout(across(8, (field, 1), *beside), line, 1)

    def _choice(self, key: str, offered: tuple[tuple[str, str], ...], chosen: str) -> None:
        box = self._choices[key] = Choice()
        box.offer(offered, chosen)
        self._place(key, box)

    def _line(
        self, key: str, code: str, text: str, judge: Callable[[str], object] = str, *beside: QWidget
    ) -> JudgedLine:
        field = self._lines[key] = JudgedLine(text, judge, self._words)
        self._place(code, field, *beside)
        self._places.addWidget(field.message, self._places.rowCount(), 1)
        return field

    def _words(self, error: FieldError) -> str:
        return self._texts(error.code, range=f"{_MOST:.0e}".replace("e+0", "e"))

    def _number(self, key: str, code: str, number: float | None) -> None:
        field = self._line(key, code, "" if number is None else f"{number:.10g}", _limit)
        usual = {"budget_s": f"{MEASURING_S:g}", "host_memory_gib": self._texts("settings-host-memory-usual")}
        field.setPlaceholderText(usual.get(key) or self._texts("settings-no-limit"))

    def _link(self, text: str) -> None:
        """Words or a rate; what a person begins to type is completed by the words of published runs."""
        field = self._line("interconnect", "interconnect", text, _named_link)
        field.setMaxLength(MOST_LINK_LETTERS)
        field.setPlaceholderText(self._texts("settings-interconnect-usual"))
        completer = QCompleter(WORDS, field)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        listed = QListView()
        listed.setObjectName("completions")  # By which the style sheet knows it.
        completer.setPopup(listed)
        field.setCompleter(completer)

    def _path(self, key: str, code: str, path: Path | None, *, folder: bool) -> None:
        def ask() -> None:
            title = self._texts(f"settings-{code}")
            if folder:
                chosen = QFileDialog.getExistingDirectory(self, title, field.text())
            else:
                chosen, _ = QFileDialog.getOpenFileName(self, title, field.text(), "*.toml")
            if chosen:
                field.setText(chosen)

        field = self._line(
            key, code, str(path or ""), _folder if folder else _file, push(self._texts("window-browse"), ask)
        )
        field.setPlaceholderText(self._texts("settings-usual" if folder else "settings-none"))

    def accept(self) -> None:
        """Store everything, or say beside each field what is wrong with it and store nothing."""
        wrong = [field for field in self._lines.values() if not field.allowed()]
        if wrong:
            wrong[0].setFocus()
            self.scrolled.ensureWidgetVisible(wrong[0])
            return
        for key, box in self._choices.items():
            self._settings.store(key, str(box.currentData()))
        for key, field in self._lines.items():
            text = field.text().strip()
            if key in {"price_file", "data_folder"}:
                text = str(_path(text) or "")
            elif key not in {"currency", "interconnect"}:
                text = "" if not text else f"{typed_number(text):.10g}"
            self._settings.store(key, text or None)
        super().accept()


def _limit(text: str) -> None:
    """Nothing, or a number above 0: a limit of 0 would leave nothing to advise. Raises FieldError."""
    if text.strip() and not 0 < typed_number(text) <= _MOST:
        raise FieldError("settings-above-zero")


def _named_link(text: str) -> None:
    """Nothing, or what names a link. Raises FieldError."""
    if not names_link(text):
        raise FieldError("settings-no-link")


def _path(text: str) -> Path | None:
    """The path that was typed; None: nothing was."""
    typed = typed_path(text)
    return Path(typed) if typed else None


def _file(text: str) -> None:
    path = _path(text)
    with contextlib.suppress(OSError, ValueError):  # no path at all
        if path is None or path.is_file():
            return
    raise FieldError("settings-no-file")


def _folder(text: str) -> None:
    """Nothing, or a folder that is there or can come: below a file none can. Raises FieldError."""
    path = _path(text)
    with contextlib.suppress(OSError, ValueError):
        if path is None or next((place for place in (path, *path.parents) if place.exists()), path).is_dir():
            return
    raise FieldError("settings-no-folder")
