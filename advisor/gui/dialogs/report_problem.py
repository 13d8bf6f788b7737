"""What a problem report holds: the machine as it was found, without user names, host names or paths."""

from __future__ import annotations

import getpass
import platform
import re
from pathlib import Path

import msgspec
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QWidget

from advisor import __version__
from advisor.gui.dialogs.frame import add_close, opened
from advisor.gui.texts import Texts
from advisor.gui.widgets.labels import label
from advisor.hardware.machine import Machine


def report_text(machine: Machine | None) -> str:
    """Version and detection as JSON, scrubbed of what names a person."""
    body = msgspec.json.format(msgspec.json.encode(machine), indent=1).decode() if machine else "not detected"
    return scrubbed(f"advisor {__version__}\n{body}\n")


def scrubbed(text: str) -> str:
    """The text without home folder, user name, host name, and the unique part of GPU identifiers."""
    for private, stand_in in ((str(Path.home()), "~"), (platform.node(), "HOST"), (_user(), "USER")):
        if len(private) > 2:  # noqa: PLR2004 - "/" and one-letter names would shred the text
            text = re.sub(rf"(?<![\w]){re.escape(private)}(?![\w])", stand_in, text)
    return re.sub(r"(GPU|MIG)-[0-9a-fA-F-]{8,}", r"\1-…", text)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def show_report(parent: QWidget, texts: Texts, machine: Machine | None) -> QDialog:
    """Show the report for copying; nothing is sent anywhere."""
    dialog, layout = opened(parent, texts("menu-report-problem"))
    dialog.resize(680, 560)
    layout.addWidget(label(texts("report-problem-explained"), wrap=True))
    text = QPlainTextEdit(report_text(machine))
    text.setReadOnly(True)
    text.setAccessibleName(texts("menu-report-problem"))
    layout.addWidget(text, 1)
    buttons = add_close(dialog, layout, texts("window-close"))
    copy = buttons.addButton(texts("window-copy"), QDialogButtonBox.ButtonRole.ActionRole)
    copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(text.toPlainText()))
    return dialog
