"""One answer for a row that names a card without its form or memory: what holds for each of its variants."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from advisor.core.units import Estimate
from advisor.evaluate.row_answer import RowAnswer


def among_variants(answers: Sequence[RowAnswer]) -> RowAnswer:
    """The answers for every variant of a row's card (at least one) as one: between them, with ranges that hold all.

    The largest batch is what the smallest of them holds. Variants that cannot be predicted are left out while others
    can.
    """
    told = [answer for answer in answers if answer.reason is None] or list(answers)
    batches = [answer.largest_batch for answer in told if answer.largest_batch is not None]
    return msgspec.structs.replace(
        told[0],
        step_s=_between([answer.step_s for answer in told]),
        peak_bytes=_between([answer.peak_bytes for answer in told]),
        efficiency=_between([answer.efficiency for answer in told]),
        largest_batch=min(batches, default=None),
    )


def _between(estimates: Sequence[Estimate | None]) -> Estimate | None:
    """The geometric middle of the least and the greatest value, since times of cards differ by factors."""
    known = [estimate for estimate in estimates if estimate is not None]
    if not known:
        return None
    values = [estimate.value for estimate in known]
    return Estimate(
        value=(min(values) * max(values)) ** 0.5,
        low=min(estimate.low for estimate in known),
        high=max(estimate.high for estimate in known),
        basis=known[0].basis,
    )
