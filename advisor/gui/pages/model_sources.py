"""The card with the four sources through which a model comes in: preset, Hugging Face, Python file, form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QFileDialog, QHBoxLayout, QLineEdit, QListWidget, QListWidgetItem, QWidget

from advisor.core.sentences import visible
from advisor.gui.context import Context
from advisor.gui.models.form_fields import fields_of
from advisor.gui.models.typed_path import typed_path
from advisor.gui.texts import Texts
from advisor.gui.widgets.boxes import REST, across, clear, down
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.choice import Choice, Tabs
from advisor.gui.widgets.form import Form
from advisor.gui.widgets.labels import label
from advisor.workload.workload import NumbersModel, PythonModel, TemplateModel
from advisor.workload.workload_file import bundled_names

TEMPLATE_START: dict[str, Any] = {"template": "mlp", "layers": [784, 256, 10]}
NUMBERS_START: dict[str, Any] = {"parameters": 110e6, "flop_per_sample": 8.5e10, "activation_bytes_per_sample": 9.2e7}

PYTHON_START = """\
import torch
from torch import nn

def build_model():
    hidden = nn.Linear(784, 256)
    return nn.Sequential(hidden, nn.ReLU(), nn.Linear(256, 10))

def make_batch(batch_size, length):
    return torch.rand(batch_size, 784), torch.randint(10, (batch_size,))
"""
"""The least that a model's file holds, to be copied and changed."""

_SPACING = 6
_PRESET_ROWS = 8
_ALL = 99
_HIGH = 1200
"""Of a window, in pixels: with what it is higher all settings are seen beside a longer list."""


class PresetSource(QWidget):
    """The bundled workloads."""

    chosen = Signal(str)

    def __init__(self, context: Context, current: str) -> None:
        """`current`: the name of the workload that is described now."""
        super().__init__()
        from advisor.present.workload_titles import bundled_titles

        self.list = QListWidget()
        self.list.setAccessibleName(context.texts("model-source-preset"))
        titles = bundled_titles(context.texts.language)
        self._names = list(titles)
        self.list.addItems(list(titles.values()))
        self.show_current(current)
        self.list.itemActivated.connect(self._choose)
        self.list.itemClicked.connect(self._choose)
        self.list.setMinimumHeight(_PRESET_ROWS * self.list.sizeHintForRow(0))
        explained = label(context.texts("model-preset-explained"), "muted", wrap=True)
        # In a narrow window the card is as high as the one beside it: the list takes that, up to all its rows.
        down(_SPACING, (self.list, _ALL), explained, REST, inside=self)

    def showEvent(self, event: QShowEvent) -> None:
        """Rows are measured once the list is styled."""
        super().showEvent(event)
        self.fit()

    def fit(self) -> None:
        """At least as high as some whole rows, of a higher window more of them; at most as all of them."""
        row_height, frame = self.list.sizeHintForRow(0), self.list.height() - self.list.viewport().height()
        more = max(self.window().height() - _HIGH, 0) // row_height
        self.list.setMinimumHeight(min(_PRESET_ROWS + more, self.list.count()) * row_height + frame)
        self.list.setMaximumHeight(self.list.count() * row_height + frame)

    def _choose(self, item: QListWidgetItem) -> None:
        self.chosen.emit(self._names[self.list.row(item)])

    def show_current(self, current: str) -> None:
        """Mark the workload that is described now; none where it came by another source."""
        self.list.setCurrentRow(self._names.index(current) if current in self._names else -1)


class NamedSource(QWidget):
    """A line for a name, and a button that looks for a file of that kind."""

    chosen = Signal(str)

    def __init__(self, texts: Texts, source: str, example: str, kinds: str, current: str, *below: QWidget) -> None:
        """`source` as in the messages; `example` stands in the empty line; `below` comes under it."""
        super().__init__()
        self._kinds = kinds
        self.line = QLineEdit()
        self.line.setAcceptDrops(False)  # A file that falls here is the window's.
        self.line.setPlaceholderText(example)
        self.line.setAccessibleName(texts(f"model-source-{source}"))
        self.line.returnPressed.connect(self._choose)
        beside = across(_SPACING, (self.line, 1), push(texts("window-browse"), self._browse))
        explained = label(texts(f"model-{source}-explained"), "muted", wrap=True)
        self._words = down(_SPACING, explained)
        down(_SPACING, beside, *below, _use(texts, self._choose), self._words, REST, inside=self)
        self.show_current(current)

    def show_start(self, text: str) -> None:
        """What a file of this kind may begin with, to be copied."""
        self._words.addWidget(label(text.rstrip(), "muted", wrap=True, selectable=True))

    def show_current(self, current: str) -> None:
        """Show the name in use."""
        self.line.setText(visible(current))

    def _choose(self) -> None:
        name = typed_path(self.line.text())
        if name:
            self.chosen.emit(name)

    def _browse(self) -> None:
        name, _filter = QFileDialog.getOpenFileName(self, self._kinds.partition(" (")[0], "", self._kinds)
        if name:
            self.line.setText(name)
            self._choose()  # Who picked a file wants that one: what stands above is not to be the old model's.


