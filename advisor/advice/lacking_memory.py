"""Which cards lack memory for the step that was asked for, so that what frees some is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from advisor.advice.request import AdviceRequest
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.predict.prediction import Prediction, SetUp
from advisor.recommend.fixed import kept_by
from advisor.recommend.precisions import at_least_as_exact

_MOST_WAITING = 0.5
"""Share of a step that cards with shards may wait for one another: beyond it more samples at once pay more than what
frees the memory for them costs, which is at most a second forward pass."""


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
    """What keeps what is fixed, in the precision that was asked for, where the device computes in it."""
    training = request.workload.training
    kept = kept_by(request.fixed, predictions, training, request.global_batch_size)
    having = {one.device.key for one in kept if one.precision == training.precision}
    for one in kept:
        own = one.precision == training.precision or one.device.key not in having
        if (
            own
            and one.holds_plainly
            and _is_busy(request, one)
            and at_least_as_exact(one.precision, training.precision)
        ):
            yield one


def _is_busy(request: AdviceRequest, one: Prediction) -> bool:
    """Whether several cards have work for the time that they exchange something: enough samples in between."""
    facts = STRATEGY_FACTS[one.strategy]
    if one.count == 1:
        return True
    if facts.shards and one.part_share("communication") > _MOST_WAITING:
        return False
    # DistributedDataParallel waits with gradients for the last pass of a step. Shards are sent in every pass, and so is
    # what one process deals out.
    passes = 1 if facts.shards or facts.one_process else one.gradient_accumulation_steps
    return one.batch_size_per_device * passes >= _own_batch(request, one.count)


def _own_batch(request: AdviceRequest, count: int) -> int:
    """Samples that each card is to work on: those of the workload, or its share of a batch that is asked for."""
    own = request.workload.training.batch_size
    return own if request.global_batch_size is None else min(own, max(1, request.global_batch_size // count))
