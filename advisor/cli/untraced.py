"""A model that nothing could be said of: one cause, one remedy, and where the worker's whole log lies."""

from __future__ import annotations

from collections.abc import Callable

from advisor.core.errors import OutputError
from advisor.core.sentences import Language, Reason, SaidError
from advisor.present.workload_titles import workload_title
from advisor.protocol.messages import Failed
from advisor.store.advice_record import AdviceRecord

LOG_NAME = "last-trace.log"
_BY_NUMBERS = Reason.of("command-untraced-remedy")
_WITH_LESS = Reason.of("command-unfinished-remedy")
_UNFINISHED = frozenset({"trace-worker-hung", "trace-worker-too-large"})
"""Traces that were ended: that they took too much need not be a fault of the model's."""
_MEASURED_INSTEAD = "trace-unrated-type"
"""A trace that is refused for what can be measured: why that failed is another fault."""


class TraceWatch:
    """Passes the events of a run on and keeps the last failure of a worker, whose traceback the log file gets."""

    def __init__(self, show: Callable[[object], None]) -> None:
        """`show` sees every event."""
        self._show = show
        self._failed: Failed | None = None

    def show(self, event: object) -> None:
        """One event."""
        if isinstance(event, Failed):
            self._failed = event
        self._show(event)

    def refusal(self, advice: AdviceRecord, language: Language) -> SaidError:
        """The error that ends a run of which nothing came: the worker's own words where it left any."""
        untraced = Reason.of("command-untraced", workload=workload_title(advice.workload.name, language))
        said = [untraced, *self._causes(advice)]
        if (log := self._kept()) is not None:
            said.append(Reason.of("command-untraced-log", path=log))
        return SaidError(tuple(said[:-1]), said[-1])

    def _causes(self, advice: AdviceRecord) -> tuple[Reason, ...]:
        """Why nothing came and what helps, in that order."""
        reason = advice.model.not_traced_reason
        if reason is None:
            return (_BY_NUMBERS,)
        remedy = _WITH_LESS if reason.code in _UNFINISHED else _BY_NUMBERS
        # Nor could it be measured; of several devices the first one's cause. What raised there too is told once, with
        # the remedy of its trace: it is the model's fault, and none to report.
        ended = [
            caveat
            for measurement in advice.measurements
            for caveat in measurement.caveats
            if caveat.code.startswith("measure-worker-")
            and (caveat.code != "measure-worker-failed" or reason.code == _MEASURED_INSTEAD)
        ][:1]
        return (reason, *ended) if self._failed is not None else (reason, *ended, remedy)

    def _kept(self) -> str | None:
        """Where the traceback was written; None where there is none, or no place for it."""
        if self._failed is None or not self._failed.traceback:
            return None
        from advisor.core.file_writing import write_atomically
        from advisor.store.history import data_folder

        try:
            folder = data_folder()
            folder.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / LOG_NAME, self._failed.traceback.encode())
        except (OSError, OutputError):
            return None
        return str(folder / LOG_NAME)


def nothing_known(advice: AdviceRecord) -> bool:
    """Whether the model was not traced and no step of it was timed or predicted either."""
    return advice.model.not_traced_reason is not None and not advice.predictions and advice.recommendation_local is None
