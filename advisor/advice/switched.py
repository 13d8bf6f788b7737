"""Predicts the advised set-up with each switch that applies, through the same functions as the advice itself."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import msgspec

from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest, growth_of, known_specs
from advisor.advice.sharded_adapters import sharded_adapters
from advisor.advice.trial import Tables, Trial, traced_if_taken
from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import PRECISION_FACTS, TRACE_PRECISIONS, Precision, TracePrecision
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.records import shared_fields
from advisor.measure.events import RunnerEvent
from advisor.measure.traces import Traces
from advisor.optable.op_table import OpTable
from advisor.predict.computed_precision import cast_precision, computed_precision
from advisor.predict.prediction import Candidate, Prediction, SetUp
from advisor.recommend.batch_size import largest_global_batch
from advisor.recommend.recommendation import prediction_of
from advisor.recommend.switches import (
    Change,
    Switch,
    SwitchKind,
    adapter_changes,
    applies,
    checkpointed_adapters,
    freeing_changes,
    held_by_8bit_states,
    lighter_changes,
    plain_changes,
    reaching_changes,
    switch_of,
    traced_changes,
)
from advisor.store.advice_record import AdviceRecord
from advisor.workload.training_checks import training_problems
from advisor.workload.workload import NumbersModel, Workload, with_training

_ON_ONE_CARD = frozenset({"lora", "qlora", "lora_checkpointing", "qlora_checkpointing", "quantised_weights"})
"""What is asked whether it holds a step on one card, where the question's own set-ups do not."""
_DO_WITHOUT_CHECKPOINTING: dict[SwitchKind, set[SwitchKind]] = {
    "lora_checkpointing": {"lora"},
    "qlora_checkpointing": {"lora", "qlora"},
}
"""What holding a step makes it needless to look at these: whole weights may be quicker than packed ones, even so."""
_LIGHTER = "checkpointing_on_cards"


def find_switches(
    request: AdviceRequest,
    facts: Facts,
    advice: AdviceRecord,
    traces: Traces,
) -> Generator[RunnerEvent, None, tuple[Switch, ...]]:
    """What each switch would bring; those that need a trace only where `request.switches` asks for them.

    LoRA and QLoRA are looked at by themselves where no card holds what is asked for without its machine's memory (LoRA
    over all that were asked for, where one does not hold it), checkpointing where no number of them does, and what
    frees memory where the advised step may run out of it.
    """
    chosen = prediction_of(advice.predictions, advice.recommendation)
    if chosen is not None and chosen.device.key == "cpu":
        chosen = None
    alone = (
        chosen is not None
        and not STRATEGY_FACTS[chosen.strategy].offloads
        and not STRATEGY_FACTS[chosen.strategy].shards
    )
    makeshift = leans_on_host(advice)
    tables: Tables = facts.tables
    if chosen is not None and chosen.count > 1:  # sharding is told of shards that were cast, where that is known
        cast = TRACE_PRECISIONS[cast_precision(chosen.precision, request.workload.training)]
        tables = {**tables, **traces.known(request.workload, (cast,))}
    asked = Trial(request, facts, request.workload, tables)
    switches = list(_without_tracing(asked, chosen, makeshift=makeshift))
    changes = list(
        _to_trace(request, chosen, tables, adapters=not alone and (makeshift or _hopeful(advice)), makeshift=makeshift)
    )
    table = next(iter(facts.tables.values()), None)
    for change in changes:
        if traces.cancelled.is_set():
            break
        on_one = change.kind in _ON_ONE_CARD and not alone
        # No trace is made for what no card holds: that of hundreds of experts takes minutes.
        if not applies(change, table) or (on_one and asked.changed(change.workload, {}).is_beyond_one_card(table)):
            continue
        traced = yield from traced_for(asked, change, chosen, traces, alone=on_one)
        if not traced:
            continue
        trial = asked.changed(change.workload, traced)
        if chosen is not None and not on_one:
            switches += what_it_brings(asked, trial, change, chosen)
        else:
            # Recomputing activations is what people do first where a step does not fit, on as many cards as they have.
            on_cards = change.kind == _LIGHTER
            found = trial.on_cards_asked_for(beyond=(_on_the_cards(asked),)) if on_cards else trial.on_one_card()
            switches += [] if found is None else [switch_of(change, found, None)]
        if change.kind == "qlora" and not alone:
            held = {switch.kind for switch in switches}
            further = checkpointed_adapters(request.workload)
            changes += [one for one in further if held.isdisjoint(_DO_WITHOUT_CHECKPOINTING[one.kind])]
    if not alone and any(change.kind == "lora" for change in changes):
        switches += yield from sharded_adapters(asked, frozenset(switch.kind for switch in switches), traces)
    return tuple(switches)


