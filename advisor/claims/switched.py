"""Claims about one change on the same cards: a precision, torch.compile, a batch size, a strategy; and what fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import PRECISION_FACTS, PRECISION_LABELS, Precision
from advisor.catalogue.strategies import STRATEGY_LABELS, Strategy
from advisor.claims.claim import Claim, ClaimAnswer, Verdict
from advisor.claims.gpu_names import shared_name
from advisor.claims.predictor import Predictor, candidate
from advisor.claims.ratios import LINEAR_SLACK, PANEL
from advisor.claims.refusals import refusal, unpredicted
from advisor.claims.setting import claimed_workload, held_against, range_over, usual_precision
from advisor.core.sentences import Arguments, Listed, Reason
from advisor.core.units import Estimate
from advisor.predict.prediction import Prediction
from advisor.predict.ranges.gain_range import GainKind, gain_range
from advisor.recommend.comparison import counted
from advisor.recommend.precisions import rate_of
from advisor.workload.workload import Workload, with_training

_LESS: tuple[tuple[str, dict[str, object]], ...] = (
    ("pure", {"precision": "bf16_true"}),
    ("eight-bit", {"optimizer_bits": 8}),
    ("in-backward", {"optimizer_in_backward": True}),
    ("stateless", {"optimizer": "sgd"}),
)
"""Ways of AdamW that keep ever less, each with those before it."""


class _Side(NamedTuple):
    """One of the two set-ups that a claim compares."""

    precision: Precision
    batch_size: int
    compiled: bool
    strategy: Strategy


def is_about_one_change(claim: Claim) -> bool:
    """Whether a ratio is claimed of the same cards, by what was changed on them."""
    if claim.speed_up_ratio is None or claim.reference_gpus:
        return False
    if claim.reference_strategy is not None:
        return True
    if claim.count not in {None, 1}:
        return False
    return claim.reference_precision is not None or claim.reference_batch_size is not None or bool(claim.compile)


def check_change(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """A ratio of the same cards against themselves, held against the predictions of both set-ups.

    Raises InputError where nothing can be predicted on them, or strategies are compared on no number of cards.
    """
    if claim.reference_strategy is not None and (claim.count or 1) == 1:
        raise refusal("claim-strategies-without-count", claim, predictor.specs)
    specs = [predictor.specs[key] for key in claim.gpus]
    names = (claim.workload,) if claim.workload is not None else PANEL
    found = [gain for name in names for spec in specs if (gain := _gain(claim, predictor, spec, name)) is not None]
    expected = range_over(found)
    if expected is None:
        sides = {side: name for side, name in _change(claim).items() if side != "change"}
        raise refusal("claim-change-not-predicted", claim, predictor.specs, device=shared_name(specs), **sides)
    ratio = claim.speed_up_ratio or 1.0
    bound = _bound(claim, specs)
    numbers: Arguments = {
        "device": counted(claim.count or 1, shared_name(specs)),
        **_change(claim),
        "claimed_ratio": ratio,
        **expected.arguments("expected", "ratio"),
        "bound_ratio": bound or 0.0,
    }
    verdict, word = held_against(ratio, expected)
    if bound is not None and ratio > max(bound * LINEAR_SLACK, expected.high):
        verdict, word = "impossible", "impossible"
    reason = Reason.of(f"claim-change-{word}", **numbers)
    return ClaimAnswer(claim=claim, verdict=verdict, reasons=(reason,), expected_ratio=expected, bound_ratio=bound)


def check_fits(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """Whether a step of the model fits one such card, at the batch size that is named or at a single sample.

    Raises InputError where no model is named, or its memory cannot be told.
    """
    batch = claim.batch_size or 1
    workload = claimed_workload(msgspec.structs.replace(claim, batch_size=batch), predictor)
    best = _roomiest(claim, predictor, workload, batch)
    if best is None:
        raise unpredicted(claim, workload, predictor.specs, precision=None)
    need, capacity = best.peak_memory_bytes, best.usable_memory_bytes or 0.0
    assert need is not None
    numbers: Arguments = {
        "model": workload.name,
        "device": counted(best.count, best.device.name),
        "batch": batch,
        "precision": PRECISION_LABELS[best.precision],
        **need.arguments("need", "bytes"),
        "capacity_bytes": capacity,
    }
    close = need.holds(capacity)
    right = bool(best.fits) == bool(claim.fits)
    smaller = _smaller(claim, predictor, workload, batch) if claim.fits and not right and not close else None
    if smaller is not None:
        way, one = smaller
        held = one.peak_memory_bytes
        assert held is not None
        numbers |= {"usual_bytes": need.value, "way": Listed(reasons=(Reason.of(f"claim-way-{way}"),))}
        numbers |= held.arguments("need", "bytes")
        reason = Reason.of("claim-fits-only-with", **numbers)
        return ClaimAnswer(claim=claim, verdict="plausible_only_with", reasons=(reason,))
    code = "claim-fits-close" if close else "claim-fits" if best.fits else "claim-fits-not"
    verdict: Verdict = "plausible" if right else "plausible_only_with" if close else "impossible"
    return ClaimAnswer(claim=claim, verdict=verdict, reasons=(Reason.of(code, **numbers),))


def _roomiest(claim: Claim, predictor: Predictor, workload: Workload, batch: int) -> Prediction | None:
    """The set-up on the variant with the most memory; several cards share the parameters unless a copy each is said."""
    count = claim.count or 1
    strategy: Strategy = (claim.strategy or "fsdp") if count > 1 else "single"
    found: list[Prediction] = []
    for spec in (predictor.specs[key] for key in claim.gpus):
        precision = usual_precision(spec, workload.training.precision)
        if precision is not None:
            found += predictor.predict(workload, (candidate(spec, precision, batch, count=count, strategy=strategy),))
    known = [one for one in found if one.fits is not None and one.peak_memory_bytes is not None]
    return max(known, key=lambda one: one.memory_capacity_bytes or 0.0, default=None)


def _smaller(claim: Claim, predictor: Predictor, workload: Workload, batch: int) -> tuple[str, Prediction] | None:
    """The first way (`claim-way-NAME`) of training all weights that keeps less and fits; None: none does."""
    training = workload.training
    if training.trainable != "all" or training.optimizer != "adamw" or claim.precision is not None:
        return None
    changes: dict[str, object] = {"clip_gradient_norm": None}
    for way, change in _LESS:
        changes |= change
        one = _roomiest(claim, predictor, with_training(workload, **changes), batch)
        if one is not None and one.fits:
            return way, one
    return None


def _sides(claim: Claim, precision: Precision, batch: int) -> tuple[_Side, _Side]:
    """After and before the change."""
    strategy: Strategy = (claim.strategy or "ddp") if (claim.count or 1) > 1 else "single"
    after = _Side(precision, batch, bool(claim.compile), strategy)
    if claim.reference_strategy is not None:
        return after, after._replace(strategy=claim.reference_strategy)
    if claim.reference_precision is not None:
        return after, after._replace(precision=claim.reference_precision)
    if claim.reference_batch_size is not None:
        return after, after._replace(batch_size=claim.reference_batch_size)
    return after, after._replace(compiled=False)


def _gain(claim: Claim, predictor: Predictor, spec: GpuSpec, name: str) -> Estimate | None:
    workload = claimed_workload(msgspec.structs.replace(claim, workload=name), predictor)
    own = claim.precision or workload.training.precision
    predicted: list[Prediction] = []
    for side in _sides(claim, own, claim.batch_size or workload.training.batch_size):
        precision = side.precision if claim.reference_precision is not None else usual_precision(spec, side.precision)
        if precision is None or rate_of(spec, precision) is None:
            return None
        changed = with_training(workload, compile=side.compiled, precision=precision)
        set_up = candidate(spec, precision, side.batch_size, count=claim.count or 1, strategy=side.strategy)
        predicted += predictor.predict(changed, (set_up,))
    if len(predicted) != 2:  # noqa: PLR2004 - after and before
        return None
    after, before = predicted
    compiled = bool(claim.compile) and claim.reference_precision is None and claim.reference_batch_size is None
    unlike = "fp8" in {after.precision, before.precision} or after.strategy != before.strategy
    kind: GainKind = "unlike" if unlike else "compiled" if compiled else "alike"
    return gain_range(after, before, kind)


def _bound(claim: Claim, specs: Sequence[GpuSpec]) -> float | None:
    """The most that a change of precision can gain: the larger of both data-sheet ratios, products and bytes."""
    if claim.precision is None or claim.reference_precision is None:
        return None
    ratios = []
    for spec in specs:
        after, before = rate_of(spec, claim.precision), rate_of(spec, claim.reference_precision)
        if after is not None and before is not None:
            ratios.append(after / before)
    before_bytes = PRECISION_FACTS[claim.reference_precision].compute_bytes
    fewer_bytes = before_bytes / PRECISION_FACTS[claim.precision].compute_bytes
    return max((*ratios, fewer_bytes)) if ratios else None


def _change(claim: Claim) -> dict[str, str]:
    """What was changed, and what stands after and before it, in words that no language needs translated."""
    if claim.reference_strategy is not None and claim.strategy is not None:
        names = STRATEGY_LABELS[claim.strategy], STRATEGY_LABELS[claim.reference_strategy]
        return {"change": "strategy", "after": names[0], "before": names[1]}
    if claim.reference_precision is not None and claim.precision is not None:
        after, before = PRECISION_LABELS[claim.precision], PRECISION_LABELS[claim.reference_precision]
        return {"change": "precision", "after": after, "before": before}
    if claim.reference_batch_size is not None:
        return {"change": "batch", "after": str(claim.batch_size), "before": str(claim.reference_batch_size)}
    return {"change": "compile", "after": "torch.compile", "before": "eager"}
