"""A GPU's published figures, each row with source and date; a missing figure is None, never another card's."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from advisor.core.records import Record

# Bounds are those of any device that trains: figures in another unit (TFLOP/s, GB, KB, MHz, mW) lie outside.
Clock = Annotated[float, Meta(ge=1e7, le=1e11)]
Rate = Annotated[float, Meta(ge=1e9, le=1e19)]
Bandwidth = Annotated[float, Meta(ge=1e8, le=1e16)]
Memory = Annotated[float, Meta(ge=1e7, le=1e15)]
Cache = Annotated[float, Meta(ge=2e5, le=1e12)]
Power = Annotated[float, Meta(ge=1, le=2e4)]
KEY = r"^[a-z0-9][a-z0-9._-]{0,63}$"
CAPABILITY = r"^\d{1,2}\.\d$"
TARGET = r"^gfx[0-9a-f]{3,4}$"
_AMPERE = (8, 0)
"""Compute capability of the first tensor cores with BF16 and TF32."""
_FP8_SINCE = (8, 9)
"""Compute capability of the first tensor cores with FP8."""


class GpuSpec(Record, frozen=True, kw_only=True):
    """One row of the spec table, in base SI units; dense rates, tensor rates with FP32 accumulation."""

    key: Annotated[str, Meta(pattern=KEY, examples=["my-card-24"])]
    """What `--gpus` and price files call this card; no two cards share one."""
    name: Annotated[str, Meta(min_length=1, max_length=128)]
    """The card's name as people are shown it."""
    nvml_names: tuple[str, ...] = ()
    """Exact names under which NVML reports this card; matched together with the memory size."""
    compute_capability: Annotated[str, Meta(pattern=CAPABILITY, examples=["8.6", "12.0"])] | None = None
    """NVIDIA's generation of the card, `8.9`; None: another maker's, or not known: then no time is predicted."""
    amdgpu_target: Annotated[str, Meta(pattern=TARGET, examples=["gfx942", "gfx1100"])] | None = None
    """AMD's generation of the card, as its compiler calls it: `gfx942`; None: another maker's, or not known."""
    sm_count: Annotated[int, Meta(gt=0, le=1_000_000)] | None = None
    """Streaming multiprocessors; of AMD's cards compute units. None: not known: no time is predicted."""
    boost_clock_hz: Clock | None = None
    """Highest sustained clock of the data sheet; None: not known: no time is predicted."""
    fp32_flop_per_s: Rate | None = None
    """Peak of strict FP32 on the ordinary cores; None: not known, which a user's file may not leave so."""
    tf32_flop_per_s: Rate | None = None
    """None: the card has no TF32; in a user's file half of FP16 from compute capability 8.0 on."""
    fp16_flop_per_s: Rate | None = None
    """Peak of dense FP16 products, of NVIDIA's cards on tensor cores; None: it has none, or not known."""
    bf16_flop_per_s: Rate | None = None
    """None: the card has no native BF16; in a user's file as FP16 from compute capability 8.0 on."""
    memory_bytes: Memory | None = None
    """Nominal size; drivers show up to 8 % less. None: not known, which a user's file may not leave so."""
    memory_bandwidth_bytes_per_s: Bandwidth | None = None
    """Peak of the data sheet; None: not known, which a user's file may not leave so."""
    l2_bytes: Cache | None = None
    """Last-level cache; None: not known."""
    power_w: Power | None = None
    """Board power of the data sheet; None: not known."""
    nvlink_bytes_per_s: Bandwidth | None = None
    """One way, summed over links; None: no NVLink."""
    nvlink_pairs_only: bool = False
    """NVLink only by a bridge between two cards."""
    nvswitch: bool = False
    """Servers join all GPUs of this card by NVSwitch."""
    mesh_bytes_per_s: Bandwidth | None = None
    """One way between each two of a board's cards, which are all joined directly (AMD's Infinity Fabric): two cards
    have one such link, eight have seven each; None: they are not, or it is not known."""
    pcie_generation: Annotated[int, Meta(ge=1, le=8)] | None = None
    """Newest PCIe generation that the card speaks; None: not known."""
    pcie_lane_count: Annotated[int, Meta(ge=1, le=32)] | None = None
    """PCIe lanes of the card's plug; None: not known."""
    same_chip_as: Annotated[str, Meta(pattern=KEY, examples=["my-card-24"])] | None = None
    """Key of the card that this one is, with other links or memory: its runs tell of this one; None: no other."""
    unified_memory: bool = False
    """Its memory is the host's RAM: such a machine has one GPU, and nothing to off-load to."""
    memory_replaced: bool = False
    """By a workshop: the driver gives it the name of `same_chip_as`, and its memory alone tells them apart."""
    peer_to_peer: bool | None = None
    """Two cards reach each other over PCIe with the stock driver; None: not known."""
    released: str | None = None
    """ISO 8601 date, or the year alone where no more is known; None: not known."""
    source: Annotated[str, Meta(min_length=1)]
    """Where the figures were read: an address or a document, and what was computed from them."""
    checked: str
    """Date of the check, ISO 8601."""
    note: str = ""
    """What else a reader of the figures should know; empty: nothing."""

    @property
    def is_linked(self) -> bool:
        """Whether there is a link of its maker's between cards, beside PCIe."""
        return self.nvlink_bytes_per_s is not None or self.mesh_bytes_per_s is not None

    @property
    def published_as(self) -> str:
        """Key of the card whose published runs on one card alone are this one's too."""
        return self.same_chip_as or self.key

    @property
    def lacks_tensor_rates(self) -> bool:
        """Whether it has tensor cores for FP16, BF16 and TF32, as all since Ampere, but nobody told their rate."""
        return _capability(self) >= _AMPERE and self.fp16_flop_per_s is None

    @property
    def fp8_flop_per_s(self) -> float | None:
        """Dense FP8 products: twice the FP16 rate from compute capability 8.9 on; None: the card has none.

        Source: NVIDIA's Ada, Hopper and Blackwell architecture papers, which give this ratio for each card.
        """
        if _capability(self) < _FP8_SINCE or self.fp16_flop_per_s is None:
            return None
        return 2.0 * self.fp16_flop_per_s


