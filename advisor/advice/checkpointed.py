"""Where no set-up holds a step on its cards alone, or none could be recommended, the answer recomputes activations.

That is what people try first.
"""

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
from advisor.workload.workload import NumbersModel, with_training


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

    Where nothing at all could be recommended, whatever can be with it is better, also by what leans on the host, which
    is then kept as it was asked for. What the user fixed stays, and so does what was timed here without it: both have
    the change among what would help.
    """
    change = next(lighter_changes(asked.request.workload, None), None)
    if change is None or not _wanted(asked):
        return asked
    own, nothing = asked.request.workload.training, asked.advice.recommendation is None
    workload = with_training(change.workload, offload=own.offload) if nothing else change.workload
    request = msgspec.structs.replace(asked.request, workload=workload)
    wanted = trace_precisions(request)
    tables = known_tables(workload, wanted)
    failure = yield from complete_tables(request, tables, wanted, cancelled)
    in_vain = asked._replace(checkpointed=tables) if workload == change.workload else asked
    if failure is not None or cancelled.is_set():
        return in_vain
    facts = msgspec.structs.replace(asked.facts, tables=tables)
    advice = answer(request, facts)
    if advice.recommendation is None or (leans_on_host(advice) and not nothing):
        return in_vain
    code = "why-checkpointing-added-else-nothing" if nothing else "why-checkpointing-added"
    added = {name: _added(getattr(advice, name), code) for name in ("recommendation", "recommendation_local")}
    return Answered(request, facts, msgspec.structs.replace(advice, **added))


def leans_on_host(advice: AdviceRecord) -> bool:
    """Whether nothing was advised for want of memory, or what was advised leans on the host's memory."""
    chosen = prediction_of(advice.predictions, advice.recommendation)
    if chosen is not None:
        return STRATEGY_FACTS[chosen.strategy].offloads
    cards = [prediction for prediction in advice.predictions if prediction.device.key != "cpu"]
    return advice.recommendation is None and bool(cards) and all(card.fits is False for card in cards)


def _wanted(asked: Answered) -> bool:
    workload, advice = asked.request.workload, asked.advice
    timed = any(step.summary is not None for measurement in asked.facts.measurements for step in measurement.steps)
    if timed or asked.request.fixed.checkpointing or isinstance(workload.model, NumbersModel):
        return False
    if advice.recommendation is None:
        # Nothing holds a step, or what does passes a limit: fewer or smaller cards may with less to hold.
        return any(prediction.fits is False for prediction in advice.predictions if prediction.device.key != "cpu")
    return leans_on_host(advice) and workload.training.offload == "none"


def _added(chosen: Recommendation | None, code: str) -> Recommendation | None:
    if chosen is None or chosen.device.key == "cpu":
        return chosen
    why = (Reason.of(code), *chosen.why)
    return msgspec.structs.replace(chosen, checkpointing_added=True, why=why)
