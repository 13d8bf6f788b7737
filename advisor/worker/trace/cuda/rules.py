"""What CUDA decides where the CPU would decide otherwise, as dispatcher kernels that live only while tracing.

They sit at the dispatcher's autograd and autocast keys of the CPU, so they also hold for calls that C++ makes and
for what activation checkpointing recomputes inside backward.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.library import Library

from advisor.worker.trace.cuda.autocast import (
    HALF_TYPES,
    Kernel,
    as_half,
    autocast_of_either,
    register_autocast,
    without_autocast,
)
from advisor.worker.trace.values.packed import packed_backward, packed_kernel, unpacked
from advisor.workload.workload import Attention

Tensor = torch.Tensor
aten = torch.ops.aten
FLASH_HEAD_LIMIT = 256


def _dropout(input: Tensor, p: float, train: bool) -> Tensor:  # noqa: A002 - the schema's name
    """CUDA's fused kernel: the mask is one byte an element."""
    if not train or p == 0 or input.numel() == 0:
        return input
    result: Tensor = aten.native_dropout(input, p, True)[0]  # noqa: FBT003 - positional in the schema
    return result


def _softmax_of(overload: Kernel, name: str) -> tuple[Kernel, Kernel]:
    """Half in, FP32 out is one fused kernel on CUDA; its gradient is half at once. Then: under autocast."""
    inner = getattr(aten, f"_{name}")

    def kernel(self: Tensor, dim: int, dtype: torch.dtype | None = None) -> Tensor:
        fused = self.dtype == torch.float16 and dtype == torch.float32
        given = self if fused or dtype is None else self.to(dtype)
        result: Tensor = inner(given, dim, fused)
        return result

    def under_autocast(self: Tensor, dim: int, dtype: torch.dtype | None = None) -> Tensor:
        wanted = torch.float32 if dtype is None and self.dtype in HALF_TYPES else dtype
        with without_autocast():
            result: Tensor = overload(self, dim, wanted)
        return result

    return kernel, under_autocast


def _attention_as(attention: Attention, *, half_fallback: bool) -> Kernel:
    """`sdpa` and `flash`: the fused kernel that CUDA would pick; `eager`: products, softmax, dropout."""
    return _attention_in_parts if attention == "eager" else _fused_attention(half_fallback=half_fallback)