def with_usual_ratios(spec: GpuSpec) -> GpuSpec:
    """BF16 as fast as FP16 and TF32 half as fast, where nobody told them of a card that has both.

    Source: NVIDIA's architecture papers since Ampere (compute capability 8.0), which give these ratios for each card.
    """
    if _capability(spec) < _AMPERE or spec.fp16_flop_per_s is None:
        return spec
    bf16, tf32 = spec.bf16_flop_per_s, spec.tf32_flop_per_s
    return replace(
        spec,
        bf16_flop_per_s=spec.fp16_flop_per_s if bf16 is None else bf16,
        tf32_flop_per_s=spec.fp16_flop_per_s / 2.0 if tf32 is None else tf32,
    )


def _capability(spec: GpuSpec) -> tuple[int, ...]:
    return tuple(int(part) for part in (spec.compute_capability or "0.0").split("."))


def is_consumer(spec: GpuSpec) -> bool:
    """Whether the card is sold for desktops (GeForce, TITAN, or a bare `RTX 4090`): boards of many makers."""
    return re.search(r"geforce|titan|^(?:nvidia )?rtx ?\d{4}\b(?! ada)", spec.name, re.IGNORECASE) is not None


def is_lone(spec: GpuSpec) -> bool:
    """Whether a machine with this GPU has no second one: a laptop, or a chip with the processor's memory."""
    return spec.unified_memory or is_laptop(spec.name)


def is_laptop(name: str) -> bool:
    """Whether a card of this name is soldered into a laptop, which has one; a bare `Max-Q` may be a desktop's card."""
    return re.search(r"laptop|mobile|with max-q design", name, re.IGNORECASE) is not None
