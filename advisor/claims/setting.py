"""The circumstances of a claim: its workload with what was said of it, and ranges over what was left open."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import Precision
from advisor.claims.claim import Claim, Verdict
from advisor.claims.predictor import Predictor
from advisor.claims.reading.changes.precision_words import says_strict
from advisor.claims.refusals import without_model
from advisor.core.sentences import Names, Reason
from advisor.core.units import Estimate
from advisor.predict.prediction import Prediction, basis_of
from advisor.recommend.precisions import rate_of
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload

_DIGITS = 2
"""Behind the point, of a ratio that is told."""
_TOLD_STEP = 0.05
"""In which people round what they tell in per cent."""
_TOLD_WHOLE = 5
"""Times from which on people tell whole ones."""

PANEL: tuple[str, ...] = ("bert_base_sst2", "resnet50", "vit_base", "gpt2_small")
"""Models that stand for the rest where a claim names none."""
SIZED_PANEL: tuple[str, ...] = ("gpt2_small", "bert_large_squad", "llama_8b")
"""Those of them, and larger ones, that a model of text is nearest to in size."""
FP8_PANEL: tuple[str, ...] = ("gpt2_small", "llama_8b")
"""Models whose linear layers are traced in FP8."""
OPEN_FACTORS = (1, 2, 4)
"""Batches that may be meant where a claim names none, in units of the workload's own."""


def claimed_workload(claim: Claim, predictor: Predictor) -> Workload:
    """The claim's model with its length, batch, mode and layout. Raises InputError where it names no model."""
    if claim.workload is None:
        raise without_model(claim, predictor.specs)
    workload = load_workload(claim.workload)
    data, training = workload.data, workload.training
    if claim.sequence_length is not None and data.sequence_length is not None:
        data = msgspec.structs.replace(data, sequence_length=claim.sequence_length)
    if claim.image_size is not None and data.image_size is not None:
        data = msgspec.structs.replace(data, image_size=claim.image_size)
    changes: dict[str, object] = {
        "mode": claim.mode,
        "batch_size": claim.batch_size or training.batch_size,
        "precision": claim.precision or training.precision,
        "gradient_accumulation_steps": 1,
        "channels_last": training.channels_last if claim.channels_last is None else claim.channels_last,
        "compile": training.compile if claim.compile is None else claim.compile,
    }
    if claim.activation_checkpointing is not None and claim.reference_activation_checkpointing is None:
        changes["activation_checkpointing"] = claim.activation_checkpointing
    return msgspec.structs.replace(workload, data=data, training=msgspec.structs.replace(training, **changes))


def stand_ins(claim: Claim, predictor: Predictor, panel: Sequence[str]) -> tuple[str, ...]:
    """Bundled workloads that a claim is judged on: its own, that of a panel nearest to its size, or the panel."""
    if claim.workload is not None:
        return (claim.workload,)
    if claim.parameters is None:
        return tuple(panel)
    wanted = math.log(claim.parameters)
    return (min(panel, key=lambda name: abs(math.log(_parameters(name, predictor)) - wanted)),)


def _parameters(name: str, predictor: Predictor) -> int:
    tables = predictor.tables(load_workload(name)).values()
    return max((table.parameter_count for table in tables), default=1)


def judged_like(claim: Claim, names: Names) -> Reason:
    """Which models stand for that of a claim, and why: it is named by its size, is not bundled, or is not named."""
    if claim.parameters is not None:
        return Reason.of("claim-sized-like", like=names)
    if claim.other_model is not None:
        return Reason.of("claim-other-model-like", model=claim.other_model, like=names)
    return Reason.of("claim-panel-like", like=names)


def usual_precision(spec: GpuSpec, precision: Precision) -> Precision | None:
    """What a card computes when asked for a precision: itself, FP32 for TF32, FP16 for BF16 where it lacks those."""
    if rate_of(spec, precision) is not None:
        return precision
    instead: dict[Precision, Precision] = {"tf32": "fp32", "bf16_amp": "fp16_amp", "bf16": "fp16"}
    other = instead.get(precision)
    return other if other is not None and rate_of(spec, other) is not None else None


