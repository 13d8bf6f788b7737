"""Figures of one dispatched operator: its class, work, traffic and shape, as a CUDA kernel would have them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch

from advisor.optable.op_table import OpKind
from advisor.worker.trace.ops.grouped import grouped_product, grouped_product_backward
from advisor.worker.trace.ops.op_names import kind_of, operators
from advisor.worker.trace.ops.raw_op import RawOp, size_bytes, touched_bytes
from advisor.worker.trace.ops.rnn import rnn_sizes

__all__ = ["RawOp", "is_view", "raw_ops", "size_bytes", "tensors_in", "touched_bytes"]

Tensor = torch.Tensor
SOFTMAX_ROW_LIMIT = 1024
"""Longer rows are reduced by a whole block that reads its input twice."""
SORT_PASS_COUNT = 6
FULL_WIDTH_BYTES = 4


def tensors_in(value: object, found: list[Tensor] | None = None) -> list[Tensor]:
    """Every tensor in nested tuples, lists and dicts, in order."""
    found = [] if found is None else found
    if isinstance(value, Tensor):
        found.append(value)
    elif isinstance(value, (tuple, list)):
        for item in value:
            tensors_in(item, found)
    elif isinstance(value, dict):
        for item in value.values():
            tensors_in(item, found)
    return found


def _width(tensors: Sequence[Tensor]) -> int:
    """Bytes of an element in the arithmetic: 2 as soon as one of the first two operands is half."""
    if any(t.dtype in (torch.float16, torch.bfloat16) for t in tensors[:2]):
        return 2
    return FULL_WIDTH_BYTES


Args = Sequence[Any]
Handler = Callable[[str, OpKind, Args, dict[str, Any], Any], list[RawOp]]


def _plain(  # noqa: PLR0913 - the fields of an operator
    kind: OpKind, name: str, width: int, read: float, written: float, *, kernels: int = 1, fixed: tuple[Any, ...] = ()
) -> RawOp:
    return RawOp(kind, name, width, kernels, "", fixed, (0.0, float(read), float(written)))


def _default(name: str, kind: OpKind, args: Args, kwargs: dict[str, Any], out: object) -> list[RawOp]:
    inputs = tensors_in(kwargs, tensors_in(args))
    read = sum(touched_bytes(t) for t in inputs)
    written = sum(size_bytes(t) for t in tensors_in(out))
    kernels = max(1, len(tensors_in(args[0]))) if name.startswith("_foreach") and args else 1
    return [_plain(kind, name, _width(inputs), read, written, kernels=kernels)]


def _copy_into(name: str, kind: OpKind, args: Args, _kwargs: dict[str, Any], _out: object) -> list[RawOp]:
    return [_plain(kind, name, _width(args[:2]), touched_bytes(args[1]), size_bytes(args[0]))]


def _fill(name: str, kind: OpKind, _args: Args, _kwargs: dict[str, Any], out: object) -> list[RawOp]:
    outputs = tensors_in(out)
    return [_plain(kind, name, _width(outputs), 0, sum(size_bytes(t) for t in outputs))]


def _rows_of_table(name: str, kind: OpKind, args: Args, kwargs: dict[str, Any], out: object) -> list[RawOp]:
    """embedding, index, gather: reads the rows that are asked for, not the table."""
    outputs = tensors_in(out)
    indices = tensors_in(kwargs, tensors_in(args[1:]))
    written = sum(size_bytes(t) for t in outputs)
    return [_plain(kind, name, _width(outputs), written + sum(touched_bytes(t) for t in indices), written)]


def _bags(name: str, kind: OpKind, args: Args, _kwargs: dict[str, Any], out: Sequence[Tensor]) -> list[RawOp]:
    """embedding_bag: reads the rows that are asked for and writes a row a bag, and the bag of each index."""
    rows = args[1].numel() * args[0].shape[-1] * args[0].element_size()
    read, written = rows + touched_bytes(args[1]), size_bytes(out[0]) + size_bytes(args[1])
    return [_plain(kind, name, _width(args[:1]), read, written, kernels=2)]


def _embedding_backward(name: str, kind: OpKind, args: Args, _kwargs: dict[str, Any], out: Tensor) -> list[RawOp]:
    """Sorts the indices, zeroes the table's gradient, adds the rows; those of a bag are one row of its gradient."""
    rows = args[1].numel() * args[0].shape[-1] * args[0].element_size()
    return [_plain(kind, name, _width(args[:1]), 2 * rows, size_bytes(out), kernels=4)]


