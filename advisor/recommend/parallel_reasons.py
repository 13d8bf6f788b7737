"""Why so many devices and this strategy: the knee, DP against DDP, sharding, and what communication costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.predict.scaling_advice import KNEE_MARGINAL_RATIO
from advisor.recommend.batch_size import choose, rounded
from advisor.recommend.comparison import part_share
from advisor.recommend.precisions import LABELS
from advisor.recommend.strategy import marginal_ratio
from advisor.sentences import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from advisor.predict.prediction import Prediction, Strategy
    from advisor.recommend.comparison import Comparison, Finalist

NOTABLE_SHARE = 0.1


def parallel_reasons(comparison: Comparison, finalist: Finalist) -> Iterator[Reason]:
    """Count, strategy and communication of a finalist."""
    yield from _count_reasons(finalist)
    yield from _strategy_reasons(comparison, finalist.chosen)


def strategy_story(comparison: Comparison, finalist: Finalist) -> tuple[Reason, ...]:
    """What two devices of the finalist's kind give by DP and by DDP, at one batch size a card, against one."""
    one = _best(comparison, finalist.chosen, "single", 1)
    ddp = _best(comparison, finalist.chosen, "ddp", 2)
    if one is not None and ddp is not None and ddp.batch_size_per_device > one.batch_size_per_device:
        # A larger batch would be credited to the second card, which can even look more than twice as fast.
        ddp = _like(comparison, ddp, "ddp", one.batch_size_per_device) or ddp
    dp = None if ddp is None else _like(comparison, ddp, "dp", ddp.batch_size_per_device)
    if one is None or dp is None or ddp is None or ddp.efficiency is None:
        return ()
    ratio, efficiency = ddp.samples_per_s.value / one.samples_per_s.value, ddp.efficiency
    numbers: dict[str, float | int | str] = {
        "device": one.device.name,
        "precision": LABELS[one.precision],
        "ddp_ratio": ratio,
        "low_ratio": ratio * efficiency.low / efficiency.value,
        "high_ratio": ratio * efficiency.high / efficiency.value,
        "dp_ratio": dp.samples_per_s.value / one.samples_per_s.value,
        "single_batch": one.batch_size_per_device,
        "ddp_batch": ddp.batch_size_per_device,
    }
    return (Reason(code="strategies-compared", numbers=numbers),)


def _best(comparison: Comparison, chosen: Prediction, strategy: Strategy, count: int) -> Prediction | None:
    """The set-up to take of one strategy and count on the chosen device and precision, without more accumulation."""
    training = comparison.workload.training
    curve = [
        one
        for one in comparison.predictions
        if one.device == chosen.device
        and one.precision == chosen.precision
        and one.strategy == strategy
        and one.count == count
        and one.gradient_accumulation_steps == training.gradient_accumulation_steps
    ]
    return choose(curve, training.batch_size, comparison.global_limit)


def _like(comparison: Comparison, other: Prediction, strategy: Strategy, batch_size: int) -> Prediction | None:
    """The set-up that differs from another one in strategy and batch alone, where it fits."""
    return next(
        (
            one
            for one in comparison.predictions
            if one.strategy == strategy
            and one.batch_size_per_device == batch_size
            and one.fits is not False
            and one.device == other.device
            and one.precision == other.precision
            and one.count == other.count
            and one.gradient_accumulation_steps == other.gradient_accumulation_steps
        ),
        None,
    )


def _count_reasons(finalist: Finalist) -> Iterator[Reason]:
    """Why not more devices, or that all of the devices tried are worth having."""
    chosen = finalist.chosen
    more = next((one for one in finalist.by_count if one.count > chosen.count), None)
    if more is not None and marginal_ratio(chosen, more) < KNEE_MARGINAL_RATIO:
        yield Reason(
            code="why-count-knee",
            numbers={
                "count": chosen.count,
                "more": more.count,
                "device": chosen.device.name,
                "marginal_fraction": max(0.0, marginal_ratio(chosen, more)),
                "needed_fraction": KNEE_MARGINAL_RATIO,
            },
        )
    elif chosen.count > finalist.by_count[0].count:
        first = finalist.by_count[0]
        numbers: dict[str, float | int | str] = {
            "count": chosen.count,
            "fewer": first.count,
            "device": chosen.device.name,
            "speed_up_ratio": chosen.samples_per_s.value / first.samples_per_s.value,
        }
        if first.strategy in {"single", "dp", "ddp"} or first.strategy == chosen.strategy:
            yield Reason(code="why-count-pays", numbers=numbers)
        else:
            numbers |= {"strategy": chosen.strategy, "other_strategy": first.strategy}
            yield Reason(code="why-count-pays-otherwise", numbers=numbers)


def _strategy_reasons(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """What the other strategy would give, and what communication costs."""
    if chosen.count == 1:
        return
    other = next(
        (
            one
            for one in comparison.predictions
            if one.strategy == "dp"
            and one.device == chosen.device
            and one.count == chosen.count
            and one.precision == chosen.precision
            and one.batch_size_per_device == chosen.batch_size_per_device
        ),
        None,
    )
    if chosen.strategy == "ddp" and other is not None:
        yield Reason(
            code="why-ddp-over-dp",
            numbers={
                "count": chosen.count,
                "ddp_rate": rounded(chosen.samples_per_s.value),
                "dp_rate": rounded(other.samples_per_s.value),
                "advantage_ratio": chosen.samples_per_s.value / other.samples_per_s.value,
            },
        )
    if chosen.strategy not in {"dp", "ddp"}:
        yield Reason(code="why-sharded", numbers={"strategy": chosen.strategy, "count": chosen.count})
    share = part_share(chosen, "communication")
    if share >= NOTABLE_SHARE:
        spec = comparison.spec_of(chosen.device)
        linked = spec is not None and spec.nvlink_bytes_per_s is not None
        numbers: dict[str, float | int | str] = {"share_fraction": share, "device": chosen.device.name}
        yield (
            Reason(code="why-communication", numbers=numbers)
            if linked
            else Reason(code="why-communication-no-nvlink", numbers=numbers)
        )
