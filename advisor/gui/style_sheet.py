"""The one style sheet of the program, made from a theme."""

from __future__ import annotations

import re
from functools import cache

from advisor.core.bundled import resource
from advisor.gui.theme import FAMILY, RADIUS, SMALL_SIZE, TEXT_SIZE, Theme, mixed

_SIZES = re.compile(r"((?:font-size|min-height|max-height): )(\d+)px")


def zoomed(sheet: str, zoom: float) -> str:
    """The sheet with its letters, and what is as high as they are, larger or smaller by a factor."""
    if zoom == 1.0:
        return sheet
    return _SIZES.sub(lambda match: f"{match[1]}{round(int(match[2]) * zoom)}px", sheet)


@cache
def style_sheet(theme: Theme) -> str:
    """The one style sheet of the program."""
    icons = resource("icons").as_posix()
    shade = "dark" if theme.dark else "light"
    return zoomed(
        _SHEET
        % {
            **{name: getattr(theme, name) for name in Theme.__dataclass_fields__ if name != "dark"},
            "pressed": mixed(theme.accent, theme.text, 0.15),
            "lighter": mixed(theme.accent, theme.card, 0.15),
            "disabled": mixed(theme.accent, theme.card, 0.55),
            "warning_soft": mixed(theme.card, theme.warning, 0.12),
            "good_soft": mixed(theme.card, theme.good, 0.12),
            "danger_soft": mixed(theme.card, theme.danger, 0.12),
            "radius": RADIUS,
            "family": FAMILY,
            "text_size": TEXT_SIZE,
            "small": SMALL_SIZE,
            "arrow": f"{icons}/chevron-{shade}.svg",
            "tick": f"{icons}/tick-{shade}.svg",
        },
        theme.zoom,
    )


