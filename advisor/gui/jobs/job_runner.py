"""The window's one job at a time: what runs, how far it is, and how it ended."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QTimer, Signal

from advisor.gui.described_workload import DescribedWorkload
from advisor.gui.monitor_feed import MonitorFeed
from advisor.gui.settings import Settings
from advisor.gui.threads import Crew, Job, JobThread, Outcome
from advisor.hardware.machine import Machine, Reading

if TYPE_CHECKING:
    from advisor.gui.jobs.forecast import Pace
    from advisor.gui.jobs.job_state import JobKind, JobState
    from advisor.store.advice_record import AdviceRecord
    from advisor.workload.workload import Workload

JobEnd = Literal["failed", "cancelled", "ready", "verified"]
_DRAIN_MS = 250


class JobRunner(QObject):
    """Runs a job in a thread of the crew and takes its events four times a second."""

    started = Signal()
    progressed = Signal()
    answered = Signal(object)
    """The job's result, before `ended`."""
    ended = Signal()

    def __init__(self, described: DescribedWorkload, settings: Settings, feed: MonitorFeed, crew: Crew) -> None:
        """Nothing runs yet; a job is about what is described when it starts, and its readings go to the feed."""
        super().__init__(crew)
        self._described, self._settings, self._feed, self._crew = described, settings, feed, crew
        self.job: JobState | None = None
        self.outcome: Outcome | None = None
        self.advice_seen = True
        """Whether the newest advice of a job was on the screen."""
        self._asked: Workload | None = None
        """What the job is about, whatever was edited since it began."""
        self._thread: JobThread | None = None
        self._drain = QTimer(self, interval=_DRAIN_MS)
        self._drain.timeout.connect(self._take_events)

    def show(self, job: JobState | None) -> None:
        """Show a job of earlier, or none."""
        self.job, self.outcome = job, None

    @property
    def busy(self) -> bool:
        """Whether a job runs."""
        return self._thread is not None

    def start(self, job: Job, *, measure: bool, kind: JobKind = "advise") -> None:
        """Run a job, unless one runs."""
        if self._thread is not None:
            return
        from advisor.gui.jobs.forecast import Forecast
        from advisor.gui.jobs.job_state import JobState

        began_s = time.monotonic()
        forecast = Forecast(pace=self.pace(measure=measure), started_s=began_s) if kind == "advise" else None
        self.show(JobState(measure=measure, started_s=began_s, kind=kind, forecast=forecast))
        self._asked = self._described.workload
        self.advice_seen = False
        self._thread = self._crew.start(job, self._done)
        self._drain.start()
        self.started.emit()

    def _pace_key(self, *, measure: bool) -> str:
        from advisor.gui.jobs.forecast import pace_key

        workload = self._described.workload
        return pace_key(workload.name if workload is not None else "", self._settings.budget_s, measure=measure)

    def pace(self, *, measure: bool) -> Pace:
        """What the main job will take, by what is known before it starts."""
        from advisor.gui.jobs.forecast import known_pace

        return known_pace(self._settings, self._pace_key(measure=measure), self._settings.budget_s, measure=measure)

    def see_advice(self) -> None:
        """The advice was looked at: nothing has to call for it any more."""
        if not self.advice_seen:
            self.advice_seen = True
            self.progressed.emit()

    def cancel(self) -> None:
        """Ask the job to end; it answers within two seconds."""
        if self._thread is not None:
            self._thread.cancel()
            self.progressed.emit()

    @property
    def cancelling(self) -> bool:
        """Whether the running job was asked to end."""
        return self._thread is not None and self._thread.cancelled.is_set()

    def _take_events(self) -> None:
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
            self._feed.job_feeds(feeding=True)
            self._feed.take(readings)
        for phase, start_s in self.job.phases[before:]:
            self._feed.prepare().begin_phase(phase, start_s)
        ends = [event.ended_monotonic_s for event in others if isinstance(event, DeviceEnded)]
        if ends:
            self._feed.prepare().end_phase(ends[-1])
            # What comes next times nothing and sends no readings: the plots would stand still at "now".
            self._feed.job_feeds(feeding=False)
        self.job.tell(time.monotonic())
        self.progressed.emit()

    def _done(self, outcome: Outcome) -> None:
        from advisor.store.advice_record import AdviceRecord

        self._take_events()
        self._drain.stop()
        self._thread = None
        self._feed.prepare().end_phase(time.monotonic())
        self._feed.job_feeds(feeding=False)
        self.outcome = outcome
        if isinstance(outcome.result, AdviceRecord):
            self._learn_pace(outcome)
        self.answered.emit(outcome.result)
        self.ended.emit()

    def _learn_pace(self, outcome: Outcome) -> None:
        """Remember what the job took, where it came to its end undisturbed."""
        from advisor.gui.jobs.forecast import keep_pace

        job = self.job
        if job is None or job.forecast is None or outcome.kind != "finished" or job.troubles:
            return
        keep_pace(self._settings, self._pace_key(measure=job.measure), job.forecast.seen(time.monotonic()))

    @property
    def end(self) -> JobEnd | None:
        """How the last job ended; None while one runs, and before any."""
        if self.busy or self.outcome is None:
            return None
        if self.outcome.failed or (self.job is not None and self.job.troubles):
            return "failed"
        if self.outcome.kind == "cancelled":
            return "cancelled"
        return "verified" if self.job is not None and self.job.kind == "verify" else "ready"

    def close(self) -> bool:
        """Ask a job that has timed something for what it measured, which `last_words` brings; False: there is none."""
        self._drain.stop()
        if self._thread is None or self.job is None:
            return False
        self._take_measured(self._thread)  # also what nobody has fetched yet
        if not self.job.sample_count:
            return False
        self._thread.cancel()
        return True

    def last_words(self, timeout_s: float, machine: Machine | None) -> AdviceRecord | None:
        """The job's advice, or where it does not come within `timeout_s` seconds, one of what was measured for it."""
        from advisor.gui.jobs.closed_early import measured_alone
        from advisor.store.advice_record import AdviceRecord

        thread, job, self._thread = self._thread, self.job, None
        if thread is None or job is None:
            return None
        result = self._crew.end(thread, timeout_s)
        self._take_measured(thread)
        if isinstance(result, AdviceRecord):
            return result
        measured = [] if job.kind != "advise" else [one for one in job.measurements if one.steps]
        if not measured or self._asked is None or machine is None:
            return None
        return measured_alone(self._asked, machine, measured)

    def _take_measured(self, thread: JobThread) -> None:
        if self.job is not None:
            self.job.apply(event for event in thread.drain() if not isinstance(event, Reading))
