"""Why the recommended set-up: each reason a code with the numbers that prove it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.sentences import Arguments, Names, Reason
from advisor.core.units import Estimate, value_of
from advisor.predict.prediction import Prediction
from advisor.recommend.comparison import Comparison, Finalist, set_up_name
from advisor.recommend.precisions import rate_of
from advisor.recommend.ranking import Row, leaders, score, told_as
from advisor.recommend.reasons.as_named import against_each
from advisor.recommend.reasons.batches import batch_reasons
from advisor.recommend.reasons.data_sheets import data_sheet_reasons
from advisor.recommend.reasons.hosts import host_reasons
from advisor.recommend.reasons.loading import core_reasons, is_held_up, loading_reasons
from advisor.recommend.reasons.memory_room import left_for_room, without_room
from advisor.recommend.reasons.parallel import parallel_reasons
from advisor.recommend.strategy import STARTING_S, is_over_at_once
from advisor.recommend.tie_decision import tie_decision
from advisor.recommend.wall_time import LOUD_SHARE, validation_share
from advisor.workload.workload import Workload

LEANING_SHARE = 0.3
"""From this share of its step on what a rival keeps in the host's memory explains its place before any rate does."""
NOTABLE_RATIO = 1.15
TIGHT_MEMORY_FRACTION = 0.9
"""Of what a device can give."""
_AHEAD = {
    "time": "why-fastest", "cost": "why-cheapest", "hours": "why-fewest-hours", "energy": "why-least-energy",
}  # fmt: skip
_TIED = {"time": "why-tied", "cost": "why-tied-cost", "hours": "why-tied-hours", "energy": "why-tied-energy"}
"""By what a comparison is told in."""

NOTABLE_TF32_RATIO = 0.97
"""Below this share of the strict step's time TF32 is worth a sentence."""


def why(
    comparison: Comparison, finalist: Finalist, rows: Sequence[Row], entered: Sequence[Prediction] = ()
) -> tuple[Reason, ...]:
    """The reasons for a finalist against the ranked rows, the most decisive first.

    `entered`: what every device was looked at with, each count.
    """
    chosen = finalist.chosen
    return tuple(
        reason
        for reasons in (
            _added_reasons(comparison, chosen),
            _precision_reasons(comparison, chosen),
            _short_reasons(comparison, chosen, rows),
            loading_reasons(comparison, chosen),
            against_each(comparison, chosen, entered),
            _place_reasons(comparison, chosen, rows, finalist.by_count),
            left_for_room(comparison, finalist),
            core_reasons(comparison, chosen),
            host_reasons(comparison, chosen, rows),
            _hardware_reasons(comparison, chosen, rows),
            _strict_reasons(comparison, chosen),
            parallel_reasons(comparison, finalist),
            _memory_reasons(comparison, chosen),
            batch_reasons(comparison, chosen),
            _validation_reasons(comparison.workload, chosen),
        )
        for reason in reasons
    )


