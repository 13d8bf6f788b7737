"""Which cards lack memory for the step that was asked for, so that what frees some is looked at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from advisor.advice.request import AdviceRequest
from advisor.catalogue.strategies import PLAIN_EFFORT, STRATEGY_FACTS
from advisor.predict.additions import Addition
from advisor.predict.prediction import Prediction
from advisor.recommend.fixed import devices_predicted_in, kept_by
from advisor.recommend.precisions import at_least_as_exact

_LEAST_RATE_SHARES: dict[Addition, float] = {
    "fused_optimizer": 0.9,
    "checkpointing": 0.75,
    "chunked_loss": 0.9,
}
"""Of what the same cards would do at the workload's own batch, if they held it: what is slower may gain by what frees
memory for it. Computing activations again costs a second forward pass, a quarter of the rate, the others little."""
_MOST_WAITING_SHARE = 0.5
"""Of a step, for which cards with shards may wait for one another: beyond it more samples at once gain more."""


def short_of_memory(
    request: AdviceRequest, predictions: Sequence[Prediction], addition: Addition, *, everywhere: bool = False
) -> frozenset[tuple[str, int]]:
    """Keys of GPUs and how many of them do not hold a step by themselves, as it may be advised without `addition`.

    Fewer than the least number that holds one are left out, since they are known to hold less; `everywhere`: they are
    looked at too, as where what holds a step passes a limit.
    """
    cards = [prediction for prediction in predictions if prediction.device.key != "cpu"]
    held = {prediction.device_and_count for prediction in _holding(request, cards, _LEAST_RATE_SHARES[addition])}
    least: dict[str, int] = {}
    for key, count in held:
        least[key] = min(count, least.get(key, count))
    every = {card.device_and_count for card in cards}
    return frozenset((key, count) for key, count in every - held if everywhere or count > least.get(key, 0))


def _holding(
    request: AdviceRequest, predictions: Sequence[Prediction], least_rate_share: float
) -> Iterator[Prediction]:
    """What keeps what is fixed and is not slow for lack of memory, in the precision that was asked for.

    Where a device does not compute in that, in what stands in for it.
    """
    training = request.workload.training
    kept = kept_by(request.fixed, predictions, training, request.global_batch_size)
    having = devices_predicted_in(training.precision, kept)
    wanted = [
        one
        for one in kept
        if (one.precision == training.precision or one.device.key not in having)
        and one.effort_rank <= PLAIN_EFFORT
        and at_least_as_exact(one.precision, training.precision)
    ]
    rates: dict[object, float] = defaultdict(float)
    for one in wanted:
        if one.batch_size_per_device <= training.batch_size:
            rates[_cards(one)] = max(rates[_cards(one)], one.samples_per_s.value)
    for one in wanted:
        quick = one.samples_per_s.value >= least_rate_share * rates[_cards(one)]
        if one.fits is not False and quick and not _waits(one):
            yield one


def _cards(one: Prediction) -> tuple[object, ...]:
    return (one.device.key, one.count, one.precision)


def _waits(one: Prediction) -> bool:
    """Whether cards with shards wait for one another most of the time."""
    return STRATEGY_FACTS[one.strategy].shards and one.part_share("communication") > _MOST_WAITING_SHARE
