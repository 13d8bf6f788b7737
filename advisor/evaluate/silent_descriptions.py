"""What a published run's description means where it is silent, by what trainers of the time do by themselves."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from advisor.catalogue.precisions import PRECISION_FACTS, Precision
from advisor.catalogue.software import is_before
from advisor.core.sentences import Reason
from advisor.evaluate.other_libraries import as_transformers_runs
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.run_row import RunRow
from advisor.workload.model_config import task_of_model
from advisor.workload.workload import HuggingFaceModel, Training, Workload, quantization_of, with_training
from advisor.workload.workload_file import FUSED_LAYERS

FUSED_LAYERS_YEAR = 2024
"""Unsloth came out in December 2023, Liger Kernel in August 2024."""
_PREPARED: Final = frozenset({"nf4", "int8"})
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


def perhaps_fused(question: RowQuestion) -> RowQuestion | None:
    """The same run with fused layers, where the description is silent of them and nothing tells; None: something does.

    A language model that trains in 16 bits and is not compiled may have had them since there are such libraries.
    """
    workload, row = question.workload, question.row
    training, model = workload.training, workload.model
    silent = FUSED_LAYERS in workload.assumed and not (training.fused_layers or training.compile)
    of_words = isinstance(model, HuggingFaceModel) and task_of_model(model) == "causal-lm"
    half = PRECISION_FACTS[training.precision].computes_in_half and training.mode != "inference"
    if not (silent and of_words and half) or is_before(row.software_year, FUSED_LAYERS_YEAR):
        return None
    return replace(
        question, workload=with_training(workload, fused_layers=True, fused_gate=has_gate_adapters(training))
    )


def perhaps_prepared(question: RowQuestion) -> RowQuestion | None:
    """The same run as PEFT's `prepare_model_for_kbit_training` leaves it, where nothing tells; None: something does.

    It casts what bitsandbytes does not pack to FP32 (GPTQ's weights it leaves), which full sharding casts back.
    """
    training, shared = question.workload.training, question.row.layout.shard_count > 1
    packed = quantization_of(training) in _PREPARED and training.unpacked_bits is None
    if not packed or shared or training.mode == "inference" or not PRECISION_FACTS[training.precision].autocast:
        return None
    return replace(question, workload=with_training(question.workload, unpacked_bits=32))


def other_meanings(question: RowQuestion) -> tuple[RowQuestion, ...]:
    """The same run in every other way in which its description may be meant, whose ranges the answer's hold, too."""
    meant = (as_transformers_runs(question), perhaps_fused(question), perhaps_prepared(question))
    return tuple(other for other in meant if other is not None)


def lengths_may_differ(question: RowQuestion) -> bool:
    """Whether a peak that counts segments may be of samples of different lengths, which leave segments of each.

    What adapters or a head are trained on are samples of a task, which trainers pad to the longest of a micro-batch
    unless they are told to pack them (`packing` of trl, `sample_packing` of axolotl: off by default).
    """
    differ = question.row.lengths_differ
    return _lengths_count(question) and (_lengths_left_open(question) if differ is None else differ)


def lengths_taken_alike(question: RowQuestion) -> bool:
    """Whether a silent row's samples are taken to be of one length since the time of its step is told.

    A time beside a length is that of steps of that length: samples that differ have one for each, and their mean says
    nothing that could be predicted.
    """
    row = question.row
    return (
        row.lengths_differ is None
        and row.measured_s is not None
        and _lengths_count(question)
        and _fine_tunes_words(question.workload)
    )


def _lengths_count(question: RowQuestion) -> bool:
    row = question.row
    counted = row.peak_bytes is not None and row.memory_kind != "allocated"
    return counted and question.workload.training.mode != "inference"


def _lengths_left_open(question: RowQuestion) -> bool:
    return question.row.measured_s is None and _fine_tunes_words(question.workload)


def _fine_tunes_words(workload: Workload) -> bool:
    return workload.data.sequence_length is not None and workload.training.trainable != "all"


def tells_first_stage(row: RunRow) -> bool:
    """Whether a published peak is that of a pipeline's first stage; out of memory goes the fullest one."""
    return row.layout.pipeline > 1 and row.peak_bytes is not None and row.smallest_batch_that_failed is None


def understood(question: RowQuestion) -> tuple[Reason, ...]:
    """How a row was understood where its description is silent, or cannot be meant."""
    fused = question.workload.training.fused_layers and FUSED_LAYERS in question.workload.assumed
    silent = (Reason.of("evaluate-fused-with-its-loss"),) if fused else ()
    if perhaps_fused(question) is not None:
        silent = (Reason.of("evaluate-perhaps-fused"),)
    if perhaps_prepared(question) is not None:
        silent = (*silent, Reason.of("evaluate-perhaps-prepared"))
    if lengths_may_differ(question):
        silent = (*silent, Reason.of("evaluate-lengths-may-differ"))
    if lengths_taken_alike(question):
        silent = (*silent, Reason.of("evaluate-lengths-taken-alike"))
    if tells_first_stage(question.row):
        silent = (*silent, Reason.of("evaluate-first-stage"))
    if question.not_updated is not None:
        beside = question.not_updated == "beside"
        silent = (*silent, Reason.of("evaluate-not-updated-beside" if beside else "evaluate-not-updated"))
    if question.ran_in_tf32:
        silent = (*silent, Reason.of("evaluate-ran-in-tf32"))
    return (*silent, Reason.of("evaluate-held-in-half")) if question.held_in_half else silent
