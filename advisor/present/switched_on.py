"""What a workload switches on by itself, in words: a step's time and memory are those with it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from advisor.core.sentences import Language, listed, sentence
from advisor.workload.workload import Training, quantization_of


def switched_on(training: Training, language: Language, *, but: Collection[str] = ()) -> str:
    """All that is not as torch trains by itself, as `torch.compile, LoRA, activation checkpointing`; may be empty.

    `but`: names that are told elsewhere, as where an advice added what they name.
    """
    return listed(tuple(name for name in _names(training, language) if name not in but), language)


def _names(training: Training, language: Language) -> Iterator[str]:
    stored_as = quantization_of(training)
    lora, in_nf4 = training.trainable == "lora", stored_as == "nf4"
    simple = {
        "switch-compile": training.compile,
        "switched-qlora": lora and in_nf4,
        "switch-lora": lora and not in_nf4,
        "switched-head": training.trainable == "head",
        "switch-checkpointing": training.activation_checkpointing in {True, "full"},
        "switched-checkpointing-selective": training.activation_checkpointing == "selective",
        "switch-chunked-loss": training.chunked_loss,
        "switch-fused-layers": training.fused_layers,
        "switched-attention-eager": training.attention == "eager",
        "switched-attention-flash": training.attention == "flash",
        "switch-channels-last": training.channels_last,
        "switch-optimizer-8bit": training.optimizer_bits == 8,  # noqa: PLR2004 - bits, as the field counts them
        "switch-fused-optimizer": training.fused_optimizer,
        "switched-optimizer-in-backward": training.optimizer_in_backward,
    }
    yield from (sentence(code, language) for code, on in simple.items() if on)
    if stored_as is not None and not (lora and in_nf4):
        stored = sentence(f"choice-quantization-{stored_as}", language)
        yield sentence("switched-quantised", language, stored=stored)
    if training.offload != "none":
        yield sentence("switched-offload", language, what=training.offload)
