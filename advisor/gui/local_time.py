"""Moments as a clock on the wall here shows them: files keep UTC."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from advisor.core.sentences import visible


def local_moment(created_utc: str, zone: tzinfo | None = None) -> str:
    """`2026-11-21 10:30` of `2026-11-21T09:30:00Z` in the zone of this machine, or in another one."""
    try:
        moment = datetime.fromisoformat(created_utc)
    except ValueError:
        return visible(created_utc[:16].replace("T", " "))
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M")
