"""Contrast, computed from the style sheet itself: borders of what can be used at least 3:1, words 4.5:1."""

from __future__ import annotations

import re

import pytest

from advisor.gui.style_sheet import style_sheet, zoomed
from advisor.gui.theme import DARK, LIGHT, Theme

_USED = (
    "QPushButton",
    "QLineEdit",
    "QComboBox",
    "QPlainTextEdit",
    "QCheckBox::indicator",
    "QListWidget",
    'QPushButton[role="last"]',
)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")


def luminance(colour: str) -> float:
    """Relative luminance of #RRGGBB; source: WCAG 2.1."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Ratio of two colours; source: WCAG 2.1."""
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def border_of(selector: str, theme: Theme) -> str:
    for names, body in _RULE.findall(style_sheet(theme)):
        if selector in [name.strip() for name in names.split(",")]:
            found = re.search(r"border: 1px solid (#[0-9A-F]{6})", body)
            if found:
                return found[1]
    raise AssertionError(selector)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("selector", _USED)
def test_what_can_be_used_stands_out_from_card_and_page(selector: str, theme: Theme) -> None:
    border = border_of(selector, theme)
    assert contrast(border, theme.card) >= 3.0
    assert contrast(border, theme.page) >= 3.0


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["text", "muted", "accent", "good", "warning", "danger"])
def test_words_can_be_read_on_card_page_and_navigation(name: str, theme: Theme) -> None:
    for ground in (theme.card, theme.page, theme.navigation):
        assert contrast(getattr(theme, name), ground) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_the_focus_and_the_button_stand_out(theme: Theme) -> None:
    assert contrast(theme.accent, theme.card) >= 3.0
    assert contrast(theme.on_accent, theme.accent) >= 4.5


def test_larger_letters_come_with_higher_lines() -> None:
    assert zoomed("font-size: 12px; min-height: 30px; padding: 4px", 1.5) == (
        "font-size: 18px; min-height: 45px; padding: 4px"
    )
    assert zoomed("font-size: 12px", 1.0) == "font-size: 12px"
