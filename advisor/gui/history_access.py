"""The history as the window uses it: each call opens the file, does one thing, and closes it, in a thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from advisor.core.sentences import Reason
from advisor.store.advice_record import AdviceRecord
from advisor.store.history import History, Run, TrackRecord, Truth

Found = TypeVar("Found")


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


def keep(folder: Path, entry: AdviceRecord | Truth) -> None:
    """Keep a run or a verified prediction. Raises OutputError."""
    with History(folder) as history:
        if isinstance(entry, Truth):
            history.append_truth(entry)
        else:
            history.save(entry)
