"""The four doors through which a model comes in: preset, Hugging Face, Python file, form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from advisor.core.sentences import visible
from advisor.gui.models.form_fields import fields_of
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.card import clear
from advisor.gui.widgets.choice import Choice
from advisor.gui.widgets.form import Form
from advisor.gui.widgets.labels import label
from advisor.workload.workload import NumbersModel, TemplateModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QShowEvent

    from advisor.gui.context import Context
    from advisor.gui.texts import Texts

TEMPLATE_START: dict[str, Any] = {"template": "mlp", "layers": [784, 256, 10]}
NUMBERS_START: dict[str, Any] = {"parameters": 110e6, "flop_per_sample": 8.5e10, "activation_bytes_per_sample": 9.2e7}

_PRESET_ROWS = 8
_HIGH = 1200
"""Of a window, in pixels: with what it is higher all settings are seen beside a longer list."""


class PresetDoor(QWidget):
    """The bundled workloads."""

    chosen = Signal(str)

    def __init__(self, context: Context, current: str) -> None:
        """`current`: the name of the workload that is described now."""
        super().__init__()
        from advisor.present.workload_titles import bundled_titles

        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        self.list = QListWidget()
        self.list.setAccessibleName(context.texts("model-door-preset"))
        for name, title in bundled_titles(context.texts.language).items():
            item = QListWidgetItem(title)
            item.setData(Qt.ItemDataRole.UserRole, name)
            self.list.addItem(item)
        self.show_current(current)
        self.list.itemActivated.connect(self._choose)
        self.list.itemClicked.connect(self._choose)
        self.list.setFixedHeight(_PRESET_ROWS * self.list.sizeHintForRow(0))
        layout.addWidget(self.list)
        layout.addWidget(label(context.texts("model-preset-explained"), "muted", wrap=True))
        layout.addStretch(1)

    def showEvent(self, event: QShowEvent) -> None:
        """Rows are measured once the list is styled."""
        super().showEvent(event)
        self.fit()

    def fit(self) -> None:
        """As high as whole rows: of a higher window, more of them."""
        row_height, frame = self.list.sizeHintForRow(0), self.list.height() - self.list.viewport().height()
        more = max(self.window().height() - _HIGH, 0) // row_height
        self.list.setFixedHeight(min(_PRESET_ROWS + more, self.list.count()) * row_height + frame)

    def _choose(self, item: QListWidgetItem) -> None:
        self.chosen.emit(item.data(Qt.ItemDataRole.UserRole))

    def show_current(self, current: str) -> None:
        """Mark the workload that is described now; none where it came by another door."""
        names = [self.list.item(place).data(Qt.ItemDataRole.UserRole) for place in range(self.list.count())]
        self.list.setCurrentRow(names.index(current) if current in names else -1)


class NamedDoor(QWidget):
    """A line for a name, and a button that looks for a file of that kind."""

    chosen = Signal(str)

    def __init__(self, texts: Texts, door: str, example: str, kinds: str, current: str, *below: QWidget) -> None:
        """`door` as in the messages; `example` stands in the empty line; `below` comes under it."""
        super().__init__()
        self._kinds = kinds
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        self.line = QLineEdit()
        self.line.setAcceptDrops(False)  # A file that falls here is the window's.
        self.line.setPlaceholderText(example)
        self.line.setAccessibleName(texts(f"model-door-{door}"))
        self.line.returnPressed.connect(self._choose)
        beside = QHBoxLayout()
        beside.addWidget(self.line, 1)
        beside.addWidget(push(texts("window-browse"), self._browse))
        layout.addLayout(beside)
        for widget in below:
            layout.addWidget(widget)
        layout.addLayout(_use(texts, self._choose))
        layout.addWidget(label(texts(f"model-{door}-explained"), "muted", wrap=True))
        layout.addStretch(1)
        self.show_current(current)

    def show_current(self, current: str) -> None:
        """Show the name in use."""
        self.line.setText(visible(current))

    def _choose(self) -> None:
        if self.line.text().strip():
            self.chosen.emit(self.line.text().strip())

    def _browse(self) -> None:
        name, _filter = QFileDialog.getOpenFileName(self, self._kinds.partition(" (")[0], "", self._kinds)
        if name:
            self.line.setText(name)


def _use(texts: Texts, take: Callable[[], None]) -> QHBoxLayout:
    line = QHBoxLayout()
    line.addWidget(push(texts("model-use"), take))
    line.addStretch(1)
    return line


class FormDoor(QWidget):
    """A template network, or totals only; edits go straight into the description."""

    changed = Signal(dict)

    def __init__(self, context: Context, model: dict[str, Any]) -> None:
        """`model`: the description's model table. Whoever asks does the steps of `form`."""
        super().__init__()
        texts = context.texts
        self._texts = texts
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        self.kind = Choice()
        self.kind.setAccessibleName(texts("model-form-kind"))
        self.kind.offer(((texts(f"model-form-{name}"), name) for name in ("template", "numbers")), "template")
        layout.addWidget(self.kind)
        self._place = QVBoxLayout()
        layout.addLayout(self._place)
        layout.addLayout(_use(texts, self._announce))
        layout.addStretch(1)
        self._describe(model, at_once=False)
        self.kind.currentIndexChanged.connect(lambda _place: self._show(at_once=True))

    def show_current(self, model: dict[str, Any]) -> None:
        """Show the description's model table where it is one of these, else what a new one starts from."""
        self._describe(model, at_once=True)

    def _describe(self, model: dict[str, Any], *, at_once: bool) -> None:
        source = model.get("source")
        self._in_use = source in {"template", "numbers"}
        self._values = {
            "template": {**TEMPLATE_START, **(model if source == "template" else {})},
            "numbers": {**NUMBERS_START, **(model if source == "numbers" else {})},
        }
        with QSignalBlocker(self.kind):
            self.kind.choose(source)
        self._show(at_once=at_once)

    def _show(self, *, at_once: bool) -> None:
        clear(self._place)
        name = str(self.kind.currentData())
        kind = TemplateModel if name == "template" else NumbersModel
        self.form = Form(self._texts, fields_of(kind), self._values[name], at_once=at_once)
        self.form.changed.connect(self._edited)
        self._place.addWidget(self.form)

    def _edited(self, field: str, value: object) -> None:
        self._values[str(self.kind.currentData())][field] = value
        if self._in_use:
            self._announce()

    def _announce(self) -> None:
        self._in_use = True
        name = str(self.kind.currentData())
        known = {key: value for key, value in self._values[name].items() if value is not None}
        self.changed.emit({**known, "source": name})
