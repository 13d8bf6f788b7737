"""Predicts the advised set-up with each switch that applies, through the same functions as the advice itself."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from itertools import product

import msgspec

from advisor.advice.facts import Facts
from advisor.advice.predictions import sources_and_memory
from advisor.advice.request import AdviceRequest, growth_of, known_specs
from advisor.catalogue.precisions import TRACE_PRECISIONS, Precision, TracePrecision
from advisor.catalogue.strategies import STRATEGY_FACTS, Strategy
from advisor.core.records import shared_fields
from advisor.measure.events import RunnerEvent
from advisor.measure.traces import Traces, TraceUnanswered
from advisor.optable.op_table import OpTable
from advisor.predict.assembly import predict_candidates
from advisor.predict.device_memory import MemorySolver
from advisor.predict.prediction import Candidate, Device, Prediction, SetUp
from advisor.predict.sources import Sources
from advisor.recommend.batch_size import largest_global_batch
from advisor.recommend.candidates import (
    DEFAULT_GPU_KEYS,
    LARGER_GPU_KEYS,
    largest_gpu_keys,
    splits_layers,
    table_keys,
)
from advisor.recommend.precisions import precisions_of_gpu
from advisor.recommend.recommendation import prediction_of
from advisor.recommend.switches import (
    Change,
    Switch,
    adapter_changes,
    applies,
    checkpointed_adapters,
    lighter_changes,
    plain_changes,
    switch_of,
    traced_changes,
)
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import NumbersModel, Workload, stored_bits, with_training

Tables = Mapping[TracePrecision, OpTable]
_ADAPTERS = frozenset({"lora", "qlora", "qlora_checkpointing"})
_LIGHTER = "checkpointing_on_cards"
_ON_ONE: tuple[Strategy, ...] = ("single",)
_ON_SEVERAL: tuple[Strategy, ...] = ("fsdp", "zero2", "tp")
"""FSDP keeps least, but of a model whose blocks are not known, which it gathers whole: ZeRO-2 may keep less there, and
tensor parallelism where activations are most of it."""
LARGER_COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
"""How many cards are tried where nothing else holds a step."""


def find_switches(
    request: AdviceRequest,
    facts: Facts,
    advice: AdviceRecord,
    traces: Traces,
) -> Generator[RunnerEvent, None, tuple[Switch, ...]]:
    """What each switch would bring; those that need a trace only where `request.switches` asks for them.

    LoRA and QLoRA are looked at by themselves where no card holds what is asked for without its machine's memory,
    and checkpointing where no number of them does.
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
    switches = list(_without_tracing(request, facts, chosen, makeshift=makeshift))
    spec = None if chosen is None else known_specs(request).get(chosen.device.spec_key or "")
    changes: list[Change] = []
    changes += lighter_changes(request.workload, chosen) if makeshift else ()
    if request.switches:
        changes += traced_changes(request.workload, chosen, spec)
    elif not alone:
        changes += adapter_changes(request.workload) if makeshift or _hopeful(advice) else ()
    table = next(iter(facts.tables.values()), None)
    for change in changes:
        if traces.cancelled.is_set():
            break
        on_one = change.kind in _ADAPTERS and not alone
        # No trace is made for what no card holds: that of hundreds of experts takes minutes.
        if not applies(change, table) or (on_one and _beyond_one_card(request, change, table)):
            continue
        tables = yield from _traced(change, chosen, traces)
        if not tables:
            continue
        if chosen is not None and not on_one:
            switches += _switched(request, facts, change, chosen, tables)
        else:
            look = _checkpointed if change.kind == _LIGHTER else _on_one_card
            switches += look(request, facts, change, tables)
        if change.kind == "qlora" and not alone and not any(switch.kind in _ADAPTERS for switch in switches):
            changes += checkpointed_adapters(change)
    return tuple(switches)


def _without_tracing(
    request: AdviceRequest, facts: Facts, chosen: Prediction | None, *, makeshift: bool
) -> Iterator[Switch]:
    """What needs no operators but those that are known, and the cards that would hold what none here does."""
    spec = known_specs(request).get(chosen.device.spec_key or "") if chosen is not None else None
    table = facts.tables.get(TRACE_PRECISIONS[chosen.precision]) if chosen is not None else None
    if chosen is not None and table is not None and not isinstance(request.workload.model, NumbersModel):
        for change in plain_changes(request.workload, chosen, spec):
            if applies(change, table) and _keeps_global_batch(request, change, chosen):
                yield from _switched(request, facts, change, chosen, facts.tables)
    if request.workload.training.mode == "training" and makeshift:
        yield from _on_larger_cards(request, facts, facts.tables)


