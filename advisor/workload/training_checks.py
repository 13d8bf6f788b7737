"""Training settings that contradict each other, each with the remedy."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from advisor.catalogue.optimizers import EIGHT_BIT_OPTIMIZERS, FUSED_OPTIMIZERS
from advisor.catalogue.precisions import PRECISION_FACTS, Precision
from advisor.core.sentences import Names, Reason, Value
from advisor.workload.workload import HuggingFaceModel, Training, Workload, quantization_of

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


def _clash(training: Training, field: str, other: str, why: str = "but") -> Reason:
    """The same of two training settings, as they are."""
    value, beside = getattr(training, field), getattr(training, other)
    return is_but(f"training.{field}", value, f"training.{other}", beside, why)


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


def takes(training: Training, precision: Precision, passes: int) -> bool:
    """Whether what the training fixes goes with another precision and so many micro-batches in a step.

    A parameter that is stepped within backward waits neither for further micro-batches nor for a gradient scaler.
    """
    if not training.optimizer_in_backward:
        return True
    changed = msgspec.structs.replace(training, precision=precision, gradient_accumulation_steps=passes)
    return not any(_in_backward_problems(changed))


def _adapter_problems(training: Training) -> Iterator[Problem]:
    for field in ("lora_rank", "lora_targets", "modules_to_save", "adapter_bits"):
        if getattr(training, field) is not None and training.trainable != "lora":
            remedy = reason("set-or-leave", field="trainable", value="lora", other=field)
            yield _clash(training, field, "trainable"), remedy
    if training.adapter_bits == 16 and training.precision == "fp16_amp":  # noqa: PLR2004 - bits
        remedy = reason("set-or-leave", field="precision", value="bf16_amp", other="adapter_bits")
        yield _clash(training, "adapter_bits", "precision"), remedy


def _quantization_problems(training: Training) -> Iterator[Problem]:
    quantization, bits = training.quantization, training.weights_bits
    if quantization is not None and bits is not None and bits not in _BITS_OF[quantization]:
        allowed = Names(names=tuple(str(bits) for bits in _BITS_OF[quantization]), alternatives=True)
        remedy = reason("bits", quantization=quantization, allowed=allowed)
        yield _clash(training, "weights_bits", "quantization"), remedy
    if quantization_of(training) is None:
        if training.unpacked_bits is not None:
            yield _clash(training, "unpacked_bits", "quantization"), reason("quantise-or-leave", other="unpacked_bits")
        return
    if training.keeps_unpacked_whole and not PRECISION_FACTS[training.precision].autocast:
        remedy = reason("set-or-leave", field="precision", value="bf16_amp", other="unpacked_bits")
        yield _clash(training, "unpacked_bits", "precision"), remedy
    field, value = ("quantization", quantization) if quantization is not None else ("weights_bits", bits)
    if training.trainable == "all" and training.mode != "inference":
        wrong = reason("quantized-trained", field=f"training.{field}", value=quoted(value))
        yield wrong, reason("lora-or-leave", other=field)
    if training.precision == "fp8":
        yield _clash(training, field, "precision"), reason("one-way")


def _precision_problems(training: Training) -> Iterator[Problem]:
    if training.fp8_recipe is not None and training.precision != "fp8":
        remedy = reason("set-or-leave", field="precision", value="fp8", other="fp8_recipe")
        yield _clash(training, "fp8_recipe", "precision"), remedy
    if training.attention == "flash" and not PRECISION_FACTS[training.precision].computes_in_half:
        yield _clash(training, "attention", "precision"), reason("flash")


def _optimizer_problems(training: Training) -> Iterator[Problem]:
    if training.optimizer_bits == 8 and training.optimizer not in EIGHT_BIT_OPTIMIZERS:  # noqa: PLR2004 - bits
        remedy = reason("eight-bit", names=Names(names=tuple(sorted(EIGHT_BIT_OPTIMIZERS))))
        yield _clash(training, "optimizer_bits", "optimizer"), remedy
    if training.fused_optimizer and training.optimizer not in FUSED_OPTIMIZERS:
        wrong = reason("no-fused", field="training.fused_optimizer", value="true", found=quoted(training.optimizer))
        yield wrong, reason("fused", names=Names(names=tuple(FUSED_OPTIMIZERS)))
    if training.optimizer_in_backward:
        yield from _in_backward_problems(training)


def _in_backward_problems(training: Training) -> Iterator[Problem]:
    field, off = "optimizer_in_backward", {"other": "optimizer_in_backward", "value": "false"}
    if training.gradient_accumulation_steps > 1:
        yield _clash(training, field, "gradient_accumulation_steps", "keeps"), reason("set-one-back")
    if training.clip_gradient_norm is not None:
        remedy = reason("leave-or-set", field="clip_gradient_norm", **off)
        yield _clash(training, field, "clip_gradient_norm", "waits"), remedy
    if training.precision == "fp16_amp":
        yield _clash(training, field, "precision", "scaler"), reason("choose-or-set", choice="bf16_amp", **off)
    if training.mode != "training":
        yield _clash(training, field, "mode"), set_to(field, "false")
    elif training.optimizer == "none":
        yield _clash(training, field, "optimizer"), set_to(field, "false")


def _memory_problems(workload: Workload) -> Iterator[Problem]:
    training, model = workload.training, workload.model
    if training.offload == "optimizer" and not training.updates_weights:
        wrong = reason("nothing-optimised", field="training.offload", value=quoted("optimizer"))
        yield wrong, set_to("offload", "none")
    if training.offload == "activations" and training.mode == "inference":
        yield _clash(training, "offload", "mode", "keeps-none"), set_to("offload", "none")
    if training.offload == "activations" and training.activation_checkpointing != "none":
        yield _clash(training, "offload", "activation_checkpointing"), reason("choose-one")
    if training.chunked_loss and not isinstance(model, HuggingFaceModel):
        yield reason("own-loss", field="training.chunked_loss", value="true"), reason("own-loss-remedy")
    elif training.chunked_loss and training.mode == "inference":
        yield _clash(training, "chunked_loss", "mode"), reason("set-it", value="false")
    if training.fused_layers and not isinstance(model, HuggingFaceModel):
        yield reason("own-layers", field="training.fused_layers", value="true"), reason("own-loss-remedy")
    if not (training.fused_gate or training.fused_layers):
        remedy = reason("set-or-leave", field="fused_layers", value="true", other="fused_gate")
        yield _clash(training, "fused_gate", "fused_layers"), remedy
