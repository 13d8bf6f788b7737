"""What a model needs whose batch norm cannot train on one sample: larger batches, and a word on the last one."""

from __future__ import annotations

import math
from collections.abc import Iterable

from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.sentences import Reason
from advisor.optable.op_table import OpTable, least_batch
from advisor.recommend.recommendation import Recommendation
from advisor.workload.workload import Workload


def single_sample_caveat(
    workload: Workload, chosen: Recommendation | None, tables: Iterable[OpTable]
) -> tuple[Reason, ...]:
    """That training would end with an error where a device is left one sample, and what to do about it."""
    if chosen is None or least_batch(tables, workload.training.mode) == 1:
        return ()
    batch, samples = chosen.batch_size_per_device, workload.data.samples
    if batch == 1:
        return (Reason.of("workload-batches-single"),)
    own = (Reason.of("workload-own-batch-single"),) if workload.training.batch_size == 1 else ()
    if smallest_last_batch(samples, chosen) > 1:
        return own
    numbers = {"samples": samples, "batch": batch, "devices": _takers(chosen)}
    return (*own, Reason.of("workload-last-batch-single", **numbers))


def smallest_last_batch(samples: int, chosen: Recommendation) -> int:
    """Samples of an epoch's last micro-batch on the device that gets fewest of them.

    Each rank takes as many samples as the others (DistributedSampler repeats some for that). DataParallel deals the
    batch of all devices out in equal chunks, the last of which holds what is left.
    """
    batch, takers = chosen.batch_size_per_device, _takers(chosen)
    if STRATEGY_FACTS[chosen.strategy].one_process:
        left = samples % (batch * takers) or batch * takers
        chunk = math.ceil(left / takers)
        return left % chunk or chunk
    return math.ceil(samples / takers) % batch or batch


def _takers(chosen: Recommendation) -> int:
    """Devices that take samples of their own: those that share each layer, or follow one another, take the same."""
    return 1 if chosen.strategy in {"tp", "pp"} else chosen.count
