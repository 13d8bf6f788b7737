"""Why so many devices and this strategy: the knee, DP against DDP, sharding, and what communication costs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.catalogue.strategies import STRATEGY_FACTS, Strategy, tensor_cards
from advisor.core.sentences import Arguments, Reason
from advisor.core.units import value_of
from advisor.cost.scaling.communication import network_of
from advisor.predict.prediction import Prediction
from advisor.recommend.batch_size import choose, rounded
from advisor.recommend.comparison import Comparison, Finalist
from advisor.recommend.fixed import any_fits
from advisor.recommend.reasons.scaling import TIE_FRACTION, dp_reasons, missing_nvlink
from advisor.recommend.smaller_candidates import WHOLE
from advisor.recommend.strategy import (
    KNEE_MARGINAL_RATIO,
    STARTING_S,
    is_over_at_once,
    marginal_ratio,
    saves_less_than_starting,
)

NOTABLE_SHARE = 0.1
_MORE_THAN_COUNT = "scaling-optimizer-shared"
MORE_THAN_WHOLE = 1.005
"""Efficiency from which on it is printed as more than 100 %."""


def parallel_reasons(comparison: Comparison, finalist: Finalist) -> Iterator[Reason]:
    """Count, efficiency, strategy and communication of a finalist."""
    chosen = finalist.chosen
    efficiency = efficiency_reason(chosen, comparison.alone(chosen.device, chosen))
    counts = [reason for reason in _count_reasons(finalist) if not _says_the_same(reason, efficiency)]
    counts += _batch_bound(comparison, finalist)
    if efficiency is not None and efficiency.figure("speed_up_ratio") < 1 and _fewer_would_do(chosen):
        yield Reason.of("scaling-fewer-quicker", count=finalist.chosen.count)
    if efficiency is not None and efficiency.code == _MORE_THAN_COUNT:
        yield efficiency  # before any speed-up that it explains
        yield from counts
    else:
        yield from (*counts, *([efficiency] if efficiency is not None else []))
    yield from _strategy_reasons(comparison, finalist.chosen)


def _fewer_would_do(chosen: Prediction) -> bool:
    """Whether half of the cards are known to hold such a step by themselves: each twice of what one of all holds.

    What waits for its host's memory waits for it on fewer cards too.
    """
    if STRATEGY_FACTS[chosen.strategy].offloads:
        return False
    share = chosen.memory_share
    return not STRATEGY_FACTS[chosen.strategy].shards or (share is not None and 2 * share <= 1)


def efficiency_reason(prediction: Prediction, alone: Iterable[Prediction] = ()) -> Reason | None:
    """What several cards give over one at the same batch a card, with its range; None for one card.

    Sharded set-ups are proposed where one card cannot hold the model: it is then compared with one that could, which
    would step all parameters where each of several steps its share. Where that makes them more than as many times as
    fast, the one sentence says so, and no efficiency: over 100 % it would tell nothing of what the cards lose.
    `alone`: what was predicted on one such card.
    """
    efficiency = prediction.efficiency
    if efficiency is None:
        return None
    count = prediction.count
    numbers: Arguments = {
        "count": count,
        "device": prediction.device.name,
        "speed_up_ratio": count * efficiency.value,
        "low_ratio": count * efficiency.low,
        "high_ratio": count * efficiency.high,
    }
    if efficiency.value > MORE_THAN_WHOLE:
        own_s = prediction.part_s("optimizer")
        alone_s = _alone_optimizer_s(prediction, alone)
        return Reason.of(_MORE_THAN_COUNT, **numbers, optimizer_s=own_s, alone_optimizer_s=alone_s)
    code = "scaling-efficiency-sharded" if STRATEGY_FACTS[prediction.strategy].shards else "scaling-efficiency"
    return Reason.of(code, **numbers, efficiency_fraction=efficiency.value)


def _alone_optimizer_s(chosen: Prediction, alone: Iterable[Prediction]) -> float:
    """What one card takes for the optimizer, whatever it accumulates; where none was asked, a share is the n-th."""
    alike = (prediction for prediction in alone if prediction.batch_size_per_device == chosen.batch_size_per_device)
    return next((prediction.part_s("optimizer") for prediction in alike), chosen.part_s("optimizer") * chosen.count)


def _says_the_same(reason: Reason, efficiency: Reason | None) -> bool:
    """A speed-up over one card at another batch says more than efficiency, at the same batch it says less."""
    if reason.code != "why-count-pays" or efficiency is None or reason.numbers["fewer"] != 1:
        return False
    return abs(reason.figure("speed_up_ratio") / efficiency.figure("speed_up_ratio") - 1) < TIE_FRACTION


def strategy_story(comparison: Comparison, finalist: Finalist) -> tuple[Reason, ...]:
    """What two devices of the finalist's kind give by DP and by DDP, at one batch size a card, against one."""
    alone = _best(comparison, finalist.chosen, "single", 1)
    ddp = _best(comparison, finalist.chosen, "ddp", 2)
    if alone is not None and ddp is not None and ddp.batch_size_per_device > alone.batch_size_per_device:
        # A larger batch would be credited to the second card, which can even look more than twice as fast.
        ddp = _like(comparison, ddp, "ddp", alone.batch_size_per_device) or ddp
    dp = None if ddp is None else _like(comparison, ddp, "dp", ddp.batch_size_per_device)
    if alone is None or dp is None or ddp is None or ddp.efficiency is None:
        return ()
    ratio, efficiency = ddp.samples_per_s.value / alone.samples_per_s.value, ddp.efficiency
    numbers: Arguments = {
        "device": alone.device.name,
        "precision": PRECISION_LABELS[alone.precision],
        "ddp_ratio": ratio,
        "low_ratio": ratio * efficiency.low / efficiency.value,
        "high_ratio": ratio * efficiency.high / efficiency.value,
        "dp_ratio": dp.samples_per_s.value / alone.samples_per_s.value,
        "single_batch": alone.batch_size_per_device,
        "ddp_batch": ddp.batch_size_per_device,
    }
    pair = (dp, ddp) if finalist.chosen.count == 1 else _pair_of(comparison, finalist.chosen) or (dp, ddp)
    # The advised set-up may accumulate where this pair does not: then its speed-up is another one.
    each = ddp.gradient_accumulation_steps == 1 < finalist.chosen.gradient_accumulation_steps
    code = "strategies-compared-each" if each else "strategies-compared"
    reasons = [Reason.of(code, **numbers), *dp_reasons(comparison, *pair)]
    missing = missing_nvlink(comparison, ddp) if finalist.chosen.count == 1 else None
    return (*reasons, *([missing] if missing is not None else []))


