"""Outputs of cuDNN's recurrent operators under fake tensors: torch has no shape rule for their backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Tensor = torch.Tensor
_LSTM = 2
_STATE_ELEMENTS = (1, 1, 6, 5)
"""Saved elements a step, sequence and hidden unit: gates, cell and output (LSTM 4 + 2, GRU 3 + 2), by mode."""


def _forward(  # noqa: PLR0913 - the operator's schema
    input: Tensor,  # noqa: A002 - the schema's name
    weight: list[Tensor],
    weight_stride0: int,
    weight_buf: Tensor | None,
    hx: Tensor,
    cx: Tensor | None,
    mode: int,
    hidden_size: int,
    proj_size: int,
    num_layers: int,
    batch_first: bool,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_sizes: list[int],
    dropout_state: Tensor | None,
) -> tuple[Tensor, ...]:
    """(output, hy, cy, reserve, weight buffer): the reserve holds what backward needs; the weights are repacked."""
    del weight_stride0, proj_size, dropout, batch_sizes, dropout_state
    directions = 2 if bidirectional else 1
    steps, batch = (input.shape[1], input.shape[0]) if batch_first else input.shape[:2]
    shape = (batch, steps, hidden_size * directions) if batch_first else (steps, batch, hidden_size * directions)
    output = input.new_empty(shape)
    last = input.new_empty(hx.shape)
    cell = input.new_empty(cx.shape if cx is not None and mode == _LSTM else (0,))
    saved = steps * batch * hidden_size * directions * num_layers * _STATE_ELEMENTS[mode] if train else 0
    reserve = torch.empty(saved * input.element_size(), dtype=torch.uint8)
    buffer = weight_buf if weight_buf is not None else input.new_empty(sum(w.numel() for w in weight))
    return output, last, cell, reserve, buffer


def _backward(  # noqa: PLR0913 - the operator's schema
    input: Tensor,  # noqa: A002 - the schema's name
    weight: list[Tensor],
    weight_stride0: int,
    weight_buf: Tensor,
    hx: Tensor,
    cx: Tensor | None,
    *rest: Any,  # noqa: ANN401 - the operator's schema
) -> tuple[Any, ...]:
    """(gradient of input, of hx, of cx, of each weight)."""
    del weight_stride0
    mask = rest[-1]
    grads = [weight_buf.new_empty(w.shape) for w in weight] if mask[3] else [None for _ in weight]
    cell = cx.new_empty(cx.shape) if cx is not None and mask[2] else None
    return (input.new_empty(input.shape) if mask[0] else None, hx.new_empty(hx.shape) if mask[1] else None, cell, grads)


RNN_OUTPUTS: dict[str, Callable[..., Any]] = {"_cudnn_rnn": _forward, "_cudnn_rnn_backward": _backward}
