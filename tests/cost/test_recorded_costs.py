"""With figures that nobody fits, the cost model says of small steps what it said when they were recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.cost.recorded_costs import FILE, recorded


def numbers(value: object, name: str) -> Iterator[tuple[str, float]]:
    """Every number with its place."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers(inner, f"{name} {key}")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from numbers(inner, f"{name} {place}")
    else:
        assert isinstance(value, float | int)
        yield name, float(value)


def test_a_formula_changes_only_on_purpose() -> None:
    before = dict(numbers(json.loads(FILE.read_text(encoding="utf-8")), ""))
    today = dict(numbers(recorded(), ""))
    assert set(today) == set(before)
    moved = {
        name: (before[name], value)
        for name, value in today.items()
        if value != pytest.approx(before[name], rel=1e-8, abs=1e-15, nan_ok=True)
    }
    assert moved == {}, "where this was meant: python -m tests.cost.recorded_costs"


def test_every_recorded_figure_of_a_card_that_can_compute_it_is_a_number() -> None:
    found = dict(numbers(json.loads(FILE.read_text(encoding="utf-8")), ""))
    unknown = {name for name, value in found.items() if value != value}  # noqa: PLR0124 - only NaN is unlike itself
    assert all("gtx1080ti" in name or "v100" in name for name in unknown)
    assert len(unknown) < len(found) / 10
