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
    predicted = [answer for answer in answers if answer.reason is None] or list(answers)
    batches = [answer.largest_batch for answer in predicted if answer.largest_batch is not None]
    return msgspec.structs.replace(
        predicted[0],
        step_s=_between([answer.step_s for answer in predicted]),
        peak_bytes=_between([answer.peak_bytes for answer in predicted]),
        efficiency=_between([answer.efficiency for answer in predicted]),
        largest_batch=min(batches, default=None),
    )


def _between(estimates: Sequence[Estimate | None]) -> Estimate | None:
    """The geometric middle of the least and the greatest value, since times of cards differ by factors."""
    given = [estimate for estimate in estimates if estimate is not None]
    if not given:
        return None
    values = [estimate.value for estimate in given]
    return Estimate(
        value=(min(values) * max(values)) ** 0.5,
        low=min(estimate.low for estimate in given),
        high=max(estimate.high for estimate in given),
        basis=given[0].basis,
    )
