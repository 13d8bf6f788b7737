"""What tensors hold at most where whole units of shards come and go: none is there while a loss is computed.

A block's last forward gives it back, backward gathers it anew, and a head has made no gradient before. Published peaks
of allocated tensors show it to a hundredth of a gigabyte. Segments do not: units lie in those of another stream, which
what is computed can't use while no unit is there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from advisor.cost.memory.replay import StepSetup, Stream, live_bytes, moments
from advisor.cost.memory.sharding import Shares
from advisor.optable.op_table import ALLOCATE, Affine


def absent_bytes(stream: Stream, setup: StepSetup, shares: Shares, outputs: Affine, batch_size: int) -> float:
    """By how much fewer bytes are alive at a step's height than with every unit there all along; 0 without units.

    `outputs`: bytes of the model's last product. Of a loss in chunks nothing tells where the blocks have ended.
    """
    if shares.loss_in_chunks or not any((*shares.block_bytes, *shares.unit_gradient_bytes)):
        return 0.0
    missing = _missing(stream, shares, (outputs[0] * shares.activations, outputs[1] * shares.activations))
    live = live_bytes(stream, setup, stream.sizes(batch_size))
    lower = float(live.max() - (live - missing).max())
    passes, update = (moment.total for moment in moments(stream, setup, batch_size))
    return min(lower, max(passes, update) - update)


def _missing(stream: Stream, shares: Shares, outputs: Affine) -> NDArray[np.float64]:
    """Bytes of whole units and gradients that are not there after each event of a timeline."""
    number, asks = np.arange(len(stream.kinds)), stream.kinds == ALLOCATE
    begin, middle = stream.resident_count, stream.backward_start
    logits = number[asks & stream.sized_like(outputs) & (number >= begin) & (number < middle)]
    first = number[asks & stream.roles.gradients & (number >= middle)]
    blocks, gradients = sum(shares.block_bytes), sum(shares.unit_gradient_bytes)
    missing = np.zeros(len(number))
    if len(logits):
        missing[(number >= logits[0]) & (number < middle)] += blocks
    if len(first):
        missing[number < first[0]] += gradients
    return missing
