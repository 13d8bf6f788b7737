"""Speeds of a model that is named by its size alone: what no card can beat, and what traced models reach."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import PRECISION_LABELS, TRACE_PRECISIONS, Precision
from advisor.claims.bounds import clock_slack
from advisor.claims.claim import Claim, ClaimAnswer, Verdict
from advisor.claims.gpu_names import shared_name
from advisor.claims.predictor import Predictor, candidate
from advisor.claims.refusals import lacks_precision, refusal, size_text
from advisor.claims.setting import range_over
from advisor.claims.sized.memory import check_memory
from advisor.core.sentences import Arguments, Names, Reason, SaidError
from advisor.core.units import Estimate, format_count
from advisor.predict.prediction import Prediction
from advisor.recommend.comparison import counted
from advisor.recommend.precisions import rate_of
from advisor.workload.workload import Workload, length_of, with_training
from advisor.workload.workload_file import load_workload

_FULL_FLOP, _ADAPTER_FLOP, _FORWARD_FLOP = 6.0, 4.0, 2.0
"""A parameter and token: forward 2, gradients of inputs 2, gradients of weights 2 (Kaplan et al. 2020)."""
_LIKE_FULL = ("gpt2_small", "llama_7b_pretraining", "llama_8b")
_LIKE_ADAPTERS, _LIKE_QUANTISED = ("llama_1b_lora", "llama_8b_lora"), ("llama_1b_qlora", "llama_8b_qlora")
"""Traced models that stand for one of another size: what share of its peak rate a card reaches with them."""
_MOST_ALIKE, _FARTHEST = 2, 12.0
"""So many of them are asked, the nearest in size first; beyond the nearest none that is so many times as large."""
_SMALLER = 3.0
"""A model smaller by so much stands for a large one with a large batch alone: else it waits for its host."""
_BATCHES = (1, 4, 16)
HALF: tuple[Precision, ...] = ("bf16_amp", "fp16_amp", "bf16_true")
"""Tried with them, and what a share of the peak is of, where a claim names no precision."""
_OPEN: tuple[Precision, ...] = ("bf16_amp", "fp16_amp", "tf32", "fp32")
"""Meant where a claim names no precision; beyond them FP8 is named as what would explain it."""


def check_sized(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """The answer to a claim about so many parameters on a card, of its memory or its speed.

    Raises SaidError naming what is missing: the tokens that a time was for.
    """
    if claim.fits is not None:
        return check_memory(claim, predictor)
    return _check_rate(claim, predictor)


def _check_rate(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    specs = [predictor.specs[key] for key in claim.gpus]
    fastest = _fastest(specs, (claim.precision,) if claim.precision is not None else _OPEN)
    if fastest is None:
        raise lacks_precision(claim, predictor.specs)
    precision, spec = fastest
    flop = flop_per_token(claim) * (claim.parameters or 0.0)
    peak = (rate_of(spec, precision) or 0.0) * (claim.count or 1)
    most = peak * clock_slack(spec) / flop
    numbers: Arguments = {
        "model": size_text(claim.parameters or 0.0),
        "device": counted(claim.count or 1, _name_of_peak(specs, precision, spec)),
        "precision": PRECISION_LABELS[precision],
        "peak_flop_per_s": peak,
        "flop_count": f"{flop_per_token(claim):.0f}",
    }
    tokens_per_s = _tokens_per_s(claim)
    if tokens_per_s is None:
        raise _lacking(claim, predictor, most, numbers)
    numbers |= {
        "claimed_rate": round(tokens_per_s),
        "needed_flop_per_s": tokens_per_s * flop,
        "most_rate": round(most),
        "share_fraction": tokens_per_s * flop / peak,
    }
    if tokens_per_s > most:
        in_fp8 = _fastest(specs, ("fp8",)) if claim.precision is None else None
        rate = (rate_of(in_fp8[1], "fp8") or 0.0) * (claim.count or 1) if in_fp8 is not None else 0.0
        reached = tokens_per_s * flop <= rate * clock_slack(spec)
        # A length is told as the most that a sample may have: of samples alone no total follows but the most.
        of_samples = claim.tokens_per_s is None and claim.trained_tokens is None and claim.trained_samples is not None
        most_length = _longest(claim, most) if of_samples else 0
        of_most = most_length >= 1
        if of_most:
            numbers |= {"length": claim.sequence_length or 1, "most_length": most_length}
        verdict: Verdict = "plausible_only_with" if reached or of_most else "impossible"
        code = "claim-size-only-fp8" if reached else "claim-size-shorter" if of_most else "claim-size-impossible"
        return ClaimAnswer(claim=claim, verdict=verdict, reasons=(Reason.of(code, **numbers),))
    return _against_alike(claim, predictor, tokens_per_s, numbers)


def _against_alike(claim: Claim, predictor: Predictor, tokens_per_s: float, numbers: Arguments) -> ClaimAnswer:
    """Held against what a traced model of its kind is expected to reach here, parameter for parameter."""
    like, expected = _expected_tokens_per_s(claim, predictor) if claim.mode == "training" else ((), None)
    if expected is None:
        return ClaimAnswer(claim=claim, verdict="plausible", reasons=(Reason.of("claim-size-possible", **numbers),))
    numbers |= {"like": Names(names=like), "low_rate": round(expected.low), "high_rate": round(expected.high)}
    verdict: Verdict = "plausible"
    if tokens_per_s > expected.high:
        verdict = "plausible_only_with"
    elif tokens_per_s < expected.low:
        verdict = "below_expected"
    code = {"plausible": "expected", "plausible_only_with": "above", "below_expected": "below"}[verdict]
    held = check_memory(msgspec.structs.replace(claim, fits=True), predictor)
    room = held.reasons if held.verdict != "plausible" else ()
    if room and claim.per_card:
        told = Reason.of(f"claim-size-{code}", **numbers)
        return ClaimAnswer(claim=claim, verdict=verdict, reasons=(told, Reason.of("claim-size-of-several")))
    verdict = "plausible_only_with" if room and verdict == "plausible" else verdict
    return ClaimAnswer(claim=claim, verdict=verdict, reasons=(Reason.of(f"claim-size-{code}", **numbers), *room))


def _expected_tokens_per_s(claim: Claim, predictor: Predictor) -> tuple[tuple[str, ...], Estimate | None]:
    """Tokens a second of the models that stand for this one, times their size over the claimed size, and their names.

    One shape of model alone would take its own heads, widths and vocabulary for those of all models of a size.
    """
    names: list[str] = []
    estimates: list[Estimate] = []
    for parameters, workload in alike(claim, predictor):
        scale = length_of(workload) * parameters / (claim.parameters or 1.0)
        rates = [
            prediction.samples_per_s.scaled(scale) for prediction in predicted(claim, predictor, workload, parameters)
        ]
        names += [workload.name] if rates else []
        estimates += rates
    return tuple(names), range_over(estimates)


def alike(claim: Claim, predictor: Predictor) -> list[tuple[int, Workload]]:
    """Traced models trained as the claim says, with their parameters, the nearest in size first."""
    like: tuple[str, ...] = _LIKE_FULL
    if claim.trainable == "lora":
        like = _LIKE_QUANTISED if claim.weights_bits == 4 else _LIKE_ADAPTERS  # noqa: PLR2004 - bits
    by_distance: list[tuple[float, int, Workload]] = []
    for workload in (_as_claimed(claim, predictor, load_workload(name)) for name in like):
        parameters = max((table.parameter_count for table in predictor.tables(workload).values()), default=0)
        if parameters:
            by_distance.append((abs(math.log(parameters / (claim.parameters or 1.0))), parameters, workload))
    by_distance.sort(key=lambda measured: measured[0])
    kept = [
        measured
        for place, measured in enumerate(by_distance[:_MOST_ALIKE])
        if place == 0 or measured[0] <= math.log(_FARTHEST)
    ]
    return [(parameters, workload) for _, parameters, workload in kept]


def _as_claimed(claim: Claim, predictor: Predictor, workload: Workload) -> Workload:
    """The workload in the claim's precision, where its traces are only made when it asks for it, as those of FP8."""
    if claim.precision is None or TRACE_PRECISIONS[claim.precision] in predictor.tables(workload):
        return workload
    return with_training(workload, precision=claim.precision)


