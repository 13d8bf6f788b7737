"""Batches whose sizes are changed to those that a model's complaint names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice, permutations
from math import isqrt, prod

import torch
from torch import Tensor

from advisor.worker.models.huggingface.sets import Made

Size = tuple[int, ...]
"""Of one sample's part of an input."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?!\w|\.\d)")
_TIMES = re.compile(r"(?<=\d)[x*](?=\d)")
_PAIR = re.compile(r"(\d{2,5})\s*[*x×,]\s*(\d{2,5})")
_BROADCAST = re.compile(r"had torch\.Size\(\[([\d, ]*)\]\).*broadcastable to \[([\d, ]*)\]")
"""How a shape rule says that two tensors do not go together."""
_LARGER = (2, 4, 8)
"""Times the length of what was too short to be cut into its parts."""
_SMALL = re.compile(
    r"not in range for dim|index k out of range|small|greater|at least|Kernel size|non-?positive|empty", re.IGNORECASE
)
_INDICES = re.compile(r"used as indices must be|expected .*(long|int64|Long|Int)\b.*(got|but found)", re.IGNORECASE)
_TRUTHS = re.compile(r"predicate to be bool|mask.* bool|expected .*\bbool\b", re.IGNORECASE)
"""How operators say that a number should be whole, or a truth."""
_CUT = re.compile(r"invalid for input of size|divisible|multiple of", re.IGNORECASE)
"""A picture whose patches make no whole windows."""
_WHOLE_SIDES = (64, 128, 384, 512)
"""Pixels that the sides of common pictures are multiples of."""
_MOST_RESIZED = 16
_PICTURE_DIMENSIONS = 3
"""Channels, height and width of one sample."""
_LARGEST = 1 << 16
_MOST_ELEMENTS = 1 << 25
"""Of one sample: more is no batch that anyone made."""
_LEAST_SIDE = 4
"""Patches: smaller squares are met by chance."""
_FEW = 8
"""Pictures of one sample, or channels: sizes that an added dimension may have."""


def resized_batches(made: Made, error: BaseException) -> Iterator[Made]:
    """Batches of other sizes, the likeliest first.

    Numbers of the complaint stand in the place of others, also of their multiples, and squares of patches change the
    sides of pictures; a picture that cannot be cut gets
    rounder sides; what is too small grows; a dimension is added. What was put in last is changed first.
    """
    text = _of_those_that_differ(str(error))
    batch = {name: tensor for name, tensor in reversed(made(1).items()) if tensor.dim() > 1}
    numbers = list(dict.fromkeys(int(word) for word in _NUMBER.findall(_TIMES.sub(" ", text))))
    sizes = {name: tuple(tensor.shape[1:]) for name, tensor in batch.items()}
    changes = chain(
        _of_pairs(sizes, text),
        _of_areas(sizes, numbers),
        _of_whole_sides(sizes) if _CUT.search(text) else (),
        islice(_replaced(sizes, numbers), _MOST_RESIZED),
        _grown(sizes) if _SMALL.search(text) else (),
        _with_dimension(sizes, batch, numbers),
    )
    for name, size in changes:
        if prod(size) <= _MOST_ELEMENTS:
            yield _with_size(made, name, int(batch[name].shape[0]), size)


def retyped_batches(made: Made, error: BaseException) -> Iterator[Made]:
    """Batches of other types, where the complaint is of one: whole numbers for indices, truths for masks."""
    text = str(error)
    wanted = torch.long if _INDICES.search(text) else torch.bool if _TRUTHS.search(text) else None
    if wanted is None:
        return
    for name, tensor in reversed(made(1).items()):
        is_index = wanted == torch.long and tensor.is_floating_point()
        is_mask = wanted == torch.bool and tensor.dtype == torch.long and "mask" in name
        if is_index or is_mask:
            yield _with_type(made, name, wanted)


def _with_type(made: Made, name: str, dtype: torch.dtype) -> Made:
    def make(batch_size: int) -> dict[str, Tensor]:
        batch = made(batch_size)
        old = batch[name]
        return {**batch, name: old.to(dtype) if dtype == torch.bool else torch.zeros(old.shape, dtype=dtype)}

    return make


