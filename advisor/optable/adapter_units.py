"""The layers of a traced model that carry adapters, by the product that each pair of matrices stands beside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from advisor.optable.op_table import Affine, Op, OpTable


class AdapterPair(NamedTuple):
    """Layers that are alike, each with two adapter matrices."""

    layer_count: int
    product_flop: Affine
    """[c0, c1]: what the layer's own product takes in one forward pass at batch size b, c0 + c1 * b."""


def adapter_pairs(table: OpTable, rank: int) -> tuple[AdapterPair, ...]:
    """Adapters of `rank` in the forward pass of a trace; empty where their products are not told apart by it.

    The second matrix of each pair goes from the rank to the layer's width. The layer's own product is one that is as
    wide and takes what a first matrix takes.
    """
    products = [op for op in table.ops if op.phase == "forward" and op.matmul is not None]
    inner = (float(rank), 0.0)
    taken = {op.matmul.k for op in products if op.matmul is not None and op.matmul.n == inner}
    return tuple(
        pair
        for op in products
        if op.matmul is not None and op.matmul.k == inner
        for pair in _beside(op, [own for own in products if own.matmul is not None and own.matmul.k in taken])
    )


def _beside(second: Op, products: list[Op]) -> Iterator[AdapterPair]:
    """The layers of one second matrix; what no product of its width is left for stands beside none."""
    assert second.matmul is not None
    left = second.count
    for own in products:
        alike = own.matmul is not None and (own.matmul.n, own.matmul.m) == (second.matmul.n, second.matmul.m)
        if alike and left > 0:
            count = min(left, own.count)
            left -= count
            yield AdapterPair(count, own.flop)
    if left > 0:
        yield AdapterPair(left, (0.0, 0.0))
