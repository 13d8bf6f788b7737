"""Fifteen named colours, light and dark, and the palette that is made from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette

from advisor.present.look import CPU_SERIES, PAPER, Shade, device_colour

Scheme = Literal["system", "light", "dark"]

NAVIGATION_WIDTH = 188
RADIUS = 8
FAMILY = "Advisor Sans"
"""The bundled font. The sheet names it too: GNOME and KDE set fonts of their own for labels, buttons and menus."""
TEXT_SIZE = 13
SMALL_SIZE = 12
TICK_SIZE = 11


@dataclass(frozen=True, kw_only=True)
class Theme:
    """The colours of one scheme, as #RRGGBB, and the size of what is written."""

    dark: bool
    page: str
    card: str
    navigation: str
    line: str
    border: str
    """Of whatever can be typed into, pressed or ticked: three times as light or dark as what it stands on."""
    grid: str
    text: str
    muted: str
    accent: str
    on_accent: str
    accent_soft: str
    hover: str
    bar: str
    good: str
    warning: str
    danger: str
    zoom: float
    """How much larger than usual letters are."""

    @property
    def shade(self) -> Shade:
        """Which of the shared colours it takes."""
        return "dark" if self.dark else "light"

    def sized(self, pixels: float) -> int:
        """Pixels of usual letters as pixels of letters that are larger or smaller."""
        return round(pixels * self.zoom)


_COLOURS = {
    "page": ("#F5F6F8", "#15191F"),
    "card": ("#FFFFFF", "#1E242C"),
    "navigation": ("#ECEEF2", "#1A1F26"),
    "line": (PAPER["line"], "#313945"),
    "border": ("#7F8A99", "#738094"),
    "grid": ("#EEF0F3", "#29303A"),
    "text": (PAPER["text"], "#E6EAF0"),
    "muted": (PAPER["muted"], "#9BA7B6"),
    "accent": (PAPER["accent"], "#5AA9F5"),
    "on_accent": ("#FFFFFF", "#0E1621"),
    "accent_soft": (PAPER["soft"], "#22344A"),
    "hover": ("#E4E7EC", "#2A323D"),
    "bar": (PAPER["bar"], "#566273"),
    "good": ("#0A7A4B", "#4CC38A"),
    "warning": ("#9A5B00", "#E5A84B"),
    "danger": (PAPER["danger"], "#F2857D"),
}
"""Of the light scheme and of the dark one."""
LIGHT = Theme(dark=False, zoom=1.0, **{name: pair[0] for name, pair in _COLOURS.items()})
DARK = Theme(dark=True, zoom=1.0, **{name: pair[1] for name, pair in _COLOURS.items()})

DASHES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)


def theme_for(scheme: Scheme, zoom: float) -> Theme:
    """The look for a chosen scheme; `system` asks the platform and takes light where it does not say."""
    dark = scheme == "dark"
    if scheme == "system":
        dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return replace(DARK if dark else LIGHT, zoom=zoom)


def device_look(theme: Theme, place: int | None) -> tuple[str, Qt.PenStyle]:
    """Colour and dash of a GPU by its place: five colours, then the same ones dashed and dotted; None is the CPU."""
    return device_colour(place, theme.shade), DASHES[0 if place is None else (place // CPU_SERIES) % len(DASHES)]


def palette_of(theme: Theme) -> QPalette:
    """A Fusion palette: `setColorScheme` alone does nothing on the offscreen and bare xcb platforms."""
    palette = QPalette()
    role = QPalette.ColorRole
    for colour, names in (
        (theme.page, (role.Window, role.AlternateBase)),
        (theme.card, (role.Base, role.Button, role.ToolTipBase)),
        (theme.text, (role.WindowText, role.Text, role.ButtonText, role.ToolTipText)),
        (theme.muted, (role.PlaceholderText,)),
        (theme.danger, (role.BrightText,)),
        (theme.accent, (role.Highlight, role.Link, role.LinkVisited)),
        (theme.on_accent, (role.HighlightedText,)),
        (theme.hover, (role.Light,)),
        (theme.line, (role.Midlight, role.Mid, role.Dark, role.Shadow)),
    ):
        for name in names:
            palette.setColor(name, QColor(colour))
    for name in (role.Text, role.WindowText, role.ButtonText, role.HighlightedText):
        palette.setColor(QPalette.ColorGroup.Disabled, name, QColor(theme.muted))
    return palette


def mixed(first: str, second: str, share: float) -> str:
    """A colour between two: `share` of the second."""
    from_colour, to_colour = QColor(first), QColor(second)
    parts = [
        round(left + (right - left) * share)
        for left, right in zip(from_colour.getRgb()[:3], to_colour.getRgb()[:3], strict=True)  # type: ignore[index, unused-ignore]
    ]
    return f"#{parts[0]:02X}{parts[1]:02X}{parts[2]:02X}"
