"""Operators as columns of numbers, one set a family, so that a whole grid is predicted at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any, Generic, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from advisor.optable.op_table import OpKind

Floats = NDArray[np.float64]

KINDS: tuple[str, ...] = get_args(OpKind)
"""Operator kinds of `op_table.OpKind`; a column `kind` holds indices into this."""


ColumnsT = TypeVar("ColumnsT")


def concatenated(parts: Sequence[ColumnsT]) -> ColumnsT:
    """Dataclasses of arrays or tuples as one, each field of one behind that of the other."""

    def joined(values: list[Any]) -> Any:  # noqa: ANN401 - a field of any kind
        return np.concatenate(values) if isinstance(values[0], np.ndarray) else tuple(chain.from_iterable(values))

    names = [field.name for field in fields(parts[0])]  # type: ignore[arg-type]
    return type(parts[0])(**{name: joined([getattr(part, name) for part in parts]) for name in names})


@dataclass(frozen=True, kw_only=True)
class Work:
    """Columns that every family has: arrays of shape (operators,) or (batches, operators), figures of ONE call."""

    flop: Floats
    read_bytes: Floats
    written_bytes: Floats
    element_bytes: Floats
    kernel_count: Floats
    call_count: Floats
    backward: Floats
    """1.0 for operators of the backward pass, else 0.0."""
    kind: Floats
    """Index into `KINDS`."""

    @property
    def moved_bytes(self) -> Floats:
        """Bytes read and written."""
        return self.read_bytes + self.written_bytes

    @property
    def half(self) -> NDArray[np.bool_]:
        """Whether the operator computes in 16-bit numbers."""
        return np.equal(self.element_bytes, 2)


@dataclass(frozen=True, kw_only=True)
class MemoryWork(Work):
    """Operators whose time is the traffic they cause: element-wise, norms, softmax, copies, pools, optimizers."""

    batch_norm: Floats


@dataclass(frozen=True, kw_only=True)
class MatmulWork(Work):
    """`batch` products of (m × k) by (k × n)."""

    batch: Floats
    m: Floats
    n: Floats
    k: Floats


@dataclass(frozen=True, kw_only=True)
class ConvolutionWork(Work):
    """Convolutions as implicit GEMMs; channels are per group."""

    direction: Floats
    """0 forward, 1 input gradient, 2 weight gradient."""
    groups: Floats
    positions: Floats
    output_channels: Floats
    input_channels: Floats
    kernel_elements: Floats
    unit_stride: Floats
    data_bytes: Floats
    """Input plus output activations."""


@dataclass(frozen=True, kw_only=True)
class AttentionWork(Work):
    """Scaled dot-product attention in one fused kernel."""

    batch_heads: Floats
    query_length: Floats
    key_length: Floats
    head_size: Floats
    flash: Floats
    """1.0 flash, 0.0 memory-efficient."""


@dataclass(frozen=True, kw_only=True)
class RnnWork(Work):
    """Recurrent layers as cuDNN runs them: `steps` dependent products a layer and direction."""

    steps: Floats
    batch: Floats
    input_size: Floats
    hidden_size: Floats
    layers: Floats
    directions: Floats
    gates: Floats


WorkT_co = TypeVar("WorkT_co", bound=Work, covariant=True)


@dataclass(frozen=True, kw_only=True)
class AffineWork(Generic[WorkT_co]):
    """A family whose columns are `constant + slope * batch size`."""

    constant: WorkT_co
    slope: WorkT_co

    @property
    def count(self) -> int:
        """Number of unlike operators."""
        return len(self.constant.flop)

    def at(self, batch_sizes: Floats) -> WorkT_co:
        """The columns at batch sizes of shape (batches, 1); columns that no batch size changes stay (operators,)."""
        return replace(
            self.constant,
            **{
                field.name: _affine(getattr(self.constant, field.name), getattr(self.slope, field.name), batch_sizes)
                for field in fields(self.constant)
            },
        )


def _affine(constant: Floats, slope: Floats, batch_sizes: Floats) -> Floats:
    """Never below nothing: what a router gave to an expert in two batches says little of a much smaller one."""
    return np.maximum(constant + slope * batch_sizes, 0.0) if slope.any() else constant


@dataclass(frozen=True, kw_only=True)
class Families:
    """Operators of a forward and backward pass, one set of columns a family."""

    memory: AffineWork[MemoryWork]
    matmul: AffineWork[MatmulWork]
    convolution: AffineWork[ConvolutionWork]
    attention: AffineWork[AttentionWork]
    rnn: AffineWork[RnnWork]
    fused: AffineWork[MemoryWork] | None = None
    """In place of `memory` under torch.compile; None: unknown."""

    def in_pass(self, *, fused: bool) -> tuple[AffineWork[Work], ...]:
        """What runs: `fused` operators in the place of those that wait for memory, where they are known."""
        memory = self.fused if fused and self.fused is not None else self.memory
        return memory, self.matmul, self.convolution, self.attention, self.rnn
