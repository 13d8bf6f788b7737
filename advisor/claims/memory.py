"""Claims about memory: what fits a card, and how much of it a change takes or saves."""

from __future__ import annotations

import dataclasses

import msgspec

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.catalogue.strategies import Strategy
from advisor.claims.changes import judged_by, kind_of, models_of, predicted_pair, words_of
from advisor.claims.claim import Claim, ClaimAnswer, Verdict
from advisor.claims.gpu_names import shared_name
from advisor.claims.predictor import Predictor, candidate
from advisor.claims.refusals import refusal, unpredicted
from advisor.claims.setting import claimed_workload, range_over, usual_precision
from advisor.core.sentences import Arguments, Listed, Reason
from advisor.core.units import Estimate
from advisor.predict.prediction import Prediction
from advisor.predict.ranges.gain_range import independent_ratio
from advisor.recommend.comparison import counted
from advisor.workload.workload import Training, Workload, stored_bits, with_training
from advisor.workload.workload_file import load_workload

_OF_ANY_CARD = ("a100-sxm4-80",)
"""What a step holds hardly differs between cards: asked of where a claim names none."""
_LARGE_BATCH, _LARGE_FACTOR = 16, 8
"""Tried beside one sample and a workload's own where a claim names no batch: activations grow with it."""
_WHOLE_BITS = 16
_QUANTISED = Training(precision="bf16_amp", batch_size=1, quantization="nf4")
"""As a side with QLoRA is predicted."""
_LESS: tuple[tuple[str, dict[str, object]], ...] = (
    ("pure", {"precision": "bf16_true"}),
    ("eight-bit", {"optimizer_bits": 8}),
    ("in-backward", {"optimizer_in_backward": True}),
    ("stateless", {"optimizer": "sgd"}),
)
"""Ways of AdamW that keep ever less, each with those before it."""
_ROUNDED = 1.05
"""Shares of memory are claimed in round words: `half` is said of 48 or 52 % too (assumed)."""