def _of_those_that_differ(text: str) -> str:
    """The sizes in which two shapes differ, as operators themselves say it, where a rule tells the whole shapes."""
    match = _BROADCAST.search(text)
    if match is None:
        return text
    second, first = ([int(size) for size in _NUMBER.findall(shape)] for shape in match.groups())
    unlike = [f"{size} and {other}" for size, other in zip(first[::-1], second[::-1], strict=False) if size != other]
    return f"sizes of the tensors: {', '.join(unlike)}"


def _of_pairs(sizes: dict[str, Size], text: str) -> Iterator[tuple[str, Size]]:
    for pair in dict.fromkeys(_PAIR.findall(text)):
        new = (int(pair[0]), int(pair[1]))
        for name, size in sizes.items():
            if len(size) >= _PICTURE_DIMENSIONS and size[-2:] != new and str(size[-1]) in text:
                yield name, (*size[:-2], *new)


def _of_areas(sizes: dict[str, Size], numbers: list[int]) -> Iterator[tuple[str, Size]]:
    """Pictures whose sides both change, where the complaint names two numbers of patches of squares."""
    for said, wanted in permutations(numbers, 2):
        old, new = isqrt(said), isqrt(wanted)
        if old < _LEAST_SIDE or new < _LEAST_SIDE or old == new or (old**2, new**2) != (said, wanted):
            continue
        for name, size in sizes.items():
            if len(size) >= _PICTURE_DIMENSIONS and all(side * new % old == 0 for side in size[-2:]):
                yield name, (*size[:-2], *(side * new // old for side in size[-2:]))


def _of_whole_sides(sizes: dict[str, Size]) -> Iterator[tuple[str, Size]]:
    for unit in _WHOLE_SIDES:
        for name, size in sizes.items():
            sides = tuple(-(-side // unit) * unit for side in size[-2:])
            if len(size) >= _PICTURE_DIMENSIONS and sides != size[-2:]:
                yield name, (*size[:-2], *sides)


def _replaced(sizes: dict[str, Size], numbers: list[int]) -> Iterator[tuple[str, Size]]:
    """Each size that the complaint names by another that it names; then those that have a multiple there."""
    seen: set[tuple[str, Size]] = set()
    for exact in (True, False):
        for name, size in sizes.items():
            for place, old in enumerate(size):
                for said, wanted in permutations(numbers, 2):
                    if exact != (said == old) or said == 0 or (old * wanted) % said:
                        continue
                    changed = (name, (*size[:place], old * wanted // said, *size[place + 1 :]))
                    if 0 < changed[1][place] < _LARGEST and (exact or said % old == 0 or old % said == 0):
                        yield from () if changed in seen else (changed,)
                        seen.add(changed)


def _grown(sizes: dict[str, Size]) -> Iterator[tuple[str, Size]]:
    for times in (*_LARGER, 64):
        for name, size in sizes.items():
            if len(size) >= _PICTURE_DIMENSIONS:
                yield name, (*size[:-2], size[-2] * times, size[-1] * times)
            else:
                yield name, (*size[:-1], size[-1] * times)


def _with_dimension(sizes: dict[str, Size], batch: dict[str, Tensor], numbers: list[int]) -> Iterator[tuple[str, Size]]:
    few = dict.fromkeys((1, 2, *(number for number in numbers if 0 < number <= _FEW)))
    for name, size in sizes.items():
        if batch[name].is_floating_point():
            for added in few:
                yield name, (added, *size)


def _with_size(made: Made, name: str, rows: int, size: Size) -> Made:
    """The batch with one input of another size, `rows` of it a sample."""

    def make(batch_size: int) -> dict[str, Tensor]:
        batch = made(batch_size)
        old = batch[name]
        shape = (rows * batch_size, *size)
        new = torch.randn(shape) if old.is_floating_point() else old.reshape(-1)[0].expand(shape).clone()
        return {**batch, name: new}

    return make
