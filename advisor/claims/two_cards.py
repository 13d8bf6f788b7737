"""Claims of the form `n times as fast` by another card, or by so many of it: data sheets and predictions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import PRECISION_FACTS, PRECISION_LABELS, PRECISIONS, Precision
from advisor.catalogue.strategies import Strategy
from advisor.claims.bounds import clock_slack, ratio_bound
from advisor.claims.claim import Claim, ClaimAnswer, Verdict, any_precision_of
from advisor.claims.gpu_names import shared_name
from advisor.claims.predictor import Predictor, candidate
from advisor.claims.refusals import cards_unpredicted
from advisor.claims.setting import (
    FP8_PANEL,
    OPEN_FACTORS,
    PANEL,
    SIZED_PANEL,
    claimed_workload,
    held_against,
    in_open_layouts,
    judged_like,
    least_meant,
    range_over,
    ratio_of,
    stand_ins,
    usual_precision,
)
from advisor.core.sentences import Arguments, Names, Reason
from advisor.core.units import Estimate
from advisor.predict.prediction import Candidate, Prediction
from advisor.predict.ranges.gain_range import independent_ratio
from advisor.recommend.comparison import counted
from advisor.recommend.precisions import rate_of
from advisor.workload.workload import Workload, with_training
from advisor.workload.workload_file import load_workload

_SPREAD = 1.15
"""The predicted speed-up ratio of two cards is off by this factor on average (held-back published runs)."""
_OF_ONE_CARD = (1, 4, 16)
"""Batches that may be meant of single cards where none is named, in units of the workload's own."""
ASKED: tuple[Precision, ...] = ("fp32", "tf32", "fp16_amp", "bf16_amp")
"""Meant where a claim of two cards names no precision."""