def check_fits(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """Whether a step of the model fits one such card, at the batch size that is named or at a single sample.

    Raises InputError where no model is named, or its memory cannot be told.
    """
    batch = claim.batch_size or 1
    workload = claimed_workload(msgspec.structs.replace(claim, batch_size=batch), predictor)
    best = _with_most_memory(claim, predictor, workload, batch)
    if best is None:
        raise unpredicted(claim, workload, predictor.specs, precision=None)
    need, capacity = best.peak_memory_bytes, best.usable_memory_bytes or 0.0
    assert need is not None
    alike = [one for key in claim.gpus if (one := predictor.specs[key]).memory_bytes == best.memory_capacity_bytes]
    numbers: Arguments = {
        "model": workload.name,
        "device": counted(best.count, shared_name(alike)),
        "batch": batch,
        "precision": PRECISION_LABELS[best.precision],
        **need.arguments("need", "bytes"),
        "capacity_bytes": capacity,
    }
    close = need.holds(capacity)
    right = bool(best.fits) == bool(claim.fits)
    smaller = _smaller(claim, predictor, workload, batch) if claim.fits and not right and not close else None
    if smaller is not None:
        way, prediction = smaller
        held = prediction.peak_memory_bytes
        assert held is not None
        numbers |= {"usual_bytes": need.value, "way": Listed(reasons=(Reason.of(f"claim-way-{way}"),))}
        numbers |= held.arguments("need", "bytes")
        reason = Reason.of("claim-fits-only-with", **numbers)
        return ClaimAnswer(claim=claim, verdict="plausible_only_with", reasons=(reason,))
    code = "claim-fits-close" if close else "claim-fits" if best.fits else "claim-fits-not"
    verdict: Verdict = "plausible" if right else "plausible_only_with" if close else "impossible"
    return ClaimAnswer(claim=claim, verdict=verdict, reasons=(Reason.of(code, **numbers),))


def _with_most_memory(claim: Claim, predictor: Predictor, workload: Workload, batch: int) -> Prediction | None:
    """The set-up on the variant with the most memory; several cards share the parameters unless a copy each is said."""
    count = claim.count or 1
    strategy: Strategy = (claim.strategy or "fsdp") if count > 1 else "single"
    predictions: list[Prediction] = []
    for spec in (predictor.specs[key] for key in claim.gpus):
        precision = usual_precision(spec, workload.training.precision)
        if precision is not None:
            predictions += predictor.predict(
                workload, (candidate(spec, precision, batch, count=count, strategy=strategy),)
            )
    told_memory = [
        prediction
        for prediction in predictions
        if prediction.fits is not None and prediction.peak_memory_bytes is not None
    ]
    return max(told_memory, key=lambda prediction: prediction.memory_capacity_bytes or 0.0, default=None)


def _smaller(claim: Claim, predictor: Predictor, workload: Workload, batch: int) -> tuple[str, Prediction] | None:
    """The first way (`claim-way-NAME`) of training all weights that keeps less and fits; None: none does."""
    training = workload.training
    if training.trainable != "all" or training.optimizer != "adamw" or claim.precision is not None:
        return None
    changes: dict[str, object] = {"clip_gradient_norm": None}
    for way, change in _LESS:
        changes |= change
        prediction = _with_most_memory(claim, predictor, with_training(workload, **changes), batch)
        if prediction is not None and prediction.fits:
            return way, prediction
    return None


def check_memory_change(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """A ratio of the memory that the same cards hold after a change and before it.

    Raises InputError where the memory of either cannot be told.
    """
    keys = claim.gpus or tuple(key for key in _OF_ANY_CARD if key in predictor.specs)
    asked = msgspec.structs.replace(claim, gpus=keys)
    names = models_of(asked, predictor)
    expected = range_over(
        [estimate for key in keys for name in names for estimate in _memory_ratios(asked, predictor, key, name)]
    )
    if expected is None:
        sides = {side: name for side, name in words_of(claim).items() if side != "change"}
        device = shared_name([predictor.specs[key] for key in keys])
        raise refusal("claim-change-not-predicted", claim, predictor.specs, device=device, **sides)
    ratio, bound = claim.memory_ratio or 1.0, _least_ratio(claim)
    verdict: Verdict = "plausible"
    if bound is not None and ratio < min(bound, expected.low):
        verdict, word = "impossible", "impossible"
    elif ratio * _ROUNDED < expected.low:
        verdict, word = "plausible_only_with", "above"
    elif ratio > expected.high * _ROUNDED:
        verdict, word = "below_expected", "below"
    else:
        word = "plausible"
    numbers: Arguments = {
        "device": counted(claim.count or 1, shared_name([predictor.specs[key] for key in keys])),
        **words_of(claim),
        "claimed_fraction": ratio,
        **expected.arguments("expected", "fraction"),
        "bound_fraction": bound or 0.0,
    }
    why = (Reason.of("claim-why-weights"),) if bound is not None and word == "above" else ()
    reasons = (Reason.of(f"claim-memory-{word}", **numbers), *why, *judged_by(asked, predictor))
    return ClaimAnswer(claim=claim, verdict=verdict, reasons=reasons, expected_memory_ratio=expected)


def _memory_ratios(claim: Claim, predictor: Predictor, key: str, name: str) -> list[Estimate]:
    """Of one model at each batch size that may be meant, on one card."""
    own = load_workload(name).training.batch_size
    batches = (
        (claim.batch_size,)
        if claim.batch_size is not None
        else sorted({1, own, max(_LARGE_BATCH, _LARGE_FACTOR * own)})
    )
    solved = dataclasses.replace(predictor, solves_memory=True)
    estimates: list[Estimate] = []
    for batch in batches:
        pair = predicted_pair(claim, solved, predictor.specs[key], name, batch)
        if pair is not None:
            after, before = (prediction.peak_memory_bytes for prediction in pair)
            if after is not None and before is not None:
                estimates.append(_one_way(claim, independent_ratio(after, before)))
    return estimates


def _one_way(claim: Claim, ratio: Estimate) -> Estimate:
    """A change of the operators saves memory or takes some: its range does not reach to the other side of one."""
    if kind_of(claim) not in {"tuning", "attention", "checkpointing"}:
        return ratio
    if ratio.value <= 1:
        return msgspec.structs.replace(ratio, high=min(1.0, ratio.high))
    return msgspec.structs.replace(ratio, low=max(1.0, ratio.low))


def _least_ratio(claim: Claim) -> float | None:
    """What no change of the weights' bits alone can be below: all else stays, so that it only adds to both."""
    if kind_of(claim) == "tuning" and (claim.tuning, claim.reference_tuning) == ("qlora", "lora"):
        return (stored_bits(_QUANTISED) or _WHOLE_BITS) / _WHOLE_BITS
    return None
