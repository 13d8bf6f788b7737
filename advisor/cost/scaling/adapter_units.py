"""Adapters that full sharding gathers one by one: what the host does around each where the device waits for it."""

from __future__ import annotations

from advisor.catalogue.adapters import DEFAULT_RANK
from advisor.catalogue.gpu_spec import GpuSpec
from advisor.cost.efficiencies import Efficiencies
from advisor.cost.layout import Layout
from advisor.cost.operators.op_time import sustained_peaks
from advisor.cost.scaling.scaling_figures import ScalingFigures, scaling_figures
from advisor.cost.traced_step import TracedStep
from advisor.optable.adapter_units import adapter_pairs
from advisor.optable.op_table import OpTable, at
from advisor.workload.workload import Training, quantization_of

_MATRICES = 2.0
_UNITS_OF_THEIR_OWN = frozenset({"fsdp", "hsdp"})


def gathers_adapters_apart(training: Training, layout: Layout) -> bool:
    """Whether adapters are units of their own, as PEFT's policy for the first generation of full sharding cuts them.

    It wraps every module without children whose weight is trained: each of a layer's two matrices. Fused kernels of
    adapters on packed weights read both without calling their modules, whose hooks would gather them, so that trainers
    leave those out of the shards.
    """
    kept_whole = training.fused_layers and quantization_of(training) is not None
    shared = layout.plain and layout.data_parallel in _UNITS_OF_THEIR_OWN and layout.shard_count > 1
    return training.trainable == "lora" and shared and not kept_whole


def waits_for_adapters_s(
    step: TracedStep, layout: Layout, spec: GpuSpec, batch_size: float, figures: Efficiencies
) -> float:
    """What a card waits in one micro-batch for adapters that are gathered one by one; 0 where none are."""
    if not gathers_adapters_apart(step.training, layout):
        return 0.0
    peaks = sustained_peaks(step.rates([spec], figures), figures.fitted)
    return adapter_units_s(step.compiled.table, step.training, batch_size=batch_size, flop_per_s=peaks.half.item())


def adapter_units_s(
    table: OpTable, training: Training, *, batch_size: float, flop_per_s: float, figures: ScalingFigures | None = None
) -> float:
    """Seconds of one micro-batch that the device waits for the hooks around adapters.

    That generation lets the host run two gatherings ahead of the device and no further (`limit_all_gathers`). So what
    the host does around the two matrices of a layer is hidden by that layer's own product alone, not by the step.
    """
    unit_s = (figures or scaling_figures()).assumed.sharded_unit_s
    checkpointed = training.activation_checkpointing != "none"
    passes = 3.0 if checkpointed else 2.0
    pairs = adapter_pairs(table, training.lora_rank or DEFAULT_RANK)
    each_s = ((pair.layer_count, at(pair.product_flop, batch_size) / flop_per_s) for pair in pairs)
    return sum(count * passes * max(0.0, _MATRICES * unit_s - product_s) for count, product_s in each_s)
