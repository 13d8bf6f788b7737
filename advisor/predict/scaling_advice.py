"""What several cards are worth, in reasons with numbers: speed-up, knee, why DataParallel loses, missing NVLink."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from advisor.predict.communication import bus_bytes_per_s, costs
from advisor.predict.scaling import ScaledGrid
from advisor.predict.time_to_train import learning_rate_range
from advisor.sentences import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from advisor.hardware.gpu_spec import GpuSpec
    from advisor.predict.links import Link
    from advisor.predict.prediction import Strategy
    from advisor.predict.traffic import Traffic

KNEE_MARGINAL_RATIO = 0.7
"""From n1 to n2 cards only while (rate(n2)/rate(n1) - 1) / (n2/n1 - 1) reaches this."""

REFERENCE_NVLINK_BYTES_PER_S = 300e9
"""One way: the third generation, as on the A100; what a missing NVLink is compared with."""

_WORTH_SAYING_FRACTION = 0.02


def speed_up(grid: ScaledGrid, strategy: Strategy, card: int, batch: int) -> np.ndarray:
    """(speed-up, low, high) over one card for each count of the grid, shape (counts, 3): efficiency times cards."""
    row = grid.strategies.index(strategy)
    counts = np.asarray(grid.counts, dtype=np.float64) if strategy != "single" else np.ones(len(grid.counts))
    arrays = (grid.efficiency, grid.efficiency_low, grid.efficiency_high)
    return np.stack([counts * array[row, :, card, batch] for array in arrays], axis=1)


def marginal_ratios(counts: Sequence[int], rates: Sequence[float]) -> list[float]:
    """For each step to the next count: what the added cards give of what they could (1 ideal, 0 nothing)."""
    pairs = zip(counts, rates, counts[1:], rates[1:], strict=False)
    return [(rate2 / rate1 - 1) / (count2 / count1 - 1) for count1, rate1, count2, rate2 in pairs]


def last_worthwhile_count(counts: Sequence[int], rates: Sequence[float]) -> int:
    """The largest of ascending `counts` reached by steps that each pay: where adding a card stops paying."""
    worth = counts[0]
    for count, ratio in zip(counts[1:], marginal_ratios(counts, rates), strict=True):
        if ratio < KNEE_MARGINAL_RATIO:
            break
        worth = count
    return worth


def knee_reason(device: str, counts: Sequence[int], rates: Sequence[float]) -> Reason:
    """Says from which count on a further card no longer pays, with its marginal gain."""
    worth = last_worthwhile_count(counts, rates)
    if worth == counts[-1]:
        return Reason(code="scaling-all-counts-pay", numbers={"device": device, "count": worth})
    place = list(counts).index(worth)
    ratio = marginal_ratios(counts, rates)[place]
    return Reason(
        code="scaling-stops-paying",
        numbers={"device": device, "count": worth, "more": counts[place + 1], "marginal_fraction": max(0.0, ratio)},
    )


def dp_loss_reasons(grid: ScaledGrid, count: int, card: int, batch: int, traffic: Traffic) -> tuple[Reason, ...]:
    """Why DataParallel is slower than DistributedDataParallel here: copies that overlap with nothing, one process.

    Empty where the grid lacks one of both, or DataParallel is not slower.
    """
    if "dp" not in grid.strategies or "ddp" not in grid.strategies or count not in grid.counts:
        return ()
    dp, ddp = (*grid.index("dp", count), card, batch), (*grid.index("ddp", count), card, batch)
    lost_s = float(grid.step_s[dp] - grid.step_s[ddp])
    if lost_s <= 0:
        return ()
    found = [
        Reason(
            code="scaling-dp-copies",
            numbers={
                "count": count,
                "weights_bytes": 2 * traffic.gradient_bytes,
                "communication_s": float(grid.parts_s["communication_s"][dp]),
                "ddp_communication_s": float(grid.parts_s["communication_s"][ddp]),
                "lost_s": lost_s,
            },
        )
    ]
    host_s = float(grid.parts_s["host_s"][dp] - grid.parts_s["host_s"][ddp])
    if host_s > _WORTH_SAYING_FRACTION * float(grid.step_s[ddp]):
        found.append(Reason(code="scaling-dp-one-process", numbers={"count": count, "host_s": host_s}))
    return tuple(found)


def missing_nvlink_reason(device: str, spec: GpuSpec, link: Link, count: int, traffic: Traffic) -> Reason | None:
    """What an all-reduce of the gradients takes here and over an A100's NVLink; None where the link is NVLink."""
    if count < 2 or link.type in {"nvswitch", "nvlink_mesh"}:  # noqa: PLR2004 - one card sends nothing
        return None
    bridged = msgspec.structs.replace(
        link,
        type="nvswitch",
        wire_bytes_per_s=max(REFERENCE_NVLINK_BYTES_PER_S, spec.nvlink_bytes_per_s or 0.0),
        measured=(),
    )
    sizes = traffic.buckets.size_bytes
    here = float(np.sum(costs(link, count).all_reduce_s(sizes) * traffic.buckets.weight))
    there = float(np.sum(costs(bridged, count).all_reduce_s(sizes) * traffic.buckets.weight))
    if here <= there:
        return None
    return Reason(
        code="scaling-missing-nvlink",
        numbers={
            "device": device,
            "count": count,
            "gradient_bytes": traffic.gradient_bytes,
            "here_s": here,
            "nvlink_s": there,
            "bus_bytes_per_s": bus_bytes_per_s(link, count),
            "nvlink_bytes_per_s": bus_bytes_per_s(bridged, count),
        },
    )


def learning_rate_note(global_batch: int, reference_batch: int) -> Reason | None:
    """What the larger global batch asks of the learning rate; None where the batch is held."""
    if global_batch == reference_batch:
        return None
    low, high = learning_rate_range(global_batch, reference_batch)
    return Reason(
        code="scaling-learning-rate",
        numbers={
            "global_batch": global_batch,
            "own_global_batch": reference_batch,
            "low_ratio": low,
            "high_ratio": high,
        },
    )