def held_against(ratio: float, expected: Estimate) -> tuple[Verdict, str]:
    """The verdict on a claimed ratio by the predicted one, and the word for it that ends a sentence's id.

    Ratios are told with two digits: one that reads as an end of the range lies inside. Whole steps of five per cent
    stand for what is rounded to them.
    """
    rounded = rounding_of(ratio)
    if round(ratio, _DIGITS) - rounded > round(expected.high, _DIGITS):
        return "plausible_only_with", "above"
    if round(ratio, _DIGITS) + rounded < round(expected.low, _DIGITS):
        return "below_expected", "below"
    return "plausible", "plausible"


def rounding_of(ratio: float) -> float:
    """Half a step where a ratio is told in steps of five per cent, as `20 % slower` is; else nothing."""
    steps = ratio / _TOLD_STEP
    return _TOLD_STEP / 2 if abs(steps - round(steps)) < 10**-_DIGITS else 0.0


def least_meant(ratio: float) -> float:
    """The least that a told ratio may stand for: from five times on people tell whole times (`about 7x`)."""
    told_whole = ratio >= _TOLD_WHOLE and ratio == round(ratio)
    return ratio - 0.5 if told_whole else ratio - rounding_of(ratio)


def held_by_rounding(ratio: float, expected: Estimate) -> bool:
    """Whether a ratio lies outside a range, and no further than it is rounded."""
    inside = round(expected.low, _DIGITS) <= round(ratio, _DIGITS) <= round(expected.high, _DIGITS)
    return not inside and held_against(ratio, expected)[0] == "plausible"


def in_open_layouts(claim: Claim, name: str) -> tuple[Claim, ...]:
    """The claim, and in torch's usual layout (NCHW) too, where it names none and the bundled workload has another."""
    is_open = claim.channels_last is None and claim.switched is None and load_workload(name).training.channels_last
    return (claim, msgspec.structs.replace(claim, channels_last=False)) if is_open else (claim,)


def fp32_meant(claim: Claim, name: str) -> tuple[Precision, ...]:
    """What `FP32` in a text may be: torch's default has cuDNN's convolutions in TF32 where a card has it."""
    if claim.text is None or load_workload(name).data.image_size is None or says_strict(claim.text):
        return ("fp32",)
    return ("fp32", "default")


def ratio_of(after: Prediction, before: Prediction, spread: float = 1.0) -> Estimate:
    """Samples a second of one set-up over those of another, which may be off by a factor `spread` in themselves.

    Where several cards share a step, what their link errs by counts too, of either side by itself: squares add.
    """
    value = after.samples_per_s.value / before.samples_per_s.value
    (after_down, after_up), (before_down, before_up) = _of_link(after), _of_link(before)
    own = math.log(spread)
    down, up = math.hypot(own, after_down, before_up), math.hypot(own, after_up, before_down)
    return Estimate(value=value, low=value * math.exp(-down), high=value * math.exp(up), basis=after.step_s.basis)


def _of_link(one: Prediction) -> tuple[float, float]:
    """How far the logarithm of a rate may be off downwards and upwards by the efficiency of several cards."""
    efficiency = one.efficiency
    if efficiency is None or efficiency.low <= 0:
        return 0.0, 0.0
    return math.log(efficiency.value / efficiency.low), math.log(efficiency.high / efficiency.value)


def range_over(estimates: Sequence[Estimate]) -> Estimate | None:
    """One estimate over several that are all possible: the middle value, the outermost ends; None for none."""
    if not estimates:
        return None
    values = sorted(estimate.value for estimate in estimates)
    return Estimate(
        value=values[len(values) // 2],
        low=min(estimate.low for estimate in estimates),
        high=max(estimate.high for estimate in estimates),
        basis=basis_of(*(estimate.basis for estimate in estimates)),
    )
