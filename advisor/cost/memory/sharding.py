"""What several devices change: which shares of the memory stay on one of them, and what communication holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from advisor.catalogue.strategies import Strategy
from advisor.core.sentences import Reason
from advisor.optable.op_table import Affine, OpTable

_FIRST_BUCKET_BYTES = 1 << 20
_BUCKET_BYTES = 25 << 20
_NCCL_BYTES = 0.35 * 2**30
"""NCCL's buffers outside the allocator, a communicator over a few ranks on one host."""
_GATHERED_UNITS = 2
"""Full sharding holds the unit that runs and the one that is prefetched."""
_TENSOR_PARALLEL_REPLICATED = 10 / 34
"""Share of a transformer layer's activations that tensor parallelism without sequence parallelism keeps whole
(inputs, norms, dropouts): 10 of 34 bytes an element, Korthikanti et al. 2022, equation 2."""


class Shares(NamedTuple):
    """Factors on the single-device parts, and bytes that come on top."""

    parameters: float = 1.0
    gradients: float = 1.0
    states: float = 1.0
    activations: float = 1.0
    bucket_bytes: tuple[float, ...] = ()
    gathered_bytes: float = 0.0
    gathered_outputs_bytes: Affine = (0.0, 0.0)
    """What the forward passes of all devices leave on the first, before anything of `gathered_bytes` is there."""
    library_bytes: float = 0.0
    notes: tuple[Reason, ...] = ()


def shares_of(strategy: Strategy, count: int, table: OpTable) -> Shares:
    """What one of `count` devices holds under `strategy`; everything on a single device."""
    if strategy == "single" or (count <= 1 and strategy != "fsdp_offload"):
        return Shares()
    return _RULES[strategy](table, 1 / count)


def _data_parallel(table: OpTable, part: float) -> Shares:
    """The first device gathers every device's outputs, and later the others' gradients, before it adds them."""
    outputs = [op.written_bytes for op in table.ops if op.phase == "forward" and op.kind in {"matmul", "convolution"}]
    fixed, each = outputs[-1] if outputs else (0.0, 0.0)
    return Shares(gathered_bytes=table.gradient_bytes, gathered_outputs_bytes=(fixed / part, each / part))


def _distributed(table: OpTable, _part: float) -> Shares:
    return Shares(bucket_bytes=_buckets(table.gradient_bytes), library_bytes=_NCCL_BYTES)


def _zero2(table: OpTable, part: float) -> Shares:
    buckets = _buckets(min(table.gradient_bytes, 2.0 * _BUCKET_BYTES))
    return Shares(gradients=part, states=part, bucket_bytes=buckets, library_bytes=_NCCL_BYTES)


def _tensor_parallel(_table: OpTable, part: float) -> Shares:
    activations = _TENSOR_PARALLEL_REPLICATED + (1 - _TENSOR_PARALLEL_REPLICATED) * part
    return Shares(part, part, part, activations, library_bytes=_NCCL_BYTES)


def _pipelined(_table: OpTable, part: float) -> Shares:
    """The first stage keeps as many micro-batches in flight as there are stages, each of its own layers only."""
    return Shares(part, part, part, 1.0, library_bytes=_NCCL_BYTES)


def _fully_sharded(table: OpTable, part: float, *, offloaded: bool = False) -> Shares:
    unit = max(table.block_parameter_bytes, default=table.parameter_bytes)
    outside = table.parameter_bytes - sum(table.block_parameter_bytes)
    unit = max(unit, outside if table.block_parameter_bytes else 0.0)
    trained = table.trainable_parameter_count / max(table.parameter_count, 1)
    # Two gathered units, and the whole gradient of the unit whose backward runs.
    gathered = _GATHERED_UNITS * unit + unit * trained
    held = 0.0 if offloaded else part
    return Shares(held, held, held, 1.0, gathered_bytes=gathered, library_bytes=_NCCL_BYTES)


def _buckets(total_bytes: float) -> tuple[float, ...]:
    """DDP's gradient buckets: 1 MiB, then 25 MiB each."""
    sizes = []
    left, size = total_bytes, float(_FIRST_BUCKET_BYTES)
    while left > 0:
        sizes.append(min(size, left))
        left -= size
        size = float(_BUCKET_BYTES)
    return tuple(sizes)


_RULES: dict[Strategy, Callable[[OpTable, float], Shares]] = {
    "dp": _data_parallel,
    "ddp": _distributed,
    "zero2": _zero2,
    "fsdp": _fully_sharded,
    "fsdp_offload": lambda table, part: _fully_sharded(table, part, offloaded=True),
    "tp": _tensor_parallel,
    "pp": _pipelined,
}
