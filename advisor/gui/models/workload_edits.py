"""Edits of the described workload that can be taken back: the job goes back with the text."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoCommand

if TYPE_CHECKING:
    from advisor.workload.kept_settings import Kept
    from advisor.workload.workload import Workload

_TYPING_S = 2.0
"""What is typed in one field within so long of the last stroke is one edit."""
_ID = 1


@dataclass(frozen=True, kw_only=True)
class Described:
    """The workload, what it was before any edit, and what it was loaded by."""

    workload: Workload
    base: Workload
    reference: str
    kept: Kept | None = None
    """What was set for the model before and went along, and what did not; None: nothing was, or it was edited since."""
    switched: tuple[str, ...] = ()
    """Message ids of the switches of an advice that the last edit set; empty: it was another edit."""


class WorkloadEdit(QUndoCommand):
    """From one description to another."""

    def __init__(self, show: Callable[[Described], None], before: Described, after: Described, field: str) -> None:
        """`field`: what was edited; empty where everything is another."""
        super().__init__()
        self._show, self.before, self.after, self.field = show, before, after, field
        self.made_s = time.monotonic()

    def redo(self) -> None:
        """Show what came after."""
        self._show(self.after)

    def undo(self) -> None:
        """Show what was before."""
        self._show(self.before)

    def id(self) -> int:
        """All edits may be joined, as far as `mergeWith` agrees."""
        return _ID

    def mergeWith(self, other: QUndoCommand) -> bool:
        """Strokes in one field are one edit."""
        if not isinstance(other, WorkloadEdit) or not self.field or other.field != self.field:
            return False
        if other.made_s - self.made_s > _TYPING_S:
            return False
        self.after, self.made_s = other.after, other.made_s
        return True
