"""One dialog for one problem: what is wrong, what to do, and the details where it is our bug."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QLayout, QPlainTextEdit, QWidget

from advisor.gui.dialogs.frame import add_close, opened
from advisor.gui.texts import Texts
from advisor.gui.threads import Outcome
from advisor.gui.widgets.labels import paragraph

_WIDTH = 520
_OPEN = "advisor_problem_dialog"


def show_problem(parent: QWidget, texts: Texts, outcome: Outcome) -> QDialog:
    """Open the dialog without blocking; a second problem replaces the first: no storm of dialogs."""
    for old in parent.findChildren(QDialog, _OPEN):
        old.close()
    dialog, layout = opened(parent, texts("problem-bug" if outcome.kind == "bug" else "problem-title"))
    dialog.setObjectName(_OPEN)
    text, remedy = texts.problem(outcome)
    layout.setSizeConstraint(QLayout.SizeConstraint.SetMinimumSize)
    layout.addWidget(paragraph(text, _WIDTH, "strong"))
    remedy = remedy or (texts("problem-bug-remedy") if outcome.kind == "bug" else "")
    if remedy:
        layout.addWidget(paragraph(remedy, _WIDTH))
    if outcome.detail:
        log = QPlainTextEdit(outcome.detail)
        log.setReadOnly(True)
        log.setMinimumHeight(180)
        log.setAccessibleName(texts("problem-log"))
        layout.addWidget(log)
    add_close(dialog, layout, texts("window-close"))
    return dialog
