"""What a published run's description means where it is silent, by what trainers of the time do by themselves."""

from __future__ import annotations

from advisor.catalogue.precisions import PRECISION_FACTS, Precision
from advisor.core.sentences import Reason
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.run_rows import RunRow
from advisor.workload.workload import HuggingFaceModel, Training, Workload, quantization_of
from advisor.workload.workload_file import FUSED_LAYERS

_AROUND_GATES = frozenset({"gate_proj", "up_proj", "down_proj"})


def halves_adapters(row: RunRow, training: Training, precision: Precision) -> bool:
    """Whether a silent description means adapters of 16 bits.

    Packed weights have no such type to give them, but a step that is wholly in 16 bits casts all that it trains, as
    DeepSpeed and Lightning do.
    """
    if training.trainable != "lora" or training.adapter_bits is not None or row.adapters_as_today:
        return False
    return PRECISION_FACTS[precision].pure or (quantization_of(training) is None and precision != "fp16_amp")


def fuses_layers(workload: Workload, *, compiled: bool) -> bool:
    """Whether a description that is silent of fused layers means them: where the loss is in chunks.

    transformers has no such loss. Liger Kernel, Unsloth and fms-acceleration bring it, together with their norms and
    rotary embedding; who compiles a step has the compiler fuse those.
    """
    training = workload.training
    silent = FUSED_LAYERS in workload.assumed
    return silent and training.chunked_loss and not compiled and isinstance(workload.model, HuggingFaceModel)


def has_gate_adapters(training: Training) -> bool:
    """Whether layers around gates have adapters.

    There all those libraries fuse the gate, elsewhere Liger Kernel alone: a silent description means what all of them
    do.
    """
    targets = training.lora_targets
    return training.trainable == "lora" and (targets == "all_linear" or not _AROUND_GATES.isdisjoint(targets or ()))


def understood(question: RowQuestion) -> tuple[Reason, ...]:
    """How a row was understood where its description is silent, or cannot be meant."""
    fused = question.workload.training.fused_layers and FUSED_LAYERS in question.workload.assumed
    silent = (Reason.of("evaluate-fused-with-its-loss"),) if fused else ()
    return (*silent, Reason.of("evaluate-held-in-half")) if question.held_in_half else silent
