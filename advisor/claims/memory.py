"""Claims about what fits a card."""

from __future__ import annotations

import msgspec

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.catalogue.strategies import Strategy
from advisor.claims.claim import Claim, ClaimAnswer, Verdict
from advisor.claims.gpu_names import shared_name
from advisor.claims.predictor import Predictor, candidate
from advisor.claims.refusals import unpredicted
from advisor.claims.setting import claimed_workload, usual_precision
from advisor.core.sentences import Arguments, Listed, Reason
from advisor.predict.prediction import Prediction
from advisor.recommend.comparison import counted
from advisor.workload.workload import Workload, with_training

_LESS: tuple[tuple[str, dict[str, object]], ...] = (
    ("pure", {"precision": "bf16_true"}),
    ("eight-bit", {"optimizer_bits": 8}),
    ("in-backward", {"optimizer_in_backward": True}),
    ("stateless", {"optimizer": "sgd"}),
)
"""Ways of AdamW that keep ever less, each with those before it."""


def check_fits(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """Whether a step of the model fits one such card, at the batch size that is named or at a single sample.

    Raises InputError where no model is named, or its memory cannot be told.
    """
    batch = claim.batch_size or 1
    workload = claimed_workload(msgspec.structs.replace(claim, batch_size=batch), predictor)
    best = _with_most_memory(claim, predictor, workload, batch)
    if best is None:
        raise unpredicted(claim, workload.name, predictor.specs, traced=bool(predictor.tables(workload)))
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
        if precision is None and claim.precision is None:  # such a card trains in FP32
            precision = usual_precision(spec, "fp32")
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
