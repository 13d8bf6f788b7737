"""What the host costs a step: issuing operators, copying inputs, waiting for the card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.links import PINNED_COPY_SHARE, slot_bytes_per_s
from advisor.catalogue.precisions import PRECISION_FACTS, ComputedPrecision
from advisor.catalogue.software import GRADIENTS_FREED_YEAR, QUICKER_HOST_YEAR, is_before
from advisor.cost.efficiencies import Assumed
from advisor.cost.operators.dequantisation import operator_chain
from advisor.cost.optimizer_cost import OptimizerCost
from advisor.optable.compiled_table import CompiledTable
from advisor.optable.dispatches import dispatches, synchronisations
from advisor.optable.op_columns import Floats
from advisor.optable.op_table import OpTable, Phase, at
from advisor.workload.workload import Training

_OVERLAP_POWER = 8.0
"""Joins device and host time: the longer one hides the shorter, but for the ends."""
_MOST_WAITING = 1.0 - 1e-6
"""A step that waits for its host alone."""
HOST_SPREAD = 4.0
"""Hosts differ by no more than this in what Python does around the operators."""
_SLOW_HOST_SHARE = 0.5
"""Of the link's rate that a copy from ordinary memory reaches, staged by the driver."""


@dataclass(frozen=True, kw_only=True)
class HostSpeed:
    """The CPU that feeds a card. None: unknown, so the usual figure of such hosts in the efficiencies file counts."""

    forward_s_per_dispatch: float | None = None
    """Time to issue one operator in forward, Python included."""
    backward_s_per_dispatch: float | None = None
    optimizer_s_per_dispatch: float | None = None
    pass_floor_s: float = 0.0
    """Least time for one forward and backward of the model at hand: what this processor took to issue its smallest
    measured batch, where hardly anything was computed. A card on the same host waits for the same Python."""
    synchronisation_s: float | None = None
    """From the card's last kernel to its next one, where the host waits in between."""
    copies_inputs: bool = True
    """False where inputs are on the card already, or copied while it computes."""
    pinned: bool = True


def usual_dispatch_s(assumed: Assumed, software_year: int | None = None, *, desktop: bool = False) -> float:
    """What a host that nobody measured takes to issue an operator in forward: a server, or a `desktop`.

    Cores of desktops clock higher; on hosts of 2020 and 2021 published steps tell no difference.
    """
    if is_before(software_year, QUICKER_HOST_YEAR):
        return assumed.earlier_host_s_per_dispatch
    return assumed.desktop_host_s_per_dispatch if desktop else assumed.host_s_per_dispatch


def host_of_dispatch(each_s: float, assumed: Assumed, synchronisation_s: float | None = None) -> HostSpeed:
    """A host of which is known what it takes to issue an operator in forward."""
    return HostSpeed(
        forward_s_per_dispatch=each_s,
        backward_s_per_dispatch=each_s * assumed.host_backward_share,
        optimizer_s_per_dispatch=each_s,
        synchronisation_s=synchronisation_s,
    )


def usual_host(assumed: Assumed, *, desktop: bool) -> HostSpeed:
    """A usual host of today as if it had been measured, to set several cards beside one and the same."""
    return host_of_dispatch(usual_dispatch_s(assumed, desktop=desktop), assumed)


def host_seconds(  # noqa: PLR0913 - what a host's time depends on
    compiled: CompiledTable,
    training: Training,
    cost: OptimizerCost,
    host: HostSpeed,
    assumed: Assumed,
    software_year: int | None = None,
    *,
    batch_size: Floats | float,
    desktop: bool = False,
) -> Floats | float:
    """Seconds in which the host issues one optimizer step, whatever the card does; unmeasured it is the usual one.

    `batch_size`: of each micro-batch; an array gives one of its shape where the batch tells how much is issued.
    """
    table, chain = compiled.table, operator_chain(compiled, training, software_year)
    earlier = is_before(software_year, QUICKER_HOST_YEAR)
    server = usual_dispatch_s(assumed, software_year)
    usual = usual_dispatch_s(assumed, software_year, desktop=desktop)
    forward = _known_or(host.forward_s_per_dispatch, usual)
    backward = _known_or(host.backward_s_per_dispatch, usual * assumed.host_backward_share)
    optimizer = _known_or(host.optimizer_s_per_dispatch, usual)
    each_s: dict[Phase, float] = {"forward": forward, "backward": backward}
    issued = {phase: dispatches(table, phase, batch_size) for phase in each_s}
    passes = _issued_s(issued, each_s) + _issued_s(_further_dispatches(table, assumed), each_s)
    passes += _earlier_backward_dispatches(table, assumed) * forward if earlier else 0.0
    passes += chain.forward_dispatches * forward + chain.backward_dispatches * backward
    if training.compile and table.compiled is None:
        passes *= assumed.compiled_dispatches
    elif training.compile and table.compiled is not None:
        launches = _issued_s(table.compiled.dispatch_count, each_s)
        passes = launches * assumed.compiled_launch + assumed.compiled_pass_s
    elif training.activation_checkpointing == "selective":
        passes += issued["forward"] * assumed.selective_s_per_dispatch * forward / server
    # A host that is slow at dispatching is slow at everything else that Python does around it.
    slowness = min(max(forward / server, 1.0 / HOST_SPREAD), HOST_SPREAD)
    passes = np.maximum(passes + assumed.host_pass_s * slowness, host.pass_floor_s)
    update = assumed.host_update_s * slowness * cost.update_count
    kept = training.mode != "inference" and is_before(software_year, GRADIENTS_FREED_YEAR)
    cleared = compiled.parameter_tensor_count * assumed.host_kept_gradient_dispatches * forward if kept else 0.0
    return passes * training.gradient_accumulation_steps + cost.dispatch_count * optimizer + update + cleared


