"""From an operator table to columns: done once a table, after which a prediction takes microseconds an operator."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from advisor.optable.accumulation import Accumulation, accumulation_of
from advisor.optable.compiler_layout import turned_by_compiler
from advisor.optable.op_columns import (
    KINDS,
    AffineWork,
    AttentionWork,
    ConvolutionWork,
    Families,
    MatmulWork,
    MemoryWork,
    RnnWork,
    Work,
    WorkT_co,
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
class CompiledTable(Families):
    """A table with its columns and what else of it a step's time depends on."""

    table: OpTable
    turned_by_compiler: bool
    """Whether torch.compile turns the convolutions to channels-last by itself."""
    parameter_tensor_count: int
    """Of what is trained."""
    accumulation: Accumulation
    unpacked: UnpackedWeights
    unknown_call_fraction: float
    """Share of calls whose work the trace could not tell: they are counted too small."""
    totals_only: bool
    """Whether nothing but the model's totals is known."""


def families_of(ops: Iterable[Op]) -> Families:
    """Sort operators into families and merge those that are alike."""
    rows: dict[str, list[Row]] = defaultdict(list)
    for op in ops:
        family, row = _row(op)
        rows[family].append(row)
    return Families(
        memory=_columns(MemoryWork, rows["memory"]),
        matmul=_columns(MatmulWork, rows["matmul"]),
        convolution=_columns(ConvolutionWork, rows["convolution"]),
        attention=_columns(AttentionWork, rows["attention"]),
        rnn=_columns(RnnWork, rows["rnn"]),
    )


_REMEMBERED = 16
_COMPILED: dict[int, CompiledTable] = {}
"""The last few, by the identity of their tables, which they hold: each grid of a question asks for the same ones."""


def compile_table(table: OpTable | CompiledTable) -> CompiledTable:
    """The columns of a trace; a table that is compiled already as it is."""
    if isinstance(table, CompiledTable):
        return table
    known = _COMPILED.get(id(table))
    if known is None:
        while len(_COMPILED) >= _REMEMBERED:
            _COMPILED.pop(next(iter(_COMPILED), 0), None)
        known = _COMPILED[id(table)] = _compiled(table)
    return known


def _compiled(table: OpTable) -> CompiledTable:
    fused = None if table.compiled is None else families_of(table.compiled.ops).memory
    return CompiledTable(
        **vars(families_of(table.ops)) | {"fused": fused},
        table=table,
        turned_by_compiler=turned_by_compiler(table),
        parameter_tensor_count=len(table.trainable_tensor_bytes) or table.parameter_tensor_count,
        accumulation=accumulation_of(table),
        unpacked=unpacked_weights_of(table),
        unknown_call_fraction=_unknown_fraction(table),
        totals_only=any(caveat.code == "workload-totals-only" for caveat in table.caveats),
    )


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


def _columns(family: type[WorkT_co], rows: Sequence[Row]) -> AffineWork[WorkT_co]:
    names = [field.name for field in fields(family)]
    merged = _merged(rows)
    values = np.array([[row[name] for name in names] for row in merged], dtype=np.float64)
    values = values.reshape(len(merged), len(names), 2)
    constant, slope = (
        family(**{name: np.ascontiguousarray(values[:, index, part]) for index, name in enumerate(names)})
        for part in (0, 1)
    )
    return AffineWork(constant=constant, slope=slope)
