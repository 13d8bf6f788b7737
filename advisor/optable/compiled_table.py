"""From an operator table to columns: done once a table, after which a prediction takes microseconds an operator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from advisor.catalogue.precisions import TracePrecision
from advisor.optable.accumulation import Accumulation, accumulation_of
from advisor.optable.compiler_layout import turned_by_compiler
from advisor.optable.op_columns import (
    KINDS,
    AffineWork,
    AttentionWork,
    ConvolutionWork,
    MatmulWork,
    MemoryWork,
    RnnWork,
    Work,
    WorkT,
)
from advisor.optable.op_table import Affine, Op, OpTable, at
from advisor.optable.unpacked_weights import UnpackedWeights, unpacked_weights_of

_KIND_INDEX = {kind: index for index, kind in enumerate(KINDS)}
_SHAPED: dict[str, type[Work]] = {
    "matmul": MatmulWork,
    "convolution": ConvolutionWork,
    "attention": AttentionWork,
    "rnn": RnnWork,
}
_COLUMNS = {
    "output_positions": "positions",
    "output_channels_per_group": "output_channels",
    "input_channels_per_group": "input_channels",
    "implementation": "flash",
    "cell": "gates",
}
"""Columns that are not called as in the shapes."""
_WORDS = {
    "forward": 0, "input_gradient": 1, "weight_gradient": 2,
    "flash": 1, "efficient": 0,
    "rnn": 1, "gru": 3, "lstm": 4,
}  # fmt: skip
"""Words of the shapes as the numbers of their columns: directions, whether attention is flash, gates of a cell."""

_ONE_PASS = 1.5
"""Reads over writes: 1 where a norm is evaluated, 2 and more where its statistics are taken first."""

Row = dict[str, Affine]


@dataclass(frozen=True, kw_only=True)
class CompiledTable:
    """The columns of a table and what else of it a step's time depends on."""

    precision: TracePrecision
    memory: AffineWork[MemoryWork]
    fused: AffineWork[MemoryWork] | None
    """In place of `memory` under torch.compile; None: unknown."""
    fused_dispatch_count: tuple[float, float]
    """Launches under torch.compile, forward and backward."""
    turned_by_compiler: bool
    """Whether torch.compile turns the convolutions to channels-last by itself."""
    matmul: AffineWork[MatmulWork]
    convolution: AffineWork[ConvolutionWork]
    attention: AffineWork[AttentionWork]
    rnn: AffineWork[RnnWork]
    parameter_count: float
    """Packed weights count as those that they stand for."""
    trainable_parameter_count: float
    parameter_tensor_count: float
    gradient_bytes: float
    input_bytes: Affine
    forward_dispatch_count: float
    backward_dispatch_count: float
    synchronisation_count: float
    accumulation: Accumulation = field(default_factory=Accumulation)
    unpacked: UnpackedWeights = field(default_factory=UnpackedWeights)
    unknown_call_fraction: float = 0.0
    """Share of calls whose work the trace could not tell: they are counted too small."""
    totals_only: bool = False
    """Whether nothing but the model's totals is known."""


def compile_table(table: OpTable) -> CompiledTable:
    """Sort the operators of a trace into families and merge those that are alike."""
    rows: dict[str, list[Row]] = {family: [] for family in ("memory", "matmul", "convolution", "attention", "rnn")}
    for op in table.ops:
        family, row = _row(op)
        rows[family].append(row)
    return CompiledTable(
        precision=table.precision,
        memory=_columns(MemoryWork, rows["memory"]),
        fused=_fused(table),
        fused_dispatch_count=_fused_dispatches(table),
        turned_by_compiler=turned_by_compiler(table),
        matmul=_columns(MatmulWork, rows["matmul"]),
        convolution=_columns(ConvolutionWork, rows["convolution"]),
        attention=_columns(AttentionWork, rows["attention"]),
        rnn=_columns(RnnWork, rows["rnn"]),
        parameter_count=float(table.parameter_count),
        trainable_parameter_count=float(table.trainable_parameter_count),
        parameter_tensor_count=float(len(table.trainable_tensor_bytes) or table.parameter_tensor_count),
        gradient_bytes=table.gradient_bytes,
        input_bytes=table.input_bytes,
        forward_dispatch_count=float(table.dispatch_count.get("forward", 0)),
        backward_dispatch_count=float(table.dispatch_count.get("backward", 0)),
        synchronisation_count=float(table.synchronisation_count),
        accumulation=accumulation_of(table),
        unpacked=unpacked_weights_of(table),
        unknown_call_fraction=_unknown_fraction(table),
        totals_only=any(caveat.code == "workload-totals-only" for caveat in table.caveats),
    )


