"""What layers compute in under full sharding: weights are cast before they are gathered."""

from __future__ import annotations

from advisor.catalogue.precisions import Precision
from advisor.catalogue.strategies import Strategy
from advisor.cost.layout import DataParallel

_CAST_BY_SHARD: frozenset[Strategy | DataParallel] = frozenset({"fsdp", "hsdp", "zero2"})
_ON_CAST_WEIGHTS: dict[Precision, Precision] = {"fp16_amp": "fp16", "bf16_amp": "bf16"}


def computed_precision(precision: Precision, strategy: Strategy | DataParallel) -> Precision:
    """The precision whose operators a device runs.

    Sharded mixed precision casts each device's own part of the FP32 weights, then gathers 16-bit ones: no layer casts
    a whole weight, and activations between layers are 16 bit, as where half weights have FP32 copies in the optimizer.
    """
    return _ON_CAST_WEIGHTS.get(precision, precision) if strategy in _CAST_BY_SHARD else precision
