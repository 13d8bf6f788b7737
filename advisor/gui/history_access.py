"""The history as the window uses it: each call opens the file, does one thing, and closes it, in a thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.store.history import History, Run, TrackRecord, Truth, data_folder

if TYPE_CHECKING:
    from pathlib import Path

    from advisor.core.sentences import Reason
    from advisor.store.advice_record import AdviceRecord


@dataclass(frozen=True, kw_only=True)
class HistoryListing:
    """Everything that the History page lists."""

    runs: tuple[Run, ...]
    ledger: tuple[Truth, ...]
    record: TrackRecord | None
    problems: tuple[Reason, ...]


def folder_of(chosen: Path | None) -> Path:
    """The chosen data folder, or the usual one."""
    return data_folder(str(chosen) if chosen is not None else None)


def read_history(folder: Path) -> HistoryListing:
    """List runs and verified predictions."""
    with History(folder) as history:
        return HistoryListing(
            runs=tuple(history.runs()),
            ledger=tuple(history.ledger()),
            record=history.record(),
            problems=history.problems,
        )


def keep(folder: Path, entry: AdviceRecord | Truth) -> None:
    """Keep a run or a verified prediction. Raises OutputError."""
    with History(folder) as history:
        if isinstance(entry, Truth):
            history.append_truth(entry)
        else:
            history.save(entry)


def load(folder: Path, entry_index: int) -> AdviceRecord | None:
    """The advice of a run; None where it is damaged or gone."""
    with History(folder) as history:
        return history.load(entry_index)


def delete(folder: Path, entries: tuple[int, ...]) -> None:
    """Delete runs. Raises OutputError."""
    with History(folder) as history:
        for entry_index in entries:
            history.delete(entry_index)


def prune(folder: Path, before_utc: str) -> None:
    """Delete the runs of before a moment. Raises OutputError."""
    with History(folder) as history:
        history.prune(before_utc)


def export(folder: Path, entry_index: int, path: Path) -> None:
    """Write a run as JSON. Raises OutputError."""
    with History(folder) as history:
        history.export(entry_index, path)