def _fused(table: OpTable) -> AffineWork[MemoryWork] | None:
    if table.compiled is None:
        return None
    return _columns(MemoryWork, [_row(op)[1] for op in table.compiled.ops])


def _fused_dispatches(table: OpTable) -> tuple[float, float]:
    if table.compiled is None:
        return (0.0, 0.0)
    counts = table.compiled.dispatch_count
    return (float(counts.get("forward", 0)), float(counts.get("backward", 0)))


def _unknown_fraction(table: OpTable) -> float:
    unknown = (caveat for caveat in table.caveats if caveat.code == "trace-unknown-operators")
    return max((caveat.figure("share_fraction") for caveat in unknown), default=0.0)


def _fixed(value: float) -> Affine:
    return (float(value), 0.0)


def _base_row(op: Op) -> Row:
    return {
        "flop": op.flop,
        "read_bytes": op.read_bytes,
        "written_bytes": op.written_bytes,
        "element_bytes": _fixed(op.element_bytes),
        "kernel_count": _fixed(op.kernel_count),
        "call_count": _fixed(op.count),
        "backward": _fixed(op.phase == "backward"),
        "kind": _fixed(_KIND_INDEX[op.kind]),
    }


def _row(op: Op) -> tuple[str, Row]:
    """Family and columns of one operator; one without shape figures counts by its traffic and flop."""
    base = _base_row(op)
    for family, work in _SHAPED.items():
        shape = getattr(op, family)
        if shape is not None and getattr(shape, "implementation", "") != "eager":
            named = {_COLUMNS.get(name, name): _column(getattr(shape, name)) for name in shape.__struct_fields__}
            return family, {name: row for name, row in (base | named).items() if name in work.__dataclass_fields__}
    return "memory", {**base, "batch_norm": _fixed(op.batch_norm and _reads_twice(op))}


def _column(value: Affine | str | float) -> Affine:
    """A figure of a shape, or a setting, which no batch size changes."""
    if isinstance(value, tuple):
        return value
    return _fixed(_WORDS[value] if isinstance(value, str) else value)


def _reads_twice(op: Op) -> bool:
    """Batch statistics need their whole input first; with those of training an evaluated norm is element-wise."""
    return at(op.read_bytes, 1.0) > _ONE_PASS * at(op.written_bytes, 1.0)


def _merged(rows: Iterable[Row]) -> list[Row]:
    """Rows that differ in nothing but how often they are called, added up."""
    merged: dict[tuple[tuple[str, Affine], ...], float] = {}
    for row in rows:
        key = tuple(item for item in row.items() if item[0] != "call_count")
        merged[key] = merged.get(key, 0.0) + row["call_count"][0]
    return [{**dict(key), "call_count": _fixed(count)} for key, count in merged.items()]


def _columns(family: type[WorkT], rows: Sequence[Row]) -> AffineWork[WorkT]:
    names = [field.name for field in fields(family)]
    merged = _merged(rows)
    values = np.array([[row[name] for name in names] for row in merged], dtype=np.float64)
    values = values.reshape(len(merged), len(names), 2)
    constant, slope = (
        family(**{name: np.ascontiguousarray(values[:, index, part]) for index, name in enumerate(names)})
        for part in (0, 1)
    )
    return AffineWork(constant=constant, slope=slope)