def _scatter(name: str, kind: OpKind, args: Args, kwargs: dict[str, Any], _out: object) -> list[RawOp]:
    """index_put, scatter, index_add: reads and writes the rows of the values."""
    moved = sum(touched_bytes(t) for t in tensors_in(kwargs, tensors_in(args[1:])))
    copied = 0 if name.endswith("_") else size_bytes(args[0])
    return [_plain(kind, name, _width(args[:1]), moved + copied, moved + copied, kernels=1 if copied == 0 else 2)]


def _batch_norm(name: str, kind: OpKind, args: Args, kwargs: dict[str, Any], out: object) -> list[RawOp]:
    """Training reads its input twice: once for the statistics."""
    op = _default(name, kind, args, kwargs, out)[0]
    training = "backward" in name or (len(args) > 5 and bool(args[5]))  # noqa: PLR2004 - place in the schema
    again = touched_bytes(args[0]) + (touched_bytes(args[1]) if "backward" in name else 0)
    flop, read, written = op.figures
    figures = (flop, read + (again if training else 0), written)
    return [op._replace(figures=figures, fixed=("batch_norm",))]


def _layer_norm_backward(name: str, kind: OpKind, args: Args, kwargs: dict[str, Any], out: object) -> list[RawOp]:
    """One kernel for the input's gradient, one for weight and bias; each reads gradient and input."""
    op = _default(name, kind, args, kwargs, out)[0]
    flop, read, written = op.figures
    again = touched_bytes(args[0]) + touched_bytes(args[1])
    return [op._replace(kernel_count=2, figures=(flop, read + again, written))]


def _softmax(name: str, kind: OpKind, args: Args, kwargs: dict[str, Any], out: object) -> list[RawOp]:
    op = _default(name, kind, args, kwargs, out)[0]
    long_rows = args[0].dim() > 0 and args[0].shape[-1] > SOFTMAX_ROW_LIMIT
    flop, read, written = op.figures
    return [op._replace(figures=(flop, read * (2 if long_rows else 1), written))]


def _picked_loss(name: str, kind: OpKind, args: Args, kwargs: dict[str, Any], out: object) -> list[RawOp]:
    """nll_loss: reads one element a row; its gradient is a zeroed tensor with one element a row set."""
    if "backward" in name:
        return [_plain(kind, name, _width(args[:2]), touched_bytes(args[2]), size_bytes(tensors_in(out)[0]), kernels=2)]
    target = args[1]
    read = target.numel() * (args[0].element_size() + target.element_size())
    return [_plain(kind, name, _width(args[:1]), read, _default(name, kind, args, kwargs, out)[0].figures[2])]


def _sort(name: str, kind: OpKind, args: Args, kwargs: dict[str, Any], out: object) -> list[RawOp]:
    op = _default(name, kind, args, kwargs, out)[0]
    flop, read, written = op.figures
    figures = (flop, SORT_PASS_COUNT * read, SORT_PASS_COUNT * written)
    return [op._replace(kernel_count=SORT_PASS_COUNT, figures=figures)]


def _slice_backward(name: str, kind: OpKind, args: Args, _kwargs: dict[str, Any], out: Tensor) -> list[RawOp]:
    """Zeroes the whole, then copies the part."""
    read = touched_bytes(args[0])
    return [_plain(kind, name, _width(args[:1]), read, size_bytes(out) + size_bytes(args[0]), kernels=2)]


