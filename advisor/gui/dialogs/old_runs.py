"""Asks before old runs are deleted, naming how many they are and of which days."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QSpinBox, QVBoxLayout, QWidget

from advisor.core.sentences import Reason
from advisor.gui.widgets.card import row
from advisor.gui.widgets.labels import label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QShowEvent

    from advisor.core.sentences import Value
    from advisor.gui.texts import Texts
    from advisor.store.history import Run

USUAL_DAYS, MOST_DAYS = 365, 36_500


class OldRunsDialog(QDialog):
    """An age in days, what it means for these runs, and a button that says how many it deletes."""

    def __init__(self, parent: QWidget, texts: Texts, runs: Sequence[Run]) -> None:
        """`runs`: all that are kept; nothing is deleted here."""
        super().__init__(parent)
        self._texts, self._runs = texts, runs
        self.before_utc = ""
        """Runs of before this moment (ISO 8601, UTC) are meant; set as the age is typed."""
        self.setWindowTitle(texts("history-older"))
        self.setMinimumWidth(460)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 18)
        layout.setSpacing(10)
        self.days = QSpinBox()
        self.days.setRange(1, MOST_DAYS)
        self.days.setValue(USUAL_DAYS)
        self.days.setAccessibleName(texts("history-older-days"))
        layout.addLayout(row(label(texts("history-older-days")), self.days, spacing=10))
        self.told = label("", wrap=True)
        layout.addWidget(self.told)
        buttons = QDialogButtonBox()
        self._keep = buttons.addButton(texts("window-cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        self.delete = buttons.addButton("", QDialogButtonBox.ButtonRole.AcceptRole)
        self.delete.setAutoDefault(False)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
        self.days.valueChanged.connect(lambda _days: self._count())
        self._count()

    def _count(self) -> None:
        days = self.days.value()
        self.before_utc = (datetime.now(UTC) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
        stamps = [run.created_utc for run in self._runs if run.created_utc < self.before_utc]
        reason = Reason(code="history-prune-none", numbers={"days": days})
        if stamps:
            numbers: dict[str, Value] = {"count": len(stamps), "first": min(stamps)[:10], "last": max(stamps)[:10]}
            reason = Reason(code="history-prune-found", numbers=numbers)
        self.told.setText(self._texts.say(reason))
        self.delete.setText(self._texts("history-older-delete", count=len(stamps)))
        self.delete.setEnabled(bool(stamps))

    def showEvent(self, event: QShowEvent) -> None:
        """A hasty Enter deletes nothing."""
        super().showEvent(event)
        self._keep.setDefault(True)


def ask_age(parent: QWidget, texts: Texts, runs: Sequence[Run]) -> str | None:
    """The moment (ISO 8601, UTC) before which runs are to be deleted, or None where all are kept."""
    dialog = OldRunsDialog(parent, texts, runs)
    return dialog.before_utc if dialog.exec() else None
