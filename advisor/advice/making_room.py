"""Where what is advised may run out of memory, a change that costs next to nothing and surely holds it is taken.

It leaves the result as it is: a fused optimizer, a loss in chunks, then activation checkpointing. What costs more stays
a remark.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from msgspec.structs import replace

from advisor.advice.facts import Facts, LighterTables, complete_tables, progress, trace_precisions
from advisor.advice.request import AdviceRequest
from advisor.advice.switched import traced_for, what_it_brings
from advisor.advice.trial import Trial
from advisor.measure.events import RunnerEvent
from advisor.measure.traces import Traces
from advisor.predict.additions import ADDITIONS, Added, with_added
from advisor.predict.prediction import Prediction
from advisor.recommend.recommendation import prediction_of
from advisor.recommend.strategy import least_rate_for_room
from advisor.recommend.switches import Change, Switch, applies, freeing_changes, fusing_changes
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import NumbersModel


def with_room_made(
    request: AdviceRequest, facts: Facts, advice: AdviceRecord, traces: Traces
) -> Generator[RunnerEvent, None, Facts]:
    """The facts with the operators of such a change, for each number of cards whose best set-up may run out of memory.

    As they were where what is advised has room, or where nothing makes room at so little cost.
    """
    for chosen in _advised_without_room(request, advice):
        change, added = yield from _nearly_free(request, facts, chosen, traces)
        if change is None or traces.cancelled.is_set():
            continue
        cards = frozenset(one.device_and_count for one in _without_room(advice) if one.added == chosen.added)
        known = next((one for one in facts.lighter if one.added == added), None)
        if known is not None:
            wider = replace(known, cards=known.cards | cards)
            return replace(facts, lighter=tuple(wider if one is known else one for one in facts.lighter))
        lightened = replace(request, workload=change.workload)
        own = trace_precisions(lightened)
        wanted = tuple(dict.fromkeys((*own, *facts.tables)))
        tables = traces.known(lightened.workload, wanted)
        yield from complete_tables(lightened, tables, wanted, traces, phase=progress("advice-phase-lighter", 0.98))
        if set(own) <= set(tables) and not traces.cancelled.is_set():
            return replace(facts, lighter=(*facts.lighter, LighterTables(added=added, tables=tables, cards=cards)))
    return facts


def _without_room(advice: AdviceRecord) -> Iterator[Prediction]:
    """What cards were compared with and may run out of memory."""
    shown = (advice.predictions[place] for place in advice.best_set_ups)
    return (one for one in shown if one.may_run_out and one.device.key != "cpu")


def _advised_without_room(request: AdviceRequest, advice: AdviceRecord) -> list[Prediction]:
    """What is advised of all cards, and of those here."""
    if request.workload.training.mode != "training" or isinstance(request.workload.model, NumbersModel):
        return []
    advised = (prediction_of(advice.predictions, one) for one in (advice.recommendation, advice.recommendation_local))
    open_ones = {one.set_up: one for one in advised if one is not None}
    return [one for one in open_ones.values() if one.may_run_out and one.device.key != "cpu"]


def _nearly_free(
    request: AdviceRequest, facts: Facts, chosen: Prediction, traces: Traces
) -> Generator[RunnerEvent, None, tuple[Change | None, Added]]:
    """The first change with which the very set-up has room for its whole range, at next to no cost in time.

    A fused optimizer needs no trace of its own and costs nothing, chunks cost little.
    """
    workload, tables = with_added(request.workload, chosen.added), facts.tables_with(chosen.added)
    asked = Trial(replace(request, workload=workload), facts, workload, tables)
    freeing = freeing_changes(workload, keep_checkpointing=request.fixed.checkpointing)
    changes = (*fusing_changes(workload), *sorted(freeing, key=lambda change: change.kind != "chunked_loss"))
    for change in changes:
        if traces.cancelled.is_set():
            break
        if not applies(change, next(iter(tables.values()), None)):
            continue
        traced = yield from traced_for(asked, change, chosen, traces)
        trial = asked.changed(change.workload, traced)
        if traced and any(_makes_room(one, chosen) for one in what_it_brings(asked, trial, change, chosen)):
            return change, tuple(one for one in ADDITIONS if one in (*chosen.added, change.kind))
    return None, ()


def _makes_room(switch: Switch, chosen: Prediction) -> bool:
    """Whether all of the range stays inside what the card can give, and the step takes little longer."""
    need, usable, gain = switch.peak_memory_bytes, chosen.usable_memory_bytes, switch.gain
    if need is None or usable is None or gain is None:
        return False
    return need.high <= usable and gain.value >= least_rate_for_room(chosen)
