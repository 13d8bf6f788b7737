"""How long one optimizer step takes on a device whose rates were measured, by the same parts as on any other card."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from advisor.catalogue.precisions import ComputedPrecision
from advisor.cost.efficiencies import efficiencies
from advisor.cost.host_time import HostSpeed, joined_seconds, synchronisation_seconds
from advisor.cost.operators.measured_rates import MeasuredRates, passes_seconds
from advisor.cost.optimizer_cost import optimizer_cost
from advisor.cost.step_parts import StepParts
from advisor.optable.dispatches import all_dispatches
from advisor.optable.op_columns import Floats
from advisor.optable.op_table import OpTable
from advisor.workload.workload import Training


def measured_step(  # noqa: PLR0913 - what a step's time depends on
    table: OpTable,
    training: Training,
    rates: MeasuredRates,
    batch_sizes: Sequence[int] | Floats,
    precision: ComputedPrecision,
    *,
    on_cpu: bool,
) -> StepParts:
    """One micro-batch and one update at each batch size, arrays of shape (1, batch sizes); `rates.complete` must hold.

    Each call of the host costs `call_s`: on a processor it adds to the operators, on a card the two run side by side.
    """
    batches = np.asarray(batch_sizes, dtype=np.float64).reshape(1, -1)
    training = msgspec.structs.replace(training, gradient_accumulation_steps=1)
    forward, backward = passes_seconds(table, rates, batches, precision)
    nothing = np.zeros_like(batches)
    optimizer = nothing + _optimizer_seconds(table, training, precision, rates)
    host = nothing + all_dispatches(table, batches) * (rates.call_s or 0.0)
    device = forward + backward + optimizer
    copied = table.input_bytes[0] + table.input_bytes[1] * batches
    rate = rates.host_to_device_bytes_per_s
    waits: Floats | float = 0.0
    if not on_cpu:
        host = joined_seconds(device, host) - device
        speed = HostSpeed(synchronisation_s=rates.synchronise_s or 0.0)
        waits = synchronisation_seconds(table, training, precision, speed, efficiencies().assumed, batches)
    return StepParts(
        forward_s=forward,
        backward_s=backward,
        optimizer_s=optimizer,
        host_s=host,
        copy_s=nothing if on_cpu or not rate else copied / rate,
        loader_s=nothing,
        synchronisation_s=nothing + waits,
    )


def _optimizer_seconds(table: OpTable, training: Training, precision: ComputedPrecision, rates: MeasuredRates) -> float:
    """Its traffic at the rate that AdamW's reached here, and what each tensor takes beside it."""
    if not rates.optimizer_bytes_per_s:
        return 0.0
    tensors = len(table.trainable_tensor_bytes)
    stored = sum(table.trainable_tensor_bytes)
    cost = optimizer_cost(training, precision, table.trainable_parameter_count, tensors, stored_bytes=stored)
    per_tensor = (rates.optimizer_tensor_s or 0.0) if cost.moved_bytes else 0.0
    return cost.moved_bytes / rates.optimizer_bytes_per_s + per_tensor * tensors
