"""ZeRO-2 and full sharding: what gathering and scattering shards adds to a step."""

from __future__ import annotations

from typing import Literal

import numpy as np

from advisor.cost.scaling.communication import Costs
from advisor.cost.scaling.data_parallel import Exchange
from advisor.optable.op_columns import Floats

Sharded = Literal["zero1", "zero2", "fsdp", "fsdp_offload"]


def _message_s(cost: Costs, total_bytes: float, layer_count: int) -> float:
    return float(cost.half_s(np.array(total_bytes / layer_count)))


def sharded_communication_s(
    strategy: Sharded, exchange: Exchange, forward_s: Floats, backward_s: Floats, accumulation_steps: int
) -> Floats:
    """Seconds that collectives of shards add to an optimizer step, shape of `forward_s` (of ONE micro-batch).

    ZeRO-1 scatters gradients beside the last micro-batch's backward and gathers what the step changed after it, ZeRO-2
    scatters gradients after every micro-batch (they are kept sharded) and gathers what changed once a step;
    full sharding gathers parameters before each layer's forward and again before its backward, and scatters its
    gradients: 1.5 x the bytes of DDP. The next layer's gather runs beside this layer's compute, so what is exposed
    is the first gather, the last scatter and whatever the compute is too short to hide.
    """
    traffic, cost, loss = exchange.traffic, exchange.cost, exchange.lost_share
    layers = traffic.unit_count
    whole = strategy not in {"zero1", "zero2"} or traffic.updated_bytes is None
    gather = _message_s(cost, traffic.parameter_bytes if whole else traffic.updated_bytes or 0.0, layers)
    scatter = _message_s(cost, traffic.gradient_bytes, layers)
    hidden = 1.0 - loss

    def beside(compute_s: Floats, total_s: float, exposed_s: float) -> Floats:
        rest = hidden * max(0.0, total_s - exposed_s)
        return loss * max(0.0, total_s - exposed_s) + exposed_s + np.maximum(0.0, rest - compute_s)

    copies = exchange.passes * exchange.pass_s * accumulation_steps
    if strategy == "zero1":
        update = exchange.passes * exchange.pass_s + beside(backward_s, scatter * layers, scatter)
        return np.asarray(update + gather * layers)
    if strategy == "zero2":
        each = beside(backward_s, scatter * layers, scatter)
        return copies + each * accumulation_steps + beside(forward_s, gather * layers, gather)
    forward = beside(forward_s, gather * layers, gather)
    if not traffic.backward:
        return forward * accumulation_steps
    backward = beside(backward_s, (gather + scatter) * layers, scatter)
    return copies + (forward + backward) * accumulation_steps
