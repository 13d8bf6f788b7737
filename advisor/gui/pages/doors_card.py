"""The card with the four doors through which a model comes in, each made in a turn of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from advisor.gui.pages.model_doors import FormDoor, NamedDoor, PresetDoor
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.choice import Tabs
from advisor.workload.workload_file import bundled_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.gui.context import Context

Door = TypeVar("Door", bound=QWidget)
_DOORS = ("preset", "huggingface", "python", "form")


def door_of(model: dict[str, Any], reference: str) -> int:
    """The place of the door through which a workload came; `reference` names it: a preset, or else a file."""
    source = model.get("source", "")
    if not reference or reference in bundled_names():
        return 0
    return _DOORS.index(source if source in _DOORS else "form")


class DoorsCard(Card):
    """Tabs over the doors; the doors themselves come with `steps`."""

    preset: PresetDoor
    hub: NamedDoor
    python: NamedDoor
    form: FormDoor
    opened = Signal(int)
    """The place of the door that was opened."""

    def __init__(self, context: Context, door: int) -> None:
        """`door`: the place of the one that stands open."""
        super().__init__(context.texts("model-door-title"))
        self._context = context
        self._tabs = Tabs()
        self._tabs.setDrawBase(False)
        self._tabs.setExpanding(False)
        self._tabs.setAccessibleName(context.texts("model-door-title"))
        for name in _DOORS:
            self._tabs.addTab(context.texts(f"model-door-{name}"))
        self._tabs.setCurrentIndex(door)
        self._tabs.currentChanged.connect(self._open)
        self.body.addWidget(self._tabs)

    def steps(self, model: dict[str, Any], reference: str) -> list[Callable[[], None]]:
        """What makes the doors; `model` is the description's model table, `reference` what names the workload."""

        def preset() -> None:
            self.preset = self._added(PresetDoor(self._context, reference))

        def hub() -> None:
            kinds = ("huggingface", "bert-base-uncased", "config.json (*.json)")
            self.hub = self._added(NamedDoor(texts, *kinds, _config(model, reference), self.allow_hub))

        def python() -> None:
            self.python = self._added(NamedDoor(texts, "python", "model.py", "model.py (*.py)", model.get("file", "")))

        def form() -> None:
            self._added(self.form)
            self._turn_to(self._tabs.currentIndex())

        texts = self._context.texts
        self.allow_hub = QCheckBox(texts("model-allow-hub"))
        self.form = FormDoor(self._context, model)
        return [preset, hub, python, *self.form.form.steps(), form]

    def show_current(self, model: dict[str, Any], reference: str) -> None:
        """Show in every door what is described."""
        self.preset.show_current(reference)
        self.hub.show_current(_config(model, reference))
        self.python.show_current(model.get("file", ""))
        self.form.show_current(model)

    def open_door(self, place: int) -> None:
        """Put a door in front."""
        self._tabs.setCurrentIndex(place)

    def _open(self, place: int) -> None:
        self._turn_to(place)
        self.opened.emit(place)

    def _added(self, door: Door) -> Door:
        door.hide()
        self.body.addWidget(door)
        return door

    def _turn_to(self, place: int) -> None:
        """The card is as high as the door that stands open, not as the highest."""
        for number, door in enumerate((self.preset, self.hub, self.python, self.form)):
            door.setVisible(number == place)


def _config(model: dict[str, Any], reference: str) -> str:
    """A name, or the file that was read."""
    config = model.get("config", "")
    return config if isinstance(config, str) else reference
