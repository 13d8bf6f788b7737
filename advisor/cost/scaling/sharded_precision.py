"""What layers compute in where several devices share a model's state: on weights that were cast beforehand."""

from __future__ import annotations

from advisor.catalogue.precisions import ComputedPrecision
from advisor.cost.layout import Layout

_WHOLE_COPIES = frozenset({"single", "dp", "ddp"})
"""Each device holds weights and optimizer states of its own, which torch's autocast casts operator by operator."""
_ON_CAST_WEIGHTS: dict[ComputedPrecision, ComputedPrecision] = {
    "fp16_amp": "fp16",
    "bf16_amp": "bf16",
    "fp8": "fp8_cast",
}
_GIVEN_MODELS = frozenset({"zero2", "fsdp", "hsdp"})
"""What is done by trainers that shard a model that they are given."""
_WITH_ADAPTERS: dict[ComputedPrecision, ComputedPrecision] = {"fp16": "fp16_cast", "bf16": "bf16_cast"}


def precision_in_layout(precision: ComputedPrecision, layout: Layout) -> ComputedPrecision:
    """The precision whose operators a device of a published layout runs.

    Sharded mixed precision casts each device's own part of the FP32 weights, then gathers 16-bit ones; ZeRO-1 and 2
    (DeepSpeed, Megatron's distributed optimizer) keep FP32 weights in the sharded optimizer alone; layers that are
    split by tensors, stages or lengths are those libraries' too. No layer casts a whole weight, and activations between
    layers are 16 bit, as where half weights have FP32 copies in the optimizer.
    """
    whole = layout.plain and layout.data_parallel in _WHOLE_COPIES
    return precision if layout.count == 1 or whole else on_cast_weights(precision)


def with_adapters_cast(precision: ComputedPrecision) -> ComputedPrecision:
    """The same on weights that were cast where adapters are cast with them, as whatever is gathered is."""
    return _WITH_ADAPTERS.get(precision, precision)


def on_cast_weights(precision: ComputedPrecision, *, adapters: bool = False) -> ComputedPrecision:
    """A precision where the weights come to each layer in what it computes in: autocast finds nothing to cast.

    `adapters`: those beside frozen weights come so too.
    """
    cast = _ON_CAST_WEIGHTS.get(precision, precision)
    return with_adapters_cast(cast) if adapters and precision in _ON_CAST_WEIGHTS else cast


def brings_whole_layers(layout: Layout) -> bool:
    """Whether a trainer that shares the work like this brings Transformer Engine's layers whole, where it uses them.

    Megatron does, which splits layers and lengths and has ZeRO-1 for its optimizer. Trainers that gather the shards of
    a model that they are given (FSDP, DeepSpeed) replace its linear layers (`fc_type: te` of llm-foundry, the
    conversion of Accelerate): norms, activations and attention stay the model's own.
    """
    return not (layout.plain and layout.count > 1 and layout.data_parallel in _GIVEN_MODELS)


def runs_whole_layers(computed: ComputedPrecision) -> bool:
    """The same by what layers compute in, where no layout is told: FP8 on weights that were cast is that of shards."""
    return computed not in _ON_CAST_WEIGHTS.values()
