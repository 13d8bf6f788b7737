"""Where cards lack memory for a step, what frees some and leaves the result as it is is looked at by itself.

That is what people try first: activation checkpointing, then a loss in chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable

from msgspec.structs import replace

from advisor.advice.facts import Facts, LighterTables, complete_tables, progress, trace_precisions
from advisor.advice.lacking_memory import short_of_memory
from advisor.advice.making_room import with_room_made
from advisor.advice.request import AdviceRequest
from advisor.catalogue.precisions import TracePrecision
from advisor.measure.events import RunnerEvent
from advisor.measure.measurement import has_timed_steps
from advisor.measure.traces import Traces
from advisor.predict.additions import possible_additions, with_added
from advisor.predict.computed_precision import traces_of_shards
from advisor.predict.prediction import Prediction, SetUp
from advisor.store.advice_record import AdviceRecord

_KEPT = frozenset({"activations", "workspace", "fragmentation"})
"""What may become less with less to keep; the rest of a need stays."""


def lightened_where_needed(
    request: AdviceRequest,
    facts: Facts,
    answer: Callable[[Facts], AdviceRecord],
    traces: Traces,
    shards: Callable[[Facts], Iterable[SetUp]] | None = None,
) -> Generator[RunnerEvent, None, tuple[Facts, AdviceRecord]]:
    """The facts with the operators of the lightened workload, and the answer with these; else both as they were.

    Where set-ups that share the model's state are looked at, with those on weights that were cast beforehand too.

    Cards that are short of memory are looked at with what frees some, and where nothing could be recommended every
    number of them: what holds a step may pass a limit. So are those of an advice that may run out of memory, where
    that costs next to nothing. What the user fixed stays, and so does what was timed here without it.

    `shards` are those that an answer looks at first: what they run in is traced before anything is answered.
    """
    tried = () if shards is None else _traces_of(shards(facts), request, facts)
    facts = yield from _with_tables(tried, request, facts, traces)
    advice = answer(facts)
    further = tuple(one for one in _traces_of(advice.predictions, request, facts) if one not in tried)
    complete = yield from _with_tables(further, request, facts, traces)
    if complete is not facts:
        facts, advice = complete, answer(complete)
    if has_timed_steps(facts.measurements):
        return facts, advice
    for added in possible_additions(request.workload, keep_checkpointing=request.fixed.checkpointing):
        # What costs nothing may let fewer cards hold a step, too.
        everywhere = advice.recommendation is None or added == ("fused_optimizer",)
        short = short_of_memory(request, advice.predictions, added[-1], everywhere=everywhere)
        if not _may_help(advice, short):
            break
        lightened = replace(request, workload=with_added(request.workload, added))
        own = trace_precisions(lightened)
        wanted = tuple(dict.fromkeys((*own, *facts.tables)))
        tables = traces.known(lightened.workload, wanted)
        yield from complete_tables(lightened, tables, wanted, traces, phase=progress("advice-phase-lighter", 0.98))
        if not set(own) <= set(tables) or traces.cancelled.is_set():
            break
        lighter = LighterTables(added=added, tables=tables, cards=short)
        facts = replace(facts, lighter=(*facts.lighter, lighter))
        advice = answer(facts)
    roomier = yield from with_room_made(request, facts, advice, traces)
    return (facts, advice) if roomier is facts else (roomier, answer(roomier))


def _traces_of(set_ups: Iterable[SetUp], request: AdviceRequest, facts: Facts) -> tuple[TracePrecision, ...]:
    """What those that share the model's state lack."""
    return traces_of_shards(set_ups, request.workload.training, facts.tables)


def _with_tables(
    cast: tuple[TracePrecision, ...], request: AdviceRequest, facts: Facts, traces: Traces
) -> Generator[RunnerEvent, None, Facts]:
    """The facts with these operators; as they were where nothing is lacking."""
    if not cast:
        return facts
    tables = dict(facts.tables) | traces.known(request.workload, cast)
    yield from complete_tables(request, tables, cast, traces, phase=progress("advice-phase-trace", 0.97))
    # Where they cannot be traced autocast's operators stand in.
    return facts if set(tables) == set(facts.tables) else replace(facts, tables=tables)


def as_advised(request: AdviceRequest, facts: Facts, advice: AdviceRecord) -> tuple[AdviceRequest, Facts]:
    """The question as if what the advised set-up adds had been asked for."""
    added = () if advice.main is None else advice.main.added
    return replace(request, workload=advice.workload), replace(facts, tables=facts.tables_with(added))


def _may_help(advice: AdviceRecord, short: frozenset[tuple[str, int]]) -> bool:
    """Whether cards lack memory that is not all taken by what no activation is part of."""
    return any(_is_hopeful(prediction) for prediction in advice.predictions if prediction.device_and_count in short)


def _is_hopeful(prediction: Prediction) -> bool:
    """Whether a set-up that does not fit would, if forward kept nothing for backward."""
    room, parts = prediction.usable_memory_bytes, prediction.memory_parts
    if prediction.fits is not False or room is None:
        return False
    return sum(part.size_bytes for part in parts if part.kind not in _KEPT) <= room
