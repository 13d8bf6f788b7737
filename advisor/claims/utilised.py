"""Claims of a share of the peak: model FLOPs utilisation (MFU), held against that of the predicted steps."""

from __future__ import annotations

import dataclasses

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import PRECISION_LABELS, TRACE_PRECISIONS, Precision
from advisor.claims.bounds import clock_slack
from advisor.claims.claim import Claim, ClaimAnswer, Verdict
from advisor.claims.gpu_names import shared_name
from advisor.claims.predictor import Predictor, candidate
from advisor.claims.refusals import lacks_precision, refusal, size_text, unpredicted, without_model
from advisor.claims.setting import claimed_workload, range_over
from advisor.claims.sized.memory import check_memory
from advisor.claims.sized.rate import HALF, alike, flop_per_token
from advisor.claims.sized.ways import usual_sharing
from advisor.core.sentences import Arguments, Names, Reason
from advisor.core.units import Estimate
from advisor.optable.op_table import OpTable, at, step_flop
from advisor.predict.prediction import Prediction
from advisor.recommend.candidates import batch_sizes_around
from advisor.recommend.comparison import counted
from advisor.recommend.precisions import rate_of
from advisor.workload.workload import Workload

_TRAINED_PASSES = {"all": 3.0, "lora": 2.0, "head": 1.0}
"""Forward passes' worth of products: forward, gradients of what flows back, gradients of what is trained. What
checkpointing computes again is no FLOP of the model (Chowdhery et al. 2022)."""
_OPEN_COUNTS = (1, 8)
"""Tried where a claim does not say how many cards: `on H100s`."""
_OPEN_FACTORS = (1, 4, 16)
"""Batches that may be meant where a claim names none, in units of the workload's own."""


