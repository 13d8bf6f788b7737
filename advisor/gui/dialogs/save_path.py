"""Asks where a file is to be saved."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from advisor.gui.dialogs.frame import titled

_LONGEST = 60
"""Characters of a workload in a file's name."""


def save_dialog(parent: QWidget, title: str, usual: str) -> QFileDialog:
    """The dialog; a name without a suffix takes that of the `usual` one, before it is asked about one that is there."""
    suffix = Path(usual).suffix
    dialog = QFileDialog(parent, titled(title), "", f"*{suffix}")
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(suffix)
    dialog.selectFile(usual)
    return dialog


def usual_name(about: str, suffix: str) -> str:
    """What the file of an advice about a workload of that name is called: the next one's is not to take its place."""
    told = "-".join(re.findall(r"\w+", about.casefold()))[:_LONGEST].strip("-")
    return f"{'-'.join(filter(None, ('advice', told)))}.{suffix}"


def ask_save_path(parent: QWidget, title: str, usual: str) -> Path | None:
    """The chosen path; None where nothing is to be saved."""
    dialog = save_dialog(parent, title, usual)
    chosen = dialog.selectedFiles() if dialog.exec() else []
    dialog.deleteLater()
    return Path(chosen[0]) if chosen else None