def _use(texts: Texts, take: Callable[[], None]) -> QHBoxLayout:
    return across(_SPACING, push(texts("model-use"), take), REST)


class FormSource(QWidget):
    """A template network, or totals only; edits go straight into the description."""

    changed = Signal(dict)

    def __init__(self, context: Context, model: dict[str, Any]) -> None:
        """`model`: the description's model table. Whoever asks does the steps of `form`."""
        super().__init__()
        texts = context.texts
        self._texts = texts
        self.kind = Choice()
        self.kind.setAccessibleName(texts("model-form-kind"))
        self.kind.offer(((texts(f"model-form-{name}"), name) for name in ("template", "numbers")), "template")
        self._place = down(_SPACING)
        down(_SPACING, self.kind, self._place, _use(texts, self._announce), REST, inside=self)
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
        given = {key: value for key, value in self._values[name].items() if value is not None}
        self.changed.emit({**given, "source": name})


SourceWidget = TypeVar("SourceWidget", bound=QWidget)
_DOORS = ("preset", "huggingface", "python", "form")


def source_place(model: dict[str, Any], reference: str) -> int:
    """The place of the source through which a workload came; `reference` names it: a preset, or else a file."""
    source = model.get("source", "")
    if not reference or reference in bundled_names():
        return 0
    return _DOORS.index(source if source in _DOORS else "form")


class SourcesCard(Card):
    """Tabs over the sources; the sources themselves come with `steps`."""

    preset: PresetSource
    hub: NamedSource
    python: NamedSource
    form: FormSource
    opened = Signal(int)
    """The place of the source that was opened."""

    def __init__(self, context: Context, source: int) -> None:
        """`source`: the place of the one that stands open."""
        super().__init__(context.texts("model-source-title"))
        self._context = context
        self._tabs = Tabs()
        self._tabs.setDrawBase(False)
        self._tabs.setExpanding(False)
        self._tabs.setAccessibleName(context.texts("model-source-title"))
        # With large letters their ends give way: behind the bar's own arrows nobody would look for a further one.
        self._tabs.setUsesScrollButtons(False)
        self._tabs.setElideMode(Qt.TextElideMode.ElideRight)
        for place, name in enumerate(_DOORS):
            self._tabs.addTab(context.texts(f"model-source-{name}"))
            self._tabs.setTabToolTip(place, context.texts(f"model-source-{name}"))
        self._tabs.setCurrentIndex(source)
        self._tabs.currentChanged.connect(self._open)
        self.body.addWidget(self._tabs)

    def steps(self, model: dict[str, Any], reference: str) -> list[Callable[[], None]]:
        """What makes the sources; `model` is the description's model table, `reference` what names the workload."""

        def preset() -> None:
            self.preset = self._added(PresetSource(self._context, reference))

        def hub() -> None:
            kinds = ("huggingface", "bert-base-uncased", "config.json (*.json)")
            self.hub = self._added(NamedSource(texts, *kinds, _config(model, reference), self.allow_hub))

        def python() -> None:
            kinds = ("python", "model.py", "model.py (*.py)")
            self.python = self._added(NamedSource(texts, *kinds, self._code()))
            self.python.show_start(PYTHON_START)

        def form() -> None:
            self._added(self.form)
            self._turn_to(self._tabs.currentIndex())

        texts = self._context.texts
        self.allow_hub = QCheckBox(texts("model-allow-hub"))
        self.form = FormSource(self._context, model)
        return [preset, hub, python, *self.form.form.steps(), form]

    def show_current(self, model: dict[str, Any], reference: str) -> None:
        """Show in every source what is described."""
        self.preset.show_current(reference)
        self.hub.show_current(_config(model, reference))
        self.python.show_current(self._code())
        self.form.show_current(model)

    def _code(self) -> str:
        """The whole path of the Python file that is described: by its name alone it is found from its folder only."""
        from advisor.workload.python_source import file_of

        workload = self._context.session.described.workload
        if workload is None or not isinstance(workload.model, PythonModel):
            return ""
        return str(file_of(workload.model, workload.source_folder))

    def show_source(self, place: int) -> None:
        """Put a source in front."""
        self._tabs.setCurrentIndex(place)

    def _open(self, place: int) -> None:
        self._turn_to(place)
        self.opened.emit(place)

    def _added(self, source: SourceWidget) -> SourceWidget:
        source.hide()
        self.body.addWidget(source)
        return source

    def _turn_to(self, place: int) -> None:
        """The card is as high as the source that stands open, not as the highest."""
        for number, source in enumerate((self.preset, self.hub, self.python, self.form)):
            source.setVisible(number == place)


def _config(model: dict[str, Any], reference: str) -> str:
    """A name, or the file that was read."""
    config = model.get("config", "")
    return config if isinstance(config, str) else reference
