"""A form of generated fields: each with its help, range, what is wrong beside it, and a mark where it is changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QToolButton, QWidget

from advisor.gui.models.form_fields import FormField, parse, range_text, shown
from advisor.gui.models.typed_number import FieldError
from advisor.gui.texts import CHANGED, Texts
from advisor.gui.tooltips import give_tip
from advisor.gui.widgets.choice import Choice, Line
from advisor.gui.widgets.labels import label, set_look, tell, untold

Editor = Line | Choice | QCheckBox
_RESET_WIDTH = 20
_DIGITS = 8
"""What a number's line has room for at least: ten millions of samples."""
_GAP = 6
_FIELDS_A_STEP = 2
"""A choice is nine widgets to Qt: so many fields take a few milliseconds."""
_COLUMNS_A_FIELD = 3
"""Name, editor, reset."""


class Form(QWidget):
    """Emits `changed` with a field's name and new value whenever what is typed is allowed.

    What differs from `base` carries a dot and a button that takes it back.
    """

    changed = Signal(str, object)
    judged = Signal(str, bool)
    """A field's name, and whether what stands in it is allowed."""

    def __init__(  # noqa: PLR0913 - what it shows, and how it is made
        self,
        texts: Texts,
        fields: Sequence[FormField],
        values: Mapping[str, Any],
        *,
        columns: int = 2,
        base: Mapping[str, Any] | None = None,
        at_once: bool = True,
    ) -> None:
        """`values` by field name; a field that is missing shows its default. No `base`: nothing is marked.

        Not `at_once`: whoever asks does the `steps`, and shows the form then.
        """
        super().__init__()
        self._texts = texts
        self._editors: dict[str, Editor] = {}
        self._messages: dict[str, QLabel] = {}
        self._resets: dict[str, QToolButton] = {}
        self._names: dict[str, QLabel | QCheckBox] = {}
        self._fields = {field.name: field for field in fields}
        self._values = dict(values)
        self._base = None if base is None else dict(base)
        self._most_columns, self._columns = columns, 0
        self._places = QGridLayout(self)
        self._places.setContentsMargins(0, 0, 0, 0)
        self._places.setHorizontalSpacing(_GAP)
        self._places.setVerticalSpacing(3)
        self._plain = [field.name for field in fields if field.kind != "flag"]
        self._flags = [field.name for field in fields if field.kind == "flag"]
        for step in self.steps() if at_once else ():
            step()

    def steps(self) -> list[Callable[[], None]]:
        """What makes the fields, a few at a time; to be done once."""
        fields = list(self._fields.values())
        some = [fields[start : start + _FIELDS_A_STEP] for start in range(0, len(fields), _FIELDS_A_STEP)]
        return [*(partial(self._add_some, part) for part in some), self._complete]

    def _add_some(self, fields: Sequence[FormField]) -> None:
        for field in fields:
            self._add(field, self._value(field))
            for made in (self._resets, self._names, self._editors, self._messages):
                widget = made.get(field.name)
                if isinstance(widget, QWidget):
                    widget.setParent(self)
                    widget.ensurePolished()

    def _complete(self) -> None:
        self._arrange(self._most_columns)
        self._mark_all()

    @property
    def names(self) -> frozenset[str]:
        """Its fields."""
        return frozenset(self._fields)

    def _value(self, field: FormField) -> Any:  # noqa: ANN401 - a field's own type
        return self._values.get(field.name, field.default)

    def _name(self, field: FormField) -> str:
        return self._texts(f"field-{field.name.replace('_', '-')}")

    def _help(self, field: FormField) -> str:
        lines = [self._texts.optional(f"help-{field.name.replace('_', '-')}") or "", range_text(field)]
        return "\n".join(line for line in lines if line)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take one column where names and choices would not be whole in more."""
        super().resizeEvent(event)
        width = event.size().width()
        self._arrange(next((some for some in range(self._most_columns, 1, -1) if width >= self._room(some)), 1))

    def minimumSizeHint(self) -> QSize:
        """As narrow as one column."""
        return QSize(self._room(1), super().minimumSizeHint().height())

    def _room(self, columns: int) -> int:
        """What so many columns need, in pixels: the widest name and the widest editor of each."""
        room = 0
        for column in range(columns):
            inside = [name for name in self._plain[column::columns] if name in self._editors]
            names = (self._names[name].sizeHint().width() for name in inside)
            editors = (self._editors[name].minimumSizeHint().width() for name in inside)
            pair = max(names, default=0) + _GAP + max(editors, default=0)
            flags = (
                self._editors[name].sizeHint().width() for name in self._flags[column::columns] if name in self._editors
            )
            room += max(pair, max(flags, default=0)) + 2 * _GAP + _RESET_WIDTH
        return room

    def _arrange(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        for place, name in enumerate(self._plain):
            line, start = 2 * (place // columns), _COLUMNS_A_FIELD * (place % columns)
            self._places.addWidget(self._names[name], line, start)
            self._places.addWidget(self._editors[name], line, start + 1)
            self._places.addWidget(self._resets[name], line, start + 2)
            self._places.addWidget(self._messages[name], line + 1, start, 1, _COLUMNS_A_FIELD)
        first = -(-len(self._plain) // columns)
        for place, name in enumerate(self._flags):
            line, start = 2 * (first + place // columns), _COLUMNS_A_FIELD * (place % columns)
            self._places.addWidget(self._editors[name], line, start, 1, 2)
            self._places.addWidget(self._resets[name], line, start + 2)
        for column in range(self._most_columns):
            self._places.setColumnStretch(_COLUMNS_A_FIELD * column + 1, 1 if column < columns else 0)
        self.updateGeometry()

    def _add(self, field: FormField, value: object) -> None:
        self._resets[field.name] = self._reset(field)
        editor: Editor
        if field.kind == "flag":
            editor = self._names[field.name] = self._flag(field, value)
        else:
            editor = self._choice(field, value) if field.kind == "choice" else self._line(field, value)
            name = self._names[field.name] = label(self._name(field), "muted")
            name.setBuddy(editor)
            give_tip(name, self._help(field))
            self._messages[field.name] = untold()
        editor.setAccessibleName(self._name(field))
        give_tip(editor, self._help(field))
        self._editors[field.name] = editor

    def _reset(self, field: FormField) -> QToolButton:
        button = QToolButton()
        button.setText("↺")
        button.setProperty("role", "reset")
        button.setFixedWidth(_RESET_WIDTH)
        kept = button.sizePolicy()
        kept.setRetainSizeWhenHidden(True)
        button.setSizePolicy(kept)
        button.setVisible(False)
        button.clicked.connect(lambda _on=False: self.take_back(field.name))
        return button

    def _words(self, field: FormField, choice: object) -> str:
        """A choice in words, where the catalogue has them; else as a file spells it."""
        spelled = str(choice).replace("_", "-").replace(".", "-").lower()
        return self._texts.optional(f"choice-{field.name.replace('_', '-')}-{spelled}") or str(choice)

    def _choice(self, field: FormField, value: object) -> Choice:
        box = Choice()
        if field.optional:
            box.addItem(self._texts("form-not-set"), None)
        box.offer(((self._words(field, choice), choice) for choice in field.choices), value)
        box.currentIndexChanged.connect(lambda _place: self._take(field, box.currentData()))
        return box

    def _line(self, field: FormField, value: object) -> Line:
        editor = Line(shown(field, value), least_digits=_DIGITS)
        if field.kind in {"integer", "number"}:
            editor.setAlignment(Qt.AlignmentFlag.AlignRight)
        if field.optional:
            # What counts where nothing is given, if that is one thing for every model.
            usual = self._texts.optional(f"usual-{field.name.replace('_', '-')}")
            editor.setPlaceholderText(usual or self._texts("form-not-set"))
        # Not `textEdited`: undo from the context menu does not tell that one.
        editor.textChanged.connect(lambda text: self._typed(field, text))
        return editor

    def _flag(self, field: FormField, value: object) -> QCheckBox:
        box = QCheckBox(self._name(field))
        box.setChecked(bool(value))
        box.toggled.connect(lambda on: self._take(field, on))
        return box

    def _typed(self, field: FormField, text: str) -> None:
        try:
            value = parse(field, text)
        except FieldError as error:
            self.show_error(field.name, self._texts(error.code, range=range_text(field)))
            self.judged.emit(field.name, False)  # noqa: FBT003 - a signal's own argument
            return
        self.show_error(field.name, "")
        self._take(field, value)

    def _take(self, field: FormField, value: object) -> None:
        self._values[field.name] = value
        self._mark(field)
        self.judged.emit(field.name, True)  # noqa: FBT003 - a signal's own argument
        self.changed.emit(field.name, value)

    def take_back(self, name: str) -> None:
        """Set a field to what it was before it was changed."""
        field = self._fields[name]
        value = (self._base or {}).get(name, field.default)
        self._show(field, value)
        self.show_error(name, "")
        self._editors[name].setFocus()
        self._take(field, value)

    def show_values(self, values: Mapping[str, Any], base: Mapping[str, Any] | None = None) -> None:
        """Show other values, such as those that undo brought back; tells nobody."""
        self._values = dict(values)
        self._base = None if base is None else dict(base)
        for field in self._fields.values():
            self._show(field, self._value(field))
            self.show_error(field.name, "")
        self._mark_all()

    def _show(self, field: FormField, value: object) -> None:
        editor = self._editors[field.name]
        with QSignalBlocker(editor):
            if isinstance(editor, QCheckBox):
                editor.setChecked(bool(value))
            elif isinstance(editor, Choice):
                editor.choose(value)
            elif shown(field, value) != editor.text():
                editor.setText(shown(field, value))

    def _mark_all(self) -> None:
        for field in self._fields.values():
            self._mark(field)

    def _mark(self, field: FormField) -> None:
        """A dot before the name and a way back where the field is not what it was."""
        before = None if self._base is None else self._base.get(field.name, field.default)
        changed = self._base is not None and shown(field, before) != shown(field, self._value(field))
        self._names[field.name].setText(f"{f'{CHANGED} ' if changed else ''}{self._name(field)}")
        button = self._resets[field.name]
        if changed != button.isVisibleTo(self):
            button.setVisible(changed)
        if changed:
            was = shown(field, before) or self._texts("form-not-set")
            words = self._texts("form-reset", name=self._name(field), value=was)
            give_tip(button, words)
            button.setAccessibleName(words)

    def show_error(self, name: str, words: str) -> None:
        """Say beside a field what is wrong with it; empty words clear it."""
        editor, message = self._editors.get(name), self._messages.get(name)
        if editor is None or message is None or message.text() == words:
            return
        tell(message, words)
        editor.setAccessibleDescription(words or self._help(self._fields[name]))
        set_look(editor, "invalid", "true" if words else "false")

    def editor(self, name: str) -> Editor:
        """The widget of a field. Raises KeyError for a field of another form."""
        return self._editors[name]