def _issued_s(counts: Mapping[Phase, Floats | float], each_s: Mapping[Phase, float]) -> Floats | float:
    return sum(count * each_s[phase] for phase, count in counts.items())


def _further_dispatches(table: OpTable, assumed: Assumed) -> dict[Phase, float]:
    """What convolutions and batch norms cost the host beyond a dispatch each, in dispatches."""
    further: dict[Phase, float] = {"forward": 0.0, "backward": 0.0}
    for op in table.ops:
        if op.kind == "convolution":
            further[op.phase] += op.count * (assumed.host_convolution_dispatches - 1.0)
        elif "batch_norm" in op.name:
            further[op.phase] += op.count * (assumed.host_batch_norm_dispatches - 1.0)
    return further


def _earlier_backward_dispatches(table: OpTable, assumed: Assumed) -> float:
    """What backward through convolutions and batch norms cost the host further in 2020 and 2021, in dispatches."""
    slow = [op for op in table.ops if op.phase == "backward" and (op.kind == "convolution" or "batch_norm" in op.name)]
    return sum(op.count for op in slow) * assumed.earlier_host_backward_dispatches


def _known_or(value: float | None, usual: float) -> float:
    return usual if value is None else value


def copy_seconds(
    table: OpTable, training: Training, specs: Sequence[GpuSpec], batches: Floats, host: HostSpeed
) -> Floats:
    """Seconds to copy the inputs of a step, shape (cards, batch sizes); `batches` has shape (batches, 1)."""
    if not host.copies_inputs:
        return np.zeros((len(specs), len(batches)))
    rates = np.array([slot_bytes_per_s(spec) * PINNED_COPY_SHARE for spec in specs]).reshape(-1, 1)
    rates = rates * (1.0 if host.pinned else _SLOW_HOST_SHARE)
    moved = np.array([[at(table.input_bytes, float(batch)) for batch in batches[:, 0]]])
    return moved * training.gradient_accumulation_steps / rates


def synchronisation_seconds(  # noqa: PLR0913 - what such waits depend on
    table: OpTable,
    training: Training,
    precision: ComputedPrecision,
    host: HostSpeed,
    assumed: Assumed,
    batch_size: Floats | float,
) -> Floats | float:
    """Seconds in which the card idles because the host waited for it: for the loss, the scaler, the model's own."""
    each = _known_or(host.synchronisation_s, assumed.synchronisation_s)
    rounds = training.gradient_accumulation_steps
    count = synchronisations(table, batch_size) * float(rounds)
    if training.read_loss_every:
        count += rounds / training.read_loss_every
    if PRECISION_FACTS[precision].scales_gradients and training.optimizer != "none":
        count += 1.0
    return count * each


def slower_host_factor(host_share: Floats, slowness: float) -> Floats:
    """How many times as long a step takes on a host that is `slowness` times as slow.

    `host_share` of the step waits for the host, which tells how long the host takes: `joined_seconds` undone.
    """
    device_share = 1.0 - np.minimum(host_share, _MOST_WAITING)
    host_over_device = (device_share**-_OVERLAP_POWER - 1.0) ** (1.0 / _OVERLAP_POWER)
    device = np.ones_like(host_over_device)
    slower: Floats = joined_seconds(device, host_over_device * slowness) / joined_seconds(device, host_over_device)
    return slower


def joined_seconds(device_s: Floats, host_s: Floats | float) -> Floats:
    """Device and host work side by side: the longer one counts, with a soft corner."""
    longer = np.maximum(device_s, host_s)
    shorter = np.minimum(device_s, host_s)
    joined: Floats = longer * (1.0 + (shorter / longer) ** _OVERLAP_POWER) ** (1.0 / _OVERLAP_POWER)
    return joined
