"""Cases about cards: the order of cards by precision, a model too small for any, and one model on five."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.cases.case_file import Case, CaseAnswer
from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.claims.claim import Claim
from advisor.claims.predictor import candidate
from advisor.claims.ratios import card_ratio, check_card_ratio
from advisor.claims.setting import usual_precision
from advisor.core.sentences import Arguments, Reason, SaidError
from advisor.recommend.comparison import fixed_s, part_s
from advisor.recommend.precisions import rate_of
from advisor.workload.workload_file import load_workload

if TYPE_CHECKING:
    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.catalogue.precisions import Precision
    from advisor.claims.claim import Verdict
    from advisor.claims.predictor import Predictor
    from advisor.core.units import Estimate
    from advisor.predict.prediction import Prediction

_MINUTES_OF = {
    "a100-sxm4-40": "a100_40gb_min",
    "l40s": "l40s_48gb_min",
    "v100-pcie-32": "v100_32gb_min",
    "rtx3090": "rtx3090_24gb_min",
    "rtx4090": "rtx4090_min",
}
_S_PER_MINUTE = 60.0
_RARE_READ_STEPS = 200
_LADDER = tuple(120 * 4**power for power in range(7))


def answer_fp32_order(case: Case, predictor: Predictor) -> CaseAnswer:
    """The 4090 against the A100 in strict FP32, and how TF32 and autocast turn the order."""
    fast, slow = (predictor.specs[key] for key in case.devices)
    claimed = case.number("speedup_rtx4090_over_a100_min")
    claim = Claim(gpus=(fast.key,), reference_gpus=(slow.key,), precision="fp32", speed_up_ratio=claimed)
    checked = check_card_ratio(claim, predictor)
    turned: Precision = "fp16_amp"
    reasons = list(checked.reasons[:2])  # the answer, and the rates in FP32 that explain it
    figures = {"claimed_ratio": claimed}
    for precision in ("fp32", "tf32", turned):
        ratio = card_ratio(claim, predictor, (fast,), (slow,), precision)
        if ratio is not None:
            figures[f"{precision}_ratio"] = ratio.value
            if precision != claim.precision:
                reasons.append(_order_reason((fast, slow), precision, ratio))
    if fast.memory_bytes is not None and slow.memory_bytes is not None and slow.nvlink_bytes_per_s is not None:
        reasons.append(
            Reason.of(
                "case-large-models-decide",
                device=fast.name,
                other=slow.name,
                memory_bytes=fast.memory_bytes,
                other_memory_bytes=slow.memory_bytes,
                nvlink_bytes_per_s=slow.nvlink_bytes_per_s,
            )
        )
    reasons.append(_contradiction(case))
    return CaseAnswer(
        case_id=case.id,
        verdict=checked.verdict,
        reasons=tuple(reasons),
        contradicts=case.contradicts,
        figures=figures,
    )


def _launch_code(fixed_fraction: float) -> str:
    return "case-all-launch" if fixed_fraction > 1 - _ALIKE else "case-launch-bound"


def _no_gpu_helps(everywhere: tuple[Prediction, ...]) -> Reason:
    fastest = min(everywhere, key=lambda one: one.step_s.value)
    slowest_s = max(one.step_s.value for one in everywhere)
    if slowest_s < (1 + _ALIKE) * fastest.step_s.value:
        return Reason.of("case-all-gpus-alike", count=len(everywhere), step_s=fastest.step_s.value)
    numbers: Arguments = {"count": len(everywhere), "fastest": fastest.device.name}
    numbers |= {"fastest_step_s": fastest.step_s.value, "slowest_step_s": slowest_s}
    return Reason.of("case-no-gpu-helps", **numbers)


_ALIKE = 0.005
"""Steps that differ by less than this are printed as the same."""


def _order_reason(cards: tuple[GpuSpec, GpuSpec], precision: Precision, ratio: Estimate) -> Reason:
    fast, slow = cards
    used = usual_precision(fast, precision) or precision
    return Reason.of(
        "case-order-at-precision",
        device=fast.name,
        other=slow.name,
        precision=PRECISION_LABELS[used],
        **ratio.arguments("expected", "ratio"),
        rate_flop_per_s=rate_of(fast, used) or 0.0,
        other_rate_flop_per_s=rate_of(slow, used) or 0.0,
    )


def _contradiction(case: Case) -> Reason:
    return Reason.of("case-contradicts", case=", ".join(case.contradicts))


def answer_iris(case: Case, predictor: Predictor) -> CaseAnswer:
    """The iris MLP: how much of a GPU's step is launch and synchronisation, and from where on a GPU is busy."""
    workload = load_workload("iris_mlp")
    spec = predictor.specs[case.devices[0]]
    curve = predictor.predict(workload, tuple(candidate(spec, "fp32", size) for size in _LADDER))
    if len(curve) != len(_LADDER):
        raise unpredictable(workload.name)
    own = curve[0]
    fixed = fixed_s(own, curve)
    reads = part_s(own, "synchronisation")
    everywhere = predictor.predict(
        workload, tuple(candidate(one, "fp32", own.batch_size_per_device) for one in predictor.specs.values())
    )
    busy = next((one for one in curve if fixed_s(one, curve) < one.step_s.value / 2), None)
    numbers: Arguments = {
        "device": spec.name,
        "batch": own.batch_size_per_device,
        "step_s": own.step_s.value,
        "fixed_s": fixed,
        "fixed_fraction": fixed / own.step_s.value,
    }
    saved = reads * (1 - 1 / _RARE_READ_STEPS)
    reasons = [
        Reason.of(_launch_code(fixed / own.step_s.value), **numbers),
        _no_gpu_helps(everywhere),
        Reason.of(
            "case-read-less", every_steps=_RARE_READ_STEPS, saved_s=saved, saved_fraction=saved / own.step_s.value
        ),
    ]
    if busy is not None:
        reasons.append(
            Reason.of(
                "case-gpu-pays-from", device=spec.name, batch=busy.batch_size_per_device, step_s=busy.step_s.value
            )
        )
    figures = {"step_s": own.step_s.value, "fixed_fraction": fixed / own.step_s.value}
    return CaseAnswer(case_id=case.id, verdict="plausible", reasons=tuple(reasons), figures=figures)


