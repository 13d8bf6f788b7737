"""LoRA over several cards, where no single one holds a model's whole weights: what people do before they pack them."""

from __future__ import annotations

from collections.abc import Generator
from itertools import chain

from advisor.advice.trial import Trial, traced_if_taken
from advisor.catalogue.precisions import TRACE_PRECISIONS
from advisor.measure.events import RunnerEvent
from advisor.measure.traces import Traces
from advisor.predict.computed_precision import cast_precision
from advisor.recommend.switches import Switch, SwitchKind, adapter_changes, applies, checkpointed_adapters, switch_of

_WHOLE: frozenset[SwitchKind] = frozenset({"lora", "lora_checkpointing"})
"""Adapters beside weights that are not packed."""


def sharded_adapters(
    asked: Trial, held: frozenset[SwitchKind], traces: Traces
) -> Generator[RunnerEvent, None, tuple[Switch, ...]]:
    """LoRA on the fewest of the cards that were asked for, and of as many, that hold it sharded; else checkpointed.

    `held`: what a card by itself holds. Nothing where LoRA is among it, or where so many cards do not do.
    """
    if max(asked.request.every_count) == 1 or not _WHOLE.isdisjoint(held):
        return ()
    table = next(iter(asked.tables.values()), None)
    changes = chain(adapter_changes(asked.workload), checkpointed_adapters(asked.workload))
    for change in (one for one in changes if one.kind in _WHOLE):
        trial = asked.changed(change.workload, {})
        if traces.cancelled.is_set() or trial.is_beyond_cards_of_the_question(table):
            return ()
        if not applies(change, table):
            continue
        training = change.workload.training
        cast = TRACE_PRECISIONS[cast_precision(training.precision, training)]  # shards are gathered cast
        traced = yield from traced_if_taken(traces, change.workload, (cast,))
        found = trial.changed(change.workload, traced).on_cards_of_the_question()
        if found is not None:
            return (switch_of(change, found, None),)
    return ()
