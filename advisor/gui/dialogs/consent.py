"""Asks before a Python file runs, naming its path and SHA-256."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from advisor.core.sentences import visible
from advisor.gui.dialogs.frame import AskingDialog
from advisor.gui.texts import Texts
from advisor.gui.widgets.boxes import put
from advisor.gui.widgets.labels import label, paragraph

_WIDTH = 532


class ConsentDialog(AskingDialog):
    """Names the file; the safe answer is the default."""

    def __init__(self, parent: QWidget, texts: Texts, path: Path, digest: str) -> None:
        """`digest` is shown in full."""
        super().__init__(parent, texts("consent-title"), spacing=10)
        put(
            self.body,
            paragraph(texts("consent-question"), _WIDTH, "heading"),
            paragraph(visible(str(path)), _WIDTH),
            label(f"SHA-256\n{digest[:32]}\n{digest[32:]}", "muted", selectable=True),
            paragraph(texts("consent-warning"), _WIDTH),
        )
        self.add_answers(texts("consent-refuse"), texts("consent-allow"))

    def showEvent(self, event: QShowEvent) -> None:
        """The safe answer has the focus, so that a hasty Enter runs nothing."""
        super().showEvent(event)
        self.refusing.setFocus()


def ask_consent(parent: QWidget, texts: Texts, path: Path, digest: str) -> bool:
    """Whether the file may run."""
    return bool(ConsentDialog(parent, texts, path, digest).exec())
