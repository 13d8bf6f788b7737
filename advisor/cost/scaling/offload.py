"""What keeping states, weights or activations in host memory costs a step: copies over the slot, updates there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from advisor.catalogue.links import PINNED_COPY_SHARE
from advisor.catalogue.optimizers import OPTIMIZER_FACTS
from advisor.catalogue.precisions import FP32_BYTES, PRECISION_FACTS
from advisor.cost.scaling.scaling_figures import Assumed
from advisor.optable.op_columns import Floats
from advisor.optable.op_table import Affine, OpTable
from advisor.workload.workload import Offload, Training

FASTEST_HOST_OPTIMIZER = 5.0
"""An Adam written for vector units over torch's own on a processor: 5 to 7 times (DeepSpeed, ZeRO-Offload tutorial)."""


@dataclass(frozen=True, kw_only=True)
class Offloading:
    """What a training keeps in host memory, and what of it moves; bytes of one whole replica."""

    kind: Offload = "none"
    update_bytes: float = 0.0
    """What an update moves through the host's memory."""
    kept_bytes: Affine = (0.0, 0.0)
    """What one forward pass keeps for backward."""
    resting_ratio: float = 1.0
    """Bytes of a weight where it rests over those in which a layer takes it: shards are copied, then cast."""
    gradient_ratio: float = 1.0
    """Bytes of a gradient where it rests over those in which backward makes it."""
    copies_of_weights: float = 2.0
    """Times that weights come up for one micro-batch: for forward, and again for backward where there is one."""


class Place(NamedTuple):
    """One device of a job that off-loads."""

    link_bytes_per_s: float
    """One way over its slot."""
    share: float
    """Of the replica's weights, gradients and states that this device holds."""
    host_share: float
    """Of one replica's states that all devices of this host update together; above 1 where each has its own."""
    rounds: int
    """Micro-batches of an optimizer step."""


class OffloadedStep(NamedTuple):
    """Seconds of an optimizer step, each of shape (batches,): expected, at best and at worst."""

    copy_s: Floats
    update_s: Floats | None
    """On the host, in place of the device's; None: the device updates."""
    quick_s: Floats
    """By how much the step is shorter where copies hide and the host's optimizer is a fast one."""
    slow_s: Floats
    """By how much it is longer where no copy hides."""


def offloading_of(training: Training, table: OpTable, kept_bytes: Affine) -> Offloading:
    """What the training keeps in host memory; `kept_bytes` of the table's timeline."""
    least = OPTIMIZER_FACTS[training.optimizer].least_bytes if training.mode == "training" else 0.0
    facts = PRECISION_FACTS[training.precision]
    # What torch's sharding off-loads rests in FP32 wherever weights of that are kept; frozen weights rest as they are.
    rests_whole = training.trainable == "all" and not facts.pure
    return Offloading(
        kind=training.offload,
        update_bytes=table.trainable_parameter_count * least,
        kept_bytes=kept_bytes,
        resting_ratio=FP32_BYTES / facts.compute_bytes if rests_whole else 1.0,
        gradient_ratio=FP32_BYTES / facts.weight_bytes if rests_whole else 1.0,
        copies_of_weights=1.0 if training.mode == "inference" else 2.0,
    )


def offloaded_step(  # noqa: PLR0913 - one question
    offloading: Offloading,
    place: Place,
    parts: Mapping[str, Floats],
    *,
    parameter_bytes: float,
    gradient_bytes: float,
    batch_sizes: Floats,
    assumed: Assumed,
) -> OffloadedStep:
    """What off-loading adds to one optimizer step whose `parts` are those without it.

    `optimizer`: gradients go down beside the last backward pass, the host updates, weights come up after it.
    `parameters`: weights come up for every forward and again for every backward, gradients go down, the host updates;
    both as they rest (`CPUOffloadPolicy` of torch's sharding copies FP32 shards and casts them on the device).
    `activations`: what forward keeps goes down beside it and comes up beside backward, on a stream of its own.
    """
    rate = PINNED_COPY_SHARE * place.link_bytes_per_s
    zero = np.zeros_like(parts["forward_s"])
    if offloading.kind == "activations":
        one_way = (offloading.kept_bytes[0] + offloading.kept_bytes[1] * batch_sizes) / rate
        forward, backward = (parts[name] / place.rounds for name in ("forward_s", "backward_s"))
        exposed = np.maximum(0.0, one_way - forward) + np.maximum(0.0, one_way - backward)
        return OffloadedStep(exposed * place.rounds, None, zero, (2.0 * one_way - exposed) * place.rounds)
    up, down = (size * place.share / rate for size in (parameter_bytes, gradient_bytes))
    update = zero + offloading.update_bytes * place.host_share / assumed.host_optimizer_bytes_per_s
    fast = update / FASTEST_HOST_OPTIMIZER
    if offloading.kind == "optimizer":
        hidden = np.minimum(down, parts["backward_s"] / place.rounds)
        return OffloadedStep(down - hidden + up, update, update + up - np.maximum(fast, up), hidden)
    up, down = up * offloading.resting_ratio, down * offloading.gradient_ratio
    copies = zero + (offloading.copies_of_weights * up + down) * place.rounds
    hidden = np.minimum(copies, parts["forward_s"] + parts["backward_s"])
    return OffloadedStep(copies, update, hidden + update - fast, zero)
