"""Dealing a global batch out to devices and devices to machines: evenly, or with a sentence that says why not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

from advisor.catalogue.links import Machines
from advisor.catalogue.strategies import MOST_DEVICES, USUAL_COUNTS
from advisor.core.sentences import Names, Reason, SaidError

LARGEST_BATCH_SIZE = 1_000_000
"""Samples a device beyond which no step is predicted."""
_MOST_DIVISORS = 24


def batch_sizes_dealing(global_batch_size: int, count: int, own_batch: int) -> tuple[int, ...]:
    """Batch sizes a device with which `count` devices make up a global batch in whole micro-batches; ascending.

    All divisors of a device's share; where there are over 24, the share itself, the workload's own batch, one and
    others at even ratios. Empty where the share is no whole number.
    """
    if global_batch_size % count:
        return ()
    share = global_batch_size // count
    sizes = [size for size in _divisors(share) if size <= LARGEST_BATCH_SIZE]
    if len(sizes) <= _MOST_DIVISORS:
        return tuple(sizes)
    places = {round(place * (len(sizes) - 1) / (_MOST_DIVISORS - 1)) for place in range(_MOST_DIVISORS)}
    chosen = {sizes[place] for place in places}
    return tuple(sorted(chosen | ({own_batch} if share % own_batch == 0 else set())))


@lru_cache(maxsize=64)
def _divisors(number: int) -> tuple[int, ...]:
    small = [divisor for divisor in range(1, math.isqrt(number) + 1) if number % divisor == 0]
    return tuple(sorted({*small, *(number // divisor for divisor in small)}))


def require_data_for_batch(global_batch_size: int | None, samples: int) -> None:
    """Refuse a global batch that is larger than the data. Raises InputError."""
    if global_batch_size is not None and global_batch_size > samples:
        raise SaidError.of("command-batch-over-data", given=global_batch_size, samples=samples)


def left_out_counts(global_batch_size: int | None, counts: Sequence[int]) -> tuple[Reason, ...]:
    """Says which counts cannot share the global batch evenly. Raises InputError where none can."""
    if global_batch_size is None:
        return ()
    uneven = [count for count in counts if global_batch_size % count]
    if uneven and len(uneven) == len(counts):
        least = min(counts)
        below = global_batch_size // least * least
        choices = Names(names=tuple(str(count) for count in (below, below + least) if count), alternatives=True)
        raise SaidError.of(
            "command-uneven-batch", given=global_batch_size, counts=_listed(uneven), least=least, choices=choices
        )
    if not uneven:
        return ()
    return (Reason.of("scaling-counts-left-out", global_batch=global_batch_size, counts=_listed(uneven)),)


def lone_cards(asked: Mapping[str, Sequence[int]]) -> tuple[Reason, ...]:
    """Says that only one is judged of cards whose machines have no second, where more were asked for.

    `asked`: the numbers asked for of each such card, by its name.
    """
    several = {name: counts for name, counts in asked.items() if max(counts, default=1) > 1}
    beside = tuple(name for name, counts in several.items() if 1 in counts)
    if beside:
        return (Reason.of("scaling-lone-card", devices=Names(names=beside)),)
    if not several:
        return ()
    wanted = sorted({count for counts in several.values() for count in counts})
    return (Reason.of("scaling-lone-card-not-kept", devices=Names(names=tuple(several)), counts=_listed(wanted)),)


def unsplittable_batches(counts: Sequence[int], *, in_lists: bool) -> tuple[Reason, ...]:
    """Says that DataParallel is left out, where several devices of one process would share a batch in lists."""
    return (Reason(code="scaling-samples-in-lists"),) if in_lists and max(counts, default=1) > 1 else ()


def counts_over(node_count: int | None) -> tuple[int, ...]:
    """Device counts to try where none are given: a single device, then one, two, four and eight a machine."""
    spread = [(node_count or 1) * count for count in USUAL_COUNTS]
    return tuple(sorted({1, *(count for count in spread if count <= MOST_DEVICES)}))


def require_even_nodes(counts: Sequence[int], node_count: int | None) -> None:
    """Refuse devices that cannot be spread evenly over as many of the machines that are told as they take.

    Raises InputError with counts that can.
    """
    if node_count is None:
        return
    machines = Machines.holding(counts, node_count)
    full = max(counts, default=1)
    uneven = [count for count in counts if count > 1 and count % (node_count if count == full else machines.of(count))]
    if uneven:
        nearest = sorted({max(1, round(count / node_count)) * node_count for count in uneven})
        raise SaidError.of(
            "command-uneven-nodes", nodes=node_count, counts=_listed(uneven), nearest=",".join(map(str, nearest))
        )


def _listed(counts: Sequence[int]) -> str:
    return ", ".join(str(count) for count in counts)
