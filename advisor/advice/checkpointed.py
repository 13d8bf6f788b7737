"""Where no set-up holds a step on its cards alone, the answer recomputes activations: what people try first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from typing import NamedTuple

import msgspec

from advisor.advice.facts import Facts, complete_tables, trace_precisions
from advisor.advice.request import AdviceRequest
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.sentences import Reason
from advisor.measure.events import RunnerEvent
from advisor.optable.saved_tables import known_tables
from advisor.recommend.recommendation import Recommendation, prediction_of
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import NumbersModel, with_training


class Answered(NamedTuple):
    """A question with what was found out for it and the answer."""

    request: AdviceRequest
    facts: Facts
    advice: AdviceRecord


def checkpointed_where_needed(
    asked: Answered, answer: Callable[[AdviceRequest, Facts], AdviceRecord], cancelled: threading.Event
) -> Generator[RunnerEvent, None, Answered]:
    """The same question with activation checkpointing, where that alone makes a step fit the cards; else as it was.

    What the user fixed stays, and so does what was timed here without it: both have the change among what would help.
    """
    if not _wanted(asked):
        return asked
    workload = with_training(asked.request.workload, activation_checkpointing="full")
    request = msgspec.structs.replace(asked.request, workload=workload)
    wanted = trace_precisions(request)
    tables = known_tables(workload, wanted)
    failure = yield from complete_tables(request, tables, wanted, cancelled)
    if failure is not None or cancelled.is_set():
        return asked
    facts = msgspec.structs.replace(asked.facts, tables=tables)
    advice = answer(request, facts)
    if leans_on_host(advice):
        return asked
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
    training = asked.request.workload.training
    timed = any(step.summary is not None for measurement in asked.facts.measurements for step in measurement.steps)
    return (
        leans_on_host(asked.advice)
        and not timed
        and not asked.request.fixed.checkpointing
        and not isinstance(asked.request.workload.model, NumbersModel)
        and (training.mode, training.activation_checkpointing, training.offload) == ("training", "none", "none")
    )


def _added(chosen: Recommendation | None) -> Recommendation | None:
    if chosen is None or chosen.device.key == "cpu":
        return chosen
    why = (Reason.of("why-checkpointing-added"), *chosen.why)
    return msgspec.structs.replace(chosen, checkpointing_added=True, why=why)
