"""Versions, and the licences of what the program stands on."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from PySide6.QtWidgets import QDialog, QGridLayout, QWidget

from advisor import __version__
from advisor.gui.dialogs.frame import add_close, opened
from advisor.gui.texts import Texts
from advisor.gui.widgets.boxes import put
from advisor.gui.widgets.labels import label

LICENCES = (
    ("PySide6-Essentials", "LGPL-3.0"),
    ("pyqtgraph", "MIT"),
    ("torch", "BSD-3-Clause"),
    ("transformers", "Apache-2.0"),
    ("typst", "Apache-2.0"),
    ("msgspec", "BSD-3-Clause"),
    ("numpy", "BSD-3-Clause"),
    ("scipy", "BSD-3-Clause"),
    ("rich", "MIT"),
    ("platformdirs", "MIT"),
    ("psutil", "BSD-3-Clause"),
    ("nvidia-ml-py", "BSD-3-Clause"),
    ("fluent.runtime", "Apache-2.0"),
    ("tomlkit", "MIT"),
)


def show_about(parent: QWidget, texts: Texts) -> QDialog:
    """Open the dialog without blocking."""
    dialog, layout = opened(parent, texts("menu-about"), (28, 22, 28, 18))
    layout.setSpacing(10)
    table = QGridLayout()
    table.setHorizontalSpacing(24)
    table.setVerticalSpacing(4)
    for place, (package, licence) in enumerate((*LICENCES, ("Advisor Sans (Noto Sans CJK SC)", "OFL-1.1"))):
        table.addWidget(label(package), place, 0)
        table.addWidget(label(_version(package, texts), "muted"), place, 1)
        table.addWidget(label(licence, "muted"), place, 2)
    put(
        layout,
        label(f"{texts('window-title')} {__version__}", "title"),
        label(texts("about-purpose"), wrap=True),
        label(texts("about-licence"), "muted", wrap=True),
        table,
        label(texts("about-qt"), "muted", wrap=True),
    )
    dialog.setMinimumWidth(540)
    add_close(dialog, layout, texts("window-close"))
    return dialog


def _version(package: str, texts: Texts) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "–" if "(" in package else texts("about-missing")
