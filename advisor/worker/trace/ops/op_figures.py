"""Figures of one dispatched operator: its class, work, traffic and shape, as a CUDA kernel would have them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch

from advisor.catalogue.precisions import FP32_BYTES, HALF_BYTES
from advisor.optable.op_table import OpKind
from advisor.worker.trace.ops.grouped import grouped_product, grouped_product_backward
from advisor.worker.trace.ops.op_names import kind_of, operators
from advisor.worker.trace.ops.raw_op import Args, Call, Named, RawOp, size_bytes, tensors_in, touched_bytes, touched_in
from advisor.worker.trace.ops.rnn import rnn_sizes

Tensor = torch.Tensor
SOFTMAX_ROW_BYTES = 48 * 2**10
"""A block keeps a row of so many bytes in its shared memory; longer ones it reads twice."""
GROUP_NORM_LAYOUT = "group_norm_layout"
"""What eager group norms copy; a compiler's take any layout."""
COPY_TO_FILL = "copy_to_fill"
"""What eager fills of marked places copy first; a compiler's write what comes out."""
OF_EAGER_ALONE = frozenset({GROUP_NORM_LAYOUT, COPY_TO_FILL})
SORT_PASS_COUNT = 6


def _width(tensors: Sequence[Tensor]) -> int:
    """Bytes of an element in the arithmetic: half's as soon as one of the first two operands is half."""
    if any(t.dtype in (torch.float16, torch.bfloat16) for t in tensors[:2]):
        return HALF_BYTES
    return FP32_BYTES


Handler = Callable[[Call], list[RawOp]]


def _plain(call: Call, of: Sequence[Tensor], read: float, written: float, *, kernels: int = 1) -> list[RawOp]:
    """What moves bytes alone, in the arithmetic of the operands `of`."""
    return [RawOp(call.kind, call.name, _width(of), kernels, "", (), (0.0, float(read), float(written)))]


def _default(call: Call) -> list[RawOp]:
    kernels = max(1, len(tensors_in(call.args[0]))) if call.name.startswith("_foreach") and call.args else 1
    return _plain(call, call.inputs, call.read_bytes, call.written_bytes, kernels=kernels)


def _again(call: Call, further_bytes: float, *, kernels: int = 1) -> RawOp:
    """An operator that reads some of what it is given once more."""
    return _plain(call, call.inputs, call.read_bytes + further_bytes, call.written_bytes, kernels=kernels)[0]


def _copy_into(call: Call) -> list[RawOp]:
    return _plain(call, call.args[:2], touched_bytes(call.args[1]), size_bytes(call.args[0]))


def _fill(call: Call) -> list[RawOp]:
    return _plain(call, call.outputs, 0, call.written_bytes)


def _rows_of_table(call: Call) -> list[RawOp]:
    """embedding, index, gather: reads the rows that are asked for, not the table."""
    indices_bytes = touched_in(call.args[1:]) + touched_in(call.kwargs)
    return _plain(call, call.outputs, call.written_bytes + indices_bytes, call.written_bytes)


def _bags(call: Call) -> list[RawOp]:
    """embedding_bag: reads the rows that are asked for and writes a row a bag, and the bag of each index."""
    table, indices = call.args[:2]
    read = indices.numel() * table.shape[-1] * table.element_size() + touched_bytes(indices)
    return _plain(call, [table], read, size_bytes(call.out[0]) + size_bytes(indices), kernels=2)


def _embedding_backward(call: Call) -> list[RawOp]:
    """Sorts the indices, zeroes the table's gradient, adds the rows; those of a bag are one row of its gradient."""
    gradient, indices = call.args[:2]
    rows = indices.numel() * gradient.shape[-1] * gradient.element_size()
    return _plain(call, [gradient], 2 * rows, size_bytes(call.out), kernels=4)


def _scatter(call: Call) -> list[RawOp]:
    """index_put, scatter, index_add: reads and writes the rows of the values."""
    copied = 0 if call.name.endswith("_") else size_bytes(call.args[0])
    moved = touched_in(call.args[1:]) + touched_in(call.kwargs) + copied
    return _plain(call, call.args[:1], moved, moved, kernels=1 if copied == 0 else 2)


def _masked_fill(call: Call) -> list[RawOp]:
    """Out of place it fills a copy, which another kernel makes (`masked_fill` in ATen's TensorAdvancedIndexing)."""
    filled = _default(call)
    if call.name.endswith("_"):
        return filled
    copied = call.written_bytes
    return _plain(call._replace(name=COPY_TO_FILL), call.args[:1], copied, copied) + filled


