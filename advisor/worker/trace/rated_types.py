"""Types that a model's products run in: some have no speed in any card's row, some are not what was asked for."""

from __future__ import annotations

import torch
from msgspec.structs import replace

from advisor.catalogue.precisions import FP32_BYTES, HALF_BYTES
from advisor.core.sentences import Reason
from advisor.optable.op_table import Op, OpTable, at, step_flop
from advisor.worker.trace.failed import TraceFailed

_UNRATED = {torch.float64: "float64", torch.complex64: "complex64", torch.complex128: "complex128"}


def refuse_unrated(model: torch.nn.Module) -> None:
    """Refuse weights in types whose speed no card's row gives: their operators would pass for FP32."""
    for name, parameter in model.named_parameters():
        if parameter.dtype in _UNRATED:
            raise TraceFailed("trace-unrated-type", f"{name}: {_UNRATED[parameter.dtype]}")


_NOTABLE_SHARE = 0.01
_PRODUCTS = frozenset({"matmul", "attention", "convolution", "rnn"})


def rated(table: OpTable) -> OpTable:
    """The table, unless products of 64-bit numbers are a good part of its work: no card's row gives their speed."""
    wide = [op for op in table.ops if op.element_bytes > FP32_BYTES and _flop_of(op)]
    if wide and sum(map(_flop_of, wide)) > _NOTABLE_SHARE * step_flop(table, 1):
        raise TraceFailed("trace-unrated-type", f"{wide[0].name} of {8 * wide[0].element_bytes}-bit numbers")
    return table


def with_own_precision(table: OpTable) -> OpTable:
    """The table; it says so where the model itself runs a good part of its products in another precision than asked."""
    products = [op for op in table.ops if op.kind in _PRODUCTS and _flop_of(op)]
    asked = HALF_BYTES if table.precision in {"amp", "half", "half_cast"} else FP32_BYTES
    other = [op for op in products if op.element_bytes in {HALF_BYTES, FP32_BYTES} - {asked}]
    share = sum(map(_flop_of, other)) / max(1.0, sum(map(_flop_of, products)))
    if table.precision in {"fp8", "fp8_cast"} or share <= _NOTABLE_SHARE:
        return table
    code = "trace-own-half" if asked == FP32_BYTES else "trace-own-single"
    return replace(table, caveats=(*table.caveats, Reason.of(code, share_fraction=share)))


def _flop_of(op: Op) -> float:
    """Operations of all calls of an operator at one sample."""
    return op.count * at(op.flop, 1)