def predicted(claim: Claim, predictor: Predictor, workload: Workload, parameters: int) -> list[Prediction]:
    """Every set-up that the claim leaves open, on every variant of its card."""
    count = claim.count or 1
    strategy = claim.strategy or "fsdp" if count > 1 else "single"
    asked = (claim.precision,) if claim.precision is not None else HALF
    open_ones = _BATCHES[-1:] if parameters * _SMALLER < (claim.parameters or 0.0) else _BATCHES
    batches = (claim.batch_size,) if claim.batch_size is not None else open_ones
    predictions: list[Prediction] = []
    for spec in (predictor.specs[key] for key in claim.gpus):
        predictions += predictor.predict(
            workload,
            tuple(
                candidate(spec, precision, batch, count=count, strategy=strategy, accumulation_steps=steps)
                for precision in asked
                if rate_of(spec, precision) is not None
                for batch in batches
                for steps in {1, workload.training.gradient_accumulation_steps}
            ),
        )
    return predictions


def flop_per_token(claim: Claim) -> float:
    """FLOP of a parameter and token, as the claim trains or runs its model."""
    if claim.mode == "inference":
        return _FORWARD_FLOP
    return _ADAPTER_FLOP if claim.trainable == "lora" else _FULL_FLOP


def _fastest(specs: Sequence[GpuSpec], precisions: Sequence[Precision]) -> tuple[Precision, GpuSpec] | None:
    """The precision and the variant of the card with the highest peak; None where no card has one of them."""
    rates = [
        (rate, precision, spec)
        for spec in specs
        for precision in precisions
        if (rate := rate_of(spec, precision)) is not None
    ]
    best = max(rates, key=lambda rate: rate[0], default=None)
    return None if best is None else best[1:]


