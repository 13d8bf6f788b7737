"""Cases about several cards: U-Net by DP and DDP, RoBERTa-large with accumulation, and more than twofold from two."""

from __future__ import annotations

import itertools
import math
import statistics
from typing import NamedTuple

from advisor.cases.case_file import Case, Finding
from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import PRECISION_LABELS, Precision
from advisor.claims.claim import Claim, Verdict
from advisor.claims.more_cards import check_count_ratio
from advisor.claims.predictor import Predictor, candidate
from advisor.core.sentences import Arguments, Reason, SaidError
from advisor.predict.prediction import Prediction
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload

UNSTATED_CARDS = ("rtx2080ti", "rtx3090", "titanrtx", "v100-pcie-16", "v100-pcie-32", "t4", "a100-pcie-40", "rtx4090")
"""Cards that people have two of; stand-ins where a source names none."""
_ACCUMULATIONS = (2, 5, 10, 20)
_BATCH_FACTORS = (1, 2, 4)


class _Assumption(NamedTuple):
    """One assumption about what a source leaves out: one card, and two by DP and by DDP."""

    spec: GpuSpec
    precision: Precision
    batch_size: int
    dp: Prediction
    ddp: Prediction
    single: Prediction

    @property
    def dp_ratio(self) -> float:
        """Speed of DP over one card."""
        return self.dp.samples_per_s.value / self.single.samples_per_s.value

    @property
    def ddp_ratio(self) -> float:
        """Speed of DDP over one card."""
        return self.ddp.samples_per_s.value / self.single.samples_per_s.value

    @property
    def ddp_range(self) -> tuple[float, float]:
        """The 80 % range of the DDP ratio."""
        efficiency = self.ddp.efficiency
        if efficiency is None:
            return self.ddp_ratio, self.ddp_ratio
        return 2 * efficiency.low, 2 * efficiency.high


def _assumptions(
    predictor: Predictor, workload: Workload, keys: tuple[str, ...], batches: tuple[int, ...]
) -> list[_Assumption]:
    assumptions = []
    precisions: tuple[Precision, ...] = ("fp32", "fp16_amp")
    for key, precision, batch in itertools.product(keys, precisions, batches):
        spec = predictor.specs.get(key)
        if spec is None:
            continue
        answer = predictor.predict(
            workload,
            (
                candidate(spec, precision, batch),
                candidate(spec, precision, batch, count=2, strategy="dp"),
                candidate(spec, precision, batch, count=2, strategy="ddp"),
            ),
        )
        if len(answer) == 3:  # noqa: PLR2004 - all three could be predicted
            assumptions.append(_Assumption(spec, precision, batch, answer[1], answer[2], answer[0]))
    if not assumptions:
        raise SaidError.of("case-unpredictable", workload=workload.name)
    return assumptions


def _ddp_range(assumptions: list[_Assumption]) -> tuple[float, float]:
    """The outermost ends of the DDP ratio over all assumptions."""
    return min(assumption.ddp_range[0] for assumption in assumptions), max(
        assumption.ddp_range[1] for assumption in assumptions
    )


def answer_unet(case: Case, predictor: Predictor) -> Finding:
    """U-Net: the reported ratios of DP and DDP against those predicted for cards that people have two of."""
    workload = load_workload("unet_vgg16")
    single = case.number("single_batch8_s")
    dp, ddp = single / case.number("dp_batch16_s"), single / case.number("ddp_batch8_per_gpu_s")
    assumptions = _assumptions(predictor, workload, UNSTATED_CARDS, (workload.training.batch_size,))
    near = min(
        assumptions,
        key=lambda assumption: abs(math.log(assumption.dp_ratio / dp)) + abs(math.log(assumption.ddp_ratio / ddp)),
    )
    low_dp, high_dp = (
        min(assumption.dp_ratio for assumption in assumptions),
        max(assumption.dp_ratio for assumption in assumptions),
    )
    low_ddp, high_ddp = _ddp_range(assumptions)
    holds = low_dp <= dp <= high_dp and low_ddp <= ddp <= high_ddp
    numbers: Arguments = {
        "dp_ratio": dp, "ddp_ratio": ddp, "low_dp_ratio": low_dp, "high_dp_ratio": high_dp,
        "low_ddp_ratio": low_ddp, "high_ddp_ratio": high_ddp, "count": len(assumptions),
    }  # fmt: skip
    ahead = sum(assumption.ddp_ratio > assumption.dp_ratio for assumption in assumptions)
    reasons = (
        Reason.of("case-unet-plausible" if holds else "case-unet-outside", **numbers),
        _nearest_reason(near, workload.data.image_size or 0),
        Reason.of("case-ddp-ahead", ahead_count=ahead, count=len(assumptions)),
    )
    figures = {
        "reported_dp_ratio": dp,
        "reported_ddp_ratio": ddp,
        "predicted_dp_ratio": near.dp_ratio,
        "predicted_ddp_ratio": near.ddp_ratio,
    }
    return Finding("plausible" if holds else "plausible_only_with", reasons, figures)


