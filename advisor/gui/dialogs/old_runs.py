"""Asks before old runs are deleted, naming how many they are and of which days."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QSpinBox, QWidget

from advisor.core.moment import MOST_DAYS_AGO
from advisor.gui.dialogs.frame import AskingDialog
from advisor.gui.texts import Texts
from advisor.gui.widgets.boxes import put, row
from advisor.gui.widgets.labels import label
from advisor.store.history import Run, older_than

USUAL_DAYS = 365


class _Days(QSpinBox):
    """Takes every letter, so that what is typed wrong is seen and can be told; Qt's own drops it without a word."""

    def validate(self, text: str, place: int) -> tuple[QValidator.State, str, int]:
        """What is no number may become one."""
        state, *_rest = super().validate(text, place)
        return QValidator.State.Intermediate if state == QValidator.State.Invalid else state, text, place


class OldRunsDialog(AskingDialog):
    """An age in days, what it means for these runs, and a button that says how many it deletes."""

    def __init__(self, parent: QWidget, texts: Texts, runs: Sequence[Run]) -> None:
        """`runs`: all that are kept; nothing is deleted here."""
        super().__init__(parent, texts("history-older"), spacing=10, least_width=460)
        self._texts, self._runs = texts, runs
        self.before_utc = ""
        """Runs of before this moment (ISO 8601, UTC) are meant; set as the age is typed."""
        self.days = _Days()
        self.days.setRange(1, MOST_DAYS_AGO)
        self.days.setValue(USUAL_DAYS)
        self.days.setAccessibleName(texts("history-older-days"))
        self.told = label("", wrap=True)
        put(self.body, row(label(texts("history-older-days")), self.days, spacing=10), self.told)
        self.add_answers(texts("window-cancel"), "")
        self.days.valueChanged.connect(lambda _days: self._count())
        self.days.lineEdit().textChanged.connect(lambda _text: self._count())
        self._count()

    def _count(self) -> None:
        if not self.days.hasAcceptableInput():  # It keeps the age before: nothing may be deleted by that.
            self.told.setText(self._texts("form-out-of-range", range=f"1 … {MOST_DAYS_AGO:,}".replace(",", "\u00a0")))
            self.accepting.setEnabled(False)
            return
        old = older_than(self.days.value(), self._runs)
        self.before_utc = old.before_utc
        self.told.setText(self._texts.say(old.reason))
        self.accepting.setText(self._texts("history-older-delete", count=old.run_count))
        self.accepting.setEnabled(old.run_count > 0)


def ask_age(parent: QWidget, texts: Texts, runs: Sequence[Run]) -> str | None:
    """The moment (ISO 8601, UTC) before which runs are to be deleted, or None where all are kept."""
    dialog = OldRunsDialog(parent, texts, runs)
    return dialog.before_utc if dialog.exec() else None
