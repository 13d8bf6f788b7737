"""What an advice was asked for beside its workload: the goal, the limits and what of the hosts was told."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.catalogue.strategies import USUAL_COUNTS
from advisor.core.records import Record
from advisor.core.sentences import Money, Reason
from advisor.core.units import S_PER_HOUR
from advisor.recommend.prices import Prices
from advisor.recommend.recommendation import Goal, Limits


class Asked(Record, frozen=True, kw_only=True):
    """The question beside its workload; what nobody said is None."""

    goal: Goal = "time"
    """What is made small: `time` or `cost` of the job, or its `energy`."""
    limits: Limits = Limits()
    """What may be spent."""
    prices: Prices | None = None
    """What costs rest on: the price file, and what was typed in its currency."""
    host_memory_bytes: float | None = None
    """Of each machine with GPUs; None: this machine's for itself, an assumption elsewhere."""
    interconnect: str | None = None
    """The link between the cards, as it was typed; None: as those of each card usually are."""
    gpu_keys: tuple[str, ...] | None = None
    """Cards that were named, by their keys; None: the usual ones."""
    counts: tuple[int, ...] = USUAL_COUNTS
    """Numbers of cards that were tried, of each kind that `card_counts` does not name."""
    card_counts: dict[str, tuple[int, ...]] = {}
    """Numbers of the cards with these keys, where set-ups were named."""


def asked_reasons(asked: Asked) -> Iterator[Reason]:
    """A statement for each that somebody said, the limits after the goal; none where all is as usual."""
    limits, prices = asked.limits, asked.prices
    if asked.goal != "time":
        yield Reason.of(f"asked-{asked.goal}")
    if limits.max_job_s is not None:
        yield Reason.of("asked-hours", hours=f"{limits.max_job_s / S_PER_HOUR:.6g}")  # in the unit that it is asked in
    if limits.max_cost is not None:
        limit = Money(cost=limits.max_cost, currency=None if prices is None else prices.currency)
        yield Reason.of("asked-most-cost", limit=limit)
    if limits.max_power_w is not None:
        yield Reason.of("asked-power", limit_w=limits.max_power_w)
    if prices is not None:
        yield Reason.of("asked-prices", currency=prices.currency, date=prices.date)
    if asked.host_memory_bytes is not None:
        yield Reason.of("asked-host", memory_bytes=asked.host_memory_bytes)
    if asked.interconnect is not None:
        yield Reason.of("asked-link", link=asked.interconnect)