def check_card_ratio(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """One card against another: held against the data sheets' ratio and the predictions at each precision."""
    ratio = claim.speed_up_ratio or 1.0
    fast = [predictor.specs[key] for key in claim.gpus]
    slow = [predictor.specs[key] for key in claim.reference_gpus]
    stated = claim.precision
    if stated is not None and (stated == "fp8" or claim.reference_precision is not None):
        return _check_each(claim, predictor, fast, slow, stated)
    precisions = (stated,) if stated is not None else ASKED
    by_precision = {
        precision: estimate for precision in ASKED if (estimate := card_ratio(claim, predictor, fast, slow, precision))
    }
    shown = stated if stated in by_precision else _nearest(ratio, by_precision)
    if shown is None:
        raise cards_unpredicted(claim, predictor.specs)
    expected, bound = by_precision[shown], largest_bound(claim, fast, slow, precisions)
    holding = [precision for precision, estimate in by_precision.items() if estimate.holds(ratio)]
    inside = [precision for precision in holding if precision in precisions]
    numbers: Arguments = {
        "device": counted(claim.count or 1, shared_name(fast)),
        "other": counted(claim.reference_count, shared_name(slow)),
        "claimed_ratio": ratio,
        "precision": " / ".join(PRECISION_LABELS[each] for each in (shown, *_in_its_place(claim, slow, shown))),
        **expected.arguments("expected", "ratio"),
        "bound_ratio": bound or 0.0,
    }
    verdict: Verdict = "plausible_only_with"
    if inside and (stated is not None or inside == list(by_precision)):
        verdict, word = "plausible", "plausible"
    elif holding:
        word = "only-with-precision" if inside else "only-elsewhere"
        numbers["precisions"] = any_precision_of(inside or holding)
    elif bound is not None and least_meant(ratio) > bound >= expected.value:
        verdict, word = "impossible", "impossible"
    elif ratio > expected.value:
        word = "above"
    else:
        verdict, word = "below_expected", "below"
    reasons = (Reason.of(f"claim-ratio-{word}", **numbers), *_of_others(claim), *rate_reasons(fast[0], slow[0]))
    return ClaimAnswer(claim=claim, verdict=verdict, reasons=reasons, expected_ratio=expected, bound_ratio=bound)


def _check_each(
    claim: Claim, predictor: Predictor, fast: Sequence[GpuSpec], slow: Sequence[GpuSpec], precision: Precision
) -> ClaimAnswer:
    """Two cards, each in a precision of its own: FP8 on one that has it, against BF16 on one that has not."""
    expected = card_ratio(claim, predictor, fast, slow, precision)
    if expected is None:
        raise cards_unpredicted(claim, predictor.specs)
    ratio, others = claim.speed_up_ratio or 1.0, {_other_precision(claim, card, precision) for card in slow} - {None}
    bounds = [
        bound * clock_slack(faster)
        for faster, other in itertools.product(fast, slow)
        if (bound := _pair_bound(claim, faster, other, precision)) is not None
    ]
    bound = max(bounds) * (claim.count or 1) / claim.reference_count if bounds else None
    verdict, word = held_against(ratio, expected)
    if bound is not None and ratio > max(bound, expected.high):
        verdict, word = "impossible", "impossible"
    numbers: Arguments = {
        "device": counted(claim.count or 1, shared_name(fast)),
        "other": counted(claim.reference_count, shared_name(slow)),
        "claimed_ratio": ratio,
        "precision": PRECISION_LABELS[precision],
        "other_precision": any_precision_of(precision for precision in _ORDER if precision in others),
        **expected.arguments("expected", "ratio"),
        "bound_ratio": bound or 0.0,
    }
    reasons = (Reason.of(f"claim-ratio-each-{word}", **numbers), *_of_others(claim))
    return ClaimAnswer(claim=claim, verdict=verdict, reasons=reasons, expected_ratio=expected, bound_ratio=bound)


def _of_others(claim: Claim) -> tuple[Reason, ...]:
    """Which models stand for one that is named and not bundled."""
    if claim.other_model is None:
        return ()
    panel = FP8_PANEL if claim.precision == "fp8" else PANEL
    return (judged_like(claim, Names(names=tuple(load_workload(name).name for name in panel))),)


_ORDER = PRECISIONS


def _other_precision(claim: Claim, card: GpuSpec, precision: Precision) -> Precision | None:
    """What the card that is compared with computes in: as said; BF16 where it lacks FP8; None: it lacks that."""
    if claim.reference_precision is not None:
        return claim.reference_precision if rate_of(card, claim.reference_precision) is not None else None
    if precision == "fp8" and rate_of(card, precision) is None:
        return usual_precision(card, "bf16_amp")
    return usual_precision(card, precision)


def _in_its_place(claim: Claim, slow: Sequence[GpuSpec], precision: Precision) -> list[Precision]:
    """What the slower card computes in where it lacks the precision, as a V100 lacks TF32."""
    others = {_other_precision(claim, card, precision) for card in slow}
    return [other for other in _ORDER if other in others and other != precision]


def _pair_bound(claim: Claim, fast: GpuSpec, slow: GpuSpec, precision: Precision) -> float | None:
    """The most that one card in its precision can be ahead of another in its own: products, or bytes."""
    other = _other_precision(claim, slow, precision)
    rates = rate_of(fast, precision), rate_of(slow, other) if other is not None else None
    bandwidths = fast.memory_bandwidth_bytes_per_s, slow.memory_bandwidth_bytes_per_s
    if other is None or None in (*rates, *bandwidths):
        return None
    fewer_bytes = PRECISION_FACTS[other].compute_bytes / PRECISION_FACTS[precision].compute_bytes
    return max(rates[0] / rates[1], bandwidths[0] / bandwidths[1] * max(1.0, fewer_bytes))  # type: ignore[operator]


def _nearest(ratio: float, by_precision: Mapping[Precision, Estimate]) -> Precision | None:
    """The precision that comes nearest to a claimed ratio: of those expected below it, else of all."""
    below = [precision for precision in by_precision if by_precision[precision].value <= ratio]
    return min(below or by_precision, key=lambda precision: abs(by_precision[precision].value - ratio), default=None)


def largest_bound(
    claim: Claim, fast: Sequence[GpuSpec], slow: Sequence[GpuSpec], precisions: Sequence[Precision]
) -> float | None:
    """The most over all variants and precisions in question, with the faster card's clock slack, by the counts."""
    bounds = [
        bound * clock_slack(faster)
        for faster, other, precision in itertools.product(fast, slow, precisions)
        if (bound := ratio_bound(faster, other, precision)) is not None
    ]
    return max(bounds) * (claim.count or 1) / claim.reference_count if bounds else None


def card_ratio(
    claim: Claim, predictor: Predictor, fast: Sequence[GpuSpec], slow: Sequence[GpuSpec], precision: Precision
) -> Estimate | None:
    """Predicted ratio of rates at one precision, over models (the claim's, or a panel) and variants."""
    panel = FP8_PANEL if precision == "fp8" else PANEL if claim.parameters is None else SIZED_PANEL
    estimates: list[Estimate] = []
    of_models = (msgspec.structs.replace(claim, workload=name) for name in stand_ins(claim, predictor, panel))
    for meant in (told for of in of_models if of.workload is not None for told in in_open_layouts(of, of.workload)):
        workload = claimed_workload(meant, predictor)
        own = workload.training.batch_size
        batches = (own,) if claim.batch_size is not None else tuple(own * factor for factor in _open(claim))
        for batch in batches:
            estimates += _ratios(claim, predictor, with_training(workload, batch_size=batch), (fast, slow), precision)
    return range_over(estimates)


def _open(claim: Claim) -> tuple[int, ...]:
    """Batches that may be meant where none is named: what several cards send weighs by them.

    On one card a small batch waits for the host, on a quick one more than on a slow one.
    """
    return OPEN_FACTORS if max(claim.count or 1, claim.reference_count) > 1 else _OF_ONE_CARD


def _ratios(
    claim: Claim,
    predictor: Predictor,
    workload: Workload,
    cards: tuple[Sequence[GpuSpec], Sequence[GpuSpec]],
    precision: Precision,
) -> list[Estimate]:
    """Every variant of the one card over every variant of the other; each is predicted once."""
    after = [card for card in cards[0] if usual_precision(card, precision) == precision]
    before = [(card, other) for card in cards[1] if (other := _other_precision(claim, card, precision)) is not None]
    sides = ([(card, precision) for card in after], before)
    predictions = [
        predictor.predict(workload, [_candidate(claim, workload, *card, count) for card in side])
        for side, count in zip(sides, (claim.count or 1, claim.reference_count), strict=True)
    ]
    pairs = itertools.product(*predictions)
    open_batch = claim.batch_size is None
    return [_ratio(*pair) for pair in pairs if not (open_batch and any(of.fits is False for of in pair))]


def _candidate(claim: Claim, workload: Workload, card: GpuSpec, precision: Precision, count: int) -> Candidate:
    strategy: Strategy = "single" if count == 1 else claim.strategy or "ddp"
    return candidate(card, precision, workload.training.batch_size, count=count, strategy=strategy)


def _ratio(one: Prediction, other: Prediction) -> Estimate:
    if one.precision != other.precision and "fp8" in {one.precision, other.precision}:
        return independent_ratio(one.samples_per_s, other.samples_per_s)
    return ratio_of(one, other, _SPREAD)


def rate_reasons(fast: GpuSpec, slow: GpuSpec) -> Iterator[Reason]:
    """The data-sheet rates that turn the order, one reason a precision that both cards have."""
    for precision in ("fp32", "tf32", "fp16_amp"):
        fast_rate, other = rate_of(fast, precision), rate_of(slow, precision)
        if fast_rate is not None and other is not None:
            rates = {"rate_flop_per_s": fast_rate, "other_rate_flop_per_s": other}
            label = PRECISION_LABELS[precision]
            yield Reason.of("claim-rates", device=fast.name, other=slow.name, precision=label, **rates)
