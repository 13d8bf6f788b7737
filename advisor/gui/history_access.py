"""The history as the window uses it: each call opens the file, does one thing, and closes it, in a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from advisor.core.sentences import Reason
from advisor.store.advice_record import AdviceRecord
from advisor.store.history import History, Run, TrackRecord, Truth

Found = TypeVar("Found")
IN_MEMORY = "history-in-memory"
"""What a history says whose folder cannot be written."""


@dataclass(frozen=True, kw_only=True)
class HistoryListing:
    """Everything that the History page lists."""

    runs: tuple[Run, ...]
    ledger: tuple[Truth, ...]
    record: TrackRecord | None
    problems: tuple[Reason, ...]


def in_history(folder: Path, act: Callable[[History], Found]) -> Found:
    """What `act` finds in the history of a folder. Raises OutputError where it writes and cannot."""
    with History(folder) as history:
        return act(history)


def read_history(history: History) -> HistoryListing:
    """List runs and verified predictions."""
    runs, ledger = tuple(history.runs()), tuple(history.ledger())
    return HistoryListing(runs=runs, ledger=ledger, record=history.record(), problems=history.problems)


def keep(folder: Path, entry: AdviceRecord | Truth) -> str:
    """Keep a run or a verified prediction; returns why it is not on the disk, nothing where it is.

    Raises OutputError.
    """
    with History(folder) as history:
        if isinstance(entry, Truth):
            history.append_truth(entry)
        else:
            history.save(entry)
        return unkept_reason(history.problems)


def unkept_reason(problems: Iterable[Reason]) -> str:
    """Why nothing can be written to a folder, in the system's words; nothing where it can."""
    reasons = [str(problem.numbers.get("detail", "")) for problem in problems if problem.code == IN_MEMORY]
    return reasons[0] if reasons else ""