def _keeps_global_batch(request: AdviceRequest, change: Change, chosen: Prediction) -> bool:
    """Whether a step stays within the global batch that the advice is bound to; most changes leave it as it is."""
    if change.gradient_accumulation_steps is None:
        return True
    passes = change.gradient_accumulation_steps / chosen.gradient_accumulation_steps
    most = largest_global_batch(request.workload, growth_of(request), request.critical_batch)
    return chosen.global_batch_size * passes <= (request.global_batch_size or most)


def _on_larger_cards(request: AdviceRequest, facts: Facts, tables: Tables) -> list[Switch]:
    """The fewest cards that hold the workload, whole or sharded; of as few, the smallest, and of these the fastest.

    Looked at are those of 80 GB and more, the largest of the table too, so that no fewer are known to do, and the usual
    ones that compute in the precision: who lacks 2 GB of a small card needs no large one. Cards that hold all of it
    need nothing of the host, also where the question off-loads.
    """
    whole = with_training(request.workload, offload="none")
    change = Change(kind="larger_cards", workload=whole)
    specs, own = known_specs(request), whole.training.precision
    usual = (key for key in DEFAULT_GPU_KEYS if key in specs and own in precisions_of_gpu(specs[key], (own,)))
    keys = (*usual, *LARGER_GPU_KEYS, *largest_gpu_keys(specs))
    return _on_fewest(request, facts, change, tables, keys, LARGER_COUNTS, smallest=True)


def _checkpointed(request: AdviceRequest, facts: Facts, change: Change, tables: Tables) -> list[Switch]:
    """What people do first where a step does not fit: recomputing activations, on as many cards as were asked for.

    Where so many do not hold it either, on the fewest that do: of the cards of the question, else of 80 GB and more.
    """
    asked = table_keys(known_specs(request), request.gpu_keys)
    for keys, counts in ((asked, request.counts), (asked, LARGER_COUNTS), (LARGER_GPU_KEYS, LARGER_COUNTS)):
        found = _on_fewest(request, facts, change, tables, keys, counts)
        if found:
            return found
    return []


def _on_fewest(  # noqa: PLR0913 - a question and where to look for its answer
    request: AdviceRequest,
    facts: Facts,
    change: Change,
    tables: Tables,
    keys: Iterable[str],
    counts: tuple[int, ...],
    *,
    smallest: bool = False,
) -> list[Switch]:
    """The fewest of these cards that hold the changed workload, whole or sharded; of as few, the fastest.

    `smallest`: of as few those of the least memory, and of these the fastest.
    """
    for count in sorted(set(counts)):
        candidates = _on_cards(request, change.workload, keys, (count,))
        found = _fastest_held(request, facts, change, tables, candidates, smallest=smallest)
        if found:
            return found
    return []


def _fastest_held(  # noqa: PLR0913 - a question and where to look for its answer
    request: AdviceRequest,
    facts: Facts,
    change: Change,
    tables: Tables,
    candidates: Sequence[Candidate],
    *,
    smallest: bool = False,
) -> list[Switch]:
    predictions = _predicted(request, facts, change.workload, tables, candidates)
    held = [prediction for prediction in predictions if prediction.fits]
    if smallest:
        rooms = [prediction.memory_capacity_bytes or math.inf for prediction in held]
        held = [prediction for prediction, room in zip(held, rooms, strict=True) if room == min(rooms)]
    _, memory = _looked_at(request, facts, change.workload, tables)
    for best in sorted(held, key=lambda prediction: -prediction.samples_per_s.value):
        # What it needs is told beside what others lack: with the allocator's own waste, as theirs is.
        replayed = memory.replayed(best)
        if replayed.fits:
            return [switch_of(change, replayed, None)]
    return []


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


def _traced(change: Change, chosen: Prediction | None, traces: Traces) -> Generator[RunnerEvent, None, Tables]:
    wanted = TRACE_PRECISIONS[_precision(change, chosen)]
    known = traces.known(change.workload, (wanted,))
    if wanted in known:
        return known
    try:
        return (yield from traces.make(change.workload, (wanted,)))
    except TraceUnanswered:
        return {}  # a switch that the model does not take is no switch


def _precision(change: Change, chosen: Prediction | None) -> Precision:
    """The set-up's own, unless it is the precision that is switched."""
    if chosen is None or change.kind in {"half", "fp8"}:
        return change.workload.training.precision
    return chosen.precision


