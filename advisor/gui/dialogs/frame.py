"""The frames of dialogs: one that asks, one that asks once more, and one that tells."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QMessageBox, QPushButton, QVBoxLayout, QWidget

from advisor.gui.widgets.boxes import Margins, down
from advisor.gui.widgets.buttons import pressed_by_key
from advisor.gui.widgets.labels import set_look

_MARGINS: Margins = (24, 20, 24, 18)


def titled(words: str) -> str:
    """The words of a menu or button as the title of the dialog that it opens, which is where its dots lead."""
    return words.rstrip("….⋯ ")


class AskingDialog(QDialog):
    """A question with two answers at its foot; unless accepting is what it is for, a hasty Enter refuses."""

    refusing: QPushButton
    accepting: QPushButton

    def __init__(self, parent: QWidget, title: str, *, spacing: int, least_width: int = 0) -> None:
        """Put the question into `body`, and then `add_answers`; `least_width` in pixels."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setMinimumWidth(least_width)
        self.body = down(spacing, inside=self, margins=_MARGINS)

    def add_answers(self, refuse: str, accept: str, *, advised: bool = False) -> None:
        """Refusing and accepting; `advised`: accepting is what the dialog is for, and what Enter does."""
        buttons = QDialogButtonBox()
        self.refusing = buttons.addButton(refuse, QDialogButtonBox.ButtonRole.RejectRole)
        self.accepting = buttons.addButton(accept, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.accepting.setAutoDefault(advised)
        self._by_enter = self.accepting if advised else self.refusing
        if advised:
            set_look(self.accepting, "role", "primary")  # The box has styled it as it came.
        self.body.addWidget(buttons)
        # Before it is the dialog's it can't be its default, and Enter would press the first button there is.
        self._by_enter.setDefault(True)

    def showEvent(self, event: QShowEvent) -> None:
        """Qt may have chosen another button meanwhile."""
        super().showEvent(event)
        self._by_enter.setDefault(True)
        if self.focusWidget() is self.accepting is not self._by_enter:
            self.refusing.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Who went to a button by Tab means that one by Return; Qt would press the one that a hasty Enter presses."""
        on = self.focusWidget()
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and on in {self.refusing, self.accepting}:
            pressed_by_key(on)
        else:
            super().keyPressEvent(event)


def confirmed(parent: QWidget, title: str, question: str, accept: str, refuse: str) -> bool:
    """Whether what cannot be undone is wanted; a hasty Enter refuses."""
    box = QMessageBox(parent)
    box.setWindowTitle(title)
    box.setText(question)
    yes = box.addButton(accept, QMessageBox.ButtonRole.DestructiveRole)
    no = box.addButton(refuse, QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(no)
    box.exec()
    return box.clickedButton() is yes


def opened(parent: QWidget, title: str, margins: Margins = _MARGINS) -> tuple[QDialog, QVBoxLayout]:
    """A dialog that tells, gone once it is closed, and its layout; `add_close` shows it."""
    dialog = QDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(titled(title))
    return dialog, down(12, inside=dialog, margins=margins)


def add_close(dialog: QDialog, layout: QVBoxLayout, words: str) -> QDialogButtonBox:
    """The one button at its foot; the dialog opens without blocking."""
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.button(QDialogButtonBox.StandardButton.Close).setText(words)
    buttons.rejected.connect(dialog.close)
    layout.addWidget(buttons)
    dialog.open()
    return buttons
