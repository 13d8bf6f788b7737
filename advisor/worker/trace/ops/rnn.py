"""Outputs and hidden memory of cuDNN's recurrent operators under fake tensors: torch has no shape rule for them.

cuDNN documents no formula for what a recurrent stack takes, so these follow from sizes that it gave: for four layers
of 320 units on 123 inputs in FP32, 25,000 sequence steps, 736,000,000 bytes reserved for LSTM and 864,000,000 for GRU,
with workspaces of 17,730,560 and 13,169,920 (printed in pytorch/pytorch issue 2895, comment of 2017-10-04). In units
of 25,000 x 320 elements the reserves are 23 = 4 x 6 - 1 and 27 = 4 x 7 - 1: so many saved a layer, the last layer's
output left out because the caller holds it. The workspaces are a copy of the weights without biases and, at the
smallest batch that gives whole numbers (25), 44 and 32 elements a layer, sequence and unit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

Tensor = torch.Tensor
_LSTM, _GRU = 2, 3
_SAVED_ELEMENTS = (2, 2, 6, 7)
"""A layer's saved elements a step, sequence and hidden unit, by mode: LSTM 4 gates, cell and output; GRU 3 gates, 3
products and output; plain cells, of which no size was printed, by the same count their gate and output."""
_WORKSPACE_ELEMENTS = (8, 8, 44, 32)
"""Elements a layer, sequence and hidden unit, by mode; plain cells continue the line 12 x gates - 4."""


class RnnSizes(NamedTuple):
    """A recurrent stack as cuDNN sees it."""

    mode: int
    """0, 1: plain cells; 2: LSTM; 3: GRU."""
    steps: int
    batch: int
    input_size: int
    hidden_size: int
    layers: int
    directions: int

    @property
    def reserve_elements(self) -> int:
        """What training keeps from forward to backward beside inputs and outputs."""
        saved = self.layers * _SAVED_ELEMENTS[self.mode] - 1
        return self.steps * self.batch * self.hidden_size * self.directions * saved

    @property
    def workspace_elements(self) -> int:
        """What a call takes and gives back, forward or backward."""
        gates = {_LSTM: 4, _GRU: 3}.get(self.mode, 1)
        inner = self.hidden_size * self.directions
        inputs = self.input_size + (self.layers - 1) * inner + self.layers * self.hidden_size
        weights = gates * self.hidden_size * self.directions * inputs
        return weights + _WORKSPACE_ELEMENTS[self.mode] * self.layers * self.directions * self.batch * self.hidden_size


def rnn_sizes(name: str, args: Sequence[Any]) -> RnnSizes:
    """Of one dispatched call by its arguments: `_cudnn_rnn` or `_cudnn_rnn_backward`."""
    shift = 4 if name.endswith("backward") else 0  # backward's schema has output and three gradients before the mode
    first, batch_first = args[0], args[10 + shift]
    return RnnSizes(
        mode=args[6 + shift],
        steps=first.shape[1 if batch_first else 0],
        batch=first.shape[0 if batch_first else 1],
        input_size=first.shape[2],
        hidden_size=args[7 + shift],
        layers=args[9 + shift],
        directions=2 if args[13 + shift] else 1,
    )


def workspace_bytes(name: str, args: Sequence[Any]) -> int:
    """What such a call takes and gives back."""
    return rnn_sizes(name, args).workspace_elements * int(args[0].element_size())


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
    """(output, hy, cy, reserve, weight buffer): the reserve holds what backward needs.

    The buffer is empty: the weights lie in one already, or autocast has just packed their half copies into one, and
    those copies are followed as tensors of their own.
    """
    del weight, weight_stride0, proj_size, dropout, batch_sizes, dropout_state
    directions = 2 if bidirectional else 1
    steps, batch = (input.shape[1], input.shape[0]) if batch_first else input.shape[:2]
    shape = (batch, steps, hidden_size * directions) if batch_first else (steps, batch, hidden_size * directions)
    output = input.new_empty(shape)
    last = input.new_empty(hx.shape)
    cell = input.new_empty(cx.shape if cx is not None and mode == _LSTM else (0,))
    sizes = RnnSizes(mode, steps, batch, input.shape[2], hidden_size, num_layers, directions)
    reserve = torch.empty((sizes.reserve_elements if train else 0) * input.element_size(), dtype=torch.uint8)
    return output, last, cell, reserve, weight_buf if weight_buf is not None else input.new_empty(0)


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