def _batch_norm(call: Call) -> list[RawOp]:
    """Training reads its input twice: once for the statistics."""
    backward = "backward" in call.name
    training = backward or (len(call.args) > 5 and bool(call.args[5]))  # noqa: PLR2004 - place in the schema
    again = touched_in(call.args[: 2 if backward else 1]) if training else 0
    values = call.args[0].numel() // max(1, call.args[0].shape[1]) if training and not backward else 0
    return [_again(call, again)._replace(fixed=("batch_norm",), channel_values=values)]


def _layer_norm_backward(call: Call) -> list[RawOp]:
    """One kernel for the input's gradient, one for weight and bias; each reads gradient and input."""
    return [_again(call, touched_in(call.args[:2]), kernels=2)]


def _group_norm(call: Call) -> list[RawOp]:
    """Statistics, a scale and shift of each channel, their application: two passes over the input.

    CUDA's kernels know no channels-last: such tensors are copied on the way in, and what they give on the way out.
    """
    given = call.args[0]
    backward = "backward" in call.name
    ops = _layer_norm_backward(call) if backward else [_again(call, touched_bytes(given), kernels=3)]
    if given.is_contiguous():
        return ops
    copied = 2 * touched_bytes(given)
    return ops + _plain(call._replace(name=GROUP_NORM_LAYOUT, kind="copy"), [given], copied, copied, kernels=2)


def _cast_along_columns(call: Call) -> list[RawOp]:
    """What generated kernels write transposed, they read twice.

    On an H100 of 2.4 TB/s they reach 1.4 where others reach 2.2, as torchao's authors found (pytorch issue 133242).
    """
    return [_again(call, touched_bytes(call.args[0]))]


def _softmax(call: Call) -> list[RawOp]:
    scores = call.args[0]
    long_rows = scores.dim() > 0 and scores.shape[-1] * scores.element_size() > SOFTMAX_ROW_BYTES
    return [_again(call, call.read_bytes if long_rows else 0)]


def _picked_loss(call: Call) -> list[RawOp]:
    """nll_loss: reads one element a row; its gradient is a zeroed tensor with one element a row set."""
    if "backward" in call.name:
        return _plain(call, call.args[:2], touched_bytes(call.args[2]), size_bytes(call.outputs[0]), kernels=2)
    given, target = call.args[:2]
    read = target.numel() * (given.element_size() + target.element_size())
    return _plain(call, [given], read, call.written_bytes)


def _sort(call: Call) -> list[RawOp]:
    passes = SORT_PASS_COUNT
    return _plain(call, call.inputs, passes * call.read_bytes, passes * call.written_bytes, kernels=passes)


def _slice_backward(call: Call) -> list[RawOp]:
    """Zeroes the whole, then copies the part."""
    part = call.args[0]
    return _plain(call, [part], touched_bytes(part), size_bytes(call.out) + size_bytes(part), kernels=2)


def _product(name: str, left: Tensor, right: Tensor, read: float, written: float) -> RawOp:
    """A GEMM; `left` is (batch,) m x k and `right` (batch,) k x n."""
    batch = left.shape[0] if left.dim() == 3 else 1  # noqa: PLR2004 - (batch, rows, columns)
    m, k = (1, left.shape[0]) if left.dim() == 1 else left.shape[-2:]
    n = 1 if right.dim() == 1 else right.shape[-1]
    figures = (2.0 * batch * m * n * k, float(read), float(written), float(batch), float(m), float(n), float(k))
    return RawOp("matmul", name, left.element_size(), 1, "matmul", (), figures)


def _matmul(call: Call) -> list[RawOp]:
    left, right = call.args[:2]
    if call.name == "linear":
        left, right = left.reshape(-1, left.shape[-1]), right.t()
    elif call.name.rstrip("_") in ("addmm", "baddbmm", "addmv", "addbmm"):
        left, right = call.args[1:3]
    return [_product(call.name, left, right, call.read_bytes, call.written_bytes)]


def _distances(call: Call) -> list[RawOp]:
    """Euclidean distances of all pairs of rows: one product of the rows with their squared norms and ones appended.

    Around it both are squared, summed, scaled and copied together, and the result is clamped and its root taken.
    """
    left, right = call.args[:2]
    rows, others, width = left.shape[-2], right.shape[-2], left.shape[-1] + 2
    batch = left.numel() // max(1, rows * left.shape[-1])
    given, out = float(touched_in(call.args)), float(call.written_bytes)
    figures = (2.0 * batch * rows * others * width, given, out, *map(float, (batch, rows, others, width)))
    around = call._replace(kind="elementwise", name="distance_norms")
    return [
        RawOp("matmul", call.name, left.element_size(), 1, "matmul", (), figures),
        *_plain(around, [left], 4 * given + 2 * out, 3 * given + 2 * out, kernels=11),
    ]