def _pair_of(comparison: Comparison, chosen: Prediction) -> tuple[Prediction, Prediction] | None:
    """The chosen set-up by DataParallel and by DDP, where both were predicted (DataParallel may not fit)."""
    by_strategy: dict[Strategy, Prediction] = {
        prediction.strategy: prediction
        for prediction in comparison.predictions
        if prediction.strategy in {"dp", "ddp"} and prediction.differs_at_most_by(chosen, "strategy")
    }
    return (by_strategy["dp"], by_strategy["ddp"]) if len(by_strategy) == 2 else None  # noqa: PLR2004 - a pair


def _best(comparison: Comparison, chosen: Prediction, strategy: Strategy, count: int) -> Prediction | None:
    """The set-up to take of one strategy and count on the chosen device and precision, without more accumulation."""
    training = comparison.workload.training
    curve = [
        prediction
        for prediction in comparison.predictions
        if prediction.device == chosen.device
        and prediction.precision == chosen.precision
        and prediction.added == chosen.added
        and prediction.strategy == strategy
        and prediction.count == count
        and prediction.gradient_accumulation_steps == training.gradient_accumulation_steps
    ]
    return choose(curve, training.batch_size, comparison.global_limit)


def _like(comparison: Comparison, other: Prediction, strategy: Strategy, batch_size: int) -> Prediction | None:
    """The set-up that differs from another one in strategy and batch alone, where it fits."""
    return next(
        (
            prediction
            for prediction in comparison.predictions
            if prediction.strategy == strategy
            and prediction.batch_size_per_device == batch_size
            and prediction.fits is not False
            and prediction.differs_at_most_by(other, "strategy", "batch_size_per_device")
        ),
        None,
    )


_NO_GAIN_RATIO = 0.005
"""Less than this of what the added cards could give is printed as 0 %."""


def _count_reasons(finalist: Finalist) -> Iterator[Reason]:
    """Why not more devices, or that all of the devices tried are worth having."""
    chosen = finalist.chosen
    more = next((set_up for set_up in finalist.by_count if set_up.count > chosen.count), None)
    if more is not None and marginal_ratio(chosen, more) < _NO_GAIN_RATIO:
        yield Reason.of("why-count-no-gain", count=chosen.count, more=more.count, device=chosen.device.name)
    elif more is not None and marginal_ratio(chosen, more) < KNEE_MARGINAL_RATIO:
        yield Reason.of(
            "why-count-knee",
            count=chosen.count,
            more=more.count,
            device=chosen.device.name,
            # Rounded down, or 69.6 % would be printed as less than 70 % and as 70 %.
            marginal_fraction=max(0.0, math.floor(100 * marginal_ratio(chosen, more)) / 100),
            needed_fraction=KNEE_MARGINAL_RATIO,
        )
    elif more is not None and saves_less_than_starting(chosen, more) and not is_over_at_once(chosen):
        yield Reason.of(
            "why-count-short",
            count=chosen.count,
            more=more.count,
            device=chosen.device.name,
            saved_s=value_of(chosen.job_s) - value_of(more.job_s),
            start_s=STARTING_S,
        )
    elif (first := _first_alike(finalist)).count < chosen.count:
        numbers: Arguments = {
            "count": chosen.count,
            "fewer": first.count,
            "device": chosen.device.name,
            "speed_up_ratio": chosen.samples_per_s.value / first.samples_per_s.value,
        }
        if not STRATEGY_FACTS[first.strategy].shards or first.strategy == chosen.strategy:
            batch, other = _batch_of_card(chosen), _batch_of_card(first)
            if batch == other:
                yield Reason.of("why-count-pays", **numbers)
            else:
                yield Reason.of("why-count-pays-at-batch", **numbers, batch=batch, other_batch=other)
        else:
            numbers |= {"strategy": chosen.strategy, "other_strategy": first.strategy}
            yield Reason.of("why-count-pays-otherwise", **numbers)


