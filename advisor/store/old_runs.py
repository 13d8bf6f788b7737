"""Runs over an age: the moment before which they were saved, and how many of which days that means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from advisor.core.moment import utc_text
from advisor.core.sentences import Reason
from advisor.store.history import Run


class OldRuns(NamedTuple):
    """What would be deleted."""

    before_utc: str
    """Runs of before this moment (ISO 8601, UTC) are meant: what `History.prune` takes."""
    run_count: int
    told: Reason
    """How many runs of which days, or that there are none."""


def older_than(days: int, runs: Iterable[Run]) -> OldRuns:
    """Those of `runs` that were saved more than `days` days before now."""
    before_utc = utc_text(days_ago=days)
    stamps = [run.created_utc for run in runs if run.created_utc < before_utc]
    told = Reason.of("history-prune-none", days=days)
    if stamps:
        told = Reason.of("history-prune-found", count=len(stamps), first=min(stamps)[:10], last=max(stamps)[:10])
    return OldRuns(before_utc, len(stamps), told)