def _convolution(call: Call) -> list[RawOp]:
    """Forward, or the two (three with a bias) kernels of its backward."""
    name, args, out = call.name, call.args, call.out
    backward = name == "convolution_backward"
    data, weight, other = (args[1], args[2], args[0]) if backward else (args[0], args[1], out)
    stride, transposed, groups = (args[4], args[7], args[9]) if backward else (args[3], args[6], args[8])
    # A transposed convolution is the input gradient of one that maps its output to its input.
    produced, consumed = (data, other) if transposed else (other, data)
    positions = produced.shape[0] * math.prod(produced.shape[2:])
    in_channels, out_channels = consumed.shape[1] // groups, produced.shape[1] // groups
    kernel = math.prod(weight.shape[2:])
    flop = 2.0 * positions * out_channels * groups * in_channels * kernel
    moved = float(size_bytes(data) + size_bytes(other))
    shape = (groups, out_channels, in_channels, kernel, all(s == 1 for s in stride), transposed, size_bytes(weight))

    def kernel_of(direction: str, read: float, written: float) -> RawOp:
        figures = (flop, read, written, float(positions), moved)
        label = name if direction == "forward" else f"{name}_{direction}"
        return RawOp("convolution", label, data.element_size(), 1, "convolution", (direction, *shape), figures)

    data_bytes, weight_bytes, other_bytes = float(size_bytes(data)), float(size_bytes(weight)), float(size_bytes(other))
    if not backward and _turns_samples_to_channels(data, weight):
        return [_second_weight_gradient(call)]
    if not backward:
        ops = [kernel_of("forward", data_bytes + weight_bytes, other_bytes)]
        depthwise = groups > 1 and in_channels == 1
        if args[2] is not None and not depthwise:
            ops += _plain(call._replace(kind="elementwise", name="convolution_bias"), [data], other_bytes, other_bytes)
        return ops
    ops = []
    if args[10][0]:
        ops.append(kernel_of("input_gradient", other_bytes + weight_bytes, data_bytes))
    if args[10][1]:
        ops.append(kernel_of("weight_gradient", data_bytes + other_bytes, weight_bytes))
    if args[10][2]:
        ops += _plain(call._replace(kind="reduction", name="convolution_bias_gradient"), [data], other_bytes, 0)
    return ops


def _turns_samples_to_channels(data: Tensor, weight: Tensor) -> bool:
    """Whether a convolution is how autograd differentiates another's backward by its weight: both are such views."""
    steps = [(tensor.stride(0), tensor.stride(1)) for tensor in (data, weight)]
    return all(one <= other for one, other in steps) and any(one < other for one, other in steps)


def _second_weight_gradient(call: Call) -> RawOp:
    """The gradient of a gradient by the weight: the work of a weight gradient, its channels the samples of the batch.

    `data` is (in_channels, batch, ...), `weight` (out_channels, batch, ...), and the dilation is the layer's stride.
    """
    data, weight, dilation = call.args[0], call.args[1], call.args[5]
    positions, kernel = data.shape[1] * math.prod(weight.shape[2:]), math.prod(call.out.shape[2:])
    in_channels, out_channels = data.shape[0], weight.shape[0]
    moved, written = float(size_bytes(data) + size_bytes(weight)), float(size_bytes(call.out))
    unit = all(step == 1 for step in dilation)
    fixed = ("weight_gradient", 1, out_channels, in_channels, kernel, unit, False, size_bytes(call.out))
    figures = (2.0 * positions * out_channels * in_channels * kernel, moved, written, float(positions), moved)
    label = "convolution_backward_weight_gradient"
    return RawOp("convolution", label, data.element_size(), 1, "convolution", fixed, figures)


def _attention(call: Call) -> list[RawOp]:
    """Fused attention: two products forward, five backward; half of each where causal."""
    name, args = call.name, call.args
    backward = "backward" in name
    query, key, value = args[1:4] if backward else args[:3]
    implementation = "flash" if "flash" in name else "efficient"
    causal = _is_causal(call)
    pairs = query.shape[0] * query.shape[1]
    length, keys, head, value_head = query.shape[2], key.shape[2], query.shape[3], value.shape[3]
    share = (length + 1) / (2 * length) if causal and length == keys else 1.0
    products = (3 * head + 2 * value_head) if backward else (head + value_head)
    flop = 2.0 * pairs * length * keys * products * share
    fixed = (implementation, length, keys, head, causal)
    figures = (flop, float(touched_in(args)), float(call.written_bytes), float(pairs))
    return [RawOp("attention", name, query.element_size(), 3 if backward else 1, "attention", fixed, figures)]


