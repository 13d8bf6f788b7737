"""Cases about cards: the order of cards by precision, a model too small for any, and one model on five."""

from __future__ import annotations

from advisor.cases.case_file import Case, Finding
from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import PRECISION_LABELS, Precision
from advisor.claims.claim import Claim, Verdict
from advisor.claims.predictor import Predictor, candidate
from advisor.claims.setting import usual_precision
from advisor.claims.two_cards import card_ratio, check_card_ratio
from advisor.core.sentences import Arguments, Reason, SaidError
from advisor.core.units import Estimate
from advisor.predict.prediction import Candidate, Prediction
from advisor.recommend.comparison import fixed_s
from advisor.recommend.precisions import rate_of
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload

_MINUTES_OF = {
    "a100-sxm4-40": "a100_40gb_min",
    "l40s": "l40s_48gb_min",
    "v100-pcie-32": "v100_32gb_min",
    "rtx3090": "rtx3090_24gb_min",
    "rtx4090": "rtx4090_min",
}
_S_PER_MINUTE = 60.0
_BOTH: tuple[Precision, ...] = ("fp32", "fp16_amp")
_RARE_READ_STEPS = 200
_LADDER = tuple(120 * 4**power for power in range(7))


def answer_fp32_order(case: Case, predictor: Predictor) -> Finding:
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
        memory = {"memory_bytes": fast.memory_bytes, "other_memory_bytes": slow.memory_bytes}
        link = {"nvlink_bytes_per_s": slow.nvlink_bytes_per_s}
        reasons.append(Reason.of("case-large-models-decide", device=fast.name, other=slow.name, **memory, **link))
    return Finding(checked.verdict, reasons, figures)


def _no_gpu_helps(everywhere: tuple[Prediction, ...]) -> Reason:
    fastest = min(everywhere, key=lambda prediction: prediction.step_s.value)
    slowest_s = max(prediction.step_s.value for prediction in everywhere)
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


def answer_iris(case: Case, predictor: Predictor) -> Finding:
    """The iris MLP: how much of a GPU's step is launch and synchronisation, and from where on a GPU is busy."""
    workload = load_workload("iris_mlp")
    spec = predictor.specs[case.devices[0]]
    predictor = predictor.beside_the_host_of(spec)  # whoever asks has one machine for any of the cards
    curve = predictor.predict(workload, tuple(candidate(spec, "fp32", size) for size in _LADDER))
    if len(curve) != len(_LADDER):
        raise unpredictable(workload.name)
    own = curve[0]
    fixed = fixed_s(own, curve)
    reads = own.part_s("synchronisation")
    everywhere = predictor.predict(
        workload, tuple(candidate(spec, "fp32", own.batch_size_per_device) for spec in predictor.specs.values())
    )
    busy = next((prediction for prediction in curve if fixed_s(prediction, curve) < prediction.step_s.value / 2), None)
    step_s, batch, fraction = own.step_s.value, own.batch_size_per_device, fixed / own.step_s.value
    code = "case-all-launch" if fraction > 1 - _ALIKE else "case-launch-bound"
    saved = reads * (1 - 1 / _RARE_READ_STEPS)
    reasons = [
        Reason.of(code, device=spec.name, batch=batch, step_s=step_s, fixed_s=fixed, fixed_fraction=fraction),
        _no_gpu_helps(everywhere),
        Reason.of("case-read-less", every_steps=_RARE_READ_STEPS, saved_s=saved, saved_fraction=saved / step_s),
    ]
    if busy is not None:
        numbers: Arguments = {"batch": busy.batch_size_per_device, "step_s": busy.step_s.value}
        reasons.append(Reason.of("case-gpu-pays-from", device=spec.name, **numbers))
    return Finding("plausible", reasons, {"step_s": step_s, "fixed_fraction": fraction})


def unpredictable(name: str) -> SaidError:
    """The fault of a case whose workload has no prediction."""
    return SaidError.of("case-unpredictable", workload=name)


def answer_bert_across_gpus(case: Case, predictor: Predictor) -> Finding:
    """BERT-base on five cards: each time against the prediction in FP32 and in autocast, and the contradiction."""
    workload = load_workload("bert_base_sst2")
    batch = workload.training.batch_size
    reasons: list[Reason] = []
    figures: dict[str, float] = {}
    below = 0
    strict: dict[str, Estimate] = {}
    half: dict[str, Estimate] = {}
    for key in case.devices:
        spec, claimed_s = predictor.specs[key], case.number(_MINUTES_OF[key]) * _S_PER_MINUTE
        strict[key], half[key] = (_job(predictor, workload, candidate(spec, precision, batch)) for precision in _BOTH)
        reason = _judge_job(spec.name, claimed_s, strict[key], half[key])
        below += reason.code == "case-job-slower"
        reasons.append(reason)
        figures[f"{key}_ratio"] = claimed_s / half[key].value
    claimed = case.number("rtx4090_min") / case.number("a100_40gb_min")
    ordered = strict["rtx4090"].value / strict["a100-sxm4-40"].value
    amp = half["rtx4090"].value / half["a100-sxm4-40"].value
    headline = Reason.of("case-cards-below", below_count=below, count=len(reasons))
    disagrees = Reason.of("case-order-disagrees", claimed_ratio=claimed, fp32_ratio=ordered, amp_ratio=amp)
    figures |= {"claimed_order_ratio": claimed, "fp32_order_ratio": ordered}
    verdict: Verdict = "below_expected" if below else "plausible_only_with"
    return Finding(verdict, (headline, *reasons, disagrees), figures)


def _job(predictor: Predictor, workload: Workload, set_up: Candidate) -> Estimate:
    """The job's time by one set-up; raises InputError where nothing predicts it."""
    predicted = predictor.predict(workload, (set_up,))
    if not predicted:
        raise unpredictable(workload.name)
    if predicted[0].job_s is None:
        raise unpredictable(set_up.device.name)
    return predicted[0].job_s


def _judge_job(device: str, claimed_s: float, strict: Estimate, half: Estimate) -> Reason:
    """A card's reported job time against FP32 and autocast."""
    if half.holds(claimed_s):
        word = "fits-amp"
    elif strict.holds(claimed_s):
        word = "fits-fp32"
    else:
        word = "slower" if claimed_s > strict.high else "between"
    predicted = {"fp32_s": strict.value, "amp_s": half.value, "slower_ratio": claimed_s / strict.value}
    return Reason.of(f"case-job-{word}", device=device, claimed_s=claimed_s, **predicted)