def _name_of_peak(specs: Sequence[GpuSpec], precision: Precision, fastest: GpuSpec) -> str:
    """The card by what its variants have in common, where all of them have the peak of the fastest."""
    alike = {rate_of(spec, precision) for spec in specs} == {rate_of(fastest, precision)}
    return shared_name(specs) if alike else fastest.name


def _tokens_per_s(claim: Claim) -> float | None:
    """The rate that was claimed, or that a step or a job of so many tokens comes to; None: its tokens are not said."""
    if claim.tokens_per_s is not None:
        return claim.tokens_per_s
    length = claim.sequence_length
    if claim.samples_per_s is not None and length is not None:
        return claim.samples_per_s * length
    if claim.step_s is not None and length is not None and claim.batch_size is not None:
        return claim.batch_size * (claim.count or 1) * length / claim.step_s
    whole_s = claim.job_s or claim.epoch_s
    return claim.passed_tokens / whole_s if whole_s is not None and claim.passed_tokens is not None else None


def _longest(claim: Claim, most_per_s: float) -> int:
    """Tokens that a sample can have had on average, where a job of so many samples passed the most there can be."""
    whole_s = claim.job_s or claim.epoch_s or 0.0
    return int(most_per_s * whole_s / (claim.trained_samples or 1.0))


def _lacking(claim: Claim, predictor: Predictor, most_per_s: float, numbers: Arguments) -> SaidError:
    """What a time lacks, with the tokens that its cards could at most have passed in it."""
    time_s = next(
        (duration_s for duration_s in (claim.step_s, claim.epoch_s, claim.job_s) if duration_s is not None), None
    )
    if time_s is None:
        return refusal("claim-size-without-length", claim, predictor.specs)
    arguments: Arguments = {**numbers, "time_s": time_s, "most_tokens": format_count(most_per_s * time_s)}
    code = "claim-size-step-without-tokens" if claim.step_s is not None else "claim-size-without-tokens"
    return refusal(code, claim, predictor.specs, **arguments)
