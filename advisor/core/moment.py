"""The moment that a record is made at, as every record writes it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

MOST_DAYS_AGO = 36_500
"""A century: the age in days beyond which nobody means anything."""


def utc_text(*, days_ago: float = 0.0) -> str:
    """Now, or so many days before, to the second: `2026-11-22T16:45:17Z`; such texts sort as the moments do."""
    return (datetime.now(UTC) - timedelta(days=days_ago)).strftime("%Y-%m-%dT%H:%M:%SZ")
