"""Links of a card, one row each: what a PCI Express lane carries, by generation."""

from __future__ import annotations

import math

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
"""Of every data-centre and desktop card since 2012; where neither row nor driver tells more."""
PINNED_COPY_SHARE = 0.8
"""Of a slot's rate that a copy between a card and page-locked memory reaches."""
PAIR = 2
"""Cards that one bridge joins."""
CARDS_PER_HOST = 16
"""Cards of one host that hang on one switch or root complex; beyond it a job has to leave the host."""


def hosts_of(count: int, node_count: int = 1, *, local: bool = False) -> int:
    """Machines that so many cards stand in: as many as are told but one a card at most, more where these hold not all.

    Whatever counts machines (what leaves one, the memory and the cores that one has) asks here, so that one advice
    never means two numbers of them. `local`: cards of this machine, which is one.
    """
    return 1 if local else max(min(node_count, count), math.ceil(count / CARDS_PER_HOST))


def pcie_bytes_per_s(generation: int | None = None, lane_count: int | None = None) -> float:
    """One-way rate of a slot after line coding; an unstated generation or width counts as PCIe 3.0 x16."""
    transfers_per_s, coded = _PCIE_LANES[generation or _USUAL_GENERATION]
    return transfers_per_s * coded / 8 * (lane_count or _USUAL_LANES)


def slot_bytes_per_s(spec: GpuSpec) -> float:
    """One-way rate of a card's slot."""
    return pcie_bytes_per_s(spec.pcie_generation, spec.pcie_lane_count)
