"""The menu bar, its shortcuts, and what each entry is called."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from advisor.gui.commands import Commands
from advisor.gui.context import PAGE_NAMES
from advisor.gui.settings import Settings
from advisor.gui.texts import Texts

_FILE = (
    ("open", "Ctrl+O"),
    ("recent", ""),
    ("-", ""),
    ("save-json", "Ctrl+S"),
    ("export-pdf", "Ctrl+E"),
    ("export-csv", ""),
    ("export-markdown", ""),
    ("save-script", ""),
    ("-", ""),
    ("settings", "Ctrl+,"),
    ("quit", "Ctrl+Q"),
)
_EDIT = (("undo", "Ctrl+Z"), ("redo", "Ctrl+Shift+Z"))
_ADVICE = (
    ("measure", "F5"),
    ("predict", "Shift+F5"),
    ("cancel", "Esc"),
    ("-", ""),
    ("copy-text", "Ctrl+Shift+C"),
    ("copy-command", "Ctrl+Shift+L"),
)
_ZOOM = (("zoom-in", "Ctrl++"), ("zoom-out", "Ctrl+-"), ("zoom-usual", "Ctrl+0"))
_HELP = (("tip", "F1"), ("-", ""), ("report-problem", ""), ("about", ""))


def build_menus(window: QMainWindow, commands: Commands, texts: Texts, settings: Settings) -> None:
    """Make all menus anew, in the chosen language."""
    bar = window.menuBar()
    bar.clear()
    for menu in bar.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        menu.deleteLater()
    for action in list(window.actions()):
        window.removeAction(action)
        action.deleteLater()
    commands.actions.clear()
    for name, entries in (("file", _FILE), ("edit", _EDIT), ("advice", _ADVICE)):
        _fill(bar.addMenu(texts(f"menu-{name}")), entries, window, commands, texts)
    _view_menu(bar.addMenu(texts("menu-view")), window, commands, texts, settings)
    _fill(bar.addMenu(texts("menu-help")), _HELP, window, commands, texts)
    commands.refresh()


def _fill(
    menu: QMenu, entries: tuple[tuple[str, str], ...], window: QMainWindow, commands: Commands, texts: Texts
) -> None:
    for name, shortcut in entries:
        if name == "-":
            menu.addSeparator()
        elif name == "recent":
            _recent_menu(menu.addMenu(texts("menu-recent")), commands, texts)
        else:
            action = menu.addAction(texts(f"menu-{name}"))
            if shortcut:
                action.setShortcut(QKeySequence(shortcut))
            action.triggered.connect(lambda _on=False, chosen=name: commands.act(chosen))
            window.addAction(action)
            commands.actions[name] = action


def _recent_menu(menu: QMenu, commands: Commands, texts: Texts) -> None:
    def fill() -> None:
        menu.clear()
        for path in commands.settings.recent_files:
            shown = path.replace("&", "&&")
            menu.addAction(shown).triggered.connect(lambda _on=False, chosen=path: commands.open_path(Path(chosen)))
        if menu.isEmpty():
            menu.addAction(texts("menu-recent-empty")).setEnabled(False)

    menu.aboutToShow.connect(fill)


def _view_menu(menu: QMenu, window: QMainWindow, commands: Commands, texts: Texts, settings: Settings) -> None:
    for position, name in enumerate(PAGE_NAMES, start=1):
        action = menu.addAction(texts(f"page-{name}"))
        action.setShortcut(QKeySequence(f"Ctrl+{position}"))
        action.triggered.connect(lambda _on=False, page=name: commands.page_wanted.emit(page))
        window.addAction(action)
    menu.addSeparator()
    _fill(menu, _ZOOM, window, commands, texts)
    # On many keyboards the plus is the shifted equals sign.
    commands.actions["zoom-in"].setShortcuts([QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")])
    menu.addSeparator()
    languages = menu.addMenu(texts("menu-language"))
    _choices(languages, (("en", "English"), ("zh", "中文")), settings.language, partial(commands.choose, "language"))
    schemes = menu.addMenu(texts("menu-scheme"))
    named = tuple((name, texts(f"scheme-{name}")) for name in ("system", "light", "dark"))
    _choices(schemes, named, settings.scheme, partial(commands.choose, "scheme"))


def _choices(menu: QMenu, offered: tuple[tuple[str, str], ...], chosen: str, choose: object) -> None:
    group = QActionGroup(menu)
    for value, name in offered:
        action = QAction(name, menu)
        action.setCheckable(True)
        action.setChecked(value == chosen)
        action.triggered.connect(lambda _on=False, picked=value: choose(picked))  # type: ignore[operator]
        group.addAction(action)
        menu.addAction(action)
