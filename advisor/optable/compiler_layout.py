"""Whether torch.compile turns a model's convolutions to channels-last: its own rule, told from their shapes."""

from __future__ import annotations

from advisor.optable.op_table import Op, OpTable, at

_OPERATORS_A_CONVOLUTION = 300
"""With more operators than this a convolution, the compiler leaves the layout alone."""
_SMALL_CHANNELS = 64
_SLOWER_BY = {"grouped": 1.358, "small": 0.783, "narrowing": 0.725, "other": 0.823}
"""Time in channels-last over the time before, as the compiler's authors measured convolutions of each sort in forward.

Source: `GraphLowering.decide_layout_opt` of torch 2.
"""


def turned_by_compiler(table: OpTable) -> bool:
    """True where the rule of `torch._inductor` decides for channels-last."""
    convolutions = [op for op in table.ops if op.convolution is not None and op.phase == "forward"]
    count = sum(op.count for op in convolutions)
    if count == 0 or sum(table.dispatch_count.values()) >= _OPERATORS_A_CONVOLUTION * count:
        return False
    sorts = [_sort(op) for op in convolutions]
    if table.dispatch_count.get("backward", 0) == 0:
        work = [op.count * at(op.flop, 1.0) for op in convolutions]
        slower = sum(flop * _SLOWER_BY[sort] for flop, sort in zip(work, sorts, strict=True))
        return slower <= sum(work)
    return not ({"grouped", "narrowing"} & set(sorts)) and set(sorts) != {"small"}


def _sort(op: Op) -> str:
    shape = op.convolution
    assert shape is not None
    outputs, inputs = shape.output_channels_per_group * shape.groups, shape.input_channels_per_group
    if shape.groups > 1 and inputs > 1:
        return "grouped"
    if outputs <= _SMALL_CHANNELS and inputs <= _SMALL_CHANNELS:
        return "small"
    if 2 * outputs <= inputs and shape.kernel_elements > 1:
        return "narrowing"
    return "other"