def _is_causal(call: Call) -> bool:
    """The flag `is_causal` at its place in the four schemas."""
    places = {
        "_scaled_dot_product_flash_attention": 4,
        "_scaled_dot_product_efficient_attention": 6,
        "_scaled_dot_product_flash_attention_backward": 11,
        "_scaled_dot_product_efficient_attention_backward": 11,
    }
    if "is_causal" in call.kwargs:
        return bool(call.kwargs["is_causal"])
    place = places.get(call.name, len(call.args))
    return bool(call.args[place]) if place < len(call.args) else False


_CELLS = ("rnn", "rnn", "lstm", "gru")
_GATES = {"rnn": 1, "lstm": 4, "gru": 3}


def _recurrent(call: Call) -> list[RawOp]:
    """A whole recurrent stack in cuDNN: products of input and state with each layer's weights at each step."""
    name, first, sizes = call.name, call.args[0], rnn_sizes(call.name, call.args)
    passes = 2 if name.endswith("backward") else 1
    cell, hidden, layers = _CELLS[sizes.mode], sizes.hidden_size, sizes.layers
    widths = (sizes.input_size + hidden) + (layers - 1) * (hidden * sizes.directions + hidden)
    flop = 2.0 * sizes.steps * sizes.batch * _GATES[cell] * hidden * sizes.directions * widths * passes
    read, written = float(touched_in(call.args[:2])), float(call.written_bytes)
    fixed = (cell, sizes.steps, sizes.input_size, hidden, layers, sizes.directions)
    kernels = (sizes.steps + 2) * layers * sizes.directions * passes
    return [RawOp("rnn", name, first.element_size(), kernels, "rnn", fixed, (flop, read, written, float(sizes.batch)))]


_NAMES: dict[Handler, tuple[str, ...]] = {
    _copy_into: ("copy_",),
    _rows_of_table: ("embedding", "index", "index_select", "gather"),
    _bags: ("_embedding_bag", "_embedding_bag_forward_only"),
    _embedding_backward: ("embedding_dense_backward", "_embedding_bag_backward", "_embedding_bag_dense_backward"),
    _scatter: ("index_put", "_unsafe_index_put", "scatter", "scatter_add", "index_add"),
    _masked_fill: ("masked_fill", "masked_scatter"),
    _batch_norm: ("native_batch_norm", "_native_batch_norm_legit", "native_batch_norm_backward"),
    _layer_norm_backward: ("native_layer_norm_backward",),
    _group_norm: ("native_group_norm", "native_group_norm_backward"),
    _cast_along_columns: ("fp8_cast_columns",),
    _softmax: ("_softmax", "_log_softmax", "_softmax_backward_data", "_log_softmax_backward_data"),
    _picked_loss: ("nll_loss_forward", "nll_loss_backward", "nll_loss2d_forward", "nll_loss2d_backward"),
    _slice_backward: ("slice_backward", "select_backward"),
    _convolution: ("convolution", "convolution_backward"),
    _distances: ("_euclidean_dist",),
    grouped_product: ("_grouped_mm", "grouped_mm_fallback"),
    grouped_product_backward: ("grouped_mm_fallback_backward",),
}
"""Operators that each rule of its own is for."""
_HANDLERS = {name: handler for handler, names in _NAMES.items() for name in names}
_OF_KIND: dict[OpKind, Handler] = {"attention": _attention, "rnn": _recurrent, "sort": _sort}


@cache
def _rule(name: str) -> tuple[OpKind, Handler]:
    if name in operators().fills:
        return "copy", _fill
    base = name.rstrip("_")
    if base in operators().products:
        return "matmul", _matmul
    kind = kind_of(name) or kind_of(base) or "elementwise"
    return kind, _OF_KIND.get(kind) or _HANDLERS.get(name) or _HANDLERS.get(base) or _default


def is_view(name: str) -> bool:
    """Whether the operator moves no data (views, and allocations without a fill)."""
    return name in operators().views


def raw_ops(name: str, args: Args, kwargs: Named, out: Any) -> list[RawOp]:  # noqa: ANN401 - whatever the call gave
    """The kernels of one call: none for a view; convolution's backward gives up to three.

    `name` is the operator's name without namespace and overload (`convolution_backward`).
    """
    if is_view(name):
        return []
    kind, handler = _rule(name)
    return handler(Call(name, kind, args, kwargs, out))
