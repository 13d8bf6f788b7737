"""Layers of a language model as single kernels, as Liger Kernel, Unsloth and fms-acceleration bring them.

Root-mean-square norms, rotary embedding, gated activation, and cross-entropy whose gradient takes the place of the
logits. What each reads, writes and keeps for backward is what those libraries' Triton kernels do (Hsu et al. 2024,
"Liger Kernel", section 3): a norm keeps its input and a number a row, a gate its two inputs, the loss one copy of the
logits. Like the kernels of quantised layers these have shapes and no arithmetic: they are predicted, not run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from advisor.worker.models.foreign import Network
from advisor.worker.models.quantised_kernels import (
    fused_cross_entropy,
    fused_gate,
    fused_gate_backward,
    fused_rms_norm,
    fused_rms_norm_backward,
    fused_rotary,
)
from advisor.worker.replaced import replaced

_ROTARY = "apply_rotary_pos_emb"
"""What transformers' models call to turn queries and keys, in the file of each model."""
_GATED = ("gate_proj", "up_proj", "down_proj")


def fuse_layers(module: Network, *, gates: bool = True) -> None:
    """Give a model of transformers those layers, in place; layers of other makes stay as they are.

    Liger Kernel fuses every gate. Unsloth and fms-acceleration fuse one with the products of the adapters around it,
    and leave it where those layers have none: `gates` false.
    """
    for child in module.modules():
        if type(child).__name__.endswith("RMSNorm") and isinstance(getattr(child, "weight", None), nn.Parameter):
            child.forward = _norm_of(child)
        elif gates and all(isinstance(getattr(child, name, None), nn.Module) for name in _GATED):
            child.forward = _gate_of(child)
        elif hasattr(sys.modules[type(child).__module__], _ROTARY) and type(child).__name__.endswith("Attention"):
            child.forward = _with(sys.modules[type(child).__module__], {_ROTARY: _rotary}, child.forward)
    module.forward = _with(nn.functional, {"cross_entropy": _cross_entropy}, module.forward)


def _with(owner: Any, names: dict[str, Any], forward: Callable[..., Any]) -> Callable[..., Any]:  # noqa: ANN401 - a module of any library
    """Call `forward` with other functions under these names, in backward's second forward passes too."""

    def called(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - what the layer takes and gives
        with replaced(owner, **names):
            return forward(*given, **named)

    return called


def _norm_of(norm: nn.Module) -> Callable[[Tensor], Tensor]:
    def forward(values: Tensor) -> Tensor:
        made: Tensor = _Norm.apply(values, norm.weight)  # type: ignore[no-untyped-call]
        return made

    return forward


def _gate_of(layer: Any) -> Callable[[Tensor], Tensor]:  # noqa: ANN401 - a gated layer of any model
    def forward(values: Tensor) -> Tensor:
        made: Tensor = _Gate.apply(layer.gate_proj(values), layer.up_proj(values))  # type: ignore[no-untyped-call]
        result: Tensor = layer.down_proj(made)
        return result

    return forward


def _rotary(query: Tensor, key: Tensor, cos: Tensor, sin: Tensor, *_rest: Any, **_named: Any) -> tuple[Tensor, Tensor]:  # noqa: ANN401 - arguments that change no work
    made: tuple[Tensor, Tensor] = _Rotary.apply(query, key, cos, sin)  # type: ignore[no-untyped-call]
    return made


def _cross_entropy(logits: Tensor, targets: Tensor, *_rest: Any, reduction: str = "mean", **_named: Any) -> Tensor:  # noqa: ANN401 - arguments that change no work
    losses: Tensor = _CrossEntropy.apply(logits, targets)  # type: ignore[no-untyped-call]
    return losses if reduction == "none" else losses.mean() if reduction == "mean" else losses.sum()


class _Norm(torch.autograd.Function):
    """Keeps its input and one number a row."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, weight: Tensor) -> Tensor:  # noqa: ANN401 - torch's own context
        made, scales = fused_rms_norm(values, weight)
        ctx.save_for_backward(values, weight, scales)
        return made  # type: ignore[no-any-return]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor | None]:  # noqa: ANN401 - torch's own context
        values, weight, scales = ctx.saved_tensors
        of_values, of_weight = fused_rms_norm_backward(gradients[0], values, weight, scales)
        return of_values, of_weight if ctx.needs_input_grad[1] else None


class _Gate(torch.autograd.Function):
    """Keeps both inputs and works the activation out again in backward."""

    @staticmethod
    def forward(ctx: Any, gate: Tensor, up: Tensor) -> Tensor:  # noqa: ANN401 - torch's own context
        ctx.save_for_backward(gate, up)
        return fused_gate(gate, up)  # type: ignore[no-any-return]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor]:  # noqa: ANN401 - torch's own context
        made: tuple[Tensor, Tensor] = fused_gate_backward(gradients[0], *ctx.saved_tensors)
        return made


class _Rotary(torch.autograd.Function):
    """Keeps the angles alone; backward turns the other way."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:  # noqa: ANN401 - torch's own context
        ctx.save_for_backward(cos, sin)
        return fused_rotary(query, key, cos, sin)  # type: ignore[no-any-return]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None, None]:  # noqa: ANN401 - torch's own context
        return (*fused_rotary(*gradients, *ctx.saved_tensors), None, None)


class _CrossEntropy(torch.autograd.Function):
    """The loss of each row; in backward the gradient is written where the logits were."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, targets: Tensor) -> Tensor:  # noqa: ANN401 - torch's own context
        # Not among the saved tensors: autograd would refuse that they change.
        ctx.logits = logits.detach()
        losses, ctx.scales = fused_cross_entropy(ctx.logits, targets)
        return losses  # type: ignore[no-any-return]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:  # noqa: ANN401 - torch's own context
        logits: Tensor = ctx.logits
        del ctx.logits
        return logits.mul_((ctx.scales * gradients[0]).unsqueeze(-1)), None