def unpredictable(name: str) -> SaidError:
    """The fault of a case whose workload has no prediction."""
    return SaidError.of("case-unpredictable", workload=name)


def answer_bert_across_gpus(case: Case, predictor: Predictor) -> CaseAnswer:
    """BERT-base on five cards: each time against the prediction in FP32 and in autocast, and the contradiction."""
    workload = load_workload("bert_base_sst2")
    batch = workload.training.batch_size
    reasons: list[Reason] = []
    figures: dict[str, float] = {}
    verdicts: list[Verdict] = []
    jobs: dict[tuple[str, Precision], Estimate] = {}
    for key in case.devices:
        for precision in ("fp32", "fp16_amp"):
            pair = predictor.predict(workload, (candidate(predictor.specs[key], precision, batch),))
            if not pair:
                raise unpredictable(workload.name)
            jobs[(key, precision)] = _job(pair[0])
        claimed = case.number(_MINUTES_OF[key]) * _S_PER_MINUTE
        verdict, reason = _judge_job(predictor.specs[key].name, claimed, jobs[(key, "fp32")], jobs[(key, "fp16_amp")])
        verdicts.append(verdict)
        reasons.append(reason)
        figures[f"{key}_ratio"] = claimed / jobs[(key, "fp16_amp")].value
    claimed_order = case.number("rtx4090_min") / case.number("a100_40gb_min")
    orders = {
        precision: jobs[("rtx4090", precision)].value / jobs[("a100-sxm4-40", precision)].value
        for precision in ("fp32", "fp16_amp")
    }
    reasons.append(
        Reason.of(
            "case-order-disagrees", claimed_ratio=claimed_order, fp32_ratio=orders["fp32"], amp_ratio=orders["fp16_amp"]
        )
    )
    reasons.append(_contradiction(case))
    below = sum(verdict == "below_expected" for verdict in verdicts)
    headline = Reason.of("case-cards-below", below_count=below, count=len(verdicts))
    return CaseAnswer(
        case_id=case.id,
        verdict="below_expected" if below else "plausible_only_with",
        reasons=(headline, *reasons),
        contradicts=case.contradicts,
        figures={**figures, "claimed_order_ratio": claimed_order, "fp32_order_ratio": orders["fp32"]},
    )


def _job(prediction: Prediction) -> Estimate:
    if prediction.job_s is None:
        raise unpredictable(prediction.device.name)
    return prediction.job_s


def _judge_job(device: str, claimed: float, strict: Estimate, half: Estimate) -> tuple[Verdict, Reason]:
    """A card's reported job time against FP32 and autocast."""
    numbers: Arguments = {
        "device": device,
        "claimed_s": claimed,
        "fp32_s": strict.value,
        "amp_s": half.value,
        "slower_ratio": claimed / strict.value,
    }
    if half.holds(claimed):
        return "plausible_only_with", Reason.of("case-job-fits-amp", **numbers)
    if strict.holds(claimed):
        return "plausible_only_with", Reason.of("case-job-fits-fp32", **numbers)
    if claimed > strict.high:
        return "below_expected", Reason.of("case-job-slower", **numbers)
    return "plausible_only_with", Reason.of("case-job-between", **numbers)