def check_utilisation(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """Judge a claimed MFU: never above the peak; else against the predicted steps of the model or of those like it.

    Raises SaidError naming what is missing: card, model, or a prediction.
    """
    share, specs = claim.mfu_fraction or 0.0, [predictor.specs[key] for key in claim.gpus]
    if share > max(map(clock_slack, specs), default=1.0):
        beyond = (Reason.of("claim-mfu-impossible", claimed_fraction=share), Reason.of("claim-mfu-counted-otherwise"))
        return ClaimAnswer(claim=claim, verdict="impossible", reasons=beyond)
    if not specs:
        raise refusal("claim-without-card", claim, predictor.specs)
    models = _models(claim, predictor)
    timed = dataclasses.replace(predictor, solves_memory=False)
    shares = [mfu for spec in specs for workload in models for mfu in _predicted_shares(claim, timed, spec, workload)]
    expected = range_over(shares)
    if expected is None:
        raise unpredicted(claim, _model_text(claim, models), predictor.specs, traced=False)
    verdict: Verdict = "plausible"
    if not expected.holds(share):
        verdict = "plausible_only_with" if share > expected.high else "below_expected"
    word = {"plausible": "expected", "plausible_only_with": "above", "below_expected": "below"}[verdict]
    numbers: Arguments = {
        "model": _model_text(claim, models),
        "device": counted(claim.count or 1, shared_name(specs)),
        "claimed_fraction": share,
        **expected.arguments("expected", "fraction"),
    }
    beside, room = _like(claim, models, specs), _room(claim, predictor)
    verdict = "plausible_only_with" if room and verdict == "plausible" else verdict
    reasons = (Reason.of(f"claim-mfu-{word}", **numbers), *beside, *room)
    return ClaimAnswer(claim=claim, verdict=verdict, reasons=reasons, expected_mfu_fraction=expected)


def check_flop_rate(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """Judge what cards are said to reach in FLOP/s by the share of their peak that it is, with all that is counted.

    Of several cards a rate that one alone cannot reach is of all of them. Raises SaidError where no card is named.
    """
    specs, asked = [predictor.specs[key] for key in claim.gpus], (claim.precision,) if claim.precision else HALF
    if not specs:
        raise refusal("claim-without-card", claim, predictor.specs)
    peaks = {
        (rate, spec.name, precision)
        for spec in specs
        for precision in asked
        if (rate := rate_of(spec, precision)) is not None
    }
    if not peaks:
        raise lacks_precision(claim, predictor.specs)
    peak, device, precision = max(peaks)
    told = claim.flop_per_s or 0.0
    of_each = told if claim.per_card or told <= peak else told / (claim.count or 1)
    answer = check_utilisation(msgspec.structs.replace(claim, mfu_fraction=of_each / peak), predictor)
    said = Reason.of(
        "claim-mfu-of-rate",
        device=device,
        precision=PRECISION_LABELS[precision],
        claimed_flop_per_s=of_each,
        peak_flop_per_s=peak,
        share_fraction=of_each / peak,
    )
    return msgspec.structs.replace(answer, reasons=(*answer.reasons, said))


def _models(claim: Claim, predictor: Predictor) -> list[Workload]:
    """The claim's own model, or traced ones that stand for its size. Raises SaidError where it names neither."""
    if claim.workload is not None:
        return [claimed_workload(claim, predictor)]
    if claim.parameters is None:
        raise without_model(claim, predictor.specs)
    return [workload for _, workload in alike(claim, predictor)]


def _predicted_shares(claim: Claim, predictor: Predictor, spec: GpuSpec, workload: Workload) -> list[Estimate]:
    """The MFU at each precision and number of one card that the claim leaves open.

    Of batches and accumulations that are left open the best one counts: who tells what was reached has looked for it.
    """
    asked = (claim.precision,) if claim.precision is not None else HALF
    open_ones = [precision for precision in asked if rate_of(spec, precision) is not None]
    if not open_ones and claim.precision is None:
        open_ones = ["fp32"]
    counts = (claim.count,) if claim.count is not None else _OPEN_COUNTS
    tables = predictor.tables(workload)
    several = claim.strategy or usual_sharing(spec, tables.values())
    set_ups = tuple(
        candidate(spec, precision, batch, count=count, strategy=strategy, accumulation_steps=accumulated)
        for precision in open_ones
        for count, strategy in ((count, several if count > 1 else "single") for count in counts)
        for batch in _batches(claim, workload)
        for accumulated in {1, workload.training.gradient_accumulation_steps}
    )
    best: dict[tuple[Precision, int], Estimate] = {}
    for prediction in predictor.predict(workload, set_ups):
        table, peak = tables.get(TRACE_PRECISIONS[prediction.precision]), rate_of(spec, prediction.precision)
        if table is not None and peak is not None:
            share = prediction.samples_per_s.scaled(
                _model_flop(claim, table, workload, prediction) / (peak * prediction.count)
            )
            share = msgspec.structs.replace(
                share, high=share.high * _without_recomputation(claim, table, workload, prediction)
            )
            key = (prediction.precision, prediction.count)
            best[key] = max(share, best.get(key, share), key=lambda estimate: estimate.value)
    return list(best.values())


def _batches(claim: Claim, workload: Workload) -> list[int]:
    own = workload.training.batch_size
    if claim.batch_size is not None:
        return [claim.batch_size]
    return [batch for batch in batch_sizes_around(own) if batch in {own * factor for factor in _OPEN_FACTORS}] or [own]


def _model_flop(claim: Claim, table: OpTable, workload: Workload, prediction: Prediction) -> float:
    """FLOP of a sample that count as the model's own: those of forward, and as much again for each gradient."""
    batch = prediction.batch_size_per_device
    forward = sum(op.count * at(op.flop, batch) for op in table.ops if op.phase == "forward") / batch
    passes = 1.0 if claim.mode == "inference" else _TRAINED_PASSES[workload.training.trainable]
    return passes * forward


def _without_recomputation(claim: Claim, table: OpTable, workload: Workload, prediction: Prediction) -> float:
    """How much more of the peak the same step would reach if nothing were computed again, which a claim leaves open."""
    if claim.mode == "inference" or workload.training.activation_checkpointing == "none":
        return 1.0
    batch = prediction.batch_size_per_device
    return max(1.0, step_flop(table, batch) / batch / _model_flop(claim, table, workload, prediction))


def _model_text(claim: Claim, models: list[Workload]) -> str:
    return models[0].name if claim.workload is not None else size_text(claim.parameters or 0.0)


def _like(claim: Claim, models: list[Workload], specs: list[GpuSpec]) -> tuple[Reason, ...]:
    """What a model of this size was judged by, and the tokens a second that the claimed share comes to."""
    if claim.workload is not None:
        return ()
    asked = (claim.precision,) if claim.precision is not None else HALF
    spec = max(specs, key=lambda spec: max((rate_of(spec, precision) or 0.0 for precision in asked), default=0.0))
    peak = max((rate_of(spec, precision) or 0.0 for precision in asked), default=0.0)
    flop = flop_per_token(claim) * (claim.parameters or 1.0)
    rate = (claim.mfu_fraction or 0.0) * peak / flop
    names = Names(names=tuple(workload.name for workload in models))
    said = Reason.of("claim-sized-like", like=names)
    if not rate:
        return (said,)
    tokens: Arguments = {"claimed_rate": round(rate), "device": spec.name, "peak_flop_per_s": peak}
    return (said, Reason.of("claim-mfu-tokens", flop_count=f"{flop_per_token(claim):.0f}", **tokens))


def _room(claim: Claim, predictor: Predictor) -> tuple[Reason, ...]:
    """That so many parameters do not fit so many cards as usual, where both are said."""
    if claim.workload is not None or claim.parameters is None or claim.count is None:
        return ()
    held = check_memory(msgspec.structs.replace(claim, fits=True), predictor)
    return held.reasons if held.verdict != "plausible" else ()
