"""What limits the worth of a comparison, and what to do about it: a closed list of caveats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.catalogue.optimizers import OPTIMIZER_FACTS
from advisor.catalogue.precisions import PRECISION_FACTS, PRECISION_LABELS
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.sentences import Arguments, Listed, Names, Reason
from advisor.recommend.comparison import Comparison, Finalist, counted
from advisor.recommend.fixed import any_fits
from advisor.recommend.precisions import at_least_as_exact, published_half, rate_of
from advisor.recommend.ranking import doubted_devices, score
from advisor.recommend.reasons.hosts import assumed_dispatch_s
from advisor.recommend.reasons.launching import script_gap
from advisor.recommend.reasons.limit_ranges import loading_limit_reasons, range_reasons
from advisor.recommend.reasons.memory_room import room_reasons
from advisor.recommend.reasons.missed_limits import is_limited, nearest_to_limits
from advisor.recommend.recommendation import Recommendation

WIDE_RATIO = 4.0
"""From this ratio of a range's ends on it is said what makes it so wide."""


def comparison_caveats(
    comparison: Comparison,
    finalists: Sequence[Finalist],
    best: Recommendation | None,
    here: Recommendation | None,
) -> tuple[Reason, ...]:
    """All caveats of a comparison, the gravest first; what was fixed and is not kept is told before."""
    advised = (best,) if here is None or here == best else (best, here)
    return (
        *_missing_answers(comparison, best, here),
        *_narrower_range(comparison, advised),
        *_halved_states(comparison, advised),
        *range_reasons(comparison, advised),
        *loading_limit_reasons(comparison, advised),
        *_measurement_caveats(comparison),
        *_goal_caveats(comparison, finalists),
        *_wide_range(comparison, best),
        *_memory_caveats(best),
        *room_reasons(comparison, advised),
        *_precision_caveats(comparison),
        *_basis_caveats(comparison, best),
        *_script_caveats(comparison, best),
    )


def _missing_answers(
    comparison: Comparison, best: Recommendation | None, here: Recommendation | None
) -> Iterator[Reason]:
    """Why nothing is advised, at all or on this machine; what was fixed and why nothing was predicted is said there."""
    kept = comparison.kept
    limited = is_limited(comparison) and any_fits(kept)
    if best is None and limited:
        # More cards make a job shorter; they draw more power, and cost as much or more.
        code = "caveat-nothing-in-limits" if comparison.limits.max_job_s is not None else "caveat-nothing-so-frugal"
        yield Reason.of(code, **_limits_given(comparison))
        yield from nearest_to_limits(comparison)
    elif best is None and comparison.predictions:
        if _lacks_only_host_memory(comparison):
            yield Reason.of("caveat-nothing-fits-host")
        elif not any_fits(comparison.exact_enough):
            at_one = "-at-one" if _tried_at_one(comparison) else ""
            checkpointed = "-checkpointed" if _tried_checkpointed(comparison) else ""
            yield Reason.of(f"caveat-nothing-fits{at_one}{checkpointed}")
        yield from _host_short(comparison)
    elif here is None and any(prediction.device.local for prediction in comparison.predictions):
        over = limited and any_fits([prediction for prediction in kept if prediction.device.local])
        limits = _limits_given(comparison)
        yield Reason.of("caveat-here-over-limits", **limits) if over else Reason.of("caveat-nothing-fits-here")
        yield from nearest_to_limits(comparison, local=True) if over else ()


def _limits_given(comparison: Comparison) -> Arguments:
    """The limits that were asked for, by name, and how many."""
    limits = comparison.limits
    asked = {"cost": limits.max_cost, "power": limits.max_power_w, "hours": limits.max_job_s}
    names = tuple(Reason.of(f"caveat-limit-{name}") for name, most in asked.items() if most is not None)
    return {"limits": Listed(reasons=names), "count": len(names)}


def _tried_at_one(comparison: Comparison) -> bool:
    """Whether one sample was tried of every device and precision: then no smaller batch is left."""
    rooms = {(prediction.device.key, prediction.precision) for prediction in comparison.exact_enough}
    alone = (prediction for prediction in comparison.exact_enough if prediction.batch_size_per_device == 1)
    return {(prediction.device.key, prediction.precision) for prediction in alone} == rooms


def _tried_checkpointed(comparison: Comparison) -> bool:
    """Whether all that checkpointing frees was asked for or added: then it is no remedy that is left."""
    asked = comparison.workload.training.activation_checkpointing == "full"
    return asked or any(prediction.checkpointing_added for prediction in comparison.exact_enough)


def _lacks_only_host_memory(comparison: Comparison) -> bool:
    """Whether nothing fits, and off-loading would leave a card room where the machine's memory held what it keeps."""
    return not any_fits(comparison.exact_enough) and any(
        any(note.code.endswith("-short") for note in prediction.notes)
        and prediction.peak_memory_bytes is not None
        and prediction.usable_memory_bytes is not None
        and prediction.peak_memory_bytes.value <= prediction.usable_memory_bytes
        for prediction in comparison.exact_enough
    )


def _host_short(comparison: Comparison) -> Iterator[Reason]:
    """The off-loading set-up that lacks least of its machines' memory."""
    notes = [note for prediction in comparison.predictions for note in prediction.notes if note.code.endswith("-short")]
    if notes:
        yield min(notes, key=lambda note: note.figure("need_bytes") / note.figure("room_bytes"))


