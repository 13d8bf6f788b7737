"""Which finalist is advised: the contenders of all devices, their ranks, and who takes a smaller batch for its room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from advisor.predict.prediction import Prediction
from advisor.recommend.comparison import Comparison, Finalist
from advisor.recommend.fixed import devices_predicted_in
from advisor.recommend.ranking import Row, is_trusted, leaders, rank
from advisor.recommend.reasons.memory_room import roomier
from advisor.recommend.recommendation import Goal
from advisor.recommend.strategy import knee_count
from advisor.recommend.tie_decision import counted_on, preference


class Winner(NamedTuple):
    """The finalist that is advised, and the rows that it was ranked among."""

    finalist: Finalist
    rows: tuple[Row, ...]
    entered: tuple[Prediction, ...]
    """What every device was looked at with, each count."""


def find_winner(comparison: Comparison, finalists: Sequence[Finalist]) -> Winner | None:
    """The finalist to advise: of those without a clear difference to the first what decides between them."""
    contenders = find_contenders(comparison, _within_bound(comparison, finalists))
    chosen_of_each = _each_once(comparison, [contender.chosen for contender in contenders])
    rows = rank(chosen_of_each, comparison.goal, comparison.untrusted, counted_on(comparison))
    if not rows:
        return None
    first = leaders(rows, comparison.goal)
    chosen = min(first, key=lambda row: preference(row, first, comparison)).prediction
    return Winner(
        finalist=next(finalist for finalist in contenders if finalist.chosen is chosen),
        rows=rows,
        entered=tuple(prediction for contender in contenders for prediction in contender.by_count),
    )


_AS_ROOMY = 0.9
"""Of a free card's memory what a card here has free that stands for it too."""


def _each_once(comparison: Comparison, contenders: Sequence[Prediction]) -> list[Prediction]:
    """Without cards of the table that are here in the same number: those that are here stand for both.

    A card that is here, but disturbed or half full, is not as good as one that is not.
    """
    here = [one for one in contenders if one.device.local and is_trusted(one, comparison.untrusted)]

    def stands_for(own: Prediction, other: Prediction) -> bool:
        room, whole = own.usable_memory_bytes, other.usable_memory_bytes
        as_roomy = room is None or whole is None or room >= _AS_ROOMY * whole
        return as_roomy and own.count == other.count and own.device.spec_key == other.device.key

    return [one for one in contenders if not any(stands_for(own, one) for own in here)]


def _within_bound(comparison: Comparison, finalists: Sequence[Finalist]) -> Sequence[Finalist]:
    """Those whose steps are no larger than they should be; all where none are.

    Where each of them is a makeshift, those that are none go beyond the bound.
    """
    within = [finalist for finalist in finalists if finalist.chosen.global_batch_size <= comparison.global_limit]
    makeshift = is_makeshift(comparison)
    if within and comparison.bound_is_assumed and all(makeshift(finalist.chosen) for finalist in within):
        return [finalist for finalist in finalists if not makeshift(finalist.chosen)] or within
    return within or finalists


def is_makeshift(comparison: Comparison) -> Callable[[Prediction], bool]:
    """Whether a set-up leans on the host's memory, splits the model, or computes otherwise than the card was to."""
    asked = comparison.workload.training.precision
    having = devices_predicted_in(asked, comparison.predictions)

    def otherwise(one: Prediction) -> bool:
        return one.precision != asked and one.device.key in having

    return lambda one: otherwise(one) or not one.holds_plainly


def tied_with_winner(winner: Winner, goal: Goal) -> tuple[Prediction, ...]:
    """What shows no clear difference to the set-up that is advised."""
    return tuple(row.prediction for row in leaders(winner.rows, goal) if row.prediction is not winner.finalist.chosen)


def with_room_in_ties(comparison: Comparison, finalists: Sequence[Finalist]) -> tuple[Finalist, ...]:
    """The finalists, those of the first place that may run out of memory with less at once where that has room.

    What has room for the whole of its range comes first inside a tie. That is no reason to pass a card over which has
    room with smaller micro-batches: it is then compared with these. Where all of them are so full, they stay.
    """
    winner = find_winner(comparison, finalists)
    if winner is None:
        return tuple(finalists)
    first = [row.prediction for row in leaders(winner.rows, comparison.goal)]
    tight = [one for one in first if one.may_run_out]
    if not tight or len(tight) == len(first):
        return tuple(finalists)
    instead = {id(one): other for one in tight if (other := _with_room(comparison, one)) is not None}
    return tuple(
        Finalist(
            chosen=instead.get(id(finalist.chosen), finalist.chosen),
            by_count=tuple(instead.get(id(one), one) for one in finalist.by_count),
        )
        for finalist in finalists
    )


def _with_room(comparison: Comparison, tight: Prediction) -> Prediction | None:
    """On as many of the same cards what has room for the whole of its range, without asking more of the code."""
    other = roomier(comparison, tight)
    plain = other is not None and other.count == tight.count and other.effort_rank <= tight.effort_rank
    return other if plain else None


def find_contenders(comparison: Comparison, finalists: Sequence[Finalist]) -> tuple[Finalist, ...]:
    """What each device enters the comparison with.

    For time: the knee over all devices says how many cards are worth having, and each device enters with that
    many, or with fewer that are quicker, or with the knee of its own row where it has no such count: held against the
    winner, a device is shown at its best. For cost and energy: its own least. Money and GPU-hours do not compare:
    where anything has a price, what has none is left out.
    """
    if comparison.goal == "cost":
        priced = tuple(finalist for finalist in finalists if finalist.chosen.cost is not None)
        return priced or tuple(finalists)
    if comparison.goal != "time":
        return tuple(finalists)
    by_count: dict[int, Prediction] = {}
    for finalist in finalists:
        for prediction in finalist.by_count:
            other = by_count.get(prediction.count)
            if other is None or prediction.samples_per_s.value > other.samples_per_s.value:
                by_count[prediction.count] = prediction
    knee = knee_count([by_count[count] for count in sorted(by_count)])
    return tuple(
        Finalist(chosen=_at_count(finalist, knee.count if knee is not None else 1), by_count=finalist.by_count)
        for finalist in finalists
    )


def _at_count(finalist: Finalist, count: int) -> Prediction:
    if all(prediction.count != count for prediction in finalist.by_count):
        return finalist.chosen
    no_more = (prediction for prediction in finalist.by_count if prediction.count <= count)
    return max(no_more, key=lambda prediction: (prediction.samples_per_s.value, -prediction.count))
