"""A card is predicted in the slot that was told or found, inputs' copies, off-loading and exchange alike."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from msgspec.structs import replace

from advisor.catalogue.links import in_slot, pcie_bytes_per_s, slot_bytes_per_s
from advisor.catalogue.precisions import TracePrecision
from advisor.catalogue.spec_table import spec_table
from advisor.optable.op_table import OpTable
from advisor.predict.candidate_grid import CandidateGrid
from advisor.predict.prediction import Device
from advisor.predict.sources import Sources
from tests.predict.asked import candidate, model, sources
from tests.recommend.fakes import gpu, machine

CARD = spec_table()["rtx3090"]
THERE = Device(key=CARD.key, name=CARD.name, spec_key=CARD.key, local=False)
HERE = Device(key="GPU-00000000", name=CARD.name, spec_key=CARD.key, local=True)


def asked(*slots: tuple[int | None, int | None], told: str | None = None) -> Sources:
    cards = [gpu(place, pcie_generation=one, pcie_width=width) for place, (one, width) in enumerate(slots)]
    return sources(specs={CARD.key: CARD}, machine=machine(*cards), interconnect=told)


def rate(device: Device, *slots: tuple[int | None, int | None], told: str | None = None) -> float:
    spec = asked(*slots, told=told).spec_of(device)
    assert spec is not None
    return slot_bytes_per_s(spec)


def test_a_card_here_is_in_the_slot_that_was_found_and_one_elsewhere_in_its_own() -> None:
    assert rate(HERE, (3, 4)) == pcie_bytes_per_s(3, 4)
    assert rate(THERE, (3, 4)) == pcie_bytes_per_s(4, 16)
    assert rate(HERE, (4, 16), (4, 1)) == pcie_bytes_per_s(4, 1)  # all wait for the slowest


@pytest.mark.parametrize("slot", [(None, None), (5, 16), (0, 0), (99, 4_294_967_295)])
def test_a_slot_that_is_unknown_quicker_than_the_plug_or_none_is_the_cards_own(slot: tuple[Any, Any]) -> None:
    assert rate(HERE, slot) == pcie_bytes_per_s(4, 16)


def test_what_is_told_of_slots_holds_for_all_cards() -> None:
    for device in (HERE, THERE):
        assert rate(device, (4, 16), told="PCIe 3.0 x4 + 100 Gb/s Ethernet") == pcie_bytes_per_s(3, 4)
        assert rate(device, (4, 16), told="NVLink") == pcie_bytes_per_s(4, 16)


def test_a_card_whose_row_has_no_slot_takes_the_one_it_is_in() -> None:
    bare = replace(CARD, pcie_generation=None, pcie_lane_count=None)
    assert slot_bytes_per_s(in_slot(bare, 2, 8)) == pcie_bytes_per_s(2, 8)
    assert slot_bytes_per_s(in_slot(bare, None, None)) == pcie_bytes_per_s()


def test_a_card_without_a_row_has_no_slot_to_tell_of() -> None:
    assert asked((3, 4)).spec_of(replace(HERE, spec_key=None)) is None
    assert asked((3, 4), told="PCIe 3.0 x4").spec_of(replace(HERE, spec_key=None)) is None


def test_inputs_come_over_the_narrow_slot() -> None:
    def copied(width: int) -> float:
        pictures: dict[TracePrecision, OpTable] = {"fp32": replace(model(), input_bytes=(0.0, 6e5))}
        grid = CandidateGrid(
            "fp32", [candidate(HERE, batch=64)], dataclasses.replace(asked((4, width)), tables=pictures)
        )
        assert grid.steps is not None
        return float(grid.steps.copy_s[0, 0])

    assert copied(1) == pytest.approx(16 * copied(16))
    assert copied(1) > 0
