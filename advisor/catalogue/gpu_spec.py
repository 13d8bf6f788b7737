"""A GPU's published figures, each row with source and date; a missing figure is None, never another card's."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Meta

from advisor.core.records import Record

# Bounds are those of any device that trains: figures in another unit (TFLOP/s, GB, KB, MHz, mW) lie outside.
Clock = Annotated[float, Meta(ge=1e7, le=1e11)]
Rate = Annotated[float, Meta(ge=1e9, le=1e19)]
Bandwidth = Annotated[float, Meta(ge=1e8, le=1e16)]
Memory = Annotated[float, Meta(ge=1e7, le=1e15)]
Cache = Annotated[float, Meta(ge=2e5, le=1e12)]
Power = Annotated[float, Meta(ge=1, le=2e4)]
CAPABILITY = r"^\d{1,2}\.\d$"
_FP8_SINCE = (8, 9)
"""Compute capability of the first tensor cores with FP8."""


class GpuSpec(Record, frozen=True, kw_only=True):
    """One row of the spec table, in base SI units; dense rates, tensor rates with FP32 accumulation."""

    key: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
    name: Annotated[str, Meta(min_length=1, max_length=128)]
    nvml_names: tuple[str, ...] = ()
    """Exact names under which NVML reports this card; matched together with the memory size."""
    compute_capability: Annotated[str, Meta(pattern=CAPABILITY)] | None = None
    sm_count: Annotated[int, Meta(gt=0, le=1_000_000)] | None = None
    boost_clock_hz: Clock | None = None
    fp32_flop_per_s: Rate | None = None
    tf32_flop_per_s: Rate | None = None
    """None: the card has no TF32."""
    fp16_flop_per_s: Rate | None = None
    bf16_flop_per_s: Rate | None = None
    """None: the card has no native BF16."""
    memory_bytes: Memory | None = None
    memory_bandwidth_bytes_per_s: Bandwidth | None = None
    l2_bytes: Cache | None = None
    power_w: Power | None = None
    nvlink_bytes_per_s: Bandwidth | None = None
    """One way, summed over links; None: no NVLink."""
    nvlink_pairs_only: bool = False
    """NVLink only by a bridge between two cards."""
    nvswitch: bool = False
    pcie_generation: Annotated[int, Meta(ge=1, le=8)] | None = None
    pcie_lane_count: Annotated[int, Meta(ge=1, le=32)] | None = None
    peer_to_peer: bool | None = None
    """Peer-to-peer over PCIe; GeForce 40 has none."""
    released: str | None = None
    source: Annotated[str, Meta(min_length=1)]
    checked: str
    """Date of the check, ISO 8601."""
    note: str = ""

    @property
    def fp8_flop_per_s(self) -> float | None:
        """Dense FP8 products: twice the FP16 rate from compute capability 8.9 on; None: the card has none.

        Source: NVIDIA's Ada, Hopper and Blackwell architecture papers, which give this ratio for each card.
        """
        capability = tuple(int(part) for part in (self.compute_capability or "0.0").split("."))
        if capability < _FP8_SINCE or self.fp16_flop_per_s is None:
            return None
        return 2.0 * self.fp16_flop_per_s


def is_consumer(spec: GpuSpec) -> bool:
    """Whether the card is sold for desktops (GeForce, TITAN, or a bare `RTX 4090`): boards of many makers."""
    return re.search(r"geforce|titan|^(?:nvidia )?rtx ?\d{4}\b(?! ada)", spec.name, re.IGNORECASE) is not None


def is_laptop(name: str) -> bool:
    """Whether a card of this name is soldered into a laptop, which has one; a bare `Max-Q` may be a desktop's card."""
    return re.search(r"laptop|mobile|with max-q design", name, re.IGNORECASE) is not None
