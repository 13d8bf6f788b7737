"""What each switch would bring to the advised set-up: gain in time and memory, with its range and its cost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import msgspec

from advisor.catalogue.adapters import DEFAULT_RANK
from advisor.catalogue.optimizers import EIGHT_BIT_OPTIMIZERS
from advisor.catalogue.precisions import PRECISION_FACTS, PURE_HALF, Precision
from advisor.catalogue.strategies import Strategy
from advisor.core.records import Record, shared_fields
from advisor.core.units import Estimate
from advisor.optable.op_table import OpKind, OpTable, at, has_long_loop, sizes_follow_values
from advisor.predict.additions import can_fuse, with_added
from advisor.recommend.precisions import autocast_for, rate_of
from advisor.recommend.published_pairs import ModelFamily, PublishedGain, published_gain
from advisor.workload.defaults import frozen_bits
from advisor.workload.model_config import config_of, task_of_model
from advisor.workload.training_checks import training_problems
from advisor.workload.workload import HuggingFaceModel, Task, Training, Workload, stored_bits, with_training

if TYPE_CHECKING:
    from collections.abc import Iterator

    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.predict.prediction import Prediction
    from advisor.predict.ranges.gain_range import GainKind

SwitchKind = Literal[
    "compile", "sdpa", "flash", "half", "fp8", "channels_last", "fused_optimizer", "optimizer_8bit", "checkpointing",
    "chunked_loss", "fused_layers", "unpacked_half", "lora", "qlora", "accumulation", "sharding", "padded_vocabulary",
    "larger_cards", "lora_checkpointing", "qlora_checkpointing",
    "checkpointing_on_cards", "nothing_off_loaded", "optimizer_8bit_on_cards",
    "optimizer_8bit_checkpointing", "pure_half", "quantised_weights", "half_weights",
]  # fmt: skip
_GAIN_KINDS: dict[SwitchKind, GainKind] = {
    "compile": "compiled",
    "lora": "adapters",
    "qlora": "adapters",
    "optimizer_8bit": "unpublished",
    "chunked_loss": "unpublished",
    "flash": "unpublished",
    "padded_vocabulary": "unpublished",
    "fp8": "unlike",
    "sharding": "unlike",
    "accumulation": "unlike",
    "checkpointing_on_cards": "unlike",
    "nothing_off_loaded": "unlike",
    "pure_half": "unlike",
    "half_weights": "unlike",
}
_VOCABULARY_MULTIPLE = 64
"""Sixteen-bit products run best on matrices whose sides are multiples of 64 (NVIDIA's matrix multiplication guide)."""
_TASKS_OF_WORDS: frozenset[Task] = frozenset({"causal-lm", "masked-lm", "seq2seq-lm", "speech-seq2seq"})
"""Their last layer multiplies by every word of the vocabulary; others only look words up in it."""
_OF_LINEAR_LAYERS: frozenset[SwitchKind] = frozenset({"fp8", "lora", "qlora", "quantised_weights"})
_OF_EVERY_WEIGHT: frozenset[SwitchKind] = frozenset({"fused_optimizer"})
"""Whose published pairs step every weight: of adapters, which are few, or of a head they tell nothing."""
_HALF_BITS = 16
ACCUMULATION_STEPS = 4


class Switch(Record, frozen=True, kw_only=True):
    """One change of the workload or set-up, and what it would bring; everything else stays as advised."""

    kind: SwitchKind
    """What is changed, by its name in a workload file or its common name; `half` is 16-bit autocast, `flash` the
    kernels of a model that has no SDPA, `sharding` FSDP, `accumulation` four micro-batches, `padded_vocabulary` a
    multiple of 64, `larger_cards` larger or more cards, `checkpointing_on_cards` activation checkpointing with nothing
    off-loaded, `nothing_off_loaded` the same set-up with all of it on the cards, `optimizer_8bit_on_cards` 8-bit states
    with nothing off-loaded, `optimizer_8bit_checkpointing` the same with activation checkpointing, `pure_half` all
    weights in BF16 where autocast leaves a good part of the model's products in 32 bits, `half_weights` and
    `quantised_weights` those of inference in 16 and in 4 bits."""
    device_key: str
    """Key of the device that the change is predicted on."""
    device_name: str
    """Name of that device."""
    count: int
    """How many of the device, over all machines."""
    strategy: Strategy
    """How the devices share the work with the change, in the words of a prediction."""
    batch_size_per_device: int
    """Samples of one micro-batch on one device, with the change."""
    gradient_accumulation_steps: int
    """Micro-batches of one optimizer step, with the change."""
    step_s: Estimate
    """Seconds of one optimizer step with the change."""
    gain: Estimate | None
    """Samples a second with the switch over without; below 1 it costs time. The range is that of published pairs: what
    both steps err by cancels. None: there is nothing to compare with."""
    peak_memory_bytes: Estimate | None
    """Most memory that one device holds at once with the change; None: not predicted."""
    saved_bytes: float | None
    """Memory of one device that the change frees; below 0 it costs memory; None: one of the two peaks is not known."""
    fits: bool | None
    """Whether a step with the change fits a device; None: its memory need or its capacity is not known."""
    published: PublishedGain | None = None
    """What published pairs with and without it gave; None: no such pair is known for models like this."""
    job_s: Estimate | None = None
    """Seconds of the whole job with the change; None: its size is not known, or the advice was saved before."""
    precision: Precision | None = None
    """What the step computes in with the change; None: an advice that was saved before switches kept it."""
    training: Training | None = None
    """The workload's settings with the change; None: an advice that was saved before switches kept them."""


class Change(Record, frozen=True, kw_only=True):
    """A switch that applies: the workload with it, and what of the set-up it changes."""

    kind: SwitchKind
    workload: Workload
    strategy: Strategy | None = None
    gradient_accumulation_steps: int | None = None
    paired_as: str | None = None
    """Under which switch published pairs of it stand; None: under its own kind."""


def plain_changes(workload: Workload, chosen: Prediction, spec: GpuSpec | None) -> Iterator[Change]:
    """The switches that apply and leave the traced operators as they are."""
    training = workload.training
    if not training.compile:
        yield Change(kind="compile", workload=with_training(workload, compile=True))
    if training.offload != "none":
        yield Change(kind="nothing_off_loaded", workload=with_training(workload, offload="none"))
    if not PRECISION_FACTS[chosen.precision].half_format and spec is not None and training.mode != "inference":
        half = autocast_for(workload, spec)
        if rate_of(spec, half) is not None:
            yield Change(kind="half", workload=with_training(workload, precision=half))
    if training.mode != "training":
        return
    yield from fusing_changes(workload)
    if training.optimizer in EIGHT_BIT_OPTIMIZERS and training.optimizer_bits != 8:  # noqa: PLR2004 - bits
        yield Change(kind="optimizer_8bit", workload=with_training(workload, optimizer_bits=8))
    keeps = not training.optimizer_in_backward  # which steps on each micro-batch's gradients, and frees them
    if chosen.count > 1 and chosen.gradient_accumulation_steps < ACCUMULATION_STEPS and keeps:
        yield Change(kind="accumulation", workload=workload, gradient_accumulation_steps=ACCUMULATION_STEPS)
    if chosen.count > 1 and chosen.strategy == "ddp":
        yield Change(kind="sharding", workload=workload, strategy="fsdp")


def fusing_changes(workload: Workload) -> Iterator[Change]:
    """A fused optimizer, where torch has one and it is off."""
    if can_fuse(workload):
        yield Change(kind="fused_optimizer", workload=with_added(workload, ("fused_optimizer",)))


def traced_changes(workload: Workload, chosen: Prediction | None, spec: GpuSpec | None) -> Iterator[Change]:
    """The switches that change the operators: each needs a trace of its own."""
    training = workload.training
    half = chosen is not None and PRECISION_FACTS[chosen.precision].half_format is not None
    if training.attention == "eager":
        yield Change(kind="sdpa", workload=with_training(workload, attention="sdpa"))
    if half and workload.data.image_size is not None and not training.channels_last:
        yield Change(kind="channels_last", workload=with_training(workload, channels_last=True))
    if training.mode != "training":
        return
    if half and spec is not None and spec.fp8_flop_per_s and training.precision != "fp8":
        yield Change(kind="fp8", workload=_in_fp8(workload, chosen))
    if training.activation_checkpointing == "none":
        yield Change(kind="checkpointing", workload=with_training(workload, activation_checkpointing="full"))
    if training.keeps_unpacked_whole:
        yield Change(kind="unpacked_half", workload=with_training(workload, unpacked_bits=_HALF_BITS))
    if isinstance(workload.model, HuggingFaceModel):
        of_words = task_of_model(workload.model) == "causal-lm"
        if of_words and not training.chunked_loss:
            yield Change(kind="chunked_loss", workload=with_training(workload, chunked_loss=True))
        if of_words and half and not training.fused_layers:
            yield Change(kind="fused_layers", workload=with_training(workload, fused_layers=True))
        yield from adapter_changes(workload)
        yield from _padded(workload, workload.model)


def reaching_changes(
    workload: Workload, chosen: Prediction, table: OpTable | None, spec: GpuSpec | None
) -> Iterator[Change]:
    """What reaches operators that the plain way leaves slow; each needs a trace of its own.

    Flash kernels, where a model has those and no SDPA, so that by itself it runs eagerly. Weights of 16 bits, where
    autocast reaches only a part of the products. So it is with grouped products, as mixtures of experts run them:
    autocast has no rule for them, and they take the type of their weights. In inference weights of 32 bits serve
    nothing: no small update is added to them.
    """
    noted = frozenset() if table is None else {caveat.code for caveat in table.caveats}
    if "workload-attention-eager-unless-flash" in noted:
        yield Change(kind="flash", workload=with_training(workload, attention="flash"), paired_as="sdpa")
    if workload.training.mode == "inference":
        half = PRECISION_FACTS[autocast_for(workload, spec)].half_format
        if half and not PRECISION_FACTS[chosen.precision].half_weights:
            yield Change(kind="half_weights", workload=with_training(workload, precision=PURE_HALF[half]))
        return
    facts = PRECISION_FACTS[chosen.precision]
    if "trace-own-single" in noted and facts.autocast and facts.half_format == "bf16":
        yield Change(kind="pure_half", workload=with_training(workload, precision="bf16_true"))


def freeing_changes(workload: Workload, *, keep_checkpointing: bool) -> Iterator[Change]:
    """What frees memory and leaves the result as it is, for a step that may run out; each needs a trace of its own.

    `keep_checkpointing`: what is computed again was fixed.
    """
    kinds: set[SwitchKind] = {"chunked_loss"} if keep_checkpointing else {"chunked_loss", "checkpointing"}
    yield from (change for change in traced_changes(workload, None, None) if change.kind in kinds)


def _in_fp8(workload: Workload, chosen: Prediction | None) -> Workload:
    """The products in FP8; frozen weights that were 16 bits stay so, for no step needs them in more."""
    changed, training = with_training(workload, precision="fp8"), workload.training
    halves = chosen is not None and PRECISION_FACTS[chosen.precision].half_weights
    if halves and training.trainable != "all" and training.weights_bits is None:
        changed = with_training(changed, weights_bits=_HALF_BITS)
    return changed


def applies(change: Change, table: OpTable | None) -> bool:
    """Whether the changed workload is one that is taken, and the change reaches what does most of a model's work.

    What differentiates twice cannot be compiled; where sizes follow from values a compiled graph breaks at each, and
    what is left of its gain nobody has counted; a long loop's rounds are taken for themselves, which takes very long to
    compile. FP8 and adapters are for linear layers alone; channels last is for
    convolutions, of which a vision transformer has one; fused layers are for models with root-mean-square norms, which
    take the root of each row. `table` is the workload's own; None: it is not known, and every change is taken to reach
    enough.
    """
    whole = table is None or not (table.differentiates_twice or sizes_follow_values(table) or has_long_loop(table))
    if any(training_problems(change.workload)) or (change.kind == "compile" and not whole):
        return False
    if table is None:
        return True
    if change.kind == "channels_last":
        return sum(op.count for op in table.ops if op.kind == "convolution" and op.phase == "forward") > 1
    if change.kind == "fused_layers":
        return any(op.name == "rsqrt" for op in table.ops)
    if change.kind not in _OF_LINEAR_LAYERS:
        return True
    return _forward_flop(table, "matmul") > _forward_flop(table, "convolution")


def _forward_flop(table: OpTable, kind: OpKind) -> float:
    """Of one sample."""
    return sum(at(op.flop, 1) * op.count for op in table.ops if op.kind == kind and op.phase == "forward")


def adapter_changes(workload: Workload) -> Iterator[Change]:
    """LoRA and QLoRA, where all of a Hugging Face model is trained; QLoRA, where LoRA's frozen weights are whole.

    Where nothing is trained, weights of 4 bits alone.
    """
    training = workload.training
    if not isinstance(workload.model, HuggingFaceModel) or training.trainable not in {"all", "lora"}:
        return
    if training.mode == "inference":
        if stored_bits(training) is None:
            quantised = with_training(workload, quantization="nf4", weights_bits=None)
            yield Change(kind="quantised_weights", workload=quantised)
        return
    lora = workload
    if training.trainable == "all":
        lora = with_training(
            workload,
            trainable="lora",
            lora_rank=DEFAULT_RANK,
            lora_targets="all_linear",
            weights_bits=frozen_bits(workload.model, training.precision),
        )
        yield Change(kind="lora", workload=lora)
    elif stored_bits(training) is not None:
        return
    # From LoRA on, the weights' bits alone are changed, and pairs are of that; from a full fine-tuning, both things.
    paired_as = "quantised_weights" if lora is workload else None
    yield Change(kind="qlora", workload=with_training(lora, quantization="nf4", weights_bits=None), paired_as=paired_as)


def lighter_changes(workload: Workload, chosen: Prediction | None) -> Iterator[Change]:
    """Checkpointing in the cards' own memory, in the place of what leans on the host's."""
    if workload.training.mode == "training" and workload.training.activation_checkpointing == "none":
        yield Change(
            kind="checkpointing_on_cards",
            workload=with_training(workload, activation_checkpointing="full", offload="none"),
            strategy="fsdp" if chosen is not None and chosen.count > 1 else "single",
        )


def held_by_8bit_states(workload: Workload) -> Iterator[Change]:
    """8-bit states in the cards' own memory, where no card holds those of 32 bits; then with checkpointing too."""
    training = workload.training
    if training.optimizer not in EIGHT_BIT_OPTIMIZERS or training.optimizer_bits == 8:  # noqa: PLR2004 - bits
        return
    small = with_training(workload, optimizer_bits=8, offload="none")
    yield Change(kind="optimizer_8bit_on_cards", workload=small)
    if training.activation_checkpointing == "none":
        checkpointed = with_training(small, activation_checkpointing="full")
        yield Change(kind="optimizer_8bit_checkpointing", workload=checkpointed)


def checkpointed_adapters(workload: Workload) -> Iterator[Change]:
    """LoRA and QLoRA once more, where activations alone are too many for any card; not where checkpointing is on.

    LoRA first: what holds its whole weights unpacks none of them, and is quicker.
    """
    kinds: dict[SwitchKind, SwitchKind] = {"lora": "lora_checkpointing", "qlora": "qlora_checkpointing"}
    if workload.training.activation_checkpointing != "full":
        for change in adapter_changes(workload):
            lighter = with_training(change.workload, activation_checkpointing="full")
            if change.kind in kinds:
                yield Change(kind=kinds[change.kind], workload=lighter)


def _padded(workload: Workload, model: HuggingFaceModel) -> Iterator[Change]:
    config = config_of(model)
    if task_of_model(model) not in _TASKS_OF_WORDS:
        return
    size = config.get("vocab_size")
    if isinstance(size, int) and size % _VOCABULARY_MULTIPLE:
        padded = {**config, "vocab_size": math.ceil(size / _VOCABULARY_MULTIPLE) * _VOCABULARY_MULTIPLE}
        changed = msgspec.structs.replace(workload, model=msgspec.structs.replace(model, config=padded))
        yield Change(kind="padded_vocabulary", workload=changed)


def family_of(workload: Workload) -> ModelFamily | None:
    """Which published runs a workload is like: those of language models, of images, or none."""
    if workload.data.image_size is not None:
        return "vision"
    language = isinstance(workload.model, HuggingFaceModel) and task_of_model(workload.model) == "causal-lm"
    return "language" if language else None


def switch_of(change: Change, changed: Prediction, before: Prediction | None) -> Switch:
    """What a change brings, from the predictions with and without it."""
    from advisor.predict.ranges.gain_range import gain_range  # a saved advice is opened without numpy

    kind = change.kind
    gain = None if before is None else gain_range(changed, before, _GAIN_KINDS.get(kind, "alike"))
    training = change.workload.training
    of_others = kind in _OF_EVERY_WEIGHT and training.trainable != "all"
    family = None if of_others else family_of(change.workload)
    return Switch(
        **shared_fields(changed, Switch),
        kind=kind,
        device_key=changed.device.key,
        device_name=changed.device.name,
        gain=gain,
        saved_bytes=_saved(changed, before),
        training=training,
        published=published_gain(
            change.paired_as or kind, family, changed.device.spec_key or changed.device.key, training.mode, gain
        ),
    )


def _saved(changed: Prediction, before: Prediction | None) -> float | None:
    if before is None or changed.peak_memory_bytes is None or before.peak_memory_bytes is None:
        return None
    return before.peak_memory_bytes.value - changed.peak_memory_bytes.value
