"""How many devices and by which strategy: the knee of time against cost, and the Pareto set behind it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from advisor.catalogue.strategies import PLAINLY_SHARDING, STRATEGY_FACTS
from advisor.core.by_key import firsts, grouped
from advisor.recommend.batch_size import choose
from advisor.recommend.ranking import score

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from advisor.predict.prediction import Prediction
    from advisor.workload.workload import Training

KNEE_MARGINAL_RATIO = 0.7
"""From n1 to n2 cards only where (rate(n2)/rate(n1) - 1) / (n2/n1 - 1) reaches this."""
STARTING_S = 1.7
"""What importing torch alone takes a process that trains, before a card is set up or others are joined."""
WORTH_ACCUMULATING_FRACTION = 0.95
LEAST_RATE_FOR_LIKELY_ROOM = 0.8
"""Where more than one in four would run out of memory: an engineer gives up a fifth of the rate for a run that runs."""
WORTH_SHARDING = 1.25
"""Times as fast as whole replicas: less is not worth another wrapper and what it asks of saving and loading."""


def marginal_ratio(fewer: Prediction, more: Prediction) -> float:
    """What the added devices give, as a share of what they could: 1 is ideal, 0 nothing, below 0 a loss."""
    gained = more.samples_per_s.value / fewer.samples_per_s.value - 1
    return gained / (more.count / fewer.count - 1)


def best_by_count(predictions: Sequence[Prediction], training: Training, global_limit: int) -> tuple[Prediction, ...]:
    """For one device and precision: the best set-up of each count, ascending by count.

    Within a count the plainest kind of strategy that fits is taken: a whole replica on every card, then sharded
    states, then states off-loaded to the host, then the model cut into pieces, which changes its code. What may run
    out of memory gives way to what has room for all of its range and is nearly as fast.
    """
    curves = grouped(predictions, lambda prediction: prediction.set_up_but("precision", "batch_size_per_device"))
    by_count: dict[int, list[Prediction]] = defaultdict(list)
    for curve in curves.values():
        chosen = choose(curve, training.batch_size, global_limit)
        if chosen is not None:
            by_count[chosen.count].append(_without_data_parallel(chosen, predictions))
    if not by_count:
        # Everything that fits passes the bound on the global batch: the least beyond it is kept, and said to be so.
        for count, member in _least_beyond(predictions, training).items():
            by_count[count].append(member)
    plainest = (_plainest_with_room(by_count[count], predictions, training) for count in sorted(by_count))
    return tuple(_with_room(chosen, predictions, training, global_limit) for chosen in plainest)


def _with_room(
    chosen: Prediction, predictions: Sequence[Prediction], training: Training, global_limit: int
) -> Prediction:
    """Where that may run out of memory, what asks for no more, trains on as much and has room: at most 5 % slower.

    Where that likely runs out, at most a fifth slower. Of several what changes least: fewest additions, as many samples
    a step, fewest passes. Here an addition needs to gain nothing but the room.
    """
    if not chosen.may_run_out:
        return chosen
    least, most = min(training.global_batch_size, chosen.global_batch_size), max(global_limit, chosen.global_batch_size)
    open_ones = [
        one
        for one in predictions
        if one.count == chosen.count
        and one.fits
        and not one.may_run_out
        and one.effort_rank <= chosen.effort_rank
        and least <= one.global_batch_size <= most
        and one.samples_per_s.value >= least_rate_for_room(chosen) * chosen.samples_per_s.value
    ]

    def change(one: Prediction) -> tuple[int, bool, int, bool, float]:
        passes, other_batch = one.gradient_accumulation_steps, one.global_batch_size != chosen.global_batch_size
        return (len(one.added), other_batch, passes, one.strategy == "dp", -one.samples_per_s.value)

    return min(open_ones, key=change, default=chosen)


def least_rate_for_room(chosen: Prediction) -> float:
    """Share of its rate that something must keep which has room where this may run out of memory."""
    return LEAST_RATE_FOR_LIKELY_ROOM if chosen.likely_runs_out else WORTH_ACCUMULATING_FRACTION


def _plainest_with_room(
    members: Sequence[Prediction], predictions: Sequence[Prediction], training: Training
) -> Prediction:
    """Of the plainest kind; where that may run out of memory, its like that shards among the cards and has room.

    Shards that leave room for many more samples may be far quicker than replicas of a few: then they are taken.
    In inference the quickest is: servers split a model as readily as they shard it.
    """
    if training.mode == "inference":
        on_cards = [member for member in members if not STRATEGY_FACTS[member.strategy].offloads]
        return _preferred(on_cards or members, training)
    plainest = min(member.effort_rank for member in members)
    chosen = _preferred([member for member in members if member.effort_rank == plainest], training)
    if plainest:
        return chosen
    sharded = [member for member in members if member.strategy in PLAINLY_SHARDING and member.fits]
    # Of as many samples at once they are quicker by their 16-bit weights alone, which replicas can have too.
    larger = [one for one in sharded if one.batch_size_per_device > chosen.batch_size_per_device]
    quicker = [one for one in larger if one.samples_per_s.value >= WORTH_SHARDING * chosen.samples_per_s.value]
    if quicker:
        return _preferred(quicker, training)
    if not chosen.may_run_out:
        return chosen
    twins = (prediction for prediction in predictions if prediction.differs_at_most_by(chosen, "strategy"))
    sharded += [one for one in twins if one.strategy in PLAINLY_SHARDING and one.fits]
    return _preferred([chosen, *(one for one in sharded if not one.may_run_out)], training)


def _without_data_parallel(chosen: Prediction, predictions: Sequence[Prediction]) -> Prediction:
    """DataParallel gains by larger batches than DDP needs: where DDP is as fast at that very batch, it is taken."""
    if chosen.strategy != "dp":
        return chosen
    twins = (
        prediction
        for prediction in predictions
        if prediction.strategy == "ddp"
        and prediction.fits is not False
        and prediction.differs_at_most_by(chosen, "strategy")
        and prediction.samples_per_s.value >= chosen.samples_per_s.value
    )
    return max(twins, key=lambda prediction: prediction.samples_per_s.value, default=chosen)


def _least_beyond(predictions: Sequence[Prediction], training: Training) -> dict[int, Prediction]:
    """For each count the plainest set-up that fits with the smallest global batch."""
    fitting = [prediction for prediction in predictions if prediction.fits is not False]
    fitting.sort(key=_beyond)
    least = firsts(fitting, lambda prediction: prediction.count)
    return {
        count: _preferred([one for one in fitting if one.count == count and _beyond(one) == _beyond(first)], training)
        for count, first in least.items()
    }


def _beyond(prediction: Prediction) -> tuple[int, int]:
    return prediction.global_batch_size, prediction.effort_rank


def _preferred(members: Sequence[Prediction], training: Training) -> Prediction:
    """The fastest; a smaller step than the workload's, too little room, additions, accumulation, DP: for over 5 %.

    Each thing that is added to the workload has to gain that much by itself.
    """

    def worth(member: Prediction) -> float:
        return member.samples_per_s.value * WORTH_ACCUMULATING_FRACTION ** len(member.added)

    best = max(map(worth, members))
    near = [member for member in members if worth(member) >= WORTH_ACCUMULATING_FRACTION * best]
    own = training.global_batch_size

    def unusual(member: Prediction) -> tuple[int, bool, int, int, bool, float]:
        """What to avoid at nearly equal speed: too few samples, little room, additions, accumulation, DP, slowness."""
        missing = max(0, own - member.global_batch_size)
        passes = member.gradient_accumulation_steps
        added, one_process = len(member.added), member.strategy == "dp"
        return (missing, member.may_run_out, added, passes, one_process, -member.samples_per_s.value)

    return min(near, key=unusual)


def knee_count(by_count: Sequence[Prediction]) -> Prediction | None:
    """The set-up at the knee of an ascending row of counts; None for an empty row.

    More cards may hold what fewer lack memory for: a count that is not worth it does not keep out a larger one that is.
    Nor are cards worth it that save less of the job than their processes take to start. Where fewer would likely run
    out of memory, those that are quicker and have room are taken for that.
    """
    best: Prediction | None = None
    for prediction in by_count:
        if best is None or _is_worth(best, prediction) or has_likelier_room(best, prediction):
            best = prediction
    return best


def _is_worth(fewer: Prediction, more: Prediction) -> bool:
    return marginal_ratio(fewer, more) >= KNEE_MARGINAL_RATIO and not saves_less_than_starting(fewer, more)


def has_likelier_room(fewer: Prediction, more: Prediction) -> bool:
    """Whether more cards, that are quicker, have room for a step of which fewer would likely run out."""
    quicker = more.samples_per_s.value > fewer.samples_per_s.value
    return fewer.likely_runs_out and not more.may_run_out and more.holds_plainly and quicker


def saves_less_than_starting(fewer: Prediction, more: Prediction) -> bool:
    """Whether the job gets shorter by less than what starting it takes; not of a job whose size is unknown."""
    return fewer.job_s is not None and more.job_s is not None and fewer.job_s.value - more.job_s.value < STARTING_S


def is_over_at_once(prediction: Prediction) -> bool:
    """Whether the whole job takes less than what starting it does: that it might end sooner nobody would notice."""
    return prediction.job_s is not None and prediction.job_s.value < STARTING_S


def pareto(predictions: Iterable[Prediction]) -> tuple[Prediction, ...]:
    """Set-ups that no other one beats in both time and cost (GPU-hours where no price is known), fastest first.

    Priced and unpriced set-ups are compared apart, since money and GPU-hours do not compare.
    """
    points: dict[bool, list[tuple[float, float, Prediction]]] = {True: [], False: []}
    for set_up in predictions:
        spent = score(set_up, "cost")
        if set_up.job_s is not None and spent is not None:
            points[set_up.cost is not None].append((set_up.job_s.value, spent.value, set_up))
    fronts = _front(points[True]) + _front(points[False])
    return tuple(prediction for _, _, prediction in sorted(fronts, key=lambda entry: entry[:2]))


def _front(points: list[tuple[float, float, Prediction]]) -> list[tuple[float, float, Prediction]]:
    front: list[tuple[float, float, Prediction]] = []
    for point in sorted(points, key=lambda entry: entry[:2]):
        if not front or point[1] < front[-1][1]:
            front.append(point)
    return front
