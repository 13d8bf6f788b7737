"""Whether what is advised has room for the whole range of its memory need, and what would have it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.catalogue.strategies import PLAIN_EFFORT, STRATEGY_LABELS
from advisor.core.sentences import Arguments, Reason
from advisor.predict.additions import Addition
from advisor.predict.prediction import Prediction
from advisor.recommend.comparison import Comparison, Finalist, set_up_name
from advisor.recommend.ranking import within_limits
from advisor.recommend.recommendation import Recommendation, prediction_of
from advisor.recommend.strategy import has_likelier_room
from advisor.recommend.switches import Switch, SwitchKind
from advisor.recommend.tie_decision import expected, passed_over

_NOTABLE_RATIO = 1.005
"""What is printed as faster."""
_LEAST_SHARE = 0.9
"""Of a set-up's rate: what is slower without an addition lacks memory to be quick, not room for a range."""
_TRAINS_ALIKE: frozenset[SwitchKind] = frozenset({"checkpointing", "chunked_loss", "sharding"})
"""What frees memory and leaves what is computed as it is: no other precision, optimizer or trained weights."""
_OF_ROOM = {"caveat-memory-range", "caveat-memory-range-instead", "caveat-memory-range-one-pass"}


def room_reasons(comparison: Comparison, advised: Sequence[Recommendation | None]) -> Iterator[Reason]:
    """Of each advised set-up whose range passes what its device can give: by how much, and what would stay inside."""
    for recommendation in advised:
        chosen = prediction_of(comparison.predictions, recommendation)
        if chosen is not None and chosen.may_run_out:
            yield _room(chosen, roomier(comparison, chosen))


def left_for_room(comparison: Comparison, finalist: Finalist) -> Iterator[Reason]:
    """What is nearly as good or better on the same cards by its figures, and left because it may run out of memory."""
    chosen = finalist.chosen
    if chosen.may_run_out:
        return
    own = expected(chosen, comparison)
    if comparison.goal != "time":
        fewer = [one for one in finalist.by_count if one.may_run_out and expected(one, comparison) < own]
        if fewer:
            yield passed_over(chosen, fewer)
    else:
        yield from _counts_left(chosen, finalist)
    alike = [
        one
        for one in comparison.kept
        if one.may_run_out
        and one.differs_at_most_by(chosen, "strategy")
        and one.effort_rank <= chosen.effort_rank
        and one.samples_per_s.value >= _NOTABLE_RATIO * chosen.samples_per_s.value
    ]
    if alike:
        yield _strategy_left(chosen, max(alike, key=lambda one: one.samples_per_s.value))


def _counts_left(chosen: Prediction, finalist: Finalist) -> Iterator[Reason]:
    """The fewer cards that would do, if a step were likelier to fit them."""
    fewer = [one for one in finalist.by_count if one.count < chosen.count and has_likelier_room(one, chosen)]
    if fewer:
        most = max(fewer, key=lambda one: one.count)
        yield Reason.of(
            "why-count-room",
            device=set_up_name(chosen),
            fewer=set_up_name(most),
            odds_fraction=most.odds_of_running_out,
            high_bytes=most.peak_memory_bytes.high if most.peak_memory_bytes is not None else 0.0,
            capacity_bytes=most.usable_memory_bytes or 0.0,
        )


def _strategy_left(chosen: Prediction, other: Prediction) -> Reason:
    assert other.peak_memory_bytes is not None  # what may run out has both figures
    assert other.usable_memory_bytes is not None
    return Reason.of(
        "why-room-first",
        strategy=STRATEGY_LABELS[chosen.strategy],
        other_strategy=STRATEGY_LABELS[other.strategy],
        speed_ratio=other.samples_per_s.value / chosen.samples_per_s.value,
        high_bytes=other.peak_memory_bytes.high,
        capacity_bytes=other.usable_memory_bytes,
    )


def roomier(comparison: Comparison, chosen: Prediction) -> Prediction | None:
    """With room for the whole of its range: as many of the cards as may be, the plainest, at the same global batch.

    Off-loading and a split model are no remedy for a need that is uncertain.
    """
    open_ones = [
        prediction
        for prediction in comparison.kept
        if prediction.device == chosen.device
        and prediction.precision == chosen.precision
        and prediction.added == chosen.added
        and prediction.fits
        and not prediction.may_run_out
        and prediction.count >= chosen.count
        and prediction.batch_size_per_device <= chosen.batch_size_per_device
        and prediction.effort_rank <= max(PLAIN_EFFORT, chosen.effort_rank)
        and prediction.global_batch_size <= max(comparison.global_limit, chosen.global_batch_size)
        and within_limits(prediction, comparison.limits, comparison.draws)
    ]

    def nearness(one: Prediction) -> tuple[int, int, bool, float]:
        return one.count, one.effort_rank, one.global_batch_size != chosen.global_batch_size, -one.samples_per_s.value

    return min(open_ones, key=nearness, default=None)


