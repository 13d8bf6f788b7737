"""The state of the window: machine, described workload, job and advice; pages are views of it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from advisor.gui.described_workload import DescribedWorkload
from advisor.gui.jobs.apart import apart
from advisor.gui.jobs.job_runner import JobRunner
from advisor.gui.jobs.told_log import ToldLog
from advisor.gui.monitor_feed import MonitorFeed
from advisor.gui.settings import Settings
from advisor.gui.threads import Crew, Outcome, call_as_job
from advisor.hardware.machine import Machine
from advisor.recommend.fixed import FREE

if TYPE_CHECKING:
    from advisor.cases.case_file import CaseAnswer
    from advisor.gui.jobs.asks import Ask
    from advisor.gui.models.typed_prices import TypedPrices
    from advisor.store.advice_record import AdviceRecord
    from advisor.store.history import Truth

_CLOSE_S, _KEEP_S = 1.9, 1.4
"""What closing may take where a job has measured, and how much of it the job has to answer by what it measured."""


class Session(QObject):
    """One window's state; every change is announced by a signal, every slow thing runs in a thread."""

    machine_changed = Signal()
    advice_changed = Signal()
    prices_changed = Signal()
    price_file_changed = Signal()
    own_cards_changed = Signal()
    """The user's own file of cards was filled from another one."""
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
        self.described = DescribedWorkload(self.crew, self)
        self.described.problem_raised.connect(self.problem_raised)
        self.fixed = FREE
        """Which settings of what is described the next advice keeps: of another model none, until they are chosen."""
        self._fixed_of = self.described.reference
        self.described.changed.connect(self._free_another)
        self.prices: TypedPrices | None = settings.typed_prices
        """As typed into Compare's table, in this session or an earlier one."""
        self.advice: AdviceRecord | None = None
        self.runner = JobRunner(self.described, settings, self.feed, self.crew)
        self.runner.answered.connect(self._take_answer)
        self.log = ToldLog(self.crew, self)
        self.unkept = ""
        """Why the last run is kept only until the window is closed; empty: it is in the history."""
        self.case_answers: dict[str, CaseAnswer] = {}
        """By case; computed when the Cases page is first shown."""

    def _free_another(self) -> None:
        if self.described.reference != self._fixed_of:
            self._fixed_of, self.fixed = self.described.reference, FREE

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
        if self.described.workload != advice.workload:
            self.described.choose(advice.workload)
        if not self.runner.busy:
            from advisor.gui.jobs.job_state import JobState

            self.runner.show(JobState.of_measurements(advice.measurements) if advice.measurements else None)
        self.set_advice(advice)
        self.runner.progressed.emit()

    def show_recorded(self, advice: AdviceRecord) -> None:
        """Show a saved advice with what was measured for it: readings and step times fill the plots again."""
        from advisor.gui.jobs.job_state import JobState

        self.described.choose(advice.workload)
        readings = sorted(
            (reading for measurement in advice.measurements for reading in measurement.readings),
            key=lambda reading: reading.monotonic_s,
        )
        self.feed.prepare().add(readings)
        job = JobState.of_measurements(advice.measurements)
        self.runner.show(job)
        for phase, start_s in job.phases:
            self.feed.prepare().begin_phase(phase, start_s)
        if readings:
            self.feed.prepare().end_phase(readings[-1].monotonic_s)
        self.set_advice(advice)

    def _take_answer(self, result: object) -> None:
        from advisor.store.advice_record import AdviceRecord
        from advisor.store.history import Truth

        outcome = self.runner.outcome
        if isinstance(result, AdviceRecord) and outcome is not None and outcome.kind == "cancelled":
            from advisor.measure.measurement import has_timed_steps

            if not has_timed_steps(result.measurements):
                return  # Nobody asked for what could be predicted all the same.
        if isinstance(result, AdviceRecord):
            self.set_advice(result)
        if isinstance(result, AdviceRecord | Truth):
            self.keep(result)

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
        # Asked first, so that the job ends while the sampler does.
        measured = self.runner.close()
        if not measured:
            self.crew.give_up()
        self.feed.stop()
        self.described.close()
        if not measured:
            return self.crew.close()
        self._keep_at_once(self.runner.last_words(_KEEP_S, self.machine))
        return self.crew.close(_CLOSE_S - _KEEP_S)

    def _keep_at_once(self, advice: AdviceRecord | None) -> None:
        from advisor.core.errors import UserFacingError
        from advisor.gui.history_access import keep

        if advice is not None:
            with contextlib.suppress(UserFacingError):  # Nobody is there to be told.
                keep(self.settings.history_folder, advice)


def _detect_ask() -> Ask:
    from advisor.gui.jobs.asks import DetectAsk

    return DetectAsk()