_SHEET = """
* { font-family: "%(family)s"; font-size: %(text_size)dpx; }
QMainWindow, QDialog, QScrollArea, #page, #pages { background: %(page)s; }
QScrollArea { border: 0; }
#navigation { background: %(navigation)s; border-right: 1px solid %(line)s; }
#navigation QPushButton {
  background: transparent; border: 0; border-left: 3px solid transparent; border-radius: 0;
  border-top-right-radius: 6px; border-bottom-right-radius: 6px;
  text-align: left; padding: 0 4px 0 10px; min-height: 36px; max-height: 36px; color: %(text)s;
}
#navigation QPushButton:hover { background: %(hover)s; }
#navigation QPushButton:focus { border: 1px solid %(accent)s; border-left: 3px solid %(accent)s; }
#navigation QPushButton:checked {
  background: %(accent_soft)s; border-left: 3px solid %(accent)s; color: %(accent)s; font-weight: 600;
}
#strip QPushButton {
  border: 1px solid %(border)s; border-radius: 6px; min-height: 24px; max-height: 24px; padding: 0 9px;
  text-align: center;
}
#strip { background: %(card)s; border: 1px solid %(line)s; border-radius: %(radius)dpx; }
#strip[role="strip-ready"] { background: %(good_soft)s; border: 1px solid %(good)s; }
#strip[role="strip-failed"] { background: %(danger_soft)s; border: 1px solid %(danger)s; }
#strip:focus { border: 1px solid %(accent)s; }
QProgressBar[role="ring"] { background: transparent; max-height: 40px; min-height: 40px; }
QProgressBar[role="ring-small"] { background: transparent; max-height: 25px; min-height: 25px; }
QFrame[role="card"] { background: %(card)s; border: 1px solid %(line)s; border-radius: %(radius)dpx; }
QFrame[role="card-start"] { background: %(card)s; border: 2px solid %(accent)s; border-radius: %(radius)dpx; }
QFrame[role="card-hero"], QFrame[role="card-warning"], QFrame[role="card-danger"] {
  border: 1px solid %(line)s; border-top-right-radius: %(radius)dpx; border-bottom-right-radius: %(radius)dpx;
}
QFrame[role="card-hero"] { background: %(accent_soft)s; border-left: 4px solid %(accent)s; }
QFrame[role="card-warning"] { background: %(warning_soft)s; border-left: 4px solid %(warning)s; }
QFrame[role="card-danger"] { background: %(danger_soft)s; border-left: 4px solid %(danger)s; }
QLabel { background: transparent; color: %(text)s; }
QLabel[role="title"], QLabel[role="hero"] { font-size: 22px; font-weight: 700; }
QLabel[role="heading"] { font-size: 14px; font-weight: 600; }
QLabel[role="brand"] { font-size: 14px; font-weight: 700; }
QLabel[role="figure"] { font-size: 26px; font-weight: 700; }
QLabel[role="unit"] { color: %(muted)s; }
QLabel[role="muted"], QLabel[role="small"], QLabel[role="legend"] { color: %(muted)s; font-size: %(small)dpx; }
QLabel[role="legend"] { padding: 0 6px 0 2px; min-height: 24px; }
QLabel[role="strong"] { font-weight: 600; }
QLabel[role="danger"] { color: %(danger)s; font-size: %(small)dpx; }
QLabel[role="chip"], QLabel[role="chip-accent"], QLabel[role="chip-warning"], QLabel[role="chip-danger"] {
  border-radius: 4px; padding: 1px 6px; font-size: 11px;
}
QLabel[role="chip"] { background: %(hover)s; color: %(muted)s; }
QLabel[role="chip-accent"] { background: %(accent_soft)s; color: %(accent)s; }
QLabel[role="chip-warning"] { background: %(warning_soft)s; color: %(warning)s; }
QLabel[role="chip-danger"] { background: %(danger_soft)s; color: %(danger)s; }
QPushButton, QToolButton {
  background: %(card)s; color: %(text)s; border: 1px solid %(border)s; border-radius: 6px;
  padding: 0 14px; min-height: 30px;
}
QPushButton:hover, QToolButton:hover { background: %(hover)s; }
QPushButton:focus, QToolButton:focus { border: 1px solid %(accent)s; }
QPushButton:disabled, QToolButton:disabled { color: %(muted)s; }
QPushButton:checked, QToolButton:checked {
  background: %(accent_soft)s; color: %(accent)s; border-color: %(accent)s;
}
QPushButton:checked:focus, QToolButton:checked:focus { border: 1px solid %(text)s; }
QPushButton[role="primary"], QPushButton[role="large"] {
  background: %(accent)s; color: %(on_accent)s; border: 1px solid %(accent)s; font-weight: 600;
}
QPushButton[role="large"] { font-weight: 700; font-size: 15px; min-height: 44px; }
QPushButton[role="primary"]:hover, QPushButton[role="large"]:hover { background: %(lighter)s; }
QPushButton[role="primary"]:pressed, QPushButton[role="large"]:pressed { background: %(pressed)s; }
QPushButton[role="primary"]:focus { border: 1px solid %(text)s; }
QPushButton[role="large"]:focus { border: 2px solid %(text)s; }
QPushButton[role="primary"]:disabled, QPushButton[role="large"]:disabled {
  background: %(disabled)s; border-color: %(disabled)s;
}
QPushButton[role="last"] {
  text-align: left; background: %(accent_soft)s; color: %(text)s; border: 1px solid %(border)s; min-height: 44px;
}
QPushButton[role="last"]:hover, QPushButton[role="last"]:focus { border: 1px solid %(accent)s; }
QToolButton[role="card-chip"] {
  background: %(accent_soft)s; color: %(text)s; border: 1px solid transparent; border-radius: 12px;
  padding: 0 9px; min-height: 24px; font-size: %(small)dpx;
}
QToolButton[role="card-chip"]:hover, QToolButton[role="card-chip"]:focus { border: 1px solid %(accent)s; }
QToolButton[role="card-number"] {
  background: transparent; color: %(accent)s; border: 1px solid transparent; border-radius: 12px;
  padding: 0 5px; min-height: 24px; font-size: %(small)dpx;
}
QToolButton[role="card-number"]:hover, QToolButton[role="card-number"]:focus { border: 1px solid %(accent)s; }
QToolButton[role="reset"] { border: 1px solid transparent; background: transparent; color: %(accent)s; padding: 0; }
QToolButton[role="reset"]:hover, QToolButton[role="reset"]:focus { border: 1px solid %(accent)s; }
QPushButton[role="small"], QToolButton[role="small"] { min-height: 24px; padding: 0 9px; font-size: %(small)dpx; }
QToolButton[role="small"] { padding-right: 20px; max-height: 24px; }
QToolButton::menu-indicator { image: url("%(arrow)s"); width: 10px; subcontrol-position: right center; right: 6px; }
QPushButton[role="legend"] {
  border: 0; background: transparent; padding: 0 4px; min-height: 22px; font-size: %(small)dpx; color: %(muted)s;
}
QPushButton[role="legend"]:checked { color: %(text)s; background: transparent; }
QPushButton[role="legend"]:focus { border: 1px solid %(accent)s; }
QPushButton[role="link"] {
  border: 0; background: transparent; color: %(accent)s; padding: 0; min-height: 20px; text-align: left;
}
QPushButton[role="link"]:disabled { color: %(muted)s; }
QPushButton[role="link"]:hover, QPushButton[role="link"]:focus { text-decoration: underline; }
QLineEdit, QComboBox, QPlainTextEdit {
  background: %(card)s; color: %(text)s; border: 1px solid %(border)s; border-radius: 6px;
  selection-background-color: %(accent)s; selection-color: %(on_accent)s;
}
QLineEdit, QComboBox { padding: 0 8px; min-height: 28px; }
QPlainTextEdit { padding: 6px; }
QLineEdit:focus, QComboBox:focus, QPlainTextEdit:focus { border: 1px solid %(accent)s; }
QLineEdit[invalid="true"] { border: 1px solid %(danger)s; }
QLineEdit:disabled, QComboBox:disabled { color: %(muted)s; background: %(page)s; }
QComboBox { padding: 0 2px 0 6px; }
QComboBox::drop-down { border: 0; width: 16px; }
QComboBox::down-arrow { image: url("%(arrow)s"); width: 12px; height: 12px; }
QComboBox QAbstractItemView {
  background: %(card)s; color: %(text)s; border: 1px solid %(line)s; outline: 0;
  selection-background-color: %(accent_soft)s; selection-color: %(text)s;
}
QCheckBox { color: %(text)s; spacing: 8px; background: transparent; }
QCheckBox::indicator, QTableView::indicator {
  width: 15px; height: 15px; border: 1px solid %(border)s; border-radius: 4px; background: %(card)s;
}
QCheckBox::indicator:checked, QTableView::indicator:checked {
  background: %(accent)s; border-color: %(accent)s; image: url("%(tick)s");
}
QCheckBox:focus { color: %(accent)s; }
QCheckBox::indicator:focus { border: 2px solid %(accent)s; }
QTableView {
  background: transparent; border: 0; gridline-color: transparent; color: %(text)s; outline: 0;
  selection-background-color: %(accent_soft)s; selection-color: %(text)s; alternate-background-color: transparent;
}
QTableView::item { border-bottom: 1px solid %(line)s; padding: 0 8px; }
QTableView::item:selected { background: %(accent_soft)s; color: %(text)s; }
QTabBar QToolButton { padding: 0; min-height: 0; border: 0; border-radius: 0; background: %(card)s; }
QLineEdit QToolButton { padding: 0; min-height: 0; border: 0; }
QFileDialog QToolButton { padding: 0 3px; min-height: 24px; min-width: 20px; }
QHeaderView { background: transparent; border: 0; }
QHeaderView::section {
  background: %(card)s; color: %(muted)s; border: 0; border-bottom: 1px solid %(line)s;
  padding: 0 11px; font-size: %(small)dpx; min-height: 30px;
}
QHeaderView::up-arrow, QHeaderView::down-arrow {
  subcontrol-origin: margin; subcontrol-position: top center; width: 14px; height: 9px; top: 0px;
}
QFileDialog QHeaderView::section { min-height: 18px; padding: 0 6px; }
QProgressBar { background: %(line)s; border: 0; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: %(accent)s; border-radius: 3px; }
QMenuBar { background: %(navigation)s; color: %(text)s; border-bottom: 1px solid %(line)s; padding: 1px 4px; }
QMenuBar::item { padding: 4px 10px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: %(hover)s; }
QMenu { background: %(card)s; color: %(text)s; border: 1px solid %(line)s; padding: 4px; }
QMenu::item { padding: 5px 28px 5px 14px; border-radius: 4px; }
QMenu::item:selected { background: %(accent_soft)s; }
QMenu::item:disabled { color: %(muted)s; }
QMenu::separator { height: 1px; background: %(line)s; margin: 4px 8px; }
QToolTip {
  background: %(card)s; color: %(text)s; border: 1px solid %(line)s; padding: 4px 6px; font-size: %(small)dpx;
}
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: %(border)s; border-radius: 4px; min-height: 28px; min-width: 28px; margin: 1px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QListWidget {
  background: %(card)s; color: %(text)s; border: 1px solid %(border)s; border-radius: 6px; outline: 0; padding: 3px;
}
QListWidget:focus { border: 1px solid %(accent)s; }
#completions {
  background: %(card)s; color: %(text)s; border: 1px solid %(line)s; outline: 0; padding: 0;
}
#completions::item { padding: 2px 8px; border-radius: 4px; min-height: 20px; }
#completions::item:hover { background: %(hover)s; }
#completions::item:selected { background: %(accent_soft)s; color: %(text)s; }
QListWidget::item { padding: 2px 8px; border-radius: 4px; min-height: 20px; }
QListWidget::item:hover { background: %(hover)s; }
QListWidget::item:selected { background: %(accent_soft)s; color: %(accent)s; }
QTabBar::tab {
  background: transparent; color: %(muted)s; padding: 6px 8px; border: 0; border-bottom: 2px solid transparent;
}
QTabBar::tab:selected { color: %(accent)s; border-bottom: 2px solid %(accent)s; font-weight: 600; }
QTabBar::tab:focus { color: %(text)s; }
"""
