"""From predictions to the recommendation: finalists by device, the winner with its ties, and the same here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.links import USUAL_MACHINES, Machines
from advisor.core.records import shared_fields
from advisor.core.sentences import Names, Reason
from advisor.hardware.machine import Machine
from advisor.measure.measurement import Measurement, timed_loader
from advisor.predict.additions import ADDITIONS
from advisor.predict.groups import Groups
from advisor.predict.prediction import Device, Prediction, SetUpFigures
from advisor.predict.time_to_train import CriticalBatch
from advisor.recommend.alternatives import freed_alternative, instead_of_fixed, list_alternatives
from advisor.recommend.batch_size import MAX_GLOBAL_BATCH_GROWTH, advise_batches, largest_global_batch
from advisor.recommend.candidates import local_device, local_gpu_groups
from advisor.recommend.comparison import Comparison, Finalist, set_up_name
from advisor.recommend.crossover import find_crossovers
from advisor.recommend.energy import add_energy_and_cost, power_draws
from advisor.recommend.finalists import clearly_less, find_finalists
from advisor.recommend.fixed import FREE, Fixed, not_kept
from advisor.recommend.prices import Prices
from advisor.recommend.ranking import (
    untrusted_devices,
    within_limits,
)
from advisor.recommend.reasons.caveats import comparison_caveats
from advisor.recommend.reasons.missed_limits import nearest_of_each_device
from advisor.recommend.reasons.parallel import strategy_story
from advisor.recommend.reasons.precision import precision_story
from advisor.recommend.reasons.scaling import host_core_reasons, network_reasons, uneven_reasons
from advisor.recommend.reasons.set_up import why
from advisor.recommend.reasons.turning_points import would_change_if
from advisor.recommend.recommendation import Alternative, Crossover, Goal, Limits, Recommendation, Recommendations
from advisor.recommend.training_time import training_time_reasons, training_times
from advisor.recommend.winner import Winner, find_winner, tied_with_winner, with_room_in_ties
from advisor.workload.workload import Workload


def recommend(  # noqa: PLR0913 - the answer depends on all of it, and each has a default
    workload: Workload,
    machine: Machine,
    predictions: Sequence[Prediction],
    measurements: Sequence[Measurement] = (),
    *,
    goal: Goal = "time",
    limits: Limits | None = None,
    prices: Prices | None = None,
    specs: Mapping[str, GpuSpec] | None = None,
    global_batch_size: int | None = None,
    max_global_batch_growth: float = MAX_GLOBAL_BATCH_GROWTH,
    largest_batch: Callable[[Prediction], int | None] | None = None,
    groups: Groups | None = None,
    critical_batch: CriticalBatch | None = None,
    machines: Machines = USUAL_MACHINES,
    fixed: Fixed = FREE,
    as_named: bool = False,
) -> Recommendations:
    """The best set-up of all candidates and the best on this machine, with reasons, ties and alternatives.

    Only precisions at least as exact as the workload's are advised; what a less exact one would give is told in
    `would_change_if`. Without `global_batch_size` the global batch may grow to `max_global_batch_growth` times
    the workload's (1.0 holds it for every count), or to a critical batch size that is given. `largest_batch` solves
    for the exact largest batch; `groups` explains set-ups of several cards. What the user `fixed` is kept: where
    nothing that fits keeps it, nothing is recommended. What would be better without that is an alternative.
    `as_named`: the question names set-ups, each of which is held against the one that is advised.
    """
    training = workload.training
    draws = power_draws(machine, specs or {}, measurements)
    filled = add_energy_and_cost(predictions, draws, prices)
    global_limit = global_batch_size or largest_global_batch(workload, max_global_batch_growth, critical_batch)
    comparison = Comparison(
        workload=workload,
        goal=goal,
        limits=limits or Limits(),
        specs=dict(specs or {}),
        draws=draws,
        untrusted=untrusted_devices(measurements),
        global_limit=global_limit,
        predictions=filled,
        groups=groups,
        local_cards=_local_cards(machine),
        held_global_batch=global_batch_size,
        loader=timed_loader(measurements),
        critical_batch=critical_batch,
        machines=machines,
        fixed=fixed,
        has_prices=prices is not None,
        as_named=as_named,
    )
    kept, unkept = comparison.kept, not_kept(fixed, comparison.exact_enough, training, global_batch_size)
    finalists = find_finalists(comparison, kept)
    crossovers = find_crossovers(comparison.exact_enough)
    finalists = with_room_in_ties(comparison, finalists)
    winner = find_winner(comparison, finalists)
    best = None if winner is None else _recommendation(comparison, winner, crossovers, measurements)
    freer, places = _freer(comparison, winner), _places(comparison, finalists)
    freer_reasons = tuple(alternative.reason for alternative in freer)
    if best is not None:
        best = replace(best, would_change_if=(*freer_reasons, *best.would_change_if))
    local_winner = find_winner(comparison, [finalist for finalist in finalists if finalist.chosen.device.local])
    here = None if local_winner is None else _recommendation(comparison, local_winner, crossovers, measurements)
    return Recommendations(
        recommendation=best,
        recommendation_local=here,
        alternatives=(*list_alternatives(finalists, () if winner is None else tied_with_winner(winner, goal)), *freer),
        batch_advice=advise_batches(comparison, largest_batch),
        crossovers=crossovers,
        reasons=(
            *(best.why if best is not None else ()),
            *_added_elsewhere(finalists, best),
            *_stories(comparison, winner, local_winner),
        ),
        caveats=(
            *((*unkept, *freer_reasons) if unkept else ()),
            *comparison_caveats(comparison, finalists, best, here),
        ),
        predictions=filled,
        best_set_ups=places,
        over_limits=tuple(place for place in places if not within_limits(filled[place], comparison.limits, draws)),
    )


def _added_elsewhere(finalists: Sequence[Finalist], best: Recommendation | None) -> Iterator[Reason]:
    """Which of the others add what frees memory, and hold no step without it."""
    others = [one for finalist in finalists for one in finalist.by_count if best is None or one.device != best.device]
    for addition in ADDITIONS:
        names = dict.fromkeys(set_up_name(one) for one in others if addition in one.added)
        if names:
            yield Reason.of("added-elsewhere", added=addition, devices=Names(names=tuple(names)))


def _places(comparison: Comparison, finalists: Sequence[Finalist]) -> tuple[int, ...]:
    """What each device was looked at with.

    Of one that keeps no limit on cost, power or hours what comes nearest; of one whose power or price is unknown, where
    those are the goal, what is quickest.
    """
    shown = [prediction for finalist in finalists for prediction in finalist.by_count]
    free = comparison._replace(limits=Limits())
    beyond = _others(free, shown)
    nearest = nearest_of_each_device(comparison) if beyond else {}
    shown += [nearest.get(prediction.device.key, prediction) for prediction in beyond]
    if comparison.goal != "time":
        shown += _others(free._replace(goal="time"), shown)
    places = set(map(id, shown))
    return tuple(place for place, prediction in enumerate(comparison.predictions) if id(prediction) in places)


def _others(comparison: Comparison, shown: Sequence[Prediction]) -> list[Prediction]:
    """The best of each device of which nothing is shown."""
    keys = {prediction.device.key for prediction in shown}
    rest = [prediction for prediction in comparison.kept if prediction.device.key not in keys]
    return [finalist.chosen for finalist in find_finalists(comparison, rest)]


def _freer(comparison: Comparison, winner: Winner | None) -> tuple[Alternative, ...]:
    """What would be clearly better on the same device if nothing had been fixed; the best of all where nothing is."""
    allowed = comparison.exact_enough
    if len(comparison.kept) == len(allowed):
        return ()
    if winner is None:
        free = find_winner(comparison, find_finalists(comparison, allowed))
        return () if free is None else (instead_of_fixed(free.finalist.chosen),)
    chosen = winner.finalist.chosen
    free = find_winner(
        comparison,
        find_finalists(comparison, [prediction for prediction in allowed if prediction.device == chosen.device]),
    )
    if free is None or not clearly_less(free.finalist.chosen, chosen, comparison):
        return ()
    return (freed_alternative(free.finalist.chosen, chosen),)


def _local_cards(machine: Machine) -> tuple[Device, ...]:
    """The device of every usable GPU here, alike ones under one key; slices of a card cut by MIG never join."""
    groups = [cards for cards in local_gpu_groups(machine) if not cards[0].mig_enabled]
    return tuple(local_device(cards[0]) for cards in groups for _ in cards)


def _stories(comparison: Comparison, winner: Winner | None, here: Winner | None) -> tuple[Reason, ...]:
    """What holds for the whole comparison: what DP and DDP give, the batch held or grown, cards, precision."""
    reasons: list[Reason] = []
    if winner is not None:
        reasons += strategy_story(comparison, winner.finalist)
        reasons += training_time_reasons(comparison, winner.finalist.chosen)
        reasons += host_core_reasons(comparison, winner.finalist.chosen)
        reasons += network_reasons(comparison, winner.finalist.by_count)
    reasons += uneven_reasons(comparison, here.finalist.chosen if here is not None else None)
    return (*reasons, *precision_story(comparison))


def _recommendation(
    comparison: Comparison, winning: Winner, crossovers: Sequence[Crossover], measurements: Sequence[Measurement]
) -> Recommendation:
    finalist, rows, entered = winning
    winner = finalist.chosen
    return Recommendation(
        **shared_fields(winner, SetUpFigures),
        node_count=comparison.machines.of(winner.count, local=winner.device.local),
        goal=comparison.goal,
        thread_count=_thread_count(winner, measurements),
        tied_with=tuple(prediction.device for prediction in tied_with_winner(winning, comparison.goal)),
        time_to_train=training_times(comparison, winner),
        why=why(comparison, finalist, rows, entered),
        would_change_if=would_change_if(comparison, winner, rows, crossovers, entered),
    )


def _thread_count(winner: Prediction, measurements: Sequence[Measurement]) -> int | None:
    """Threads of the measured CPU step whose batch size is nearest to the advised one."""
    steps = [
        step
        for measurement in measurements
        if measurement.device_key == winner.device.key
        for step in measurement.steps
        if step.thread_count is not None
    ]
    if winner.device.key != "cpu" or not steps:
        return None
    return min(steps, key=lambda step: abs(step.batch_size - winner.batch_size_per_device)).thread_count