def _to_trace(
    request: AdviceRequest, chosen: Prediction | None, tables: Tables, *, adapters: bool, makeshift: bool
) -> Iterator[Change]:
    """What each needs operators of its own; `adapters`: those are looked at, as cards lack memory for all weights."""
    workload = request.workload
    spec = _spec_of(chosen, request)
    if makeshift:
        yield from lighter_changes(workload, chosen)
    if chosen is not None:
        yield from reaching_changes(workload, chosen, _table_of(chosen, workload, tables), spec)
    if request.switches:
        yield from traced_changes(workload, chosen, spec)
        return
    if adapters:
        yield from adapter_changes(workload)
    if chosen is not None and chosen.may_run_out:
        yield from freeing_changes(workload, keep_checkpointing=request.fixed.checkpointing)


def _without_tracing(asked: Trial, chosen: Prediction | None, *, makeshift: bool) -> Iterator[Switch]:
    """What needs no operators but those that are known, and the cards that would hold what none here does."""
    request, tables = asked.request, asked.tables
    spec = _spec_of(chosen, request)
    table = None if chosen is None else _table_of(chosen, request.workload, tables)
    if chosen is not None and table is not None and not isinstance(request.workload.model, NumbersModel):
        for change in plain_changes(request.workload, chosen, spec):
            if applies(change, table) and _keeps_global_batch(request, change, chosen):
                yield from what_it_brings(asked, asked.changed(change.workload, tables), change, chosen)
    if request.workload.training.mode == "training" and makeshift:
        # Cards that hold all of it need nothing of the host, also where the question off-loads.
        larger = Change(kind="larger_cards", workload=with_training(request.workload, offload="none"))
        held = asked.changed(larger.workload, tables).on_larger_cards()
        if held is not None:
            yield switch_of(larger, held, None)
        yield from _with_8bit_states(asked)


def _with_8bit_states(asked: Trial) -> Iterator[Switch]:
    """The first change of the states that lets cards of the question hold a step, by operators that are known."""
    checkpointed = asked.facts.tables_with(("checkpointing",))
    whole = _on_the_cards(asked)
    for change in held_by_8bit_states(asked.request.workload):
        further = change.kind == "optimizer_8bit_checkpointing"
        if any(training_problems(change.workload)) or (further and checkpointed is asked.facts.tables):
            continue
        lighter = with_training(whole.workload, activation_checkpointing="full")
        beyond = (whole, asked.changed(lighter, checkpointed)) if further else (whole,)
        changed = asked.changed(change.workload, checkpointed if further else asked.tables)
        held = changed.on_cards_of_the_question(beyond)
        if held is not None:
            yield switch_of(change, held, None)
            return


def _on_the_cards(asked: Trial) -> Trial:
    """What was asked for with nothing in the host's memory: what that fits in owes nothing to a further change."""
    return asked.changed(with_training(asked.workload, offload="none"), asked.tables)


def _keeps_global_batch(request: AdviceRequest, change: Change, chosen: Prediction) -> bool:
    """Whether a step stays within the global batch that the advice is bound to; most changes leave it as it is."""
    if change.gradient_accumulation_steps is None:
        return True
    passes = change.gradient_accumulation_steps / chosen.gradient_accumulation_steps
    most = largest_global_batch(request.workload, growth_of(request), request.critical_batch)
    return chosen.global_batch_size * passes <= (request.global_batch_size or most)


