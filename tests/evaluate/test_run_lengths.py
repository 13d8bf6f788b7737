"""What a table says of its samples' lengths: the longest, and whether the others are as long."""

from __future__ import annotations

import pytest

from advisor.evaluate.run_numbers import length_meant


@pytest.mark.parametrize(
    ("cell", "longest", "differ"),
    [
        ("<=2048 (truncated, varies)", "2048", True),
        ("≤ 512", "512", True),
        ("up to 512", "512", True),
        ("4096 (not packed)", "4096", True),
        ("512 (padded, variable)", "512", True),
        ("4096 (packed)", "4096", False),
        ("2048 (dummy samples)", "2048", False),
        ("4096", "4096", None),
        ("224 (center crop)", "224", None),
        ("varies (420 tokens a sample)", "varies", True),
        ("", "", None),
    ],
)
def test_a_cell_says_the_longest_and_whether_lengths_differ(cell: str, longest: str, differ: bool | None) -> None:
    assert length_meant(cell) == (longest, differ)