def _added_reasons(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """What frees memory and was added, without which so many cards lack it, or may."""
    for name in chosen.added:
        tight = without_room(comparison, chosen, name)
        if tight is None or tight.peak_memory_bytes is None or chosen.peak_memory_bytes is None:
            yield Reason.of(f"why-{name.replace('_', '-')}-added", device=set_up_name(chosen))
        else:
            yield Reason.of(
                f"why-{name.replace('_', '-')}-room",
                device=chosen.device.name,
                high_bytes=tight.peak_memory_bytes.high,
                capacity_bytes=tight.usable_memory_bytes or 0.0,
                most_bytes=chosen.peak_memory_bytes.high,
                speed_ratio=chosen.samples_per_s.value / tight.samples_per_s.value,
            )


def _short_reasons(comparison: Comparison, chosen: Prediction, rows: Sequence[Row]) -> Iterator[Reason]:
    """That the job is over before anybody would notice which device it ran on."""
    if comparison.goal == "time" and is_over_at_once(chosen) and not is_held_up(comparison, chosen):
        cpu = "compared" if "cpu" in comparison.devices else "unknown"
        tied = "some" if len(leaders(rows, comparison.goal)) > 1 else "none"
        yield Reason.of("why-short-job", job_s=value_of(chosen.job_s), start_s=STARTING_S, cpu=cpu, tied=tied)


def _precision_reasons(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """What was taken in the place of a precision that the card does not compute in."""
    asked, spec = comparison.workload.training.precision, comparison.spec_of(chosen.device)
    if spec is not None and rate_of(spec, asked) is None and chosen.precision != asked:
        labels = {"precision": PRECISION_LABELS[asked], "used": PRECISION_LABELS[chosen.precision]}
        yield Reason.of("why-precision-instead", device=chosen.device.name, **labels)
    yield from _quicker_precision(comparison, chosen)
    yield from _precision_without_room(comparison, chosen)


def _quicker_precision(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """That the same set-up is slower in the precision asked for, where another one was taken for that."""
    asked = comparison.workload.training.precision
    for other in comparison.predictions:
        alike = other.precision == asked != chosen.precision and other.differs_at_most_by(chosen, "precision")
        advantage = chosen.samples_per_s.value / other.samples_per_s.value
        if alike and advantage > 1.0:
            yield Reason.of(
                "why-precision-quicker",
                precision=PRECISION_LABELS[asked],
                used=PRECISION_LABELS[chosen.precision],
                advantage_ratio=advantage,
            )


def _precision_without_room(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """That the precision asked for fits in no way as plain on as many of the card, and another was taken for that."""
    asked = comparison.workload.training.precision
    alike = [
        prediction
        for prediction in comparison.predictions
        if prediction.device_and_count == chosen.device_and_count
        and prediction.precision == asked
        and prediction.added == chosen.added
        and prediction.effort_rank <= chosen.effort_rank
    ]
    needs = [one.peak_memory_bytes.value for one in alike if one.fits is False and one.peak_memory_bytes is not None]
    usable = chosen.usable_memory_bytes
    if chosen.precision != asked and usable is not None and needs and len(needs) == len(alike) and min(needs) > usable:
        yield Reason.of(
            "why-precision-room",
            device=chosen.device.name,
            precision=PRECISION_LABELS[asked],
            used=PRECISION_LABELS[chosen.precision],
            need_bytes=min(needs),
            capacity_bytes=usable,
        )


def _place_reasons(
    comparison: Comparison, chosen: Prediction, rows: Sequence[Row], by_count: Sequence[Prediction]
) -> Iterator[Reason]:
    """Ahead of whom, by how much, or tied with whom."""
    first = leaders(rows, comparison.goal)
    others = [row.prediction for row in first if row.prediction is not chosen]
    if others:
        names = Names(names=tuple(set_up_name(other) for other in others))
        at_once = comparison.goal == "time" and is_over_at_once(chosen)
        code = "why-tied-short" if at_once else _TIED[told_as(comparison.goal, chosen, *others)]
        yield Reason.of(code, device=set_up_name(chosen), others=names)
        yield from tie_decision(comparison, chosen, others)
        if not at_once:
            yield from data_sheet_reasons(comparison, chosen, others)
    for row in rows:
        if row.place == 1 and row not in first:
            yield Reason.of("why-disturbed", other=set_up_name(row.prediction))
    behind = next((row.prediction for row in rows if row.place > 1), None)
    if behind is None:
        if not others and not (comparison.as_named and len(by_count) > 1):
            yield _alone(comparison, chosen)
        return
    if comparison.as_named:  # each is held against it already
        return
    own, second = score(chosen, comparison.goal), score(behind, comparison.goal)
    if own is not None and second is not None and own.value > 0:
        yield Reason.of(
            _AHEAD[told_as(comparison.goal, chosen, behind)],
            device=set_up_name(chosen),
            other=set_up_name(behind),
            advantage_ratio=second.value / own.value,
        )


def _alone(comparison: Comparison, chosen: Prediction) -> Reason:
    """Why there was nothing to compare with: here, of what was asked, or of what was left."""
    code = "why-only-candidate"
    if chosen.device.local:
        code = "why-only-here"
    elif all(prediction.device == chosen.device for prediction in comparison.predictions):
        code = "why-only-asked"
    return Reason.of(code, device=chosen.device.name)


def _hardware_reasons(comparison: Comparison, chosen: Prediction, rows: Sequence[Row]) -> Iterator[Reason]:
    """Which spec figure decides against the other cards: compute at this precision, or memory bandwidth."""
    own = comparison.spec_of(chosen.device)
    if own is None:
        return
    own_rate = rate_of(own, chosen.precision)
    for row in rows:
        other = comparison.spec_of(row.prediction.device)
        if other is None or row.prediction is chosen or row.place == 1:
            continue
        waiting = row.prediction.part_share("communication", "copy", "optimizer")
        if chosen.holds_plainly and not row.prediction.holds_plainly and waiting >= LEANING_SHARE:
            yield Reason.of("why-rival-leans", device=set_up_name(row.prediction), share_fraction=waiting)
            return
        other_rate = rate_of(other, chosen.precision)
        label = PRECISION_LABELS[chosen.precision]
        if own_rate is not None and other_rate is not None and own_rate >= NOTABLE_RATIO * other_rate:
            numbers: Arguments = {
                "device": own.name,
                "other": other.name,
                "precision": label,
                "rate_flop_per_s": own_rate,
                "other_rate_flop_per_s": other_rate,
            }
            if chosen.precision == "fp32" and (other.tf32_flop_per_s or 0) > own_rate:
                yield Reason.of("why-strict-fp32", **numbers, tensor_flop_per_s=other.tf32_flop_per_s or 0.0)
                return
            yield Reason.of("why-compute-rate", **numbers)
            return
        own_speed, other_speed = own.memory_bandwidth_bytes_per_s, other.memory_bandwidth_bytes_per_s
        if own_speed is not None and other_speed is not None and own_speed >= NOTABLE_RATIO * other_speed:
            yield Reason.of(
                "why-bandwidth",
                device=own.name,
                other=other.name,
                bandwidth_bytes_per_s=own_speed,
                other_bandwidth_bytes_per_s=other_speed,
            )
            return


def _strict_reasons(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """FP32 is strict here, which torch's own default is not on a card with TF32: what the same step takes in TF32."""
    spec = comparison.spec_of(chosen.device)
    if chosen.precision != "fp32" or spec is None or spec.tf32_flop_per_s is None:
        return
    with_tf32 = (prediction for prediction in comparison.predictions if prediction.precision == "tf32")
    loose = next((prediction for prediction in with_tf32 if prediction.differs_at_most_by(chosen, "precision")), None)
    if loose is not None and loose.step_s.value < NOTABLE_TF32_RATIO * chosen.step_s.value:
        yield Reason.of("why-fp32-is-strict", step_s=chosen.step_s.value, tf32_step_s=loose.step_s.value)


def _memory_reasons(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """Where it does not fit, and how full the chosen device gets.

    A share of a model says nothing of cards that would hold it whole: like is compared with like.
    """
    whole = not STRATEGY_FACTS[chosen.strategy].shards
    compared = ("single", 1) if whole else (chosen.strategy, chosen.count)
    need = chosen.peak_memory_bytes
    small = sorted(
        {
            prediction.device.name
            for prediction in comparison.predictions
            if prediction.fits is False
            and prediction.batch_size_per_device <= chosen.batch_size_per_device
            and (prediction.strategy, prediction.count) == compared
            and prediction.precision == chosen.precision
            and prediction.added == chosen.added
            and prediction.device.key != chosen.device.key
            and _holds_less(prediction, need)
        }
    )
    if small and need is not None:
        yield Reason.of("why-memory-elsewhere", devices=Names(names=tuple(small)), need_bytes=need.value)
    told = ("memory-host-", "predict-memory-replaced", "predict-outside-")
    yield from (note for note in chosen.notes if note.code.startswith(told))
    capacity, share = chosen.usable_memory_bytes, chosen.memory_share
    if chosen.may_run_out or need is None or capacity is None or share is None:  # the first has a caveat of its own
        return
    if share >= TIGHT_MEMORY_FRACTION:
        yield Reason.of("why-memory-tight", need_bytes=need.value, capacity_bytes=capacity, share_fraction=share)


def _holds_less(prediction: Prediction, need: Estimate | None) -> bool:
    """Whether what a device can give is below the need that is told; of a card here less may be free."""
    usable = prediction.usable_memory_bytes
    return prediction.device.local or usable is None or need is None or usable < need.value


def _validation_reasons(workload: Workload, chosen: Prediction) -> Iterator[Reason]:
    """Validation that takes a notable share of the wall time."""
    share, every = validation_share(workload, chosen), workload.training.evaluate_every_steps
    if share is not None and share >= LOUD_SHARE:
        yield (
            Reason.of("why-validation-share", share_fraction=share, every_steps=every)
            if every
            else Reason.of("why-validation-each-epoch", share_fraction=share)
        )
