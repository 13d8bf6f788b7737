"""Surroundings of a child that may write nothing: it could not save what coverage counts of it either."""

from __future__ import annotations

import os


def uncounted() -> dict[str, str]:
    """The environment without coverage's word to the children of this process."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
