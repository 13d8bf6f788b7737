"""What one step takes, and what can be done to it: tensors by name or place, or lists of as many parts as samples.

Detectors take lists: pictures of sizes of their own, and for each a dict of as many boxes as it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from torch import Tensor
from torch.utils.data import default_collate

Batch = dict[str, Any] | tuple[Any, ...]
"""Keyword or positional arguments, the last of a tuple being the targets: each a tensor, or a list, a part a sample."""
_PLAIN = (bool, int, float, str, type(None))
"""What may stand beside tensors in a sample's part."""


def mapped(batch: Batch, change: Callable[[Tensor], Tensor]) -> Batch:
    """The batch with every tensor changed."""
    return _mapped(batch, change)  # type: ignore[no-any-return]


def _mapped(value: Any, change: Callable[[Tensor], Tensor]) -> Any:  # noqa: ANN401 - any nested value
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, dict):
        return {name: _mapped(item, change) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [_mapped(item, change) for item in value]
        return items if isinstance(value, list) else tuple(items)
    return value


def tensors_of(value: object) -> Iterator[Tensor]:
    """Every tensor of a batch, in order."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from tensors_of(item)


def is_argument(value: object) -> bool:
    """Whether a step may be given this at one place: a tensor, or a list whose parts hold tensors and little else."""
    if isinstance(value, Tensor):
        return True
    return isinstance(value, (list, tuple)) and any(True for _ in tensors_of(value)) and _holds_little_else(value)


def _holds_little_else(value: object) -> bool:
    if isinstance(value, (dict, list, tuple)):
        return all(map(_holds_little_else, value.values() if isinstance(value, dict) else value))
    return isinstance(value, (Tensor, *_PLAIN))


def sample_of(batch: Batch, place: int) -> Any:  # noqa: ANN401 - a dict or tuple, as a data set gives it
    """One sample of a batch, in memory of its own."""

    def own(value: Any) -> Any:  # noqa: ANN401 - an argument of the step
        return _mapped(value[place], Tensor.clone)

    return {name: own(value) for name, value in batch.items()} if isinstance(batch, dict) else tuple(map(own, batch))


def collation_of(batch: Batch) -> Callable[[Sequence[Any]], Any]:
    """How samples become such a batch: what it holds in lists stays in lists, all else is stacked."""
    columns = batch if isinstance(batch, dict) else dict(enumerate(batch))
    listed = {name for name, value in columns.items() if not isinstance(value, Tensor)}
    if not listed:
        return default_collate  # type: ignore[return-value]  # it takes a list, as a loader gives it

    def collate(samples: Sequence[Any]) -> Any:  # noqa: ANN401 - a batch
        def column(name: Any) -> Any:  # noqa: ANN401 - of one argument
            values = [sample[name] for sample in samples]
            return values if name in listed else default_collate(values)

        if isinstance(batch, dict):
            return {name: column(name) for name in samples[0]}
        return tuple(column(place) for place in range(len(samples[0])))

    return collate