def leans_on_host(advice: AdviceRecord) -> bool:
    """Whether nothing was advised for want of memory, or what was advised leans on the host's memory."""
    chosen = prediction_of(advice.predictions, advice.recommendation)
    if chosen is not None:
        return STRATEGY_FACTS[chosen.strategy].offloads
    cards = [prediction for prediction in advice.predictions if prediction.device.key != "cpu"]
    return advice.recommendation is None and bool(cards) and all(card.fits is False for card in cards)


def _hopeful(advice: AdviceRecord) -> bool:
    """Whether a table card was looked at and none holds a step of the workload on its own."""
    cards = [
        prediction for prediction in advice.predictions if prediction.device.key != "cpu" and prediction.count == 1
    ]
    return bool(cards) and all(card.fits is False or STRATEGY_FACTS[card.strategy].offloads for card in cards)


def _spec_of(chosen: Prediction | None, request: AdviceRequest) -> GpuSpec | None:
    return None if chosen is None else known_specs(request).get(chosen.device.spec_key or "")


def _table_of(set_up: SetUp, workload: Workload, tables: Tables) -> OpTable | None:
    """The operators that a set-up runs."""
    return tables.get(TRACE_PRECISIONS[computed_precision(set_up, workload.training, tables)])


def _traces_for(asked: Trial, change: Change, chosen: Prediction | None, *, alone: bool) -> tuple[TracePrecision, ...]:
    """What a change has to be traced at: for one card, for the advised set-up, or else for whole copies and shards.

    One card is looked at in the precision that was asked for, which need not be that of the advised set-up.
    Shards are cast beforehand where weights were in half for the question itself: like is compared with like.
    """
    own = change.workload.training.precision if alone else _precision(change, chosen)
    if chosen is not None and not alone:
        before = computed_precision(chosen, asked.workload.training, asked.tables)
        in_half = PRECISION_FACTS[before].half_weights
        after = computed_precision(_with(change, chosen), change.workload.training) if in_half else own
        return (TRACE_PRECISIONS[after],)
    cast_trace = TRACE_PRECISIONS[cast_precision(own, change.workload.training)]
    cast_before = TRACE_PRECISIONS[cast_precision(own, asked.workload.training)]
    known = cast_before in asked.tables and not alone
    return tuple(dict.fromkeys((TRACE_PRECISIONS[own], *((cast_trace,) if known else ()))))


def traced_for(
    asked: Trial, change: Change, chosen: Prediction | None, traces: Traces, *, alone: bool = False
) -> Generator[RunnerEvent, None, Tables]:
    """The operators of a change to the advised set-up, or `alone` of one card; none where they cannot be traced."""
    return (yield from traced_if_taken(traces, change.workload, _traces_for(asked, change, chosen, alone=alone)))


def _precision(change: Change, chosen: Prediction | None) -> Precision:
    """The set-up's own, unless it is the precision that is switched."""
    if chosen is None or change.kind in {"half", "fp8", "pure_half", "half_weights"}:
        return change.workload.training.precision
    return chosen.precision


def what_it_brings(asked: Trial, trial: Trial, change: Change, chosen: Prediction) -> list[Switch]:
    """The advised set-up with and without the change, both from the table: a timing here knows nothing of it."""
    own = Candidate(**shared_fields(chosen, SetUp))
    before, after = asked.predicted([own]), trial.predicted([_with(change, chosen)])
    if asked.memory.has_own_waste(chosen):  # what a switch saves is told beside a need that has it
        before = tuple(map(asked.memory.replayed, before))
        after = tuple(map(trial.memory.replayed, after))
    return [switch_of(change, after[0], before[0])] if before and after else []


def _with(change: Change, chosen: Prediction) -> Candidate:
    """The advised set-up with the change."""
    return msgspec.structs.replace(
        Candidate(**shared_fields(chosen, SetUp)),
        strategy=change.strategy or chosen.strategy,
        precision=_precision(change, chosen),
        gradient_accumulation_steps=change.gradient_accumulation_steps or chosen.gradient_accumulation_steps,
    )
