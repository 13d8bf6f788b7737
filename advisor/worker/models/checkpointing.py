"""Activation checkpointing of a model's repeated blocks: their activations are computed again in backward."""

from __future__ import annotations

import functools
from typing import Any

from torch import nn
from torch.utils.checkpoint import checkpoint

from advisor.core.errors import InputError

_FEWEST_BLOCKS = 2


def checkpoint_blocks(module: nn.Module) -> int:
    """Checkpoint each repeated block, in place; returns how many (at least 1).

    transformers models use their own switch; others every list of at least two alike modules.
    Raises InputError where the model has no repeated block.
    """
    if getattr(module, "supports_gradient_checkpointing", False) and _switched_on(module):
        return 1
    blocks = _repeated_blocks(module)
    for block in blocks:
        block.forward = functools.partial(_recomputed, block, block.forward)
    if not blocks:
        raise InputError("`training.activation_checkpointing`: the model has no repeated blocks.", "Set it to none.")
    return len(blocks)


def _switched_on(module: Any) -> bool:  # noqa: ANN401 - a transformers model
    """Use the model's own switch, whose name and argument changed in transformers 5."""
    for name in ("activation_checkpointing", "gradient_checkpointing"):
        enable = getattr(module, f"{name}_enable", None)
        if callable(enable):
            enable(**{f"{name}_kwargs": {"use_reentrant": False}})
            return True
    return False


def _recomputed(block: nn.Module, forward: Any, *inputs: Any, **options: Any) -> Any:  # noqa: ANN401 - any module's
    if not block.training:
        return forward(*inputs, **options)
    return checkpoint(forward, *inputs, use_reentrant=False, **options)


def _repeated_blocks(module: nn.Module) -> list[nn.Module]:
    """Outermost children of lists whose entries are of one class that has parameters."""
    found: list[nn.Module] = []
    waiting: list[nn.Module] = [module]
    while waiting:
        current = waiting.pop()
        children = list(current.children())
        alike = isinstance(current, nn.ModuleList | nn.Sequential) and _are_blocks(children)
        if alike:
            found.extend(children)
        else:
            waiting.extend(children)
    return found


def _are_blocks(children: list[nn.Module]) -> bool:
    if len(children) < _FEWEST_BLOCKS or len({type(child) for child in children}) != 1:
        return False
    return any(True for child in children[0].children())
