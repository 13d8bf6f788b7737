"""The settings of the Model page that every advice keeps, as flags of the command line are kept."""

from __future__ import annotations

import msgspec
from PySide6.QtWidgets import QCheckBox, QWidget

from advisor.gui.session import Session
from advisor.gui.texts import Texts
from advisor.gui.tooltips import plain_tooltip
from advisor.gui.widgets.boxes import FlowLayout
from advisor.gui.widgets.labels import label

_FIELDS = {"batch_size": "batch-size", "precision": "precision", "checkpointing": "activation-checkpointing"}
"""Which may be fixed, and by which name its field is called."""
_GAP = 14


class FixedRow(QWidget):
    """A box for each setting that may be kept; on is what the session keeps."""

    def __init__(self, texts: Texts, session: Session) -> None:
        """Show what is kept now."""
        super().__init__()
        self._session = session
        flow = FlowLayout(self, _GAP)
        flow.addWidget(label(texts("model-fixed"), "muted"))
        self.boxes: dict[str, QCheckBox] = {}
        for field, name in _FIELDS.items():
            box = self.boxes[field] = QCheckBox(texts(f"field-{name}"))
            box.setAccessibleName(f"{texts('model-fixed')}: {box.text()}")
            box.setToolTip(plain_tooltip(texts("model-fixed-tip")))
            box.setAccessibleDescription(texts("model-fixed-tip"))
            box.toggled.connect(lambda on, chosen=field: self._fix(chosen, on=on))
            flow.addWidget(box)
        self.show_current()

    def show_current(self) -> None:
        """Show what is kept now: of another model nothing is, until it is ticked."""
        for field, box in self.boxes.items():
            box.setChecked(getattr(self._session.fixed, field))

    def _fix(self, field: str, *, on: bool) -> None:
        self._session.fixed = msgspec.structs.replace(self._session.fixed, **{field: on})
