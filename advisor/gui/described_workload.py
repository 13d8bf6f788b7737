"""The workload that the window describes: chosen, edited, taken back, and what of it may run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from advisor.gui.models.workload_edits import Described, WorkloadEdit
from advisor.gui.threads import Crew, Outcome, call_as_job

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.workload.kept_settings import Kept
    from advisor.workload.workload import Workload


class DescribedWorkload(QObject):
    """What the next job is about, with every edit since it was chosen."""

    changed = Signal()
    validity_changed = Signal()
    problem_raised = Signal(object)

    def __init__(self, crew: Crew, parent: QObject | None = None) -> None:
        """Nothing is described yet; `crew` reads files."""
        super().__init__(parent)
        self._crew = crew
        self.workload: Workload | None = None
        self.base: Workload | None = None
        """The workload as it was chosen, before any edit."""
        self._kept: Kept | None = None
        self.switched: tuple[str, ...] = ()
        """Message ids of the switches of an advice that the last edit set; empty: it was another edit."""
        self.reference = ""
        """What the workload was loaded by: a bundled name, or a path."""
        self.undo = QUndoStack(self)
        self.invalid: set[str] = set()
        """Fields of the Model page in which something stands that is not allowed."""
        self.consents: set[tuple[str, str]] = set()
        """Path and SHA-256 of each Python file that may run."""

    def choose(self, workload: Workload, *, reference: str = "") -> None:
        """Another workload is described; `reference`: what it was loaded by, empty where an advice brought it."""
        from advisor.present.workload_titles import bundled_key

        self._push(Described(workload=workload, base=workload, reference=reference or bundled_key(workload)), "")

    def edit(self, workload: Workload, field: str, switched: tuple[str, ...] = ()) -> None:
        """A field of the description was edited, or what these switches of an advice set: an edit by itself."""
        base = self.base or workload
        self._push(Described(workload=workload, base=base, reference=self.reference, switched=switched), field)

    @property
    def now(self) -> Described | None:
        """All of it; None while nothing is described."""
        if self.workload is None or self.base is None:
            return None
        return Described(
            workload=self.workload,
            base=self.base,
            reference=self.reference,
            kept=self._kept,
            switched=self.switched,
        )

    def _push(self, after: Described, field: str) -> None:
        before = self.now
        if before is None:
            self.take_over(after)
        elif after != before:
            self.undo.push(WorkloadEdit(self.take_over, before, after, field))

    def take_over(self, described: Described) -> None:
        """Take over a description with what its edits began from; nothing of it can be taken back."""
        same = described.workload == self.workload and described.base == self.base
        self.workload, self.base, self.reference = described.workload, described.base, described.reference
        self._kept, self.switched = described.kept, described.switched
        if not same:
            self.changed.emit()

    @property
    def last_edited(self) -> str:
        """The field of the edit that undo would take back; empty where there is none."""
        last = self.undo.command(self.undo.index() - 1) if self.undo.index() else None
        return last.field if isinstance(last, WorkloadEdit) else ""

    def judge_field(self, name: str, *, allowed: bool) -> None:
        """Something was typed; while anything is not allowed, no job starts."""
        before = bool(self.invalid)
        (self.invalid.discard if allowed else self.invalid.add)(name)
        if bool(self.invalid) != before:
            self.validity_changed.emit()

    def forget_invalid(self) -> None:
        """The fields show the described workload again."""
        if self.invalid:
            self.invalid.clear()
            self.validity_changed.emit()

    def load(self, reference: str, *, allow_hub: bool = False, read_well: Callable[[], None] | None = None) -> None:
        """Read a workload by name or path, in a thread: a large configuration takes its time.

        What was set by hand for the model before is kept as far as this one has a use for it, but not beside a file
        that has settings of its own; the same model chosen once more is as it comes. `read_well` is called where it
        could be read, before it is described.
        """
        before, base = self.workload, self.base if reference != self.reference else None

        def read() -> Described:
            from advisor.workload.kept_settings import Kept, edited_fields, with_kept_settings
            from advisor.workload.workload_file import bundled_names, load_workload

            chosen = load_workload(reference, allow_hub=allow_hub)
            described = Described(workload=chosen, base=chosen, reference=reference)
            if before is None or base is None or before == base:
                return described
            if reference.endswith(".toml") and reference not in bundled_names():
                return replace(described, kept=Kept(chosen, (), edited_fields(before, base)))
            kept = with_kept_settings(chosen, before, base)
            return replace(described, workload=kept.workload, kept=kept)

        def loaded(outcome: Outcome) -> None:
            if isinstance(outcome.result, Described):
                if read_well is not None:
                    read_well()
                self._push(outcome.result, "")
            elif outcome.failed:
                self.problem_raised.emit(outcome)

        self._crew.start(call_as_job(read), loaded)

    def may_run(self, workload: Workload) -> bool:
        """Whether the workload's Python file was consented to, in its present content. Raises InputError."""
        from advisor.workload.python_source import code_to_run, needs_consent

        code = code_to_run(workload)
        return code is not None and needs_consent(workload) and (str(code[0].resolve()), code[1]) in self.consents

    def lacks_consent(self, workload: Workload) -> bool:
        """Whether running the workload would run a file that nobody consented to. Raises InputError."""
        from advisor.workload.python_source import needs_consent

        return needs_consent(workload) and not self.may_run(workload)

    def close(self) -> None:
        """The window ends, and with it what can be taken back."""
        # The stack tells of its own end: a listener called in the middle of a collection touches what is gone.
        self.undo.blockSignals(True)  # noqa: FBT003 - Qt's own
