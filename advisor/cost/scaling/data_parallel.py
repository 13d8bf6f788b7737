"""DistributedDataParallel and DataParallel: what replicas add to one card's step, for whole grids of set-ups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from advisor.cost.scaling.communication import Costs
from advisor.cost.scaling.traffic import Buckets, Traffic
from advisor.optable.op_columns import Floats


def bucket_timeline_s(buckets: Buckets, cost: Costs, backward_s: Floats, loss: float) -> tuple[Floats, Floats]:
    """(slow-down, exposed tail) of reducing `buckets` beside a backward pass of `backward_s` (any shape).

    Buckets are reduced one after the other, each not before its gradients are ready. While one is reduced, compute
    loses `loss` of its time; the rest of the message overlaps. What is left when backward ends is exposed: the
    maximum over buckets of (its own and all later reductions) - (backward still to come when it is ready). The last
    bucket is always exposed, the first starts everything.
    """
    durations = cost.all_reduce_s(buckets.size_bytes) * buckets.weight
    tail = np.cumsum(durations[::-1])[::-1] * (1.0 - loss)
    left = 1.0 - buckets.ready_fraction
    if len(durations) == 0:
        return np.zeros_like(backward_s), np.zeros_like(backward_s)
    exposed = np.max(tail - left * backward_s[..., None], axis=-1)
    return np.full_like(backward_s, loss * float(durations.sum())), np.maximum(0.0, exposed)


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """What the replicas of one set-up exchange, and what that costs there."""

    traffic: Traffic
    cost: Costs
    loss: float
    """Compute time lost a second of communication beside it, inside one host."""
    pass_s: float
    """Moving the gradients' bytes once through the card's memory."""
    passes: float
    """Such passes for flattening, averaging and reducing."""

    @property
    def lost_share(self) -> float:
        """Compute time lost a second of this communication: less where it waits for a network."""
        return self.loss * self.cost.busy_share


def ddp_communication_s(exchange: Exchange, backward_s: Floats) -> Floats:
    """Seconds that DDP adds to an optimizer step, shape of `backward_s`.

    Buffers (batch norm's) are broadcast before forward.
    """
    traffic, cost = exchange.traffic, exchange.cost
    slow_down, exposed = bucket_timeline_s(traffic.buckets, cost, backward_s, exchange.lost_share)
    buffers = float(cost.broadcast_s(np.array(traffic.buffer_bytes))) if traffic.buffer_bytes else 0.0
    return slow_down + exposed + exchange.passes * exchange.pass_s + buffers


def dp_communication_s(
    traffic: Traffic, count: int, bus_bytes_per_s: float, pcie_bytes_per_s: float, batch_sizes: Floats
) -> Floats:
    """Seconds that DataParallel's copies take, shape of `batch_sizes` (batch a card).

    Every step the first card replicates parameters and buffers to the others, scatters the inputs that the host
    sent it, gathers outputs and adds up the gradients; nothing overlaps with compute.
    """
    inputs = traffic.input_bytes[0] + traffic.input_bytes[1] * batch_sizes * count
    outputs = traffic.output_bytes[0] + traffic.output_bytes[1] * batch_sizes * count
    moved = (inputs + outputs) * (count - 1) / count
    replicas = 2.0 * traffic.gradient_bytes + traffic.buffer_bytes
    return (replicas + moved) / bus_bytes_per_s + inputs * (count - 1) / count / pcie_bytes_per_s