def _measurement_caveats(comparison: Comparison) -> Iterator[Reason]:
    for key, kind in doubted_devices(comparison.predictions, comparison.untrusted).items():
        yield Reason.of(f"caveat-measurement-{kind}", device=comparison.devices[key].name)


def _goal_caveats(comparison: Comparison, finalists: Sequence[Finalist]) -> Iterator[Reason]:
    if comparison.goal == "cost":
        unpriced = sorted({finalist.chosen.device.name for finalist in finalists if finalist.chosen.cost is None})
        if unpriced and len(unpriced) < len({finalist.chosen.device.name for finalist in finalists}):
            yield Reason.of("caveat-some-prices-missing", devices=Names(names=tuple(unpriced)))
        elif unpriced and comparison.has_prices:
            yield Reason.of("caveat-prices-of-others", devices=Names(names=tuple(unpriced)))
        elif unpriced:
            yield Reason.of("caveat-no-prices")
    if comparison.goal == "energy":
        unknown = sorted(
            {
                device.name
                for key, device in comparison.devices.items()
                if all(
                    score(prediction, "energy") is None
                    for prediction in comparison.predictions
                    if prediction.device.key == key
                )
            }
        )
        if unknown:
            yield Reason.of("caveat-power-unknown", devices=Names(names=tuple(unknown)))


def _wide_range(comparison: Comparison, best: Recommendation | None) -> Iterator[Reason]:
    """A range of several times is hardly advice: what it comes from, and what would narrow it."""
    if best is None or best.step_s.high <= WIDE_RATIO * best.step_s.low:
        return
    numbers: Arguments = {"low_s": best.step_s.low, "high_s": best.step_s.high}
    offloads = STRATEGY_FACTS[best.strategy].offloads or comparison.workload.training.offload != "none"
    if offloads:
        yield Reason.of("caveat-wide-offload", **numbers)
    elif best.efficiency is not None and best.efficiency.value > WIDE_RATIO**0.5 * best.efficiency.low:
        link = comparison.link_of(best)
        inside = not comparison.crosses_network(best)
        stated = link is not None and link.certain and (inside or link.network is not None)
        code = "caveat-wide-known-link" if stated else "caveat-wide-link"
        yield Reason.of(code, **numbers, device=counted(best.count, best.device.name))
    elif _waits_for_an_unknown_host(comparison, best):
        yield Reason.of("caveat-wide-host", **numbers)
    else:
        yield Reason.of("caveat-wide", **numbers)


def _waits_for_an_unknown_host(comparison: Comparison, best: Recommendation) -> bool:
    waits = any(reason.code == "why-host-bound" for reason in best.why)
    return waits and assumed_dispatch_s(comparison, best) is not None


def _script_caveats(comparison: Comparison, best: Recommendation | None) -> Iterator[Reason]:
    gap = None if best is None or best.count == 1 else script_gap(comparison.workload.training, best)
    if gap is not None:
        yield gap


def _memory_caveats(best: Recommendation | None) -> Iterator[Reason]:
    if best is not None and best.peak_memory_bytes is None:
        yield Reason.of("caveat-memory-unknown", device=best.device.name)


def _narrower_range(comparison: Comparison, advised: Sequence[Recommendation | None]) -> Iterator[Reason]:
    """A model that grew up in BF16 may hold values that FP16 turns into infinities, under autocast too."""
    if published_half(comparison.workload) != "bf16":
        return
    for one in advised:
        if one is not None and PRECISION_FACTS[one.precision].half_format == "fp16":
            yield Reason.of("caveat-fp16-range", device=one.device.name, precision=PRECISION_LABELS[one.precision])


_WITH_SQUARES = 2
"""States of a parameter: the mean of gradients and that of their squares."""


def _halved_states(comparison: Comparison, advised: Sequence[Recommendation | None]) -> Iterator[Reason]:
    """What pure FP16 does to an optimizer that divides by the root of squares, as Adam does: they vanish in it."""
    training = comparison.workload.training
    squared = training.updates_weights and OPTIMIZER_FACTS[training.optimizer].state_count == _WITH_SQUARES
    if (
        squared
        and training.trainable != "lora"
        and any(one is not None and one.precision == "fp16_true" for one in advised)
    ):
        yield Reason.of("caveat-fp16-states")


def _precision_caveats(comparison: Comparison) -> Iterator[Reason]:
    """Cards that lack the precision asked for, and by what they were judged instead."""
    asked = comparison.workload.training.precision
    for device in comparison.devices.values():
        spec = comparison.spec_of(device)
        if spec is not None and rate_of(spec, asked) is None:
            used = {
                prediction.precision
                for prediction in comparison.predictions
                if prediction.device.key == device.key and at_least_as_exact(prediction.precision, asked)
            }
            labels = " / ".join(sorted(PRECISION_LABELS[precision] for precision in used))
            numbers: Arguments = {"device": device.name, "precision": PRECISION_LABELS[asked]}
            if used:
                yield Reason.of("caveat-precision-replaced", **numbers, used=labels)
            else:
                yield Reason.of("caveat-precision-left-out", **numbers)


def _basis_caveats(comparison: Comparison, best: Recommendation | None) -> Iterator[Reason]:
    """How far a predicted step can be trusted: published runs of inference that judged the ranges were of images."""
    if best is not None and best.step_s.basis == "specified":
        workload = comparison.workload
        judged = workload.training.mode != "inference" or workload.data.image_size is not None
        yield Reason.of(
            "caveat-from-spec-sheet" if judged else "caveat-inference-from-spec-sheet",
            device=best.device.name,
            low_s=best.step_s.low,
            high_s=best.step_s.high,
        )