def _first_alike(finalist: Finalist) -> Prediction:
    """The fewest devices in the chosen one's precision: what another one gains is no gain of more devices."""
    chosen = finalist.chosen
    return next((set_up for set_up in finalist.by_count if set_up.precision == chosen.precision), chosen)


def _batch_of_card(prediction: Prediction) -> int:
    """Samples that a card goes through before a step of the optimizer."""
    return prediction.batch_size_per_device * prediction.gradient_accumulation_steps


def _batch_bound(comparison: Comparison, finalist: Finalist) -> Iterator[Reason]:
    """More devices that would pay, if the bound on the global batch did not leave each a smaller batch."""
    chosen = finalist.chosen
    more = next((set_up for set_up in finalist.by_count if set_up.count > chosen.count), None)
    if more is None or more.batch_size_per_device >= chosen.batch_size_per_device:
        return
    if more.global_batch_size > comparison.global_limit:  # it is what limits leave, not the bound
        return
    larger = _like(comparison, more, more.strategy, chosen.batch_size_per_device)
    marginal = marginal_ratio(chosen, larger) if larger is not None else 0.0
    if marginal_ratio(chosen, more) < KNEE_MARGINAL_RATIO <= marginal:
        yield Reason.of(
            "scaling-batch-bound",
            more=more.count,
            global_limit=comparison.global_limit,
            batch=chosen.batch_size_per_device,
            smaller_batch=more.batch_size_per_device,
            marginal_fraction=min(1.0, marginal),
        )


def _strategy_reasons(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """What the other strategy would give, why a step is split or off-loaded, and what communication costs."""
    if chosen.strategy == "single":
        return
    other = _like(comparison, chosen, "dp", chosen.batch_size_per_device)
    if chosen.strategy == "ddp" and other is not None:
        advantage = chosen.samples_per_s.value / other.samples_per_s.value
        if advantage >= 1 + TIE_FRACTION:
            yield Reason.of(
                "why-ddp-over-dp",
                count=chosen.count,
                ddp_rate=rounded(chosen.samples_per_s.value),
                dp_rate=rounded(other.samples_per_s.value),
                advantage_ratio=advantage,
            )
    if chosen.strategy not in {"dp", "ddp"}:
        batch = chosen.batch_size_per_device
        whole = [
            prediction
            for prediction in comparison.predictions
            if prediction.device == chosen.device and prediction.added == chosen.added and prediction.strategy in WHOLE
        ]
        fused = ("fused_optimizer", *chosen.added)
        alike = [one for one in comparison.predictions if one.device == chosen.device and one.added == fused]
        too_large = any(prediction.fits is False and prediction.batch_size_per_device <= batch for prediction in whole)
        if not any_fits(whole) and not any_fits([one for one in alike if one.strategy in WHOLE]):
            yield Reason.of("why-sharded", strategy=chosen.strategy, count=chosen.count)
        elif too_large and not any_fits(
            [prediction for prediction in whole if prediction.batch_size_per_device >= batch]
        ):
            yield Reason.of("why-sharded-batch", strategy=chosen.strategy, count=chosen.count, batch=batch)
    cards = tensor_cards(chosen.count)
    if chosen.strategy == "tp" and cards < chosen.count:
        yield Reason.of("why-tensor-groups", cards=cards, groups=chosen.count // cards)
    yield from _communication_reasons(comparison, chosen)


def _communication_reasons(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """How much of the step the cards exchange data, and what NVLink would make of it where there is none."""
    share = chosen.part_share("communication")
    if share < NOTABLE_SHARE:
        return
    numbers: Arguments = {"share_fraction": share, "device": chosen.device.name}
    link = comparison.link_of(chosen)
    if link is not None and comparison.crosses_network(chosen):
        origin = "assumed" if link.network is None else "stated"
        rate = network_of(link).node_bytes_per_s
        sent: Arguments = {"share_fraction": share, "rate_bytes_per_s": rate, "strategy": chosen.strategy}
        yield Reason.of("why-communication-machines", **sent, origin=origin)
        return
    missing = missing_nvlink(comparison, chosen)
    spec = comparison.spec_of(chosen.device)
    linked = missing is not None or (spec is not None and spec.is_linked)
    yield Reason.of("why-communication" if linked else "why-communication-no-nvlink", **numbers)
    if missing is not None:
        yield missing
