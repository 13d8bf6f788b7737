"""A form of generated fields: each with its help, its range, and what is wrong beside it as it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLineEdit, QWidget

from advisor.gui.models.form_fields import FieldError, FormField, parse, range_text, shown
from advisor.gui.tooltips import plain_tooltip
from advisor.gui.widgets.labels import label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtWidgets import QLabel

    from advisor.gui.texts import Texts

Editor = QLineEdit | QComboBox | QCheckBox


class Form(QWidget):
    """Emits `changed` with a field's name and new value whenever what is typed is allowed."""

    changed = Signal(str, object)

    def __init__(
        self, texts: Texts, fields: Sequence[FormField], values: Mapping[str, Any], *, columns: int = 2
    ) -> None:
        """`values` by field name; a field that is missing shows its default."""
        super().__init__()
        self._texts = texts
        self._editors: dict[str, Editor] = {}
        self._messages: dict[str, QLabel] = {}
        self._fields = {field.name: field for field in fields}
        places = QGridLayout(self)
        places.setContentsMargins(0, 0, 0, 0)
        places.setHorizontalSpacing(10)
        places.setVerticalSpacing(3)
        plain = [field for field in fields if field.kind != "flag"]
        flags = [field for field in fields if field.kind == "flag"]
        for place, field in enumerate(plain):
            self._add(places, field, values.get(field.name, field.default), place // columns, place % columns)
        first = -(-len(plain) // columns)
        for place, field in enumerate(flags):
            box = self._flag(field, values.get(field.name, field.default))
            places.addWidget(box, 2 * (first + place // columns), 2 * (place % columns), 1, 2)
        for column in range(columns):
            places.setColumnStretch(2 * column + 1, 1)

    def _name(self, field: FormField) -> str:
        return self._texts(f"field-{field.name.replace('_', '-')}")

    def _help(self, field: FormField) -> str:
        lines = [self._texts.optional(f"help-{field.name.replace('_', '-')}") or "", range_text(field)]
        return "\n".join(line for line in lines if line)

    def _add(self, places: QGridLayout, field: FormField, value: object, line: int, column: int) -> None:
        name = label(self._name(field), "muted")
        editor = self._choice(field, value) if field.kind == "choice" else self._line(field, value)
        name.setBuddy(editor)
        name.setToolTip(plain_tooltip(self._help(field)))
        message = label("", "danger")
        message.setVisible(False)
        places.addWidget(name, 2 * line, 2 * column)
        places.addWidget(editor, 2 * line, 2 * column + 1)
        places.addWidget(message, 2 * line + 1, 2 * column + 1)
        self._messages[field.name] = message
        self._finish(field, editor)

    def _finish(self, field: FormField, editor: Editor) -> None:
        editor.setAccessibleName(self._name(field))
        editor.setAccessibleDescription(self._help(field))
        editor.setToolTip(plain_tooltip(self._help(field)))
        self._editors[field.name] = editor

    def _choice(self, field: FormField, value: object) -> QComboBox:
        box = QComboBox()
        if field.optional:
            box.addItem(self._texts("form-not-set"), None)
        for choice in field.choices:
            box.addItem(str(choice), choice)
        box.setCurrentIndex(max(box.findData(value), 0))
        box.setMinimumWidth(80)
        box.currentIndexChanged.connect(lambda _place: self.changed.emit(field.name, box.currentData()))
        return box

    def _line(self, field: FormField, value: object) -> QLineEdit:
        editor = QLineEdit(shown(field, value))
        editor.setMinimumWidth(70)
        if field.kind in {"integer", "number"}:
            editor.setAlignment(Qt.AlignmentFlag.AlignRight)
        if field.optional:
            editor.setPlaceholderText(self._texts("form-not-set"))
        editor.textEdited.connect(lambda text: self._typed(field, text))
        return editor

    def _flag(self, field: FormField, value: object) -> QCheckBox:
        box = QCheckBox(self._name(field))
        box.setChecked(bool(value))
        box.toggled.connect(lambda on: self.changed.emit(field.name, on))
        self._finish(field, box)
        return box

    def _typed(self, field: FormField, text: str) -> None:
        try:
            value = parse(field, text)
        except FieldError as error:
            self.show_error(field.name, self._texts(error.code, range=range_text(field)))
            return
        self.show_error(field.name, "")
        self.changed.emit(field.name, value)

    def show_error(self, name: str, words: str) -> None:
        """Say beside a field what is wrong with it; empty words clear it."""
        editor, message = self._editors.get(name), self._messages.get(name)
        if editor is None or message is None:
            return
        message.setText(words)
        message.setVisible(bool(words))
        editor.setProperty("invalid", "true" if words else "false")
        editor.style().unpolish(editor)
        editor.style().polish(editor)

    def editor(self, name: str) -> Editor:
        """The widget of a field."""
        return self._editors[name]
