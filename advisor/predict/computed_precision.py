"""The precision whose operators a set-up runs, and the traces that the set-ups of one question need for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from advisor.catalogue.precisions import TRACE_PRECISIONS, ComputedPrecision, TracePrecision
from advisor.catalogue.strategies import STRATEGY_FACTS, tensor_cards
from advisor.cost.scaling.sharded_precision import on_cast_weights
from advisor.predict.prediction import SetUp
from advisor.workload.workload import Training

_EVERY = frozenset(TRACE_PRECISIONS.values())


def computed_precision(
    set_up: SetUp, training: Training, traced: Collection[TracePrecision] = _EVERY
) -> ComputedPrecision:
    """What a set-up's layers compute in: where shards are gathered, on weights that were cast beforehand.

    Without a trace of that among those that were `traced`, the operators of its own precision stand in, slower by the
    casts of autocast. Adapters are cast as well: PEFT has them in FP32, but what is gathered is cast before.
    """
    own = set_up.precision
    cast = cast_precision(own, training) if _gathers_cast(set_up, training) else own
    return cast if TRACE_PRECISIONS[cast] in traced else own


def cast_precision(precision: ComputedPrecision, training: Training) -> ComputedPrecision:
    """What layers compute in whose weights and adapters are gathered cast."""
    return on_cast_weights(precision, adapters=training.trainable == "lora")


def _gathers_cast(set_up: SetUp, training: Training) -> bool:
    """Whether weights come to a layer cast; layers that one group of cards splits have their parts whole in FP32.

    What rests in the host's memory comes from there as shards do, for one card too.
    """
    facts = STRATEGY_FACTS[set_up.strategy]
    if facts.offloads or (training.offload == "parameters" and set_up.strategy != "dp"):
        return set_up.device.key != "cpu"
    one_group = set_up.strategy == "tp" and set_up.count == tensor_cards(set_up.count)
    return facts.shards and set_up.count > 1 and not one_group


def traces_of_shards(
    set_ups: Iterable[SetUp], training: Training, traced: Collection[TracePrecision]
) -> tuple[TracePrecision, ...]:
    """What those that share the model's state need beside what was traced."""
    wanted = {TRACE_PRECISIONS[computed_precision(set_up, training)] for set_up in set_ups}
    return tuple(sorted(wanted - set(traced)))