def _switched(request: AdviceRequest, facts: Facts, change: Change, chosen: Prediction, tables: Tables) -> list[Switch]:
    """The advised set-up with and without the change, both from the table: a timing here knows nothing of it."""
    own = Candidate(**shared_fields(chosen, SetUp))
    candidate = msgspec.structs.replace(
        own,
        strategy=change.strategy or chosen.strategy,
        precision=_precision(change, chosen),
        gradient_accumulation_steps=change.gradient_accumulation_steps or chosen.gradient_accumulation_steps,
    )
    before = _predicted(request, facts, request.workload, facts.tables, [own])
    after = _predicted(request, facts, change.workload, tables, [candidate])
    _, memory = _looked_at(request, facts, request.workload, facts.tables)
    if memory.has_own_waste(chosen):  # what a switch saves is told beside a need that has it
        _, changed = _looked_at(request, facts, change.workload, tables)
        before, after = tuple(map(memory.replayed, before)), tuple(map(changed.replayed, after))
    return [switch_of(change, after[0], before[0])] if before and after else []


def _on_one_card(request: AdviceRequest, facts: Facts, change: Change, tables: Tables) -> list[Switch]:
    """The fastest set-up on one card that holds the changed workload; none: nothing.

    Looked at are all cards of the question; where it names none, those of 80 GB and more too if the usual ones fail,
    and the largest of the table if these do.
    """
    for keys in _single_cards(request):
        found = _fastest_held(request, facts, change, tables, _on_cards(request, change.workload, keys))
        if found:
            return found
    return []


def _single_cards(request: AdviceRequest) -> list[Sequence[str]]:
    specs = known_specs(request)
    asked: list[Sequence[str]] = [tuple(table_keys(specs, request.gpu_keys))]
    return [*asked, LARGER_GPU_KEYS, largest_gpu_keys(specs)] if request.gpu_keys is None else asked


def _beyond_one_card(request: AdviceRequest, change: Change, table: OpTable | None) -> bool:
    """Whether the changed workload's weights alone are more than the largest of the cards that `_on_one_card` tries.

    Weights count as least as they can be stored: packed ones without their scales, others as 16 bits.
    """
    training = change.workload.training
    specs = known_specs(request)
    cards = [specs[key].memory_bytes for keys in _single_cards(request) for key in keys if key in specs]
    if table is None or training.offload == "parameters" or None in cards:
        return False
    return table.parameter_count * (stored_bits(training) or 16) / 8 > max(filter(None, cards), default=math.inf)


def _on_cards(
    request: AdviceRequest, workload: Workload, keys: Iterable[str], counts: tuple[int, ...] = (1,)
) -> list[Candidate]:
    """The workload on so many of each card that is known, sharded on several, at its batch size and at one sample."""
    specs, training = known_specs(request), workload.training
    fixed = request.fixed.batch_size  # help for a batch that is fixed holds that batch
    sizes = {training.batch_size} if fixed else {1, training.batch_size}
    candidates = (
        Candidate(
            device=Device(key=key, name=specs[key].name, spec_key=key, local=False),
            count=count,
            strategy=strategy,
            precision=precision,
            batch_size_per_device=size,
            gradient_accumulation_steps=math.ceil(training.gradient_accumulation_steps / count),
        )
        for key, count, size in product(keys, counts, sorted(sizes))
        if key in specs
        for strategy in (_ON_ONE if count == 1 else _ON_SEVERAL)
        for precision in precisions_of_gpu(specs[key], (training.precision,))
    )
    nodes = request.node_count
    return [one for one in candidates if one.strategy != "tp" or splits_layers(one, workload, nodes)]


def _predicted(
    request: AdviceRequest, facts: Facts, workload: Workload, tables: Tables, candidates: Iterable[Candidate]
) -> tuple[Prediction, ...]:
    sources, memory = _looked_at(request, facts, workload, tables)
    # What was timed of the loader and the host holds for any step; the steps that were timed are those of the advice.
    from_table = dataclasses.replace(sources, measurements={})
    return predict_candidates(tuple(candidates), from_table, memory.answer).predictions


def _looked_at(
    request: AdviceRequest, facts: Facts, workload: Workload, tables: Tables
) -> tuple[Sources, MemorySolver]:
    """What predictions of the changed workload rest on, and what answers their memory."""
    asked = msgspec.structs.replace(request, workload=workload)
    return sources_and_memory(asked, msgspec.structs.replace(facts, tables=dict(tables)), known_specs(request), ())
