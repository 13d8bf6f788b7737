"""Training settings that contradict each other, each with the remedy."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.catalogue.optimizers import EIGHT_BIT_OPTIMIZERS, FUSED_OPTIMIZERS
from advisor.catalogue.precisions import PRECISION_FACTS
from advisor.core.sentences import Names, Reason, Value
from advisor.workload.workload import (
    HuggingFaceModel,
    NumbersModel,
    PythonModel,
    TemplateModel,
    Training,
    Workload,
    quantization_of,
)

Problem = tuple[Reason, Reason]
"""What is wrong, beginning with the field's path; and its remedy."""
_BITS_OF = {"nf4": (4,), "gptq": (4, 8), "int8": (8,)}


def reason(what: str, **numbers: Value) -> Reason:
    """The sentence `check-WHAT` of the catalogue."""
    return Reason.of(f"check-{what}", **numbers)


def quoted(value: object) -> str:
    """A setting's value as it is typed: words in backticks."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"`{value}`" if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)


def is_but(field: str, value: object, other: str, found: object, why: str = "but") -> Reason:
    """One field is `value` but another is `found`; `why`: the sentence that says what that means."""
    return reason(why, field=field, value=quoted(value), other=other, found=quoted(found))


def set_to(field: str, value: object) -> Reason:
    """The remedy: set a field to a value."""
    return reason("set", field=field, value=str(value))


def training_problems(workload: Workload) -> Iterator[Problem]:
    """Every pair of training settings that cannot both hold."""
    training = workload.training
    yield from _adapter_problems(training)
    yield from _quantization_problems(training)
    yield from _precision_problems(training)
    yield from _optimizer_problems(training)
    yield from _memory_problems(workload)
    every = training.evaluate_every_steps
    if every and not workload.data.validation_samples:
        yield is_but("training.evaluate_every_steps", every, "data.validation_samples", 0), reason("validation")


def _adapter_problems(training: Training) -> Iterator[Problem]:
    for field in ("lora_rank", "lora_targets"):
        value = getattr(training, field)
        if value is not None and training.trainable != "lora":
            wrong = is_but(f"training.{field}", value, "training.trainable", training.trainable)
            yield wrong, reason("set-or-leave", field="trainable", value="lora", other=field)


def _quantization_problems(training: Training) -> Iterator[Problem]:
    quantization, bits = training.quantization, training.weights_bits
    if quantization is not None and bits is not None and bits not in _BITS_OF[quantization]:
        allowed = Names(names=tuple(str(one) for one in _BITS_OF[quantization]), alternatives=True)
        wrong = is_but("training.weights_bits", bits, "training.quantization", quantization)
        yield wrong, reason("bits", quantization=quantization, allowed=allowed)
    if quantization_of(training) is None:
        return
    field, value = ("quantization", quantization) if quantization is not None else ("weights_bits", bits)
    if training.trainable == "all":
        wrong = reason("quantized-trained", field=f"training.{field}", value=quoted(value))
        yield wrong, reason("lora-or-leave", other=field)
    if training.precision == "fp8":
        yield is_but(f"training.{field}", value, "training.precision", "fp8"), reason("one-way")


def _precision_problems(training: Training) -> Iterator[Problem]:
    precision = training.precision
    if training.fp8_recipe is not None and precision != "fp8":
        wrong = is_but("training.fp8_recipe", training.fp8_recipe, "training.precision", precision)
        yield wrong, reason("set-or-leave", field="precision", value="fp8", other="fp8_recipe")
    if training.attention == "flash" and not PRECISION_FACTS[precision].computes_in_half:
        yield is_but("training.attention", "flash", "training.precision", precision), reason("flash")


def _optimizer_problems(training: Training) -> Iterator[Problem]:
    if training.optimizer_bits == 8 and training.optimizer not in EIGHT_BIT_OPTIMIZERS:  # noqa: PLR2004 - bits
        wrong = is_but("training.optimizer_bits", 8, "training.optimizer", training.optimizer)
        yield wrong, reason("eight-bit", names=Names(names=tuple(sorted(EIGHT_BIT_OPTIMIZERS))))
    if training.fused_optimizer and training.optimizer not in FUSED_OPTIMIZERS:
        wrong = reason("no-fused", field="training.fused_optimizer", value="true", found=quoted(training.optimizer))
        yield wrong, reason("fused", names=Names(names=tuple(FUSED_OPTIMIZERS)))
    if training.optimizer_in_backward:
        yield from _in_backward_problems(training)


def _in_backward_problems(training: Training) -> Iterator[Problem]:
    field, off = "training.optimizer_in_backward", {"other": "optimizer_in_backward", "value": "false"}
    if (steps := training.gradient_accumulation_steps) > 1:
        wrong = is_but(field, value=True, other="training.gradient_accumulation_steps", found=steps, why="keeps")
        yield wrong, reason("set-one-back")
    if (norm := training.clip_gradient_norm) is not None:
        wrong = is_but(field, value=True, other="training.clip_gradient_norm", found=norm, why="waits")
        yield wrong, reason("leave-or-set", field="clip_gradient_norm", **off)
    if training.precision == "fp16_amp":
        wrong = is_but(field, value=True, other="training.precision", found="fp16_amp", why="scaler")
        yield wrong, reason("choose-or-set", choice="bf16_amp", **off)
    if training.mode != "training":
        yield is_but(field, value=True, other="training.mode", found=training.mode), set_to(off["other"], off["value"])
    elif training.optimizer == "none":
        yield is_but(field, value=True, other="training.optimizer", found="none"), set_to(off["other"], off["value"])


def _memory_problems(workload: Workload) -> Iterator[Problem]:
    training, model = workload.training, workload.model
    if training.offload == "optimizer" and (training.optimizer == "none" or training.mode != "training"):
        wrong = reason("nothing-optimised", field="training.offload", value=quoted("optimizer"))
        yield wrong, set_to("offload", "none")
    if training.offload == "activations" and training.mode == "inference":
        wrong = is_but("training.offload", "activations", "training.mode", "inference", why="keeps-none")
        yield wrong, set_to("offload", "none")
    if training.offload == "activations" and training.activation_checkpointing != "none":
        kind = training.activation_checkpointing
        wrong = is_but("training.offload", "activations", "training.activation_checkpointing", kind)
        yield wrong, reason("choose-one")
    if training.chunked_loss and isinstance(model, PythonModel | TemplateModel | NumbersModel):
        yield reason("own-loss", field="training.chunked_loss", value="true"), reason("own-loss-remedy")
    if training.chunked_loss and isinstance(model, HuggingFaceModel) and training.mode == "inference":
        wrong = is_but("training.chunked_loss", value=True, other="training.mode", found="inference")
        yield wrong, reason("set-it", value="false")
