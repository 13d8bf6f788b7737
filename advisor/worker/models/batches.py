"""What one step takes, and what can be done to it: tensors, lists of as many parts as samples, or nests of tensors.

Detectors take lists: pictures of sizes of their own, and for each a dict of as many boxes as it shows. What torch's own
default collate makes may be nested: dicts, lists, tuples and named tuples of tensors, each of which holds the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from torch import Tensor
from torch.utils.data import default_collate

Batch = dict[str, Any] | tuple[Any, ...] | list[Any]
"""Keyword or positional arguments, the last of a tuple being the targets; a list for a file's own step alone.

Each is a tensor, a list with a part for each sample, or nested dicts, lists and tuples of tensors.
"""
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
        if hasattr(value, "_fields"):
            return type(value)(*items)
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
    """Whether a step may be given this at one place: a tensor, or what holds tensors and little else."""
    return any(True for _ in tensors_of(value)) and _holds_little_else(value)


def _holds_little_else(value: object) -> bool:
    if isinstance(value, (dict, list, tuple)):
        return all(map(_holds_little_else, value.values() if isinstance(value, dict) else value))
    return isinstance(value, (Tensor, *_PLAIN))


def columns_of(batch: Batch) -> dict[Any, Any]:
    """The arguments by their names or places."""
    return batch if isinstance(batch, dict) else dict(enumerate(batch))


def listed_columns(small: Batch, large: Batch) -> frozenset[Any]:
    """Names or places of what holds a part for each sample, by batches of two sizes; all else holds the batch."""
    other = columns_of(large)
    return frozenset(
        name
        for name, value in columns_of(small).items()
        if type(value) in {list, tuple} and len(value) != len(other.get(name, ()))
    )


def sample_of(batch: Batch, place: int, listed: Collection[Any] = ()) -> Any:  # noqa: ANN401 - as a data set gives it
    """One sample of a batch, in memory of its own; `listed`: what holds a part for each sample."""

    def own(name: Any, value: Any) -> Any:  # noqa: ANN401 - an argument of the step
        if name in listed:
            return _mapped(value[place], Tensor.clone)
        return _mapped(value, lambda tensor: tensor[place].clone())

    columns = {name: own(name, value) for name, value in columns_of(batch).items()}
    return columns if isinstance(batch, dict) else tuple(columns.values())


def collation_of(batch: Batch, listed: Collection[Any] = ()) -> Callable[[Sequence[Any]], Any]:
    """How samples become such a batch: what holds a part for each stays in lists (`listed`), all else is stacked."""
    if not listed:
        return default_collate  # type: ignore[return-value]  # it takes a list, as a loader gives it

    def collate(samples: Sequence[Any]) -> Any:  # noqa: ANN401 - a batch
        def column(name: Any) -> Any:  # noqa: ANN401 - of one argument
            values = [sample[name] for sample in samples]
            return values if name in listed else default_collate(values)

        if isinstance(batch, dict):
            return {name: column(name) for name in samples[0]}
        columns = [column(place) for place in range(len(samples[0]))]
        return columns if isinstance(batch, list) else tuple(columns)

    return collate
