"""A loss for models that give none: the mean square of what they return."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from torch import Tensor


def own_loss(outputs: Any) -> Tensor:  # noqa: ANN401 - whatever a model returns
    """Mean square of the first output that weights can be trained by.

    Where the first is none (numbers of codes, a list of maps), all that can be are summed; where nothing can, the
    first real numbers stand for them. Raises TypeError for outputs without any.
    """
    tensors = [tensor for tensor in _tensors(outputs) if tensor.is_floating_point()]
    if not tensors:
        raise TypeError("the model returns no real numbers that a loss could be made of")
    first = outputs if isinstance(outputs, Tensor) else _first(outputs)
    trained = [tensor for tensor in tensors if tensor.requires_grad]
    if not trained or any(first is tensor for tensor in trained):
        return (first if any(first is tensor for tensor in tensors) else tensors[0]).float().square().mean()
    total = trained[0].float().square().mean()
    for tensor in trained[1:]:
        total = total + tensor.float().square().mean()
    return total


def _first(outputs: Any) -> Any:  # noqa: ANN401 - as above
    return next(iter(outputs.values())) if isinstance(outputs, Mapping) else outputs[0]


def _tensors(made: Any) -> Iterator[Tensor]:  # noqa: ANN401 - as above
    """All tensors of nested outputs, in their order."""
    if isinstance(made, Tensor):
        yield made
    elif isinstance(made, Mapping):
        for value in made.values():
            yield from _tensors(value)
    elif isinstance(made, list | tuple):
        for value in made:
            yield from _tensors(value)
