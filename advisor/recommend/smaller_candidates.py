"""Set-ups that put less on each card, where plain ones do not fit: smaller passes that accumulate, and shards."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from advisor.catalogue.gpu_spec import GpuSpec, is_lone
from advisor.catalogue.links import USUAL_MACHINES, Machines
from advisor.catalogue.strategies import (
    PLAINLY_SHARDING,
    SHARDING,
    STRATEGY_FACTS,
    USUAL_COUNTS,
    Strategy,
    tensor_cards,
)
from advisor.core.by_key import grouped
from advisor.core.records import shared_fields
from advisor.predict.prediction import Candidate, Prediction, SetUp
from advisor.recommend.candidates import ACCUMULATED, ACCUMULATED_TIMES, strategies_for
from advisor.recommend.dealing import batch_sizes_dealing
from advisor.workload.config_sizes import head_count
from advisor.workload.model_config import config_of
from advisor.workload.workload import HuggingFaceModel, TemplateModel, Workload

WHOLE: frozenset[Strategy] = frozenset({"single", "ddp"})
"""Strategies by which every card holds a whole copy."""
SHARING_WEIGHTS: tuple[Strategy, ...] = tuple(name for name in SHARDING if "parameters" in STRATEGY_FACTS[name].sharded)
"""What leaves a card less than a whole model where there are neither gradients nor states to share."""


def candidates_that_make_up(
    workload: Workload, predictions: Sequence[Prediction], largest_batch: Callable[[Prediction], int | None]
) -> tuple[Candidate, ...]:
    """Where the workload's batch does not fit, or may not: passes that do, accumulated to it or to just below it.

    Else a card would step after less than was asked for, and cards whose link is slow would average gradients after
    every small batch, which nobody does. Where no batch that was tried holds a whole copy, `largest_batch` solves for
    one card, and where it finds none, one sample is tried. A step never goes beyond the data set.
    """
    training = workload.training
    own, steps = training.batch_size, training.gradient_accumulation_steps
    small = [
        prediction
        for prediction in sorted(predictions, key=lambda prediction: prediction.batch_size_per_device)
        if prediction.batch_size_per_device <= own
        and prediction.gradient_accumulation_steps == steps
        and prediction.strategy != "dp"
    ]
    candidates = []
    for members in grouped(
        small, lambda prediction: (*prediction.device_and_count, prediction.strategy, prediction.precision)
    ).values():
        first, largest = members[0], members[-1]
        tight = largest.may_run_out and training.mode == "training"
        if largest.batch_size_per_device < own or not (largest.fits is False or tight):
            continue
        whole = _whole(workload, first)
        roomy = max((one.batch_size_per_device for one in members if one.fits and not one.may_run_out), default=0)
        most = min(whole, roomy if tight else _most_that_fit(members, largest_batch))
        if most:
            size = best_pass(whole, most)
            made = whole // size if training.mode == "training" else steps
            candidates.append(_in_passes(first, size, made))
            # As at the workload's own batch: cards whose link is slow gain by averaging gradients more rarely.
            for further in (times * whole // size for times in ACCUMULATED_TIMES):
                inside = further * size * first.count <= workload.data.samples
                if made > steps and first.strategy == "ddp" and inside:
                    candidates.append(_in_passes(first, size, further))
    return tuple(candidates)


def candidates_in_smaller_passes(workload: Workload, predictions: Sequence[Prediction]) -> tuple[Candidate, ...]:
    """Where none of the passes that make up the workload's batch fits: such of at most half of the smallest tried.

    A device that accumulates keeps its gradients through forward, which one that steps after each pass has freed by
    then: the largest batch that fits alone need not fit as one of several.
    """
    training = workload.training
    candidates = []
    for members in grouped(
        predictions, lambda prediction: (*prediction.device_and_count, prediction.strategy, prediction.precision)
    ).values():
        first = members[0]
        whole = _whole(workload, first)
        made = [
            member
            for member in members
            if member.batch_size_per_device < training.batch_size
            and member.gradient_accumulation_steps > training.gradient_accumulation_steps
            and member.gradient_accumulation_steps == whole // member.batch_size_per_device
        ]
        most = min((member.batch_size_per_device for member in made), default=0) // 2
        if most and all(member.fits is False for member in made):
            size = best_pass(whole, most)
            candidates.append(_in_passes(first, size, whole // size))
    return tuple(candidates)


def _whole(workload: Workload, set_up: SetUp) -> int:
    """Samples that a device is to work through in a step: the workload's, or its share of the data set."""
    training = workload.training
    own = training.batch_size * training.gradient_accumulation_steps
    return min(own, max(1, workload.data.samples // set_up.count))


def _in_passes(set_up: SetUp, size: int, steps: int) -> Candidate:
    further = {"batch_size_per_device": size, "gradient_accumulation_steps": steps}
    return Candidate(**{**shared_fields(set_up, SetUp), **further})


def best_pass(whole: int, most: int) -> int:
    """The size over half of `most` whose passes make up most of `whole`; the larger one of two that do as much.

    Of the sizes that pass equally often the largest is best: so either each size is tried or each number of passes.
    """
    least = most // 2 + 1
    numbers = range(whole // most + 1, whole // least + 1)
    sizes = range(least, most + 1) if most < len(numbers) else (most, *(whole // number for number in numbers))
    return max(sizes, key=lambda size: (whole // size * size, size))


def _most_that_fit(members: Sequence[Prediction], largest_batch: Callable[[Prediction], int | None]) -> int:
    """The largest of ascending batch sizes that fits, else what is solved for below them; 0: nothing to try."""
    fitting = [prediction.batch_size_per_device for prediction in members if prediction.fits]
    below = members[0].batch_size_per_device - 1
    if (
        fitting
        or not below
        or members[0].strategy not in WHOLE
        or any(prediction.fits is None for prediction in members)
    ):
        return max(fitting, default=0)
    solved = largest_batch(members[0])
    return 0 if solved is None else max(1, min(solved, below))


def sharded_candidates(  # noqa: PLR0913 - what there is, and what is asked of it
    workload: Workload,
    predictions: Sequence[Prediction],
    counts: Sequence[int] = USUAL_COUNTS,
    global_batch_size: int | None = None,
    machines: Machines = USUAL_MACHINES,
    card_counts: Mapping[str, Sequence[int]] | None = None,
    specs: Mapping[str, GpuSpec] = MappingProxyType({}),
) -> tuple[Candidate, ...]:
    """Sharded and off-loaded set-ups for each GPU, precision and count at which no predicted set-up fits.

    One card may hold what several copies do not, whose off-loaded states share one host's memory. The batch sizes are
    the four smallest of those that were tried and the workload's own, or all of them that make up `global_batch_size`.
    `card_counts`: the numbers of cards to try of these keys, instead of `counts`; `specs`: what cards are, of which
    some have no second one in their machine, or nothing to off-load to.
    Hosts step so slowly that what is off-loaded is also tried with four times the micro-batches.
    A local group is never made larger than the largest count tried on it. Where whole copies fit at less than the
    workload's batch alone, only with what frees memory, or may run out of it, sharding is tried beside them. In
    inference only weights can be shared, by cards that hold the model at no precision.
    """
    own, inference = workload.training.batch_size, workload.training.mode == "inference"
    serving = {prediction.device.key for prediction in predictions if inference and prediction.fits is not False}
    strategies = SHARING_WEIGHTS if inference else SHARDING
    cards = (one for one in predictions if one.device.key != "cpu" and one.device.key not in serving)
    candidates: list[Candidate] = []
    for members in grouped(cards, lambda prediction: (prediction.device.key, prediction.precision)).values():
        device, most = members[0].device, max(member.count for member in members)
        spec = specs.get(device.spec_key or "")
        bounded = device.local or (spec is not None and is_lone(spec))
        shared = [one for one in strategies if not (spec and spec.unified_memory and STRATEGY_FACTS[one].offloads)]
        own_counts = [count for count in (card_counts or {}).get(device.key, counts) if count <= most or not bounded]
        held = {member.count for member in members if member.fits is not False}
        lacking = {member.count for member in members} - held if held else own_counts
        short = [count for count in own_counts if count in lacking]
        lightened = bool(members[0].added)
        held_so = [count for count in own_counts if count > 1 and count in held]
        tight = [count for count in held_so if lightened or _lacks_room(members, count, own)]
        candidates += _sharded(members, short, workload, global_batch_size, shared)
        candidates += _sharded(members, tight, workload, global_batch_size, PLAINLY_SHARDING)
    return tuple(
        candidate
        for candidate in candidates
        if candidate.strategy != "tp" or splits_layers(candidate, workload, machines)
    )


def _lacks_room(members: Sequence[Prediction], count: int, own_batch: int) -> bool:
    """Whether so many cards hold whole copies only at a smaller batch than `own_batch`, or nowhere near it for sure."""
    alike = [member for member in members if member.count == count and member.batch_size_per_device <= own_batch]
    fitting = [member for member in alike if member.fits is not False]
    most = max((one.batch_size_per_device for one in fitting), default=0)
    near = [one for one in fitting if one.batch_size_per_device == most]
    beyond = any(member.batch_size_per_device > most for member in alike)
    return bool(near) and (beyond or all(one.may_run_out for one in near))


def splits_layers(candidate: Candidate, workload: Workload, machines: Machines) -> bool:
    """Whether groups of the cards of one host can share every layer: each gets whole heads of attention.

    What reads pictures and names no heads is taken for a network of convolutions, which nobody splits so.
    """
    heads, cards = _attention_heads(workload), tensor_cards(candidate.count)
    in_host = -(-candidate.count // machines.of(candidate.count, local=candidate.device.local))
    dealt = workload.data.image_size is None if heads is None else heads % cards == 0
    return cards > 1 and in_host % cards == 0 and dealt


def _attention_heads(workload: Workload) -> int | None:
    """Heads of each layer, which tensor parallelism deals out whole; None where the workload does not tell them."""
    model = workload.model
    if isinstance(model, TemplateModel):
        return model.heads
    return head_count(config_of(model)) if isinstance(model, HuggingFaceModel) else None


def _sharded(
    members: Sequence[Prediction],
    counts: Sequence[int],
    workload: Workload,
    global_batch_size: int | None,
    strategies: Sequence[Strategy],
) -> Iterable[Candidate]:
    own_batch, own_steps = workload.training.batch_size, workload.training.gradient_accumulation_steps
    first = members[0]
    sizes = sorted({member.batch_size_per_device for member in members})
    for count in counts:
        if global_batch_size is not None:
            dealt = set(batch_sizes_dealing(global_batch_size, count, own_batch)).intersection(sizes)
            passes = off_loaded = [(size, global_batch_size // (count * size)) for size in sorted(dealt)]
        else:
            alike = [prediction for prediction in members if prediction.count == count]
            tried = {prediction.gradient_accumulation_steps for prediction in alike}
            steps = sorted(tried or {first.gradient_accumulation_steps})[:2]
            risky = (prediction.batch_size_per_device for prediction in alike if prediction.may_run_out)
            tried_sizes = sorted({*sizes[:4], *({own_batch} & {*sizes}), *risky})
            passes = list(itertools.product(tried_sizes, steps))
            # The host's update, where there is one, takes as long after one micro-batch as after four.
            more = [] if workload.training.mode == "inference" else [ACCUMULATED * own_steps]
            off_loaded = list(itertools.product(tried_sizes, dict.fromkeys((*steps, *more))))
        for strategy in strategies_for(count, strategies):
            for size, steps_made in off_loaded if STRATEGY_FACTS[strategy].offloads else passes:
                further = {"count": count, "strategy": strategy}
                passes_made = {"batch_size_per_device": size, "gradient_accumulation_steps": steps_made}
                yield Candidate(**{**shared_fields(first, SetUp), **further, **passes_made})
