"""Which cards lack memory for the step that was asked for, so that what frees some is looked at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from advisor.advice.request import AdviceRequest
from advisor.catalogue.strategies import PLAIN_EFFORT, STRATEGY_FACTS
from advisor.predict.prediction import Prediction, SetUp
from advisor.recommend.fixed import kept_by
from advisor.recommend.precisions import at_least_as_exact

_LEAST_RATE_SHARE = 0.75
"""Of what the same cards would do at the workload's own batch, if they held it: computing activations again costs a
second forward pass, a quarter of the rate, so what is slower than this may gain by it."""
_MOST_WAITING_SHARE = 0.5
"""Of a step, for which cards with shards may wait for one another: beyond it more samples at once gain more."""


def lacking_devices(request: AdviceRequest, predictions: Sequence[Prediction]) -> frozenset[str]:
    """Keys of the GPUs no number of which holds a step by itself, as it may be advised."""
    cards = [prediction for prediction in predictions if prediction.device.key != "cpu"]
    held = {prediction.device.key for prediction in _holding(request, cards)}
    return frozenset(card.device.key for card in cards) - held


def short_of_memory(
    request: AdviceRequest, predictions: Sequence[Prediction], *, everywhere: bool
) -> Callable[[SetUp], bool]:
    """Whether as many of a set-up's GPU do not hold a step by themselves; `everywhere`: though another number does."""
    held = {prediction.device_and_count for prediction in _holding(request, predictions)}
    lacking = lacking_devices(request, predictions)

    def is_short(one: SetUp) -> bool:
        open_to_it = everywhere or one.device.key in lacking
        return one.device.key != "cpu" and open_to_it and one.device_and_count not in held

    return is_short


def _holding(request: AdviceRequest, predictions: Sequence[Prediction]) -> Iterator[Prediction]:
    """What keeps what is fixed and is not slow for lack of memory, in the precision that was asked for.

    Where a device does not compute in that, in what stands in for it.
    """
    training = request.workload.training
    kept = kept_by(request.fixed, predictions, training, request.global_batch_size)
    having = {one.device.key for one in kept if one.precision == training.precision}
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
        quick = one.samples_per_s.value >= _LEAST_RATE_SHARE * rates[_cards(one)]
        if one.fits is not False and quick and not _waits(one):
            yield one


def _cards(one: Prediction) -> tuple[object, ...]:
    return (one.device.key, one.count, one.precision)


def _waits(one: Prediction) -> bool:
    """Whether cards with shards wait for one another most of the time."""
    return STRATEGY_FACTS[one.strategy].shards and one.part_share("communication") > _MOST_WAITING_SHARE
