"""The best set-up of each device, and the row of counts that it was chosen from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.catalogue.precisions import Precision
from advisor.core.by_key import grouped
from advisor.predict.prediction import Prediction
from advisor.recommend.batch_size import MAX_GLOBAL_BATCH_GROWTH
from advisor.recommend.comparison import Comparison, Finalist
from advisor.recommend.precisions import stand_in
from advisor.recommend.ranking import CLEAR_DIFFERENCE_FRACTION, score, touches, within_limits
from advisor.recommend.strategy import best_by_count, knee_count
from advisor.recommend.tie_decision import expected
from advisor.recommend.winner import is_makeshift


def find_finalists(comparison: Comparison, predictions: Sequence[Prediction]) -> tuple[Finalist, ...]:
    """For each device its best set-up within the limits, with the row of counts that it was chosen from."""
    finalists = []
    for members in grouped(predictions, lambda prediction: prediction.device.key).values():
        allowed = _within_bound(comparison, members)
        if not allowed:
            continue
        by_precision = grouped(allowed, lambda prediction: prediction.precision)
        by_count = _row_of_counts(comparison, by_precision)
        chosen = _choose_count(comparison, by_count)
        if chosen is not None:
            finalists.append(Finalist(chosen=chosen, by_count=by_count))
    return tuple(finalists)


def _within_bound(comparison: Comparison, members: Sequence[Prediction]) -> list[Prediction]:
    """What of one device keeps the limits, and the bound on a step's samples where anything that fits keeps that.

    That bound is there for want of a trial, the limits and the precision are the user's: where within both a step fits
    only in the host's memory, with the model in pieces or in another precision, larger steps that need nothing of that
    come first.
    """
    most = comparison.global_limit
    keeping = [one for one in members if within_limits(one, comparison.limits, comparison.draws)]
    if not any(one.fits is not False and one.global_batch_size <= most for one in members):
        return keeping
    inside = [one for one in keeping if one.global_batch_size <= most]
    makeshift = is_makeshift(comparison)
    if not comparison.bound_is_assumed or not any(one.fits and makeshift(one) for one in inside):
        return inside
    if any(one.fits is not False and not makeshift(one) for one in inside):
        return inside
    several = [one for one in keeping if one.fits and one.count > 1 and not makeshift(one)]
    return [one for one in several if one.global_batch_size <= MAX_GLOBAL_BATCH_GROWTH * most] or inside


def _row_of_counts(
    comparison: Comparison, by_precision: Mapping[Precision, Sequence[Prediction]]
) -> tuple[Prediction, ...]:
    """The best set-up of each count over the precisions; the asked one, unless another gains over 3 %.

    Where a card lacks the asked one, what stands in for it has its place.
    A gain by a strategy that asks for more is the strategy's, which is told beside the advice: it is not compared.
    """
    training = comparison.workload.training
    first = stand_in(by_precision, training.precision)
    best: dict[int, Prediction] = {}
    for _, members in sorted(by_precision.items(), key=lambda room: room[0] != first):
        for prediction in best_by_count(members, training, comparison.global_limit):
            other = best.get(prediction.count)
            if other is None or (
                prediction.effort_rank <= other.effort_rank and clearly_less(prediction, other, comparison)
            ):
                best[prediction.count] = prediction
    return tuple(best[count] for count in sorted(best))


def _choose_count(comparison: Comparison, by_count: Sequence[Prediction]) -> Prediction | None:
    if comparison.goal == "time":
        return knee_count(by_count)
    scored = [prediction for prediction in by_count if score(prediction, comparison.goal) is not None]
    least = min(scored, key=lambda prediction: expected(prediction, comparison), default=None)
    if least is None:
        return None
    most = expected(least, comparison) * (1 + CLEAR_DIFFERENCE_FRACTION)
    near = (prediction for prediction in scored if expected(prediction, comparison) <= most)
    return min(near, key=lambda prediction: (prediction.may_run_out, expected(prediction, comparison)))


def clearly_less(prediction: Prediction, other: Prediction, comparison: Comparison) -> bool:
    """Whether a set-up of the same device gains over 3 %, and more than measurements scatter by.

    Ranges of the specification table are common to all set-ups of a card; those of measurements are each their own.
    """
    if not expected(prediction, comparison) < expected(other, comparison) / (1 + CLEAR_DIFFERENCE_FRACTION):
        return False
    less, more = score(prediction, comparison.goal), score(other, comparison.goal)
    if less is None or more is None or "specified" in {less.basis, more.basis}:
        return True
    return not touches(less, more)
