"""Tensor, context and pipeline parallelism: what its collectives and its idle stages take."""

from __future__ import annotations

import numpy as np

from advisor.cost.scaling.communication import Costs
from advisor.cost.scaling.traffic import Traffic, row_parallel_bytes
from advisor.optable.op_columns import Floats

_ALL_REDUCES_PER_LAYER = 2
"""A transformer block has about nine modules with parameters and reduces twice a pass; at least one a model."""

_REDUCED_AGAIN = 0.75
"""Of a block's two reductions, each a scatter of sums and a gathering, those before the product that ends the block:
what is recomputed stops there, since backward needs no more."""


def tensor_communication_s(traffic: Traffic, cost: Costs, batch_sizes: Floats, count: int) -> Floats:
    """Seconds of all-reduces on the critical path of one micro-batch, shape of `batch_sizes` (batch a card).

    `count` cards work on one batch of count x batch samples; forward and backward reduce the same bytes
    (Shoeybi et al. 2019, Megatron-LM), and blocks that run forward again reduce again (Korthikanti et al. 2022).
    Nothing overlaps: the next layer needs the sum.
    """
    reduces = max(1, _ALL_REDUCES_PER_LAYER * traffic.layer_count // 9)
    message = row_parallel_bytes(traffic, batch_sizes * count) / reduces
    passes = _pass_count(traffic) + (_REDUCED_AGAIN if traffic.forward_again else 0.0)
    return passes * reduces * cost.all_reduce_s(message)


def _pass_count(traffic: Traffic) -> float:
    """Forward, and the way back where there is one."""
    return 2.0 if traffic.backward else 1.0


def beside_products_s(sent_s: Floats, pass_s: Floats, count: int) -> Floats:
    """What of `sent_s` is left to wait for where collectives of `count` cards are cut into as many pieces.

    Each piece travels beside the product of the one before, as Transformer Engine does it through its user buffers
    (Wang et al. 2023, overlap by decomposition): the first is exposed, and what a pass of `pass_s` seconds is too
    short to hide. Shape of `sent_s`.
    """
    return np.maximum(sent_s / count, sent_s - pass_s)


def context_communication_s(traffic: Traffic, cost: Costs, batch_size: float, forward_s: float) -> float:
    """Seconds that keys and values of a micro-batch of `batch_size` add: they go round the cards that share a length.

    Each pass of attention sees those of all cards, backward sends their gradients too: three passes of two of a
    block's nine linear outputs (Liu et al. 2023, ring attention); a block that runs forward again passes them once
    more. What the forward pass is long enough to hide counts once a pass; a ring's first hop is always exposed.
    """
    passes = (3.0 if traffic.backward else 1.0) + (1.0 if traffic.forward_again else 0.0)
    moved = passes * float(cost.half_s(row_parallel_bytes(traffic, np.array([batch_size])))[0])
    return max(moved / cost.count, moved - passes * forward_s)


def pipeline_bubble_s(micro_batch_s: Floats, count: int) -> Floats:
    """Idle time of a one-forward-one-backward schedule: (stages - 1) micro-batch slots of 1/stages each.

    `micro_batch_s` is one micro-batch on one card; the bubble does not grow with the number of micro-batches
    (Narayanan et al. 2021).
    """
    return micro_batch_s * (count - 1) / count


def pipeline_transfer_s(traffic: Traffic, cost: Costs, batch_sizes: Floats, micro_batch_count: int) -> Floats:
    """Seconds of passing activations on and their gradients back, not overlapped, shape of `batch_sizes`."""
    message = traffic.boundary_bytes[0] + traffic.boundary_bytes[1] * batch_sizes
    return _pass_count(traffic) * micro_batch_count * cost.half_s(message)


def stage_count(traffic: Traffic, count: int) -> int:
    """Pipeline stages that `count` cards can form: no more than layers that hold parameters."""
    return min(count, traffic.layer_count)
