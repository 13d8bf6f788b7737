"""What a slot carries follows from the base specifications of PCI Express."""

from __future__ import annotations

import pytest

from advisor.catalogue.links import pcie_bytes_per_s, slot_bytes_per_s
from advisor.catalogue.spec_table import spec_table


@pytest.mark.parametrize(
    ("generation", "gigabytes_per_s"), [(1, 4.0), (2, 8.0), (3, 15.754), (4, 31.508), (5, 63.015), (6, 121.0)]
)
def test_sixteen_lanes_carry_what_the_specification_says(generation: int, gigabytes_per_s: float) -> None:
    assert pcie_bytes_per_s(generation, 16) / 1e9 == pytest.approx(gigabytes_per_s, rel=1e-4)


def test_an_unstated_slot_counts_as_the_usual_one() -> None:
    assert pcie_bytes_per_s() == pcie_bytes_per_s(3, 16)
    assert pcie_bytes_per_s(5) == 2 * pcie_bytes_per_s(5, 8)


def test_a_card_has_the_slot_of_its_row() -> None:
    assert slot_bytes_per_s(spec_table()["a100-sxm4-80"]) == pcie_bytes_per_s(4, 16)