def _fused_attention(*, half_fallback: bool) -> Kernel:
    """`half_fallback`: what no fused kernel takes computes in the inputs' precision, as before PyTorch 2.5."""

    def kernel(  # noqa: PLR0913 - the operator's schema
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,  # noqa: FBT002 - the operator's schema
        *,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> Tensor:
        fused = query.dim() == 4  # noqa: PLR2004 - batch, heads, length, size
        small_head = query.shape[-1] <= FLASH_HEAD_LIMIT and query.shape[-1] == value.shape[-1]
        if fused and attn_mask is None and query.dtype in HALF_TYPES and small_head:
            padded = (8 - query.shape[-1] % 8) % 8
            inputs = [torch.nn.functional.pad(t, (0, padded)) for t in (query, key, value)] if padded else None
            q, k, v = inputs or (query, key, value)
            out = aten._scaled_dot_product_flash_attention(q, k, v, dropout_p, is_causal, False, scale=scale)[0]  # noqa: SLF001, FBT003
            result: Tensor = out[..., : query.shape[-1]] if padded else out
            return result
        if fused and not (enable_gqa and query.shape[1] != key.shape[1]):
            bias = _additive(attn_mask, query, key)
            keep = torch.is_grad_enabled() and (query.requires_grad or key.requires_grad or value.requires_grad)
            return aten._scaled_dot_product_efficient_attention(  # type: ignore[no-any-return]  # noqa: SLF001 - the operator that CUDA runs
                query, key, value, bias, keep, dropout_p, is_causal, scale=scale
            )[0]
        if half_fallback:
            return _attention_in_parts(
                query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
            )
        return aten._scaled_dot_product_attention_math(  # type: ignore[no-any-return]  # noqa: SLF001 - the operator that CUDA runs
            query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
        )[0]

    return kernel


def _attention_in_parts(  # noqa: PLR0913 - the operator's schema
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,  # noqa: FBT002 - the operator's schema
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """As models write it that have no fused attention: in the precision of their products, autocast's where it is on.

    Not what PyTorch falls back to where it has no fused kernel: that computes half inputs in FP32 (since 2.5).
    """
    if enable_gqa:
        repeats = query.shape[-3] // key.shape[-3]
        key, value = (each.repeat_interleave(repeats, -3) for each in (key, value))
    scores = (query * (query.shape[-1] ** -0.5 if scale is None else scale)) @ key.transpose(-2, -1)
    if is_causal:
        attn_mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device).tril()
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            attn_mask = torch.where(attn_mask, 0.0, float("-inf"))
        scores = scores + attn_mask.to(scores.dtype)
    weights = torch.dropout(scores.softmax(-1), dropout_p, train=dropout_p > 0)
    return weights @ value


def _additive(mask: Tensor | None, query: Tensor, key: Tensor) -> Tensor | None:
    """A boolean mask becomes a bias; a bias is expanded (a view) to one row a head."""
    if mask is None:
        return None
    if mask.dtype == torch.bool:
        mask = torch.where(mask, 0.0, float("-inf")).to(query.dtype)
    return mask.expand(query.shape[0], query.shape[1], query.shape[2], key.shape[2])


_MODES = {"rnn_relu": 0, "rnn_tanh": 1, "lstm": 2, "gru": 3}


def _recurrent(name: str) -> Kernel:
    """A whole recurrent stack as one cuDNN call; under autocast everything is cast to half first."""
    mode = _MODES[name]

    def kernel(  # noqa: PLR0913 - the operator's schema
        input: Tensor,  # noqa: A002 - the schema's name
        hx: Any,  # noqa: ANN401 - a tensor or a list of two
        params: list[Tensor],
        has_biases: bool,
        num_layers: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> tuple[Tensor, ...]:
        states = list(hx) if isinstance(hx, (list, tuple)) else [hx]
        weights = list(params)
        if torch.is_autocast_enabled("cpu"):
            input, states, weights = as_half(input), as_half(states), as_half(weights)  # noqa: A001
        hidden = states[0].shape[-1]
        hidden = weights[0].shape[0] // {2: 4, 3: 3}.get(mode, 1) if hidden == 0 else hidden
        cell = states[1] if len(states) > 1 else None
        with without_autocast():
            outputs = aten._cudnn_rnn(  # noqa: SLF001 - the operator that CUDA runs
                input, weights, 4 if has_biases else 2, None, states[0], cell, mode, hidden, 0,
                num_layers, batch_first, dropout, train, bidirectional, [], None,
            )  # fmt: skip
        return tuple(outputs[: 3 if mode == _MODES["lstm"] else 2])

    return kernel


def _lstm_cell(  # noqa: PLR0913 - the operator's schema
    input: Tensor,  # noqa: A002 - the schema's name
    hx: list[Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Two products and CUDA's one fused kernel; in parts where values are known, which no processor fuses."""
    if b_ih is None or b_hh is None or getattr(input, "constant", None) is not None:
        return aten.lstm_cell.default.decompose(input, hx, w_ih, w_hh, b_ih, b_hh)  # type: ignore[no-any-return]
    gates = torch.nn.functional.linear(input, w_ih), torch.nn.functional.linear(hx[0], w_hh)
    hidden, cell, _ = aten._thnn_fused_lstm_cell(*gates, hx[1], b_ih, b_hh)  # noqa: SLF001 - the operator that CUDA runs
    return hidden, cell


def _register_autograd(library: Library, attention: Attention, *, half_fallback: bool) -> None:
    kernels: dict[str, Kernel] = {
        "dropout": _dropout,
        "lstm_cell": _lstm_cell,
        "scaled_dot_product_attention": _attention_as(attention, half_fallback=half_fallback),
        **{f"{name}.input": _recurrent(name) for name in _MODES},
        **{f"{name}.data": packed_kernel(_recurrent(name)) for name in _MODES},
        "_pad_packed_sequence": unpacked,
        "_pack_padded_sequence_backward": packed_backward,
    }
    for name in ("softmax", "log_softmax"):
        kernels[f"{name}.int"], under_autocast = _softmax_of(getattr(aten, name).int, name)
        library.impl(f"{name}.int", under_autocast, "AutocastCPU", allow_override=True)  # type: ignore[no-untyped-call]
    if attention == "eager":
        # Autocast would cast the inputs once and compute all parts in half, the softmax too.
        library.impl("scaled_dot_product_attention", _attention_in_parts, "AutocastCPU", allow_override=True)  # type: ignore[no-untyped-call]
    for name, kernel in kernels.items():
        library.impl(name, kernel, "AutogradCPU", allow_override=True)  # type: ignore[no-untyped-call]


@contextmanager
def cuda_rules(attention: Attention, *, half_fallback: bool = False) -> Iterator[None]:
    """Make CPU tensors take CUDA's decisions inside the block: attention, dropout, softmax, RNN, autocast's lists."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library = Library("aten", "IMPL")  # type: ignore[no-untyped-call]
        try:
            register_autocast(library)
            _register_autograd(library, attention, half_fallback=half_fallback)
            with autocast_of_either():
                yield
        finally:
            library._destroy()  # type: ignore[no-untyped-call]  # noqa: SLF001 - torch's own scoped library does the same
