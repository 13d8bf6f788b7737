"""Activation checkpointing of a model's repeated blocks: their activations are computed again in backward."""

from __future__ import annotations

import functools
from typing import Any, Literal

import torch
from torch import nn
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

from advisor.core.sentences import SaidError
from advisor.worker.models import quantised_kernels  # noqa: F401 - registers its operators

_FEWEST_BLOCKS = 2


def _of_aten(*names: str) -> frozenset[Any]:
    return frozenset(getattr(torch.ops.aten, name) for name in names)


_PRODUCTS = _of_aten("mm", "addmm", "linear") | {torch.ops.advisor.byte_product}
"""Products with a weight: selective checkpointing keeps every other one, from a block's first on."""
_KEPT = _of_aten(
    "bmm",
    "baddbmm",
    "convolution",
    "_grouped_mm",
    "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_flash_attention_for_cpu",
) | {torch.ops.advisor.fp8_amax}
"""Operators whose results it always keeps; a tensor's scale, which is one number, as well."""
_EVERY = 2


def checkpoint_blocks(module: nn.Module, kind: Literal["selective", "full"] = "full") -> None:
    """Checkpoint each repeated block, in place.

    `full`: a block keeps its inputs alone; `selective`: also what attention, convolutions and every other product with
    a weight gave, from its first on, as PyTorch's own trainer of language models (torchtitan) does. transformers models
    use their own switch; others every list of at least two alike modules.
    Raises InputError where the model has no repeated block.
    """
    options: dict[str, Any] = {"use_reentrant": False}
    if kind == "selective":
        options["context_fn"] = _keeping_products
    if getattr(module, "supports_gradient_checkpointing", False) and _switched_on(module, options):
        return
    blocks = repeated_blocks(module).values()
    if not blocks:
        raise SaidError.of("worker-no-blocks")
    for block in blocks:
        block.forward = functools.partial(_recomputed, block, block.forward, options)


def _keeping_products() -> Any:  # noqa: ANN401 - a pair of contexts
    """A block's contexts; products are counted from its first on, in forward and in the recomputation alike."""
    counts = {False: 0, True: 0}

    def policy(context: Any, operator: Any, *_inputs: object, **_options: object) -> CheckpointPolicy:  # noqa: ANN401 - torch's own
        packet = getattr(operator, "overloadpacket", operator)
        kept = packet in _KEPT
        if packet in _PRODUCTS:
            counts[context.is_recompute] += 1
            kept = counts[context.is_recompute] % _EVERY == 1
        return CheckpointPolicy.MUST_SAVE if kept else CheckpointPolicy.PREFER_RECOMPUTE

    return create_selective_checkpoint_contexts(policy)  # type: ignore[no-untyped-call]


def _switched_on(module: Any, options: dict[str, Any]) -> bool:  # noqa: ANN401 - a transformers model
    """Use the model's own switch, whose name and argument changed in transformers 5."""
    for name in ("activation_checkpointing", "gradient_checkpointing"):
        enable = getattr(module, f"{name}_enable", None)
        if callable(enable):
            enable(**{f"{name}_kwargs": options})
            return True
    return False


def _recomputed(block: nn.Module, forward: Any, how: dict[str, Any], *inputs: Any, **options: Any) -> Any:  # noqa: ANN401 - any module's
    if not block.training:
        return forward(*inputs, **options)
    return checkpoint(forward, *inputs, **how, **options)


def repeated_blocks(module: nn.Module) -> dict[str, nn.Module]:
    """The outermost alike modules of lists by path, in order, as checkpointing and full sharding wrap them."""
    blocks: dict[str, nn.Module] = {}
    waiting = [("", module)]
    while waiting:
        path, current = waiting.pop()
        children = {f"{path}.{name}".lstrip("."): child for name, child in current.named_children()}
        if isinstance(current, nn.ModuleList | nn.Sequential) and _are_blocks(list(children.values())):
            blocks |= children
        else:
            waiting += reversed(children.items())
    return blocks


def _are_blocks(children: list[nn.Module]) -> bool:
    if len(children) < _FEWEST_BLOCKS or len({type(child) for child in children}) != 1:
        return False
    return any(True for child in children[0].children())