def _product(name: str, left: Tensor, right: Tensor, read: float, written: float) -> RawOp:
    """A GEMM; `left` is (batch,) m x k and `right` (batch,) k x n."""
    batch = left.shape[0] if left.dim() == 3 else 1  # noqa: PLR2004 - (batch, rows, columns)
    m, k = (1, left.shape[0]) if left.dim() == 1 else left.shape[-2:]
    n = 1 if right.dim() == 1 else right.shape[-1]
    figures = (2.0 * batch * m * n * k, float(read), float(written), float(batch), float(m), float(n), float(k))
    return RawOp("matmul", name, left.element_size(), 1, "matmul", (), figures)


def _matmul(name: str, _kind: OpKind, args: Args, kwargs: dict[str, Any], out: object) -> list[RawOp]:
    inputs = tensors_in(kwargs, tensors_in(args))
    read = sum(touched_bytes(t) for t in inputs)
    written = sum(size_bytes(t) for t in tensors_in(out))
    if name == "linear":
        flat = args[0].reshape(-1, args[0].shape[-1])
        return [_product(name, flat, args[1].t(), read, written)]
    left, right = (args[1], args[2]) if name.rstrip("_") in ("addmm", "baddbmm", "addmv", "addbmm") else args[:2]
    return [_product(name, left, right, read, written)]


def _convolution(name: str, _kind: OpKind, args: Args, _kwargs: dict[str, Any], out: Any) -> list[RawOp]:  # noqa: ANN401
    """Forward, or the two (three with a bias) kernels of its backward."""
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

    def call(direction: str, read: float, written: float) -> RawOp:
        figures = (flop, read, written, float(positions), moved)
        label = name if direction == "forward" else f"{name}_{direction}"
        return RawOp("convolution", label, data.element_size(), 1, "convolution", (direction, *shape), figures)

    data_bytes, weight_bytes, other_bytes = float(size_bytes(data)), float(size_bytes(weight)), float(size_bytes(other))
    width = _width([data])
    if not backward:
        ops = [call("forward", data_bytes + weight_bytes, other_bytes)]
        depthwise = groups > 1 and in_channels == 1
        if args[2] is not None and not depthwise:
            ops.append(_plain("elementwise", "convolution_bias", width, other_bytes, other_bytes))
        return ops
    ops = []
    if args[10][0]:
        ops.append(call("input_gradient", other_bytes + weight_bytes, data_bytes))
    if args[10][1]:
        ops.append(call("weight_gradient", data_bytes + other_bytes, weight_bytes))
    if args[10][2]:
        ops.append(_plain("reduction", "convolution_bias_gradient", width, other_bytes, 0))
    return ops


def _attention(name: str, _kind: OpKind, args: Args, kwargs: dict[str, Any], out: object) -> list[RawOp]:
    """Fused attention: two products forward, five backward; half of each where causal."""
    backward = "backward" in name
    query, key, value = args[1:4] if backward else args[:3]
    implementation = "flash" if "flash" in name else "efficient"
    causal = _is_causal(name, args, kwargs)
    pairs = query.shape[0] * query.shape[1]
    length, keys, head, value_head = query.shape[2], key.shape[2], query.shape[3], value.shape[3]
    share = (length + 1) / (2 * length) if causal and length == keys else 1.0
    products = (3 * head + 2 * value_head) if backward else (head + value_head)
    flop = 2.0 * pairs * length * keys * products * share
    outputs = tensors_in(out)
    read = float(sum(touched_bytes(t) for t in tensors_in(args)))
    written = float(sum(size_bytes(t) for t in outputs))
    fixed = (implementation, length, keys, head, causal)
    figures = (flop, read, written, float(pairs))
    return [RawOp("attention", name, query.element_size(), 3 if backward else 1, "attention", fixed, figures)]


