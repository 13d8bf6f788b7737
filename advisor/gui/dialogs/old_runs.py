"""Asks before old runs are deleted, naming how many they are and of which days."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QSpinBox, QWidget

from advisor.gui.widgets.boxes import down
from advisor.gui.widgets.card import add_answers, row
from advisor.gui.widgets.labels import label
from advisor.store.history import older_than

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QShowEvent

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
        layout = down(10, self, (24, 20, 24, 18))
        self.days = QSpinBox()
        self.days.setRange(1, MOST_DAYS)
        self.days.setValue(USUAL_DAYS)
        self.days.setAccessibleName(texts("history-older-days"))
        layout.addLayout(row(label(texts("history-older-days")), self.days, spacing=10))
        self.told = label("", wrap=True)
        layout.addWidget(self.told)
        self._keep, self.delete = add_answers(self, layout, texts("window-cancel"), "")
        self.delete.setAutoDefault(False)
        self.days.valueChanged.connect(lambda _days: self._count())
        self.days.lineEdit().textChanged.connect(lambda _text: self._count())
        self._count()

    def _count(self) -> None:
        if not self.days.hasAcceptableInput():  # It keeps the age before: nothing may be deleted by that.
            self.told.setText(self._texts("form-out-of-range", range=f"1 … {MOST_DAYS:,}".replace(",", "\u00a0")))
            self.delete.setEnabled(False)
            return
        old = older_than(self.days.value(), self._runs)
        self.before_utc = old.before_utc
        self.told.setText(self._texts.say(old.told))
        self.delete.setText(self._texts("history-older-delete", count=old.run_count))
        self.delete.setEnabled(old.run_count > 0)

    def showEvent(self, event: QShowEvent) -> None:
        """A hasty Enter deletes nothing."""
        super().showEvent(event)
        self._keep.setDefault(True)


def ask_age(parent: QWidget, texts: Texts, runs: Sequence[Run]) -> str | None:
    """The moment (ISO 8601, UTC) before which runs are to be deleted, or None where all are kept."""
    dialog = OldRunsDialog(parent, texts, runs)
    return dialog.before_utc if dialog.exec() else None
