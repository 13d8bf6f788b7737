"""Cross-entropy over a large vocabulary in chunks of rows, so that the logits are never whole.

Each chunk's logits give its share of the loss and of the gradients at once and are then dropped, as in torchtitan's and
Liger's chunked losses: nothing is computed twice, and backward only scales what is there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from advisor.core.sentences import SaidError
from advisor.worker.models.foreign import Network

CHUNK_COUNT = 8
"""As torchtune and torchtitan divide a batch by default."""
_IGNORED = -100


def chunked_loss(module: Network, batch: dict[str, Tensor]) -> Tensor:
    """The mean cross-entropy of a language model's labels (batch, length), its head run chunk by chunk.

    Raises InputError for a model without an output head of its own.
    """
    head = module.get_output_embeddings()
    labels = batch["labels"]
    if not isinstance(head, nn.Linear):
        raise SaidError.of("worker-no-linear-head")
    with _left_out(head):
        hidden = module(**_without_labels(module, batch)).logits
    if not getattr(module.config, "is_encoder_decoder", False) and "MaskedLM" not in type(module).__name__:
        labels = nn.functional.pad(labels, (0, 1), value=_IGNORED)[..., 1:]
    rows, targets = hidden.reshape(-1, hidden.shape[-1]), labels.reshape(-1)
    loss: Tensor = _Chunks.apply(rows, head.weight, head.bias, targets)  # type: ignore[no-untyped-call]
    return loss


def _without_labels(module: Network, batch: dict[str, Tensor]) -> dict[str, Any]:
    """The inputs alone; a decoder that makes its inputs of the labels is given them."""
    inputs: dict[str, Any] = {name: tensor for name, tensor in batch.items() if name != "labels"}
    if getattr(module.config, "is_encoder_decoder", False) and "decoder_input_ids" not in inputs:
        inputs["decoder_input_ids"] = batch["labels"].clamp_min(0).roll(1, dims=-1)
    return inputs


@contextlib.contextmanager
def _left_out(head: nn.Module) -> Iterator[None]:
    """The head gives its own inputs."""
    head.forward = lambda hidden: hidden
    try:
        yield
    finally:
        del head.forward


class _Chunks(torch.autograd.Function):
    """Loss and gradients of all chunks, in forward."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, weight: Tensor, bias: Tensor | None, targets: Tensor) -> Tensor:  # noqa: ANN401 - torch's own context
        given = (rows, weight, bias)
        sums = [
            torch.zeros_like(given_tensor) if given_tensor is not None and given_tensor.requires_grad else None
            for given_tensor in given
        ]
        total = rows.new_zeros((), dtype=torch.float32)
        count = (targets != _IGNORED).sum()
        half = torch.get_autocast_dtype(rows.device.type) if torch.is_autocast_enabled(rows.device.type) else rows.dtype
        # Cast once for all chunks: autocast would keep a copy for each.
        head, shift = weight.detach().to(half), None if bias is None else bias.detach().to(half)
        places = range(0, rows.shape[0], -(-rows.shape[0] // CHUNK_COUNT))
        with torch.autocast(rows.device.type, enabled=False):
            for place, part, target in zip(places, rows.chunk(CHUNK_COUNT), targets.chunk(CHUNK_COUNT), strict=True):
                share, gradients = _chunk(
                    part.to(half), head, shift, target, [gradient_sum is not None for gradient_sum in sums]
                )
                total += share / count
                if sums[0] is not None and gradients[0] is not None:
                    sums[0][place : place + part.shape[0]] = gradients[0]
                for held, gradient in zip(sums[1:], gradients[1:], strict=True):
                    if held is not None and gradient is not None:
                        held.add_(gradient)
        ctx.gradients, ctx.count = sums, count
        return total

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401 - torch's own context
        scale = outer[0] / ctx.count
        gradients = tuple(None if gradient is None else gradient.mul_(scale) for gradient in ctx.gradients)
        ctx.gradients = ()
        return (*gradients, None)


def _chunk(
    rows: Tensor, head: Tensor, shift: Tensor | None, targets: Tensor, wanted: list[bool]
) -> tuple[Tensor, list[Tensor | None]]:
    """The summed loss of some rows, and its gradients by rows, head and bias as far as they are wanted."""
    given = [None if tensor is None else tensor.detach() for tensor in (rows, head, shift)]
    asked = [tensor.requires_grad_() for tensor, want in zip(given, wanted, strict=True) if want and tensor is not None]
    with torch.set_grad_enabled(bool(asked)):
        logits = nn.functional.linear(given[0], given[1], given[2])  # type: ignore[arg-type]
        loss = nn.functional.cross_entropy(logits.float(), targets, ignore_index=_IGNORED, reduction="sum")
        del logits
    gradients = iter(torch.autograd.grad(loss, asked) if asked else ())
    return loss.detach(), [next(gradients) if want else None for want in wanted]
