"""Where no set-up holds a step on its cards alone, the answer recomputes activations: what people try first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from advisor.advice.facts import Facts, complete_tables, trace_precisions
from advisor.advice.request import AdviceRequest
from advisor.catalogue.precisions import TracePrecision
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.sentences import Reason
from advisor.measure.events import RunnerEvent
from advisor.optable.op_table import OpTable
from advisor.optable.saved_tables import known_tables
from advisor.recommend.recommendation import Recommendation, prediction_of
from advisor.recommend.switches import lighter_changes
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import NumbersModel


class Answered(NamedTuple):
    """A question with what was found out for it and the answer."""

    request: AdviceRequest
    facts: Facts
    advice: AdviceRecord
    checkpointed: Mapping[TracePrecision, OpTable] = MappingProxyType({})
    """The workload's operators with checkpointing, where these were looked at in vain."""


def checkpointed_where_needed(
    asked: Answered, answer: Callable[[AdviceRequest, Facts], AdviceRecord], cancelled: threading.Event
) -> Generator[RunnerEvent, None, Answered]:
    """The same question with activation checkpointing, where that alone makes a step fit the cards; else as it was.

    What the user fixed stays, and so does what was timed here without it: both have the change among what would help.
    """
    change = next(lighter_changes(asked.request.workload, None), None)
    if change is None or not _wanted(asked):
        return asked
    request = msgspec.structs.replace(asked.request, workload=change.workload)
    wanted = trace_precisions(request)
    tables = known_tables(change.workload, wanted)
    failure = yield from complete_tables(request, tables, wanted, cancelled)
    in_vain = asked._replace(checkpointed=tables)
    if failure is not None or cancelled.is_set():
        return in_vain
    facts = msgspec.structs.replace(asked.facts, tables=tables)
    advice = answer(request, facts)
    if leans_on_host(advice):
        return in_vain
    added = {name: _added(getattr(advice, name)) for name in ("recommendation", "recommendation_local")}
    return Answered(request, facts, msgspec.structs.replace(advice, **added))


def leans_on_host(advice: AdviceRecord) -> bool:
    """Whether nothing was advised for want of memory, or what was advised leans on the host's memory."""
    chosen = prediction_of(advice.predictions, advice.recommendation)
    if chosen is not None:
        return STRATEGY_FACTS[chosen.strategy].offloads
    cards = [prediction for prediction in advice.predictions if prediction.device.key != "cpu"]
    return advice.recommendation is None and bool(cards) and all(card.fits is False for card in cards)


def _wanted(asked: Answered) -> bool:
    workload = asked.request.workload
    timed = any(step.summary is not None for measurement in asked.facts.measurements for step in measurement.steps)
    return (
        leans_on_host(asked.advice)
        and not timed
        and not asked.request.fixed.checkpointing
        and not isinstance(workload.model, NumbersModel)
        and workload.training.offload == "none"
    )


def _added(chosen: Recommendation | None) -> Recommendation | None:
    if chosen is None or chosen.device.key == "cpu":
        return chosen
    why = (Reason.of("why-checkpointing-added"), *chosen.why)
    return msgspec.structs.replace(chosen, checkpointing_added=True, why=why)
