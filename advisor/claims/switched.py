"""Claims about one change on the same cards (precision, compilation, batch, strategy, adapters …): how much faster."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import PRECISION_FACTS
from advisor.claims.change_sides import predicted_pair
from advisor.claims.changes import (
    batches_before,
    batches_of,
    grown_ratio,
    judged_by,
    kind_of,
    kinds_of,
    may_be_prepared,
    models_of,
    shards_one_side,
    ways_meant,
    words_of,
)
from advisor.claims.claim import Claim, ClaimAnswer, Verdict
from advisor.claims.gpu_names import shared_name
from advisor.claims.memory_change import check_memory_change
from advisor.claims.more_cards import LINEAR_SLACK
from advisor.claims.predictor import Predictor
from advisor.claims.refusals import change_unpredicted, refusal
from advisor.claims.setting import fp32_meant, held_against, in_open_layouts, range_over, ratio_of
from advisor.core.sentences import Arguments, Listed, Names, Reason, SaidError
from advisor.core.units import Estimate
from advisor.predict.ranges.gain_range import GainKind, gain_range
from advisor.recommend.comparison import counted
from advisor.recommend.precisions import rate_of
from advisor.workload.workload_file import load_workload

_WORST: tuple[Verdict, ...] = ("plausible", "plausible_only_with", "below_expected", "impossible")
_OF_ANY_CARD = ("rtx3090", "rtx4090", "a100-sxm4-80", "h100-sxm")
"""What people train on: where a claim names no card, a change is judged on each of them."""
_CLEAR = 1.25
"""A gain or loss of a quarter: where both are expected of models and cards, what is said without them tells nothing."""
_EXPLAINED = {("attention", "above"), ("tuning", "below"), ("channels_last", "above")}
"""What decides a change beyond the set-up that it was predicted on: `claim-why-KIND`."""


class _Gain(NamedTuple):
    """What a change brings one model, whose batch size a device was so large before."""

    name: str
    batch_before: int
    estimate: Estimate


def check_change(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """Ratios of the same cards against themselves, of speed and of memory; of both the worse verdict counts.

    Raises InputError where nothing can be predicted on them, or strategies are compared on no number of cards.
    """
    if claim.memory_ratio is None and claim.saved_bytes is None:
        return _check_any_speed(claim, predictor)
    memory = check_memory_change(claim, predictor)
    if claim.speed_up_ratio is None:
        return memory
    speed = _check_any_speed(claim, predictor)
    verdict = max(memory.verdict, speed.verdict, key=_WORST.index)
    reasons = (*speed.reasons, *(reason for reason in memory.reasons if reason not in speed.reasons))
    return msgspec.structs.replace(
        speed,
        verdict=verdict,
        reasons=reasons,
        expected_memory_ratio=memory.expected_memory_ratio,
        expected_saved_bytes=memory.expected_saved_bytes,
    )


def _check_any_speed(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """The answer by samples or by tokens a second, whichever holds, where a length changed and neither is told."""
    if claim.ratio_of_tokens is not None or "length" not in kinds_of(claim):
        return _check_speed(claim, predictor)
    of_samples, of_tokens = (
        _check_speed(msgspec.structs.replace(claim, ratio_of_tokens=of), predictor) for of in (False, True)
    )
    by_tokens = _WORST.index(of_tokens.verdict) < _WORST.index(of_samples.verdict)
    taken, other = (of_tokens, of_samples) if by_tokens else (of_samples, of_tokens)
    verdict = Listed(reasons=(Reason.of(f"verdict-{other.verdict}"),))
    said = Reason.of("claim-length-ratio-of", of="tokens" if by_tokens else "samples", verdict=verdict)
    return msgspec.structs.replace(taken, reasons=(*taken.reasons, said))


def _check_speed(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    if kinds_of(claim) != ("precision",) or not _loses_precision(claim):
        return _in_tf32(claim, _judged_speed(claim, predictor), predictor)
    gains = msgspec.structs.replace(
        claim,
        precision=claim.reference_precision,
        reference_precision=claim.precision,
        speed_up_ratio=1 / (claim.speed_up_ratio or 1.0),
    )
    answer = _check_speed(gains, predictor)
    expected = answer.expected_ratio
    if expected is not None:
        low, high = 1 / expected.high, 1 / expected.low
        expected = msgspec.structs.replace(expected, value=1 / expected.value, low=low, high=high)
    return msgspec.structs.replace(answer, claim=claim, expected_ratio=expected, bound_ratio=None)


def _loses_precision(claim: Claim) -> bool:
    """Whether a loss is told of going back to FP32 or TF32: what the other precision gains is what may be limited."""
    after, before = claim.precision, claim.reference_precision
    if after is None or before is None or claim.told_as is not None or (claim.speed_up_ratio or 1.0) >= 1:
        return False
    fewer_bytes = PRECISION_FACTS[before].compute_bytes < PRECISION_FACTS[after].compute_bytes
    return fewer_bytes or (after, before) == ("fp32", "tf32")


def _judged_speed(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    if claim.reference_strategy is not None and (claim.count or 1) == 1:
        raise refusal("claim-strategies-without-count", claim, predictor.specs)
    specs = [predictor.specs[key] for key in claim.gpus or _OF_ANY_CARD]
    names = models_of(claim, predictor)
    if kind_of(claim) == "link" and all(spec.nvlink_bytes_per_s is None for spec in specs):
        raise refusal("claim-card-without-nvlink", claim, predictor.specs, device=_device(claim, specs))
    if claim.switched == "channels_last" and all(load_workload(name).data.image_size is None for name in names):
        raise refusal("claim-layout-without-pictures", claim, predictor.specs)
    timed = dataclasses.replace(predictor, solves_memory=False)
    of_cards = [(spec, gain) for name in names for spec in specs for gain in _gains(claim, timed, spec, name)]
    gains = [gain for _, gain in of_cards]
    if not claim.gpus:  # cards that lack a precision are none that it is judged on
        specs = [spec for spec in specs if any(spec is of for of, _ in of_cards)] or specs
    expected = range_over([gain.estimate for gain in gains])
    if expected is None:
        sides = {side: name for side, name in words_of(claim).items() if side != "change"}
        raise change_unpredicted(claim, specs, predictor.specs, device=_device(claim, specs), **sides)
    ratio = claim.speed_up_ratio or 1.0
    bound = _bound(claim, specs)
    numbers: Arguments = {
        "device": _device(claim, specs),
        **words_of(claim),
        "claimed_ratio": ratio,
        **expected.arguments("expected", "ratio"),
        "bound_ratio": bound or 0.0,
        "of": "tokens" if claim.ratio_of_tokens else "samples",
    }
    verdict, word = held_against(ratio, expected)
    # What is expected to pass the data sheets' ratio itself, as slow kernels are left behind, is bound by none.
    bound = bound if bound is not None and expected.value <= bound * LINEAR_SLACK else None
    # Data sheets bound a gain: what is slower by less than they say may wait for the host.
    if bound is not None and ratio > max(1.0, bound * LINEAR_SLACK, expected.high):
        verdict, word = "impossible", "impossible"
    nameless = not claim.gpus and claim.workload is None and claim.parameters is None
    if nameless and verdict == "plausible" and expected.low < 1 / _CLEAR < _CLEAR < expected.high:
        told = {**numbers, "like": Names(names=tuple(load_workload(name).name for name in names))}
        raise SaidError((Reason.of("claim-change-open", **told),), Reason.of("claim-change-open-remedy"))
    grown = _by_size(gains, names) if claim.batch_ratio is not None else ()
    kind = claim.switched or kind_of(claim) if len(kinds_of(claim)) == 1 else None
    why = [Reason.of(f"claim-why-{kind}")] if (kind, word) in _EXPLAINED else []
    why += [Reason.of("claim-prepared")] if may_be_prepared(claim) else []
    why += [Reason.of("claim-why-sharded")] if len(ways_meant(claim)) > 1 and shards_one_side(claim) else []
    by_default = any(len(_of_open_fp32(claim, name)) > 1 for name in names) and any(rate_of(of, "tf32") for of in specs)
    why += [Reason.of("claim-fp32-by-default")] if by_default else []
    no_card = () if claim.gpus else (Reason.of("claim-any-card"),)
    reasons = (Reason.of(f"claim-change-{word}", **numbers), *why, *grown, *no_card, *judged_by(claim, predictor))
    return ClaimAnswer(claim=claim, verdict=verdict, reasons=reasons, expected_ratio=expected, bound_ratio=bound)


def _in_tf32(claim: Claim, answer: ClaimAnswer, predictor: Predictor) -> ClaimAnswer:
    """The answer, or that a gain too small over FP32 is one over TF32, which many a run called FP32 computes in."""
    if (
        answer.verdict != "below_expected"
        or kinds_of(claim) != ("precision",)
        or claim.reference_precision != "fp32"
        or claim.precision == "tf32"
    ):
        return answer
    if not all(rate_of(predictor.specs[key], "tf32") for key in claim.gpus or _OF_ANY_CARD):
        return answer
    against = _judged_speed(msgspec.structs.replace(claim, reference_precision="tf32"), predictor)
    if against.verdict != "plausible":
        return answer
    return msgspec.structs.replace(
        against,
        claim=claim,
        verdict="plausible_only_with",
        reasons=(Reason.of("claim-only-over-tf32"), *against.reasons),
    )


def _device(claim: Claim, specs: Sequence[GpuSpec]) -> str | Names:
    """The card that is meant, with its count; where a claim names none, all that it is judged on."""
    count = claim.count or 1
    if claim.gpus:
        return counted(count, shared_name(specs))
    return Names(names=tuple(counted(count, spec.name) for spec in specs))


def _gains(claim: Claim, predictor: Predictor, spec: GpuSpec, name: str) -> list[_Gain]:
    """How many times as fast the change makes one model, at each batch size and in each way that may be meant."""
    gains: list[_Gain] = []
    layouts = in_open_layouts(claim, name)
    ways = [meant for layout in layouts for of in _of_open_fp32(layout, name) for meant in ways_meant(of)]
    for meant, batch in itertools.product(ways, batches_of(claim, name)):
        pair = predicted_pair(meant, predictor, spec, name, batch)
        if pair is not None:
            after, before = pair
            if kind_of(claim) == "link":
                gains.append(_Gain(name, before.batch_size_per_device, ratio_of(after, before)))
                continue
            unlike = "fp8" in {after.precision, before.precision} or after.strategy != before.strategy
            estimate = gain_range(after, before, *(("unlike",) if unlike else _gain_kinds(claim)))
            if kinds_of(claim) == ("batch",):  # a step of more samples takes no less time
                most = max(1.0, after.batch_size_per_device / before.batch_size_per_device)
                value, high = min(estimate.value, most), min(estimate.high, most)
                estimate = msgspec.structs.replace(estimate, value=value, low=min(estimate.low, value), high=high)
            if kinds_of(claim) == ("length",):  # a longer step takes no less time, and no more than by its square
                ends = sorted((1.0, grown_ratio(claim) ** -2))
                low, value, high = (min(max(end, ends[0]), ends[1]) for end in _ends(estimate))
                estimate = msgspec.structs.replace(estimate, low=low, value=value, high=high)
            estimate = estimate.scaled(grown_ratio(claim)) if claim.ratio_of_tokens else estimate
            gains.append(_Gain(name, before.batch_size_per_device, estimate))
    return gains


def _of_open_fp32(claim: Claim, name: str) -> tuple[Claim, ...]:
    """The claim over each that the FP32 which it is held against may be."""
    if claim.reference_precision != "fp32":
        return (claim,)
    return tuple(msgspec.structs.replace(claim, reference_precision=meant) for meant in fp32_meant(claim, name))


def _by_size(gains: Sequence[_Gain], names: Sequence[str]) -> tuple[Reason, ...]:
    """What a batch that grew brings from one sample, and from the largest that is tried, since neither size is said."""
    largest = {name: batches_before(name)[-1] for name in names}
    small = range_over([gain.estimate for gain in gains if gain.batch_before == 1])
    large = range_over([gain.estimate for gain in gains if gain.batch_before == largest[gain.name]])
    if small is None or large is None:
        return ()
    least, most = min(largest.values()), max(largest.values())
    sizes: Arguments = {"least": least, "most": most, "spread": "one" if least == most else "several"}
    ends = {"small": small, "large": large}
    middles = {f"{size}_ratio": estimate.value for size, estimate in ends.items()}
    lows = {f"{size}_low_ratio": estimate.low for size, estimate in ends.items()}
    highs = {f"{size}_high_ratio": estimate.high for size, estimate in ends.items()}
    return (Reason.of("claim-growth-by-size", **sizes, **middles, **lows, **highs),)


def _ends(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.low, estimate.value, estimate.high


def _gain_kinds(claim: Claim) -> tuple[GainKind, ...]:
    """How each of the changes may be off."""
    widths: dict[str, GainKind] = {"compile": "compiled", "tuning": "adapters", "length": "unpublished"}
    if claim.switched == "optimizer_8bit":
        widths["switched"] = "unpublished"
    return tuple(widths.get(kind, "alike") for kind in kinds_of(claim))


def _bound(claim: Claim, specs: Sequence[GpuSpec]) -> float | None:
    """The most that a change of precision can gain: the larger of both data-sheet ratios, products and bytes.

    A step of more samples takes no less time, so that a batch gains no more than it grew; nor does one of longer texts.
    """
    kinds = kinds_of(claim)
    if kinds == ("batch",):
        grown = grown_ratio(claim)
        return grown if grown > 1 else None
    if kinds == ("length",):
        grown = grown_ratio(claim)
        most = 1.0 if grown > 1 else grown**-2
        return most * grown if claim.ratio_of_tokens else most
    if kinds != ("precision",) or claim.precision is None or claim.reference_precision is None:
        return None
    ratios = []
    for spec in specs:
        after, before = rate_of(spec, claim.precision), rate_of(spec, claim.reference_precision)
        if after is not None and before is not None:
            ratios.append(after / before)
    before_bytes = PRECISION_FACTS[claim.reference_precision].compute_bytes
    fewer_bytes = before_bytes / PRECISION_FACTS[claim.precision].compute_bytes
    return max((*ratios, fewer_bytes)) if ratios else None
