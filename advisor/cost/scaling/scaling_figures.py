"""The few numbers that say how links and data-parallel steps behave, read from `resources/scaling.toml`."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from msgspec import Meta

from advisor.core.bundled import read_figures, resource
from advisor.core.records import Record

Share = Annotated[float, Meta(gt=0, le=2)]
Duration = Annotated[float, Meta(ge=0, le=1)]
Rate = Annotated[float, Meta(gt=0)]


class Fitted(Record, frozen=True, kw_only=True):
    """Found by `tools/fit_scaling.py` on published efficiencies, each held near a measured anchor."""

    nvlink_fraction: Share
    """Bus rate of an all-reduce over the card's NVLink rate, one way (anchor: A100 SXM x 8, 200 of 300 GB/s)."""
    pcie_fraction: Share
    """Bus rate over the slot's rate with peer-to-peer (anchor: three A100 PCIe, 20 of 32 GB/s)."""
    bridged_ring_ratio: Share
    """More than two bridged cards: every second hop of the ring crosses PCIe. Bus rate over the slot's rate."""
    host_bytes_per_s: Rate
    """Bus rate of two cards through the host's memory, whatever the slot."""
    virtual_bytes_per_s: Rate
    """Bus rate inside a virtual machine that hides its links."""
    direct_overlap_loss_fraction: Share
    """Compute time lost for each second of communication that runs beside it, with peer-to-peer."""
    host_overlap_loss_fraction: Share
    """The same through the host."""
    gradient_pass_count: Annotated[float, Meta(ge=0, le=100)]
    """Times the gradients' bytes cross the card's memory for flattening, averaging and reducing."""
    host_contention_exponent: Annotated[float, Meta(ge=0, le=1)]
    """The bus rate through the host falls with (cards / 2) to this power: all cross the same memory and root ports."""
    socket_contention_exponent: Annotated[float, Meta(ge=0, le=2)]
    """Over PCIe with peer-to-peer the rate falls with (cards / those of a socket) to this power: the ring then crosses
    from one processor to the other, over links that it shares (anchor: RTX 5090, 35 GB/s with 4 and 28 with 8)."""
    straggler_fraction: Annotated[float, Meta(ge=0, le=0.2)]
    """Standard deviation of a card's step over its mean: all wait for the slowest of n (input pipelines, clocks)."""


class Assumed(Record, frozen=True, kw_only=True):
    """Taken from measurements and sources named in `resources/scaling.toml`; not fitted."""

    socket_card_count: Annotated[int, Meta(ge=1)]
    """Cards that reach each other below one processor's root complex."""
    mesh_link_counts: dict[str, float]
    mesh_link_bytes_per_s: Rate
    memory_fraction: Share
    bucket_s: Duration
    nvlink_hop_s: Duration
    pcie_hop_s: Duration
    host_hop_s: Duration
    infiniband_hop_s: Duration
    roce_hop_s: Duration
    ethernet_hop_s: Duration
    infiniband_fraction: Share
    roce_fraction: Share
    ethernet_fraction: Share
    unstated_node_bytes_per_s: Rate
    adapter_slot_fraction: Share
    """Rate of an adapter over its slot's, in hosts of NVLink cards whose network nobody stated."""
    tree_fraction: Share
    host_optimizer_bytes_per_s: Rate
    host_gradient_pass_count: Annotated[float, Meta(ge=0, le=100)]
    hook_s: Duration
    sharded_unit_s: Duration
    """Host time around one module that is gathered by itself, a block or an adapter's matrix, in one pass."""
    slow_host_bytes_per_s: Rate
    host_straggler_fraction: Annotated[float, Meta(ge=0, le=0.2)]
    """The same between hosts as `straggler_fraction` between cards: switches that others share, hosts that differ."""


class Spread(Record, frozen=True, kw_only=True):
    """The 80 % range of an efficiency, from leave-one-card-out residuals."""

    below_fraction: Annotated[float, Meta(ge=0, le=1)]
    above_fraction: Annotated[float, Meta(ge=0, le=1)]
    below_of_loss_ratio: Annotated[float, Meta(ge=0, le=10)]
    above_of_loss_ratio: Annotated[float, Meta(ge=0, le=1)]


class DataParallelHost(Record, frozen=True, kw_only=True):
    """How `nn.DataParallel` keeps its one process busy."""

    dispatch_s: Annotated[float, Meta(gt=0, le=1e-3)]
    """Least time of a call of the host in that process."""
    base_of_step_fraction: Share
    each_card_of_step_fraction: Share
    blend_exponent: float


class ScalingFigures(Record, frozen=True, kw_only=True):
    """Everything that `scale_steps` needs beside the job's own numbers."""

    fitted: Fitted
    assumed: Assumed
    spread: Spread
    data_parallel: DataParallelHost


@cache
def scaling_figures() -> ScalingFigures:
    """The figures of `resources/scaling.toml`, read once."""
    return read_figures(resource("scaling.toml"), ScalingFigures, "tools/fit_scaling.py")