def without_room(comparison: Comparison, chosen: Prediction, addition: Addition) -> Prediction | None:
    """What is likest on the same cards but for the addition, is about as quick, and may run out of memory."""
    rest = tuple(one for one in chosen.added if one != addition)
    tight = (
        one
        for one in comparison.kept
        if one.may_run_out
        and one.added == rest
        and one.device_and_count == chosen.device_and_count
        and one.precision == chosen.precision
        and one.effort_rank <= chosen.effort_rank
        and one.samples_per_s.value >= _LEAST_SHARE * chosen.samples_per_s.value
    )

    def likeness(one: Prediction) -> tuple[bool, bool, float]:
        same_batch = one.batch_size_per_device == chosen.batch_size_per_device
        return one.strategy == chosen.strategy, same_batch, one.samples_per_s.value

    return max(tight, key=likeness, default=None)


def _room(chosen: Prediction, other: Prediction | None) -> Reason:
    assert chosen.peak_memory_bytes is not None  # what may run out has both figures
    assert chosen.usable_memory_bytes is not None
    numbers: Arguments = {
        "device": chosen.device.name,
        "high_bytes": chosen.peak_memory_bytes.high,
        "capacity_bytes": chosen.usable_memory_bytes,
        "odds_fraction": chosen.odds_of_running_out,
    }
    if other is None or other.peak_memory_bytes is None:
        return Reason.of("caveat-memory-range", **numbers)
    alike = other.differs_at_most_by(chosen, "gradient_accumulation_steps")
    if alike and other.gradient_accumulation_steps == 1 < chosen.gradient_accumulation_steps:
        numbers |= {"batch": other.batch_size_per_device, "most_bytes": other.peak_memory_bytes.high}
        numbers["speed_ratio"] = other.samples_per_s.value / chosen.samples_per_s.value
        return Reason.of("caveat-memory-range-one-pass", **numbers)
    numbers |= {
        "more": 0 if other.count == chosen.count else other.count,
        "strategy": "same" if other.strategy == chosen.strategy else other.strategy,
        "batch": other.batch_size_per_device,
        "steps": other.gradient_accumulation_steps,
        "most_bytes": other.peak_memory_bytes.high,
        "speed_ratio": other.samples_per_s.value / chosen.samples_per_s.value,
    }
    return Reason.of("caveat-memory-range-instead", **numbers)


def with_quicker_room(caveats: Sequence[Reason], switches: Sequence[Switch]) -> tuple[Reason, ...]:
    """The caveats, with a switch of the advised set-up as remedy where it has more room and is quicker than theirs."""
    place = next((place for place, caveat in enumerate(caveats) if caveat.code in _OF_ROOM), None)
    if place is None:
        return tuple(caveats)
    told = caveats[place]
    quickest = max(_roomy(told, switches), key=lambda one: one[0], default=None)
    if quickest is None or quickest[0] <= _ratio(told):
        return tuple(caveats)
    speed_ratio, most_bytes, kind = quickest
    shared = {name: told.numbers[name] for name in ("device", "high_bytes", "capacity_bytes", "odds_fraction")}
    numbers: Arguments = {**shared, "switch": kind, "most_bytes": most_bytes, "speed_ratio": speed_ratio}
    remedy = Reason.of("caveat-memory-range-switch", **numbers)
    return (*caveats[:place], remedy, *caveats[place + 1 :])


def _roomy(told: Reason, switches: Sequence[Switch]) -> Iterator[tuple[float, float, SwitchKind]]:
    """Speed, most memory and kind of the switches that surely stay below what a caveat says its device can give."""
    for switch in switches:
        need, gain = switch.peak_memory_bytes, switch.gain
        if need is None or gain is None or switch.kind not in _TRAINS_ALIKE:
            continue
        if switch.device_name == told.numbers["device"] and need.high <= told.figure("capacity_bytes"):
            yield gain.value, need.high, switch.kind


def _ratio(told: Reason) -> float:
    return told.figure("speed_ratio") if "speed_ratio" in told.numbers else 0.0
