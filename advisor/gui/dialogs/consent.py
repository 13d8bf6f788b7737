"""Asks before a Python file runs, naming its path and SHA-256."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QWidget

from advisor.core.sentences import visible
from advisor.gui.widgets.boxes import down
from advisor.gui.widgets.card import add_answers
from advisor.gui.widgets.labels import label, paragraph

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QShowEvent

    from advisor.gui.texts import Texts

_WIDTH = 532


class ConsentDialog(QDialog):
    """Names the file; the safe answer is the default."""

    def __init__(self, parent: QWidget, texts: Texts, path: Path, digest: str) -> None:
        """`digest` is shown in full."""
        super().__init__(parent)
        self.setWindowTitle(texts("consent-title"))
        layout = down(10, self, (24, 20, 24, 18))
        layout.addWidget(paragraph(texts("consent-question"), _WIDTH, "heading"))
        layout.addWidget(paragraph(visible(str(path)), _WIDTH))
        layout.addWidget(label(f"SHA-256\n{digest[:32]}\n{digest[32:]}", "muted", selectable=True))
        layout.addWidget(paragraph(texts("consent-warning"), _WIDTH))
        self._refuse, allow = add_answers(self, layout, texts("consent-refuse"), texts("consent-allow"))
        allow.setAutoDefault(False)
        self._refuse.setDefault(True)

    def showEvent(self, event: QShowEvent) -> None:
        """The safe answer has the focus, so that a hasty Enter runs nothing."""
        super().showEvent(event)
        self._refuse.setFocus()
        self._refuse.setDefault(True)


def ask_consent(parent: QWidget, texts: Texts, path: Path, digest: str) -> bool:
    """Whether the file may run."""
    return bool(ConsentDialog(parent, texts, path, digest).exec())
