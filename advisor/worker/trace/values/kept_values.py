"""Values under fake tensors: what a model reads while it runs is computed, where fakes alone cannot go on.

torch's fakes can hold a constant beside a shape and compute what follows from constants alone, but keep single numbers
only. Here words, positions, masks and sizes of pictures keep theirs, so that a model which counts its image tokens or
loops over the pictures of a batch is traced like any other; a small model that decides by what it has computed keeps
every value, and so runs for real.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_leaves, tree_map

from advisor.worker.trace.ops.raw_op import Args, Named, Operator

Tensor = torch.Tensor
Values = Literal["none", "whole", "all", "even"]
"""Which values are kept: none but single numbers, those of inputs and of what is made of them alone, or all of small
tensors; or those of inputs, where what is best of several unknown ones is each in turn."""
_MOST_VALUES = 1 << 24
"""Elements of one tensor where all values are kept."""
_MOST_OF_INPUTS = 1 << 25
"""Elements of one tensor that is made of inputs alone: words, places, masks, frequencies, pictures of a batch."""
_FEW = 16
"""Elements of a tensor that a model may draw numbers into to decide by."""
_FILLING = {torch.ops.aten.uniform_, torch.ops.aten.normal_, torch.ops.aten.random_, torch.ops.aten.exponential_}
_DRAWING = {torch.ops.aten.rand, torch.ops.aten.randn, torch.ops.aten.randint}
_CONSTRUCTORS = {
    "arange", "zeros", "ones", "full", "empty", "scalar_tensor", "eye", "linspace", "tril_indices", "triu_indices",
}  # fmt: skip
_PACKED = torch.ops.aten._pack_padded_sequence.default  # noqa: SLF001 - torch's own name
_DRAWN = torch.ops.aten.multinomial.default
_FLASH = torch.ops.aten._scaled_dot_product_flash_attention.default  # noqa: SLF001 - the same
_EFFICIENT = torch.ops.aten._scaled_dot_product_efficient_attention.default  # noqa: SLF001 - the same
_SOFTMAX = (torch.ops.aten._softmax.default, torch.ops.aten._log_softmax.default)  # noqa: SLF001 - the same
"""Random places: drawn for real also where no more than inputs is known."""
_MASKED = {torch.ops.aten.index.Tensor, torch.ops.aten.index_put.default, torch.ops.aten.index_put_.default}


def is_small_enough(tensor: Tensor, *, every: bool, times: float = 1.0) -> bool:
    """Whether a result is kept with its values: `every` one, or whole numbers and few real ones.

    `times`: how much larger it becomes at another batch size, where it is to be kept as well.
    """
    return tensor.device.type == "cpu" and times * tensor.numel() <= (_MOST_VALUES if every else _MOST_OF_INPUTS)


def with_values(mode: FakeTensorMode, tensor: Tensor) -> Tensor:
    """A fake that knows its values."""
    return mode.fake_tensor_converter.from_real_tensor(mode, tensor, make_constant=True)


@contextmanager
def values_left_out(func: Operator, args: Args, kwargs: Named, *, only_partly_known: bool = False) -> Iterator[None]:
    """No values while an operator runs that writes into none of its tensors; `only_partly_known`: where some have none.

    Else each operator that such a one is worked out of is computed with what is known, for nothing: all of a picture's
    places, say, for a bicubic sample of weights.
    """
    hidden: list[tuple[FakeTensor, Tensor]] = []
    if not func._schema.is_mutable:  # noqa: SLF001 - torch's modes read it
        tensors = [value for value in tree_leaves((args, dict(kwargs))) if isinstance(value, FakeTensor)]
        with_values_kept = [(tensor, tensor.constant) for tensor in tensors if tensor.constant is not None]
        hidden = with_values_kept if len(with_values_kept) < len(tensors) or not only_partly_known else []
    for tensor, _ in hidden:
        tensor.constant = None
    try:
        yield
    finally:
        for tensor, constant in hidden:
            tensor.constant = constant


def made_of_values(mode: FakeTensorMode, func: Operator, args: Args, kwargs: Named, *, every: bool) -> Any:  # noqa: ANN401 - a fake, or None where the mode's own rule holds
    """The result of an operator that torch's own rules leave to shapes though its values are known; else None.

    These are constructors, operators indexed by a known mask, sequences packed by known lengths, a few numbers that are
    drawn anew and, with `every`, random operators on known values.
    """
    if getattr(func, "overloadpacket", None) in _FILLING and args[0].numel() <= _FEW:
        return _filled(mode, func, args, kwargs)
    if func in _SOFTMAX and args[2]:  # from half to FP32 at once, which no processor does
        with mode:
            return func(args[0].float(), args[1], False)  # noqa: FBT003 - positional in the schema
    if func in _RULES:
        return _RULES[func](mode, func, args, kwargs)
    if func is _PACKED:
        return _packed(mode, *args)
    if func is _DRAWN or (every and torch.Tag.nondeterministic_seeded in getattr(func, "tags", ())):
        return _computed(mode, func, args, kwargs)
    return _constructed(mode, func, args, kwargs, every=every)


def _filled(mode: FakeTensorMode, func: Operator, args: Args, kwargs: Named) -> Any:  # noqa: ANN401 - as above
    """The tensor itself, which knows what was drawn into it: a model may choose a size or leave a layer out by it."""
    filled = args[0]
    with _disable_current_modes():
        drawn = torch.empty_strided(filled.shape, filled.stride(), dtype=filled.dtype)
        func(drawn, *args[1:], **kwargs)
    filled.constant = drawn
    mode.fake_tensor_converter.add_constant_storage_mapping(filled)
    return filled


def _by_places(mode: FakeTensorMode, func: Operator, args: Args, kwargs: Named) -> Any:  # noqa: ANN401 - as above
    indices = [_without_mask(mode, index) for index in args[1]]
    if all(pair[0] is old for pair, old in zip(indices, args[1], strict=True)):
        return None
    entries = [entry for pair in indices for entry in pair]
    with mode:
        if func is not torch.ops.aten.index.Tensor:
            # Its shape rule takes values of any shape, and backward alone would complain of them.
            args[2].expand(torch.ops.aten.index.Tensor(args[0], entries).shape)
        return func(args[0], entries, *args[2:], **kwargs)


def _packed(mode: FakeTensorMode, padded: Tensor, lengths: Tensor, batch_first: bool) -> Any:  # noqa: ANN401 - torch's own signature
    values = lengths.constant if isinstance(lengths, FakeTensor) else lengths
    if values is None:
        return None
    with _disable_current_modes():
        counts = torch.ops.aten._pack_padded_sequence(  # noqa: SLF001 - torch's own name
            torch.empty(*padded.shape[:2], 1), values, batch_first
        )[1]
        row_count = int(counts.sum())
    with mode:
        rows = padded.new_empty(row_count, *padded.shape[2:])
    return rows, with_values(mode, counts)


def are_packed_unevenly(func: Operator, made: Any) -> bool:  # noqa: ANN401 - whatever an operator returned
    """Whether these are packed sequences of which some are longer than others."""
    if func is not _PACKED:
        return False
    running = made[1].constant
    return bool(running[0] != running[-1])


def _constructed(mode: FakeTensorMode, func: Operator, args: Args, kwargs: Named, *, every: bool) -> Any:  # noqa: ANN401 - as above
    name = func._schema.name.partition("::")[2] if hasattr(func, "_schema") else ""  # noqa: SLF001 - torch's modes read it
    device = kwargs.get("device")
    elsewhere = device is not None and torch.device(device).type != "cpu"
    if name == "empty" and not every and (kwargs.get("dtype") or torch.get_default_dtype()).is_floating_point:
        return None  # memory for activations, which nobody filled yet; places are filled one by one and read
    if (
        not (name in _CONSTRUCTORS or _draws_one(func, args))
        or elsewhere
        or any(isinstance(value, Tensor) for value in (*args, *kwargs.values()))
    ):
        return None
    if name in {"zeros", "ones", "full", "empty"} and _count(args[0]) > _MOST_OF_INPUTS:
        return None
    with _disable_current_modes():
        made = func(*args, **kwargs)
    return with_values(mode, made) if is_small_enough(made, every=every) else None


def _draws_one(func: Operator, args: Args) -> bool:
    """Whether one number is drawn, by which a model may choose a size or leave a layer out."""
    drawing = getattr(func, "overloadpacket", None) in _DRAWING
    return drawing and _count(next(size for size in args if isinstance(size, (list, tuple)))) == 1


def _computed(mode: FakeTensorMode, func: Operator, args: Args, kwargs: Named) -> Any:  # noqa: ANN401 - as above
    """A random operator on known values that writes into none of them; None for any other."""
    if func._schema.is_mutable:  # noqa: SLF001 - torch's modes read it
        return None
    tensors = [value for value in tree_leaves((args, dict(kwargs))) if isinstance(value, Tensor)]
    if any(not isinstance(tensor, FakeTensor) or tensor.constant is None for tensor in tensors):
        return None
    with _disable_current_modes():
        constants = tree_map(
            lambda value: value.constant if isinstance(value, FakeTensor) else value, (args, dict(kwargs))
        )
        out = func(*constants[0], **constants[1])
    return tree_map(lambda value: with_values(mode, value) if isinstance(value, Tensor) else value, out)


def _attended(mode: FakeTensorMode, func: Operator, args: Args, kwargs: Named) -> Any:  # noqa: ANN401 - as above
    """A fused attention of known values, which no processor runs: its result from plain products, without dropout."""
    bias, place = (None, 4) if func is _FLASH else (args[3], 6)
    causal = bool(args[place]) if len(args) > place else False  # what is left at its default is not handed on
    given = [argument for argument in (*args[:3], bias) if argument is not None]
    if any(not isinstance(tensor, FakeTensor) or tensor.constant is None for tensor in given):
        return None
    with mode, values_left_out(func, args, kwargs):
        out = func(*args, **kwargs)
    with _disable_current_modes():
        query, key, value, *biases = (tensor.constant.float() for tensor in given)
        plain = torch.ops.aten._scaled_dot_product_attention_math  # noqa: SLF001 - torch's own name
        made = plain(query, key, value, *(biases or (None,)), 0.0, causal, scale=kwargs.get("scale"))[0]
        held = torch.empty_strided(out[0].shape, out[0].stride(), dtype=out[0].dtype).copy_(made)
    return (with_values(mode, held), *out[1:])


def _aligned(mode: FakeTensorMode, func: Operator, args: Args, kwargs: Named) -> Any:  # noqa: ANN401 - as above
    """CTC's losses and its table of probabilities, where choices are made evenly: the longest target fills its row."""
    del func, kwargs
    if getattr(mode, "values", None) != "even":
        return None  # a model that can be run tells how long they are
    scores, targets = args[:2]
    steps, samples = scores.shape[:2]
    longest = targets.shape[1] if targets.dim() > 1 else -(-targets.numel() // samples)
    with mode:
        return scores.new_empty(samples), scores.new_empty(samples, steps, 2 * longest + 1)


_RULES = {
    _FLASH: _attended,
    _EFFICIENT: _attended,
    **dict.fromkeys(_MASKED, _by_places),
    **dict.fromkeys((torch.ops.aten._ctc_loss.default, torch.ops.aten._ctc_loss.Tensor), _aligned),  # noqa: SLF001 - the same
}
"""Operators with a rule of their own, whatever is kept."""


def _count(shape: Any) -> int:  # noqa: ANN401 - a size or several
    sizes = shape if isinstance(shape, (list, tuple, torch.Size)) else [shape]
    product = 1
    for size in sizes:
        product *= int(size)
    return product


def _without_mask(mode: FakeTensorMode, index: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a tensor or None
    """A known mask as the places that it marks, one tensor a dimension; anything else as it is."""
    values = index.constant if isinstance(index, FakeTensor) else None
    if values is None or values.dtype not in {torch.bool, torch.uint8}:
        return (index,)
    with _disable_current_modes():
        places = values.nonzero(as_tuple=True)
    return tuple(with_values(mode, place) for place in places)


_AT_MOST = 1 << 24
"""Choices of one call."""
_TOPK, _ARGMAX, _MAX = torch.ops.aten.topk.default, torch.ops.aten.argmax.default, torch.ops.aten.max.dim
CHOOSING = frozenset({"topk", "argmax", "max"})
"""Operators that tell which of several are best, by name."""


def is_choice(func: Operator, args: Args) -> bool:
    """Whether an operator chooses among values that are not known."""
    return func in {_TOPK, _ARGMAX, _MAX} and isinstance(args[0], FakeTensor) and args[0].constant is None


def evenly_chosen(
    mode: FakeTensorMode,
    func: Operator,
    args: Args,
    kwargs: Named,
    out: Any,  # noqa: ANN401 - what its shape rule gave
) -> Any:  # noqa: ANN401 - the same
    """The result with known places: each in turn, so that all are chosen equally often."""
    chosen: Tensor = out if func is _ARGMAX else out[1]
    place = 2 if func is _TOPK else 1
    dimension = args[place] if len(args) > place else kwargs.get("dim", -1 if func is _TOPK else None)
    if chosen.numel() > _AT_MOST or args[0].dim() == 0:
        return out
    with _disable_current_modes():
        places = _in_turn(tuple(args[0].shape), tuple(chosen.shape), dimension, one=func is not _TOPK)
    chosen_places = with_values(mode, places)
    return chosen_places if func is _ARGMAX else (out[0], chosen_places)


def _in_turn(given: tuple[int, ...], wanted: tuple[int, ...], dimension: int | None, *, one: bool) -> Tensor:
    """Places along a dimension, one after the other from row to row."""
    count = torch.Size(wanted).numel()
    if dimension is None:
        return torch.zeros(wanted, dtype=torch.long)
    places = torch.arange(count) % given[dimension]
    if one:
        return places.reshape(wanted)
    others = [size for place, size in enumerate(wanted) if place != dimension % len(wanted)]
    return places.reshape(*others, wanted[dimension]).movedim(-1, dimension).contiguous()
