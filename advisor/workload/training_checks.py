"""Training settings that contradict each other, each with the remedy."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.catalogue.optimizers import EIGHT_BIT_OPTIMIZERS, FUSED_OPTIMIZERS
from advisor.catalogue.precisions import PRECISION_FACTS
from advisor.workload.workload import (
    HuggingFaceModel,
    NumbersModel,
    PythonModel,
    TemplateModel,
    Training,
    Workload,
    quantization_of,
)

Problem = tuple[str, str]
"""What is wrong, beginning with the field's path; and its remedy."""
_BITS_OF = {"nf4": (4,), "gptq": (4, 8), "int8": (8,)}


def training_problems(workload: Workload) -> Iterator[Problem]:
    """Every pair of training settings that cannot both hold."""
    training = workload.training
    yield from _adapter_problems(training)
    yield from _quantization_problems(training)
    yield from _precision_problems(training)
    yield from _optimizer_problems(training)
    yield from _memory_problems(workload)
    if training.evaluate_every_steps and not workload.data.validation_samples:
        yield (
            f"`training.evaluate_every_steps` is {training.evaluate_every_steps}, but `data.validation_samples` is 0",
            "Give the number of validation samples.",
        )


def _adapter_problems(training: Training) -> Iterator[Problem]:
    for field in ("lora_rank", "lora_targets"):
        value = getattr(training, field)
        if value is not None and training.trainable != "lora":
            shown = f"`{value}`" if isinstance(value, str) else value
            yield (
                f"`training.{field}` is {shown}, but `training.trainable` is `{training.trainable}`",
                f"Set trainable to lora, or leave {field} out.",
            )


def _quantization_problems(training: Training) -> Iterator[Problem]:
    quantization, bits = training.quantization, training.weights_bits
    if quantization is not None and bits is not None and bits not in _BITS_OF[quantization]:
        allowed = " or ".join(str(one) for one in _BITS_OF[quantization])
        yield (
            f"`training.weights_bits` is {bits}, but `training.quantization` is `{quantization}`",
            f"{quantization} stores weights in {allowed} bits: give that, or leave weights_bits out.",
        )
    if quantization_of(training) is None:
        return
    field = "quantization" if quantization is not None else "weights_bits"
    shown = f"`{quantization}`" if quantization is not None else str(bits)
    if training.trainable == "all":
        yield (
            f"`training.{field}` is {shown}, but quantised weights cannot be trained",
            f"Set trainable to lora or head, or leave {field} out.",
        )
    if training.precision == "fp8":
        yield (
            f"`training.{field}` is {shown}, but `training.precision` is `fp8`",
            "Frozen layers are stored one way only: choose bf16_amp or bf16_true, or leave the quantisation out.",
        )


def _precision_problems(training: Training) -> Iterator[Problem]:
    if training.fp8_recipe is not None and training.precision != "fp8":
        yield (
            f"`training.fp8_recipe` is `{training.fp8_recipe}`, but `training.precision` is `{training.precision}`",
            "Set precision to fp8, or leave fp8_recipe out.",
        )
    if training.attention == "flash" and not PRECISION_FACTS[training.precision].computes_in_half:
        yield (
            f"`training.attention` is `flash`, but `training.precision` is `{training.precision}`",
            "Flash attention computes in half precision: choose fp16_amp, bf16_amp, fp16 or bf16, or sdpa.",
        )


def _optimizer_problems(training: Training) -> Iterator[Problem]:
    if training.optimizer_bits == 8 and training.optimizer not in EIGHT_BIT_OPTIMIZERS:  # noqa: PLR2004 - bits
        yield (
            f"`training.optimizer_bits` is 8, but `training.optimizer` is `{training.optimizer}`",
            f"8-bit states are known for {' and '.join(sorted(EIGHT_BIT_OPTIMIZERS))}.",
        )
    if training.fused_optimizer and training.optimizer not in FUSED_OPTIMIZERS:
        yield (
            f"`training.fused_optimizer` is true, but torch has no fused kernel for `{training.optimizer}`",
            f"Fused kernels: {', '.join(FUSED_OPTIMIZERS)}.",
        )
    if not training.optimizer_in_backward:
        return
    given = "`training.optimizer_in_backward` is true, but"
    if training.gradient_accumulation_steps > 1:
        steps = training.gradient_accumulation_steps
        yield (
            f"{given} `training.gradient_accumulation_steps` is {steps}, which keeps the gradients",
            "Set one of them back.",
        )
    if training.clip_gradient_norm is not None:
        yield (
            f"{given} `training.clip_gradient_norm` is {training.clip_gradient_norm:g}, which waits for all gradients",
            "Leave clip_gradient_norm out, or set optimizer_in_backward to false.",
        )
    if training.precision == "fp16_amp":
        yield (
            f"{given} `training.precision` is `fp16_amp`, whose scaler looks at all gradients first",
            "Choose bf16_amp, or set optimizer_in_backward to false.",
        )
    if training.optimizer == "none" or training.mode != "training":
        setting = f"mode` is `{training.mode}" if training.mode != "training" else "optimizer` is `none"
        yield (f"{given} `training.{setting}`", "Set optimizer_in_backward to false.")


def _memory_problems(workload: Workload) -> Iterator[Problem]:
    training, model = workload.training, workload.model
    no_optimizer = training.optimizer == "none" or training.mode != "training"
    if training.offload == "optimizer" and no_optimizer:
        yield ("`training.offload` is `optimizer`, but nothing is optimised", "Set offload to none.")
    if training.offload == "activations" and training.mode == "inference":
        yield (
            "`training.offload` is `activations`, but `training.mode` is `inference`, which keeps none",
            "Set offload to none.",
        )
    if training.offload == "activations" and training.activation_checkpointing != "none":
        kind = training.activation_checkpointing
        yield (
            f"`training.offload` is `activations`, but `training.activation_checkpointing` is `{kind}`",
            "Choose one of them.",
        )
    if training.chunked_loss and isinstance(model, PythonModel | TemplateModel | NumbersModel):
        yield (
            "`training.chunked_loss` is true, but the loss is the model's own",
            "It is for language models of the huggingface door: set it to false.",
        )
    if training.chunked_loss and isinstance(model, HuggingFaceModel) and training.mode == "inference":
        yield ("`training.chunked_loss` is true, but `training.mode` is `inference`", "Set it to false.")