def _nearest_reason(near: _Assumption, length: int) -> Reason:
    return Reason.of(
        "case-nearest-assumption",
        device=near.spec.name,
        precision=PRECISION_LABELS[near.precision],
        batch=near.batch_size,
        length=length,
        dp_ratio=near.dp_ratio,
        ddp_ratio=near.ddp_ratio,
    )


def answer_roberta(case: Case, predictor: Predictor) -> Finding:
    """RoBERTa-large on two cards: the ratio of DDP, what accumulation can add, and what is only noise."""
    workload = load_workload("roberta_large_classification")
    batches = tuple(workload.training.batch_size * factor for factor in _BATCH_FACTORS)
    single, two = case.number("one_gpu_s"), case.number("ddp2_s")
    reported = single / two
    assumptions = _assumptions(predictor, workload, case.devices, batches)
    near = min(assumptions, key=lambda assumption: abs(math.log(assumption.ddp_ratio / reported)))
    low, high = _ddp_range(assumptions)
    holds = low <= reported <= high
    gains = _accumulation_gains(predictor, workload, near)
    best = max(_ACCUMULATIONS, key=lambda steps: gains.get(steps, 0.0))
    reported_gain = two / min(case.number(f"ddp2_accum{steps}_s") for steps in _ACCUMULATIONS)
    noise = _noise(case)
    between = _spread([case.number(f"ddp2_accum{steps}_s") for steps in (5, 10, 20)])
    predicted_gain, fewest = gains.get(best, 1.0), _ACCUMULATIONS[0]
    gain_ratios = {"reported_gain_ratio": reported_gain, "predicted_gain_ratio": predicted_gain}
    near_code = "case-roberta-near" if holds else "case-roberta-outside"
    noise_code = "case-accumulation-noise" if between <= noise else "case-accumulation-differs"
    reasons = (
        Reason.of(near_code, reported_ratio=reported, low_ratio=low, high_ratio=high),
        _nearest_reason(near, workload.data.sequence_length or 0),
        Reason.of(
            "case-accumulation-gain",
            **gain_ratios,
            steps=best,
            fewer_gain_ratio=gains.get(fewest, 1.0),
            fewer=fewest,
        ),
        Reason.of("case-accumulation-why", steps=best),
        Reason.of(noise_code, between_fraction=between, noise_fraction=noise),
    )
    ratios = {"reported_ratio": reported, "predicted_ratio": near.ddp_ratio}
    verdict: Verdict = "plausible" if holds else "plausible_only_with"
    return Finding(verdict, reasons, {**ratios, **gain_ratios, "noise_fraction": noise})


def _accumulation_gains(predictor: Predictor, workload: Workload, near: _Assumption) -> dict[int, float]:
    """Throughput with accumulation over that without, on two cards under the nearest assumption."""
    plain = near.ddp.samples_per_s.value
    answers = predictor.predict(
        workload,
        tuple(
            candidate(near.spec, near.precision, near.batch_size, count=2, strategy="ddp", accumulation_steps=steps)
            for steps in _ACCUMULATIONS
        ),
    )
    return {answer.gradient_accumulation_steps: answer.samples_per_s.value / plain for answer in answers}


def _noise(case: Case) -> float:
    """The largest relative spread among runs that the source repeated."""
    repeated = [runs for name in case.reported if len(runs := case.runs(name)) > 1]
    return max(_spread(runs) for runs in repeated)


def _spread(values: list[float]) -> float:
    return (max(values) - min(values)) / statistics.fmean(values)


def answer_two_gpus(case: Case, predictor: Predictor) -> Finding:
    """From 3 hours to 52 minutes: more than twofold from two cards, so that something else changed too."""
    ratio = case.number("one_gpu_epoch_min") / case.number("two_gpu_epoch_min")
    checked = check_count_ratio(Claim(count=case.n_gpus, speed_up_ratio=ratio), predictor)
    alone_s = case.number("one_gpu_epoch_min") * 60 / case.n_gpus
    floor = Reason.of("case-at-best", count=case.n_gpus, best_s=alone_s, remaining_ratio=ratio / case.n_gpus)
    figures = {"claimed_ratio": ratio, "bound_ratio": float(case.n_gpus)}
    return Finding(checked.verdict, (*checked.reasons, floor), figures)
