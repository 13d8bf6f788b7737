"""How a model may be trained, and the bytes that each way keeps of a parameter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.optimizers import OPTIMIZER_FACTS
from advisor.catalogue.precisions import PRECISION_FACTS
from advisor.catalogue.strategies import Strategy
from advisor.claims.claim import Claim
from advisor.core.sentences import Listed, Reason
from advisor.optable.op_table import OpTable

_EIGHT_BIT_BYTES = 1 + 4 / 256
"""A state in blocks of 256 that share one FP32 scale."""


class Way(NamedTuple):
    """A way to train, and the bytes that it keeps a parameter; the sentence is `claim-way-NAME`."""

    name: str
    parameter_bytes: float
    weight_bytes: float
    """Of the weights that a step computes with, which ZeRO-2 keeps whole on each card."""


def ways_of(claim: Claim) -> tuple[Way, ...]:
    """How a model may be trained as a claim says, from the usual way to the one that keeps least on the card."""
    if claim.mode == "inference" or claim.trainable == "lora":
        kind = "inference" if claim.mode == "inference" else "lora"
        stored: tuple[int, ...] = (16, 8, 4) if claim.weights_bits is None else (claim.weights_bits,)
        if kind == "inference" and claim.precision in {"fp32", "tf32"}:
            stored = (32,)
        return tuple(Way(f"{kind}-{bits}", bits / 8, bits / 8) for bits in stored)
    mixed, pure = PRECISION_FACTS["bf16_amp"], PRECISION_FACTS["bf16_true"]
    states = OPTIMIZER_FACTS["adamw"].state_count
    weights = pure.weight_bytes
    return (
        Way("mixed", 2 * mixed.weight_bytes + states * mixed.state_bytes, weights),
        Way("pure", 2 * weights + states * pure.state_bytes, weights),
        Way("eight-bit", 2 * weights + states * _EIGHT_BIT_BYTES, weights),
        Way("in-backward", weights + states * _EIGHT_BIT_BYTES, weights),
        Way("stateless", weights, weights),
    )


def usual_sharing(spec: GpuSpec, tables: Iterable[OpTable]) -> Strategy:
    """A copy on each card where that may hold one with its gradients and states, else shards."""
    parameters = max((table.trainable_parameter_count for table in tables), default=0)
    return "ddp" if parameters * ways_of(Claim())[0].parameter_bytes < (spec.memory_bytes or 0.0) else "fsdp"


def said_way(way: Way) -> Listed:
    """The way in words."""
    return Listed(reasons=(Reason.of(f"claim-way-{way.name}"),))
