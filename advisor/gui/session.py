"""The state of the window: machine, workload, running job and advice; pages are views of it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoStack

from advisor.gui.jobs.apart import apart
from advisor.gui.models.workload_edits import Described, WorkloadEdit
from advisor.gui.monitor_feed import MonitorFeed
from advisor.gui.settings import Settings
from advisor.gui.threads import Crew, Job, JobThread, Outcome, call_as_job
from advisor.hardware.machine import Machine, Reading

if TYPE_CHECKING:
    from advisor.cases.case_file import CaseAnswer
    from advisor.gui.job_state import JobKind, JobState
    from advisor.gui.jobs.asks import Ask
    from advisor.gui.jobs.forecast import Pace
    from advisor.gui.models.typed_prices import TypedPrices
    from advisor.store.advice_record import AdviceRecord
    from advisor.store.history import Truth
    from advisor.workload.workload import Workload

JobEnd = Literal["failed", "cancelled", "ready", "verified"]
_DRAIN_MS = 250
_CLOSE_S, _KEEP_S = 1.9, 1.4
"""What closing may take where a job has measured, and how much of it the job has to answer by what it measured."""


class Session(QObject):
    """One window's state; every change is announced by a signal, every slow thing runs in a thread."""

    machine_changed = Signal()
    workload_changed = Signal()
    validity_changed = Signal()
    advice_changed = Signal()
    prices_changed = Signal()
    job_started = Signal()
    job_progressed = Signal()
    job_ended = Signal()
    problem_raised = Signal(object)
    history_changed = Signal()

    def __init__(self, settings: Settings, feed: MonitorFeed | None = None) -> None:
        """`feed`: another source of readings than this machine's sampler, for tests and screenshots."""
        super().__init__()
        self.settings = settings
        self.crew = Crew(self)
        self.feed = feed or MonitorFeed()
        self.feed.setParent(self)
        self.machine: Machine | None = None
        self.machine_outcome: Outcome | None = None
        self.workload: Workload | None = None
        self.base: Workload | None = None
        """The workload as it was chosen, before any edit."""
        self.reference = ""
        """What the workload was loaded by: a bundled name, or a path."""
        self.undo = QUndoStack(self)
        self.invalid: set[str] = set()
        """Fields of the Model page in which something stands that is not allowed."""
        self.consents: set[tuple[str, str]] = set()
        """Path and SHA-256 of each Python file that may run."""
        self.prices: TypedPrices | None = settings.typed_prices
        """As typed into Compare's table, in this session or an earlier one."""
        self.advice: AdviceRecord | None = None
        self.job: JobState | None = None
        self.job_outcome: Outcome | None = None
        self._asked: Workload | None = None
        """What the job is about, whatever was edited since it began."""
        self.advice_seen = True
        """Whether the newest advice of a job was on the screen."""
        self.unkept = ""
        """Why the last run is kept only until the window is closed; empty: it is in the history."""
        self.case_answers: dict[str, CaseAnswer] = {}
        """By case; computed when the Cases page is first shown."""
        self._thread: JobThread | None = None
        self._drain = QTimer(self, interval=_DRAIN_MS)
        self._drain.timeout.connect(self._drain_job)

    def detect(self, detector: Callable[[], Machine] | None = None) -> None:
        """Look at the machine, in a process of its own."""
        self.crew.start(call_as_job(detector) if detector is not None else apart(_detect_ask), self._detected)

    def _detected(self, outcome: Outcome) -> None:
        from advisor.hardware.machine import Machine

        self.machine_outcome = outcome
        if isinstance(outcome.result, Machine):
            self.machine = outcome.result
        self.machine_changed.emit()
        if outcome.failed:
            self.problem_raised.emit(outcome)

    def set_workload(self, workload: Workload, *, reference: str = "") -> None:
        """Another workload is described; `reference`: what it was loaded by, empty where an advice brought it."""
        from advisor.present.workload_titles import bundled_key

        self._describe(Described(workload=workload, base=workload, reference=reference or bundled_key(workload)), "")

    def edit_workload(self, workload: Workload, field: str) -> None:
        """A field of the description was edited."""
        after = Described(workload=workload, base=self.base or workload, reference=self.reference)
        self._describe(after, field)

    def _describe(self, after: Described, field: str) -> None:
        if self.workload is None or self.base is None:
            self.describe(after)
            return
        before = Described(workload=self.workload, base=self.base, reference=self.reference)
        if after != before:
            self.undo.push(WorkloadEdit(self.describe, before, after, field))

    def describe(self, described: Described) -> None:
        """Take over a description with what its edits began from; nothing of it can be taken back."""
        same = described.workload == self.workload and described.base == self.base
        self.workload, self.base, self.reference = described.workload, described.base, described.reference
        if not same:
            self.workload_changed.emit()

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

    def load_workload(self, reference: str, *, allow_hub: bool = False) -> None:
        """Read a workload by name or path, in a thread: a large configuration takes its time."""

        def read() -> Workload:
            from advisor.workload.workload_file import load_workload

            return load_workload(reference, allow_hub=allow_hub)

        def loaded(outcome: Outcome) -> None:
            from advisor.workload.workload import Workload

            if isinstance(outcome.result, Workload):
                self.set_workload(outcome.result, reference=reference)
            elif outcome.failed:
                self.problem_raised.emit(outcome)

        self.crew.start(call_as_job(read), loaded)

    def may_run(self, workload: Workload) -> bool:
        """Whether the workload's Python file was consented to, in its present content. Raises InputError."""
        from advisor.workload.python_source import code_to_run, needs_consent

        code = code_to_run(workload)
        return code is not None and needs_consent(workload) and (str(code[0].resolve()), code[1]) in self.consents

    def lacks_consent(self, workload: Workload) -> bool:
        """Whether running the workload would run a file that nobody consented to. Raises InputError."""
        from advisor.workload.python_source import needs_consent

        return needs_consent(workload) and not self.may_run(workload)

    def prices_in(self, currency: str) -> dict[str, float]:
        """Typed prices by device key; empty where they were typed in another currency: no rate is made up."""
        return dict(self.prices.devices) if self.prices is not None and self.prices.currency == currency else {}

    def set_prices(self, devices: Mapping[str, float], currency: str) -> None:
        """Take and keep the prices that were typed, by device key; the next advice weighs them."""
        if devices == self.prices_in(currency):
            return
        from advisor.gui.models.typed_prices import typed_today

        self.prices = typed_today(devices, currency) if devices else None
        self.settings.store("typed_prices", self.prices.as_text() if self.prices is not None else None)
        self.prices_changed.emit()

    def set_advice(self, advice: AdviceRecord) -> None:
        """Show an advice that was computed or opened."""
        self.advice = advice
        self.advice_changed.emit()

    def reopen(self, advice: AdviceRecord) -> None:
        """Show a saved advice: its workload is the described one again, and its step times are the last measured."""
        if self.workload != advice.workload:
            self.set_workload(advice.workload)
        if not self.busy:
            from advisor.gui.job_state import JobState

            self.job = JobState.of_measurements(advice.measurements) if advice.measurements else None
            self.job_outcome = None
        self.set_advice(advice)
        self.job_progressed.emit()

    def show_recorded(self, advice: AdviceRecord) -> None:
        """Show a saved advice with what was measured for it: readings and step times fill the plots again."""
        from advisor.gui.job_state import JobState

        self.set_workload(advice.workload)
        readings = sorted(
            (reading for measurement in advice.measurements for reading in measurement.readings),
            key=lambda reading: reading.monotonic_s,
        )
        self.feed.prepare().add(readings)
        self.job = JobState.of_measurements(advice.measurements)
        for phase, start_s in self.job.phases:
            self.feed.prepare().begin_phase(phase, start_s)
        if readings:
            self.feed.prepare().end_phase(readings[-1].monotonic_s)
        self.set_advice(advice)

    @property
    def busy(self) -> bool:
        """Whether a job runs."""
        return self._thread is not None

    def start_job(self, job: Job, *, measure: bool, kind: JobKind = "advise") -> None:
        """Run a job; its events are taken four times a second."""
        if self._thread is not None:
            return
        from advisor.gui.job_state import JobState
        from advisor.gui.jobs.forecast import Forecast

        began_s = time.monotonic()
        forecast = Forecast(pace=self.pace(measure=measure), started_s=began_s) if kind == "advise" else None
        self.job = JobState(measure=measure, started_s=began_s, kind=kind, forecast=forecast)
        self.job_outcome, self._asked = None, self.workload
        self.advice_seen = False
        self._thread = self.crew.start(job, self._job_done)
        self._drain.start()
        self.job_started.emit()

    def _pace_key(self, *, measure: bool) -> str:
        from advisor.gui.jobs.forecast import pace_key

        name = self.workload.name if self.workload is not None else ""
        return pace_key(name, self.settings.budget_s, measure=measure)

    def pace(self, *, measure: bool) -> Pace:
        """What the main job will take, by what is known before it starts."""
        from advisor.gui.jobs.forecast import known_pace

        return known_pace(self.settings, self._pace_key(measure=measure), self.settings.budget_s, measure=measure)

    def see_advice(self) -> None:
        """The advice was looked at: nothing has to call for it any more."""
        if not self.advice_seen:
            self.advice_seen = True
            self.job_progressed.emit()

    def cancel_job(self) -> None:
        """Ask the job to end; it answers within two seconds."""
        if self._thread is not None:
            self._thread.cancel()
            self.job_progressed.emit()

    @property
    def cancelling(self) -> bool:
        """Whether the running job was asked to end."""
        return self._thread is not None and self._thread.cancelled.is_set()

    def _drain_job(self) -> None:
        if self._thread is None or self.job is None:
            return
        from advisor.measure.events import DeviceEnded

        events = self._thread.drain()
        readings = [event for event in events if isinstance(event, Reading)]
        others = [event for event in events if not isinstance(event, Reading)]
        before = len(self.job.phases)
        self.job.apply(others)
        if self.job.forecast is not None and self.job.phase:
            self.job.forecast.note(self.job.phase, time.monotonic())
        if readings:
            self.feed.job_feeds(feeding=True)
            self.feed.take(readings)
        for phase, start_s in self.job.phases[before:]:
            self.feed.prepare().begin_phase(phase, start_s)
        ends = [event.ended_monotonic_s for event in others if isinstance(event, DeviceEnded)]
        if ends:
            self.feed.prepare().end_phase(ends[-1])
        self.job.tell(time.monotonic())
        self.job_progressed.emit()

    def _job_done(self, outcome: Outcome) -> None:
        from advisor.store.advice_record import AdviceRecord
        from advisor.store.history import Truth

        self._drain_job()
        self._drain.stop()
        self._thread = None
        self.feed.prepare().end_phase(time.monotonic())
        self.feed.job_feeds(feeding=False)
        self.job_outcome = outcome
        if isinstance(outcome.result, AdviceRecord):
            self._learn_pace(outcome)
            self.set_advice(outcome.result)
        if isinstance(outcome.result, AdviceRecord | Truth):
            self.keep(outcome.result)
        self.job_ended.emit()

    def _learn_pace(self, outcome: Outcome) -> None:
        """Remember what the job took, where it came to its end undisturbed."""
        from advisor.gui.jobs.forecast import keep_pace

        job = self.job
        if job is None or job.forecast is None or outcome.kind != "finished" or job.troubles:
            return
        keep_pace(self.settings, self._pace_key(measure=job.measure), job.forecast.seen(time.monotonic()))

    @property
    def job_end(self) -> JobEnd | None:
        """How the last job ended; None while one runs, and before any."""
        if self.busy or self.job_outcome is None:
            return None
        if self.job_outcome.failed or (self.job is not None and self.job.troubles):
            return "failed"
        if self.job_outcome.kind == "cancelled":
            return "cancelled"
        return "verified" if self.job is not None and self.job.kind == "verify" else "ready"

    def keep(self, record: AdviceRecord | Truth) -> None:
        """Keep a run or a verified prediction in the history, in a thread."""
        from advisor.gui.history_access import keep

        def kept(outcome: Outcome) -> None:
            self.unkept = str(outcome.result or "")
            self.history_changed.emit()
            if outcome.failed:
                self.problem_raised.emit(outcome)

        folder = self.settings.history_folder
        self.crew.start(call_as_job(lambda: keep(folder, record), always=True), kept)

    def close(self) -> bool:
        """End everything within two seconds; False where a thread still hangs.

        What a running job has measured is kept: in its advice, or where a busy machine leaves no time for one, alone.
        """
        self._drain.stop()
        thread = self._measuring_thread()
        # Asked first, so that the job ends while the sampler does.
        self.crew.give_up() if thread is None else thread.cancel()
        self.feed.stop()
        # The stack tells of its own end: a listener called in the middle of a collection touches what is gone.
        self.undo.blockSignals(True)  # noqa: FBT003 - Qt's own
        if thread is None:
            return self.crew.close()
        self._thread = None
        ended = self.crew.end(thread, _KEEP_S)
        self._take_measured(thread)
        self._keep_at_once(ended)
        return self.crew.close(_CLOSE_S - _KEEP_S)

    def _measuring_thread(self) -> JobThread | None:
        """That of a job which has timed something, also where nothing of it was fetched yet."""
        if self._thread is None or self.job is None:
            return None
        self._take_measured(self._thread)
        return self._thread if self.job.sample_count else None

    def _take_measured(self, thread: JobThread) -> None:
        if self.job is not None:
            self.job.apply(event for event in thread.drain() if not isinstance(event, Reading))

    def _keep_at_once(self, result: object) -> None:
        """The job's answer, or where it did not come in time, what was measured for it."""
        from advisor.core.errors import UserFacingError
        from advisor.gui.history_access import keep
        from advisor.gui.jobs.closed_early import measured_alone
        from advisor.store.advice_record import AdviceRecord

        job = self.job if self.job is not None and self.job.kind == "advise" else None
        measured = [] if job is None else [measurement for measurement in job.measurements if measurement.steps]
        if not isinstance(result, AdviceRecord) and measured and self._asked is not None and self.machine is not None:
            result = measured_alone(self._asked, self.machine, measured)
        if isinstance(result, AdviceRecord):
            with contextlib.suppress(UserFacingError):  # Nobody is there to be told.
                keep(self.settings.history_folder, result)


def _detect_ask() -> Ask:
    from advisor.gui.jobs.asks import DetectAsk

    return DetectAsk()
