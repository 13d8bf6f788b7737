"""Gradients of frozen weights, which shards of earlier years made where adapters shared a unit with them.

The first generation of `FullyShardedDataParallel` flattens what a unit holds into one parameter; as long as something
of it is trained, all of it has a gradient (PyTorch's issue 91167, and its manual: "equivalent to not freezing those
parameters"). `no_sync`, which trainers call for all but the last of the micro-batches that they accumulate, keeps these
gradients whole on every device until they are reduced.
"""

from __future__ import annotations

from advisor.catalogue.precisions import PRECISION_FACTS, ComputedPrecision
from advisor.cost.layout import Layout
from advisor.cost.memory.sharding import Shares
from advisor.optable.op_table import OpTable
from advisor.workload.workload import Training, quantization_of

ADAPTERS_APART_FROM_YEAR = 2024
"""Since transformers 4.39 of March 2024 its trainer cuts adapters into units of their own, as PEFT's policy does."""


def mixes_units(training: Training, precision: ComputedPrecision, layout: Layout) -> bool:
    """Whether a trainer of earlier years could flatten adapters together with the frozen weights around them.

    It takes tensors of one type: adapters of 16 bits beside weights of 16 bits, neither packed nor under autocast, for
    which trainers cast what they train to FP32.
    """
    return (
        layout.data_parallel in {"fsdp", "hsdp"}
        and training.trainable == "lora"
        and training.adapter_bits == 16  # noqa: PLR2004 - the width of weights of half precision
        and quantization_of(training) is None
        and PRECISION_FACTS[precision].pure
    )


def with_units_mixed(shares: Shares, table: OpTable, *, accumulated: bool) -> Shares:
    """The shares with a gradient of every weight of a unit; of all units at once where micro-batches are accumulated.

    Embedding and head are a unit without adapters, which has none.
    """
    held = shares.copies or 1.0
    blocks = table.block_parameter_bytes or (table.parameter_bytes,)
    whole = (sum(blocks) if accumulated else max(blocks)) * held
    own = list(shares.gathered_bytes)
    for size in shares.unit_gradient_bytes:
        if size > 0:
            own.remove(size)
    # Made by the first micro-batch, they are there while the last one's loss is computed.
    return shares._replace(gathered_bytes=(*own, whole), unit_gradient_bytes=() if accumulated else (whole,))
