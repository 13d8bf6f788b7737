"""Links of a card, one row each: what a PCI Express lane carries, by generation."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from advisor.catalogue.gpu_spec import GpuSpec

_PCIE_LANES: dict[int, tuple[float, float]] = {
    1: (2.5e9, 8 / 10),
    2: (5e9, 8 / 10),
    3: (8e9, 128 / 130),
    4: (16e9, 128 / 130),
    5: (32e9, 128 / 130),
    6: (64e9, 242 / 256),
    7: (128e9, 242 / 256),
    8: (256e9, 242 / 256),
}
"""Transfers a second and what line coding (from 6.0 on: flits) leaves of them; PCI-SIG base specifications."""
_USUAL_GENERATION, _USUAL_LANES = 3, 16
_WIDTHS = frozenset({1, 2, 4, 8, 16})
"""Of every data-centre and desktop card since 2012; where neither row nor driver tells more."""
PINNED_COPY_SHARE = 0.8
"""Of a slot's rate that a copy between a card and page-locked memory reaches."""
PAIR = 2
"""Cards that one bridge joins."""
CARDS_PER_HOST = 16
"""Cards of the largest hosts, that hang on one switch or root complex; beyond it a job has to leave the host. A table
of runs that names no hosts means one."""
USUAL_CARDS_PER_HOST = 8
"""Of a machine that nobody described: what one of NVIDIA's or AMD's boards joins since 2017 (HGX, OAM), and what most
servers with slots hold."""


class Machines(NamedTuple):
    """The machines of a job.

    Whatever counts machines (what leaves one, the memory and the cores that one has) asks `of`, so that one advice
    never means two numbers of them.
    """

    told: int | None = None
    """How many there are; None: as many usual ones as the cards take."""
    cards_each: int = USUAL_CARDS_PER_HOST

    @classmethod
    def holding(cls, counts: Sequence[int], machines: int | None) -> Machines:
        """So many machines, which the most of several counts of cards fill: 16 over two are eight in each."""
        if machines is None:
            return cls()
        return cls(machines, min(CARDS_PER_HOST, math.ceil(max(counts, default=1) / machines)))

    def of(self, count: int, *, local: bool = False) -> int:
        """Machines that so many cards stand in: the fewest that hold them, evenly where as many as are told can.

        More than are told where these hold not all. Where none are told, what two usual ones cannot share evenly
        stands in a larger one. `local`: cards of this machine, which is one.
        """
        least = 1 if local else math.ceil(count / self.cards_each)
        if self.told is None and count <= CARDS_PER_HOST and count % least:
            return 1
        most = count if self.told is None else self.told
        return next((number for number in range(least, most + 1) if count % number == 0), least)

    def cards_in_each(self, count: int) -> int:
        """Cards of such a job in one machine, or all that it has where one is enough."""
        machines = self.of(count)
        return max(self.cards_each, count) if machines == 1 else math.ceil(count / machines)


USUAL_MACHINES = Machines()
"""Nothing is told of them."""


def pcie_bytes_per_s(generation: int | None = None, lane_count: int | None = None) -> float:
    """One-way rate of a slot after line coding; an unstated generation or width counts as PCIe 3.0 x16."""
    transfers_per_s, coded = _PCIE_LANES[generation or _USUAL_GENERATION]
    return transfers_per_s * coded / 8 * (lane_count or _USUAL_LANES)


def slot_bytes_per_s(spec: GpuSpec) -> float:
    """One-way rate of a card's slot."""
    return pcie_bytes_per_s(spec.pcie_generation, spec.pcie_lane_count)


_GENERATION = re.compile(
    r"pci[ -]?(?:e|express)?[ -]?(?:([1-8])\.[0-9]\b|([1-8])\b(?= ?x ?\d)|([1-8])\b(?<! .))|\bgen[ -]?([1-8])\b",
    re.IGNORECASE,
)
"""A number alone behind a blank counts something else: `PCIe 2 cards`."""
_LANES = re.compile(r"(?:\bx|×) ?(1|2|4|8|16)\b|\b(1|2|4|8|16) lanes?\b", re.IGNORECASE)


def in_slot(spec: GpuSpec, generation: int | None, lane_count: int | None) -> GpuSpec:
    """The card in such a slot, never quicker than its own plug; None, or what no slot has: as its data sheet says."""
    found = generation if generation in _PCIE_LANES else None
    width = lane_count if lane_count in _WIDTHS else None
    return replace(
        spec,
        pcie_generation=min((one for one in (found, spec.pcie_generation) if one is not None), default=None),
        pcie_lane_count=spec.pcie_lane_count if width is None else min(width, spec.pcie_lane_count or _USUAL_LANES),
    )


def in_told_slot(spec: GpuSpec, text: str) -> GpuSpec | None:
    """The card in a slot that words tell of (`PCIe 3.0 x4`); None: of none.

    `text` without words of a network, which has lanes of its own (`InfiniBand HDR x8`).
    """
    generation, lanes = _GENERATION.search(text), _LANES.search(text)
    if "pci" not in text.lower() or not (generation or lanes):
        return None
    told, width = (int(found[found.lastindex or 0]) if found else None for found in (generation, lanes))
    return in_slot(spec, told, width)
