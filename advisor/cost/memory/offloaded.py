"""What off-loading leaves on a device, and what it keeps in the memory of the machine around it."""

from __future__ import annotations

from advisor.catalogue.precisions import ComputedPrecision
from advisor.cost.memory.replay import stream_of
from advisor.cost.memory.states import optimizer_memory
from advisor.optable.op_table import Affine, OpTable, at
from advisor.workload.workload import Offload, Training

_BLOCKS_ON_DEVICE = 2
"""Off-loaded activations of the block that runs and of the one whose copy is under way."""


def on_device_fraction(table: OpTable) -> float:
    """Share of the activations kept for backward that stay on the device where they are off-loaded."""
    return min(1.0, _BLOCKS_ON_DEVICE / max(1, len(table.block_parameter_bytes)))


def kept_bytes(table: OpTable) -> Affine:
    """What one forward pass keeps for backward; nothing where the table has no timeline."""
    return (0.0, 0.0) if table.memory is None else stream_of(table.memory).kept_bytes


def offloaded_bytes(
    table: OpTable, training: Training, precision: ComputedPrecision, kind: Offload, batch_size: int = 1
) -> float:
    """Bytes in host memory of one replica: weights, gradients and optimizer states, or one batch's activations.

    Nothing is counted twice: the shards of all ranks add up to one model. The copy that an optimizer on the host
    keeps of the weights is that of the FP32 masters where there are any.
    """
    if kind == "none":
        return 0.0
    if kind == "activations":
        return at(kept_bytes(table), batch_size) * (1.0 - on_device_fraction(table))
    return table.parameter_bytes + table.gradient_bytes + sum(optimizer_memory(table, training, precision).states)
