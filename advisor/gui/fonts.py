"""Loads the bundled font, so that Chinese shows on a system that has no Chinese font."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QApplication

from advisor.core.bundled import resource
from advisor.gui.settings import ZOOMS
from advisor.gui.theme import FAMILY, TEXT_SIZE

_USUAL_LETTERS = 15
"""Pixels: what desktops choose by themselves is no larger."""


def system_zoom(letters: int) -> float:
    """How large the window's letters are where the system's are so many pixels high: larger with larger ones."""
    return max(zoom for zoom in ZOOMS if zoom <= max(letters / _USUAL_LETTERS, 1.0))


def load_fonts() -> bool:
    """Register both weights and make them the application's font; system fonts serve what they lack.

    False where a font file is missing or damaged: the window then shows in the system's font.
    """
    loaded = [QFontDatabase.addApplicationFont(str(path)) for path in sorted(resource("fonts").glob("*.otf"))]
    family = QApplication.font().family()
    font = QFont()
    font.setFamilies([FAMILY, family] if loaded and min(loaded) >= 0 else [family])
    font.setPixelSize(TEXT_SIZE)
    QApplication.setFont(font)
    return bool(loaded) and min(loaded) >= 0