def _is_causal(name: str, args: Args, kwargs: dict[str, Any]) -> bool:
    """The flag `is_causal` at its place in the four schemas."""
    places = {
        "_scaled_dot_product_flash_attention": 4,
        "_scaled_dot_product_efficient_attention": 6,
        "_scaled_dot_product_flash_attention_backward": 11,
        "_scaled_dot_product_efficient_attention_backward": 11,
    }
    if "is_causal" in kwargs:
        return bool(kwargs["is_causal"])
    place = places.get(name, len(args))
    return bool(args[place]) if place < len(args) else False


_CELLS = ("rnn", "rnn", "lstm", "gru")
_GATES = {"rnn": 1, "lstm": 4, "gru": 3}


def _recurrent(name: str, _kind: OpKind, args: Args, _kwargs: dict[str, Any], out: object) -> list[RawOp]:
    """A whole recurrent stack in cuDNN: products of input and state with each layer's weights at each step."""
    first, weights, sizes = args[0], tensors_in(args[1]), rnn_sizes(name, args)
    passes = 2 if name.endswith("backward") else 1
    cell, hidden, layers = _CELLS[sizes.mode], sizes.hidden_size, sizes.layers
    widths = (sizes.input_size + hidden) + (layers - 1) * (hidden * sizes.directions + hidden)
    flop = 2.0 * sizes.steps * sizes.batch * _GATES[cell] * hidden * sizes.directions * widths * passes
    read = float(touched_bytes(first) + sum(touched_bytes(w) for w in weights))
    written = float(sum(size_bytes(t) for t in tensors_in(out)))
    fixed = (cell, sizes.steps, sizes.input_size, hidden, layers, sizes.directions)
    kernels = (sizes.steps + 2) * layers * sizes.directions * passes
    return [RawOp("rnn", name, first.element_size(), kernels, "rnn", fixed, (flop, read, written, float(sizes.batch)))]


_HANDLERS: dict[str, Handler] = {
    "copy_": _copy_into,
    "embedding": _rows_of_table,
    "index": _rows_of_table,
    "index_select": _rows_of_table,
    "gather": _rows_of_table,
    "embedding_dense_backward": _embedding_backward,
    "_embedding_bag": _bags,
    "_embedding_bag_forward_only": _bags,
    "_embedding_bag_backward": _embedding_backward,
    "_embedding_bag_dense_backward": _embedding_backward,
    "index_put": _scatter,
    "_unsafe_index_put": _scatter,
    "scatter": _scatter,
    "scatter_add": _scatter,
    "index_add": _scatter,
    "native_batch_norm": _batch_norm,
    "_native_batch_norm_legit": _batch_norm,
    "native_batch_norm_backward": _batch_norm,
    "native_layer_norm_backward": _layer_norm_backward,
    "native_group_norm_backward": _layer_norm_backward,
    "_softmax": _softmax,
    "_log_softmax": _softmax,
    "_softmax_backward_data": _softmax,
    "_log_softmax_backward_data": _softmax,
    "nll_loss_forward": _picked_loss,
    "nll_loss_backward": _picked_loss,
    "nll_loss2d_forward": _picked_loss,
    "nll_loss2d_backward": _picked_loss,
    "slice_backward": _slice_backward,
    "select_backward": _slice_backward,
    "convolution": _convolution,
    "convolution_backward": _convolution,
    "_grouped_mm": grouped_product,
    "grouped_mm_fallback": grouped_product,
    "grouped_mm_fallback_backward": grouped_product_backward,
}


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


def raw_ops(name: str, args: Args, kwargs: dict[str, Any], out: object) -> list[RawOp]:
    """The kernels of one call: none for a view; convolution's backward gives up to three.

    `name` is the operator's name without namespace and overload (`convolution_backward`).
    """
    if is_view(name):
        return []
    kind, handler = _rule(name)
    return handler(name, kind, args, kwargs, out)
