"""Operators on known values alone: worked out for real, their results made fakes that keep them.

torch's own fakes do the same by way of a full description of every result, which takes ten times as long as most of
these operators do; a model that loops over its experts or its pictures runs tens of thousands of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from advisor.worker.trace.ops.raw_op import Args, Named, Operator

Tensor = torch.Tensor
NOT_COMPUTED = object()
"""Given where torch's own rule holds."""
_CPU, _META = torch.device("cpu"), torch.device("meta")
_LEFT_TO_TORCH = frozenset([torch.Tag.nondeterministic_seeded, torch.Tag.inplace_view])


def is_computable(func: Operator) -> bool:
    """Whether an operator gives new tensors or views that follow from its arguments alone."""
    return (
        isinstance(func, OpOverload)
        and func.namespace == "aten"
        and not func._schema.is_mutable  # noqa: SLF001 - torch's modes read it
        and _LEFT_TO_TORCH.isdisjoint(func.tags)
        and func not in FakeTensorMode.lift_fns
    )


def computed(mode: FakeTensorMode, func: Operator, args: Args, kwargs: Named) -> Any:  # noqa: ANN401 - whatever the operator returns
    """The result, each tensor with its values; NOT_COMPUTED where a tensor among the arguments has none.

    Also where the operator fails on them, or gives what is too large to be kept: torch's own rules tell what happens.
    """
    device = kwargs.get("device")
    if device is not None and torch.device(device) != _CPU:
        return NOT_COMPUTED
    given: list[FakeTensor] = []
    constants = _constants(args, mode, given)
    named = _constants(kwargs.values(), mode, given) if constants is not None and given else None
    if constants is None or named is None:
        return NOT_COMPUTED
    with torch._C._DisableTorchDispatch():  # noqa: SLF001 - real tensors, as the fake-tensor mode computes them
        try:
            out = func(*constants, **dict(zip(kwargs, named, strict=True)))
        except (RuntimeError, NotImplementedError):
            return NOT_COMPUTED
        if not isinstance(out, (Tensor, tuple, list)):
            return out  # a number
        container = type(out) if type(out) in (tuple, list) else None
        made = [_fake(mode, tensor, given) for tensor in (out if container is not None else (out,))]
    if any(tensor is None for tensor in made) or (container is not None and _share(made, given)):
        return NOT_COMPUTED
    return made[0] if container is None else container(made)


def _constants(values: Iterable[Any], mode: FakeTensorMode, given: list[FakeTensor]) -> list[Any] | None:
    """The arguments with values in the place of fakes, which are added to `given`; None where one has no values."""
    found: list[Any] = []
    for value in values:
        if isinstance(value, Tensor):
            if type(value) is not FakeTensor or value.fake_mode is not mode or value.constant is None:
                return None
            given.append(value)
            found.append(value.constant)
        elif type(value) in (list, tuple):
            inner = _constants(value, mode, given)
            if inner is None:
                return None
            found.append(type(value)(inner))
        else:
            found.append(value)
    return found


def _fake(mode: FakeTensorMode, real: object, given: list[FakeTensor]) -> FakeTensor | None:
    """A fake of a result, in the storage of the argument that it is a view of; None where it is none of these."""
    if type(real) is not Tensor or real.layout is not torch.strided or real.device != _CPU:
        return None
    if not mode.may_turn_const(real) or real.is_conj() or real.is_neg():
        return None
    storage = real.untyped_storage()._cdata  # noqa: SLF001 - the identity that views share
    owner = next((fake for fake in given if _storage_of(fake.constant) == storage), None)
    if owner is None:
        if real.storage_offset():
            return None
        bare = torch.empty_strided(real.shape, real.stride(), dtype=real.dtype, device=_META)
    elif not _lies_alike(owner):
        return None
    else:
        bare = torch.empty((0,), dtype=real.dtype, device=_META)
        bare.set_(owner.untyped_storage(), real.storage_offset(), real.shape, real.stride())
    made = FakeTensor(mode, bare, _CPU, constant=real)
    mode.fake_tensor_converter.add_constant_storage_mapping(made)
    return made


def _storage_of(tensor: Tensor | None) -> int | None:
    return None if tensor is None else tensor.untyped_storage()._cdata  # noqa: SLF001 - as above


def _lies_alike(fake: FakeTensor) -> bool:
    """Whether a fake lies in its storage as its values do in theirs, so that views of both have the same places."""
    constant = fake.constant
    assert constant is not None
    return (
        fake.storage_offset() == constant.storage_offset()
        and fake.stride() == constant.stride()
        and fake.untyped_storage().nbytes() == constant.untyped_storage().nbytes()
    )


def _share(made: list[FakeTensor | None], given: list[FakeTensor]) -> bool:
    """Whether several new results lie in one storage, which each would be given for itself."""
    owned = {_storage_of(fake.constant) for fake in given}
    fresh = [_storage_of(fake.constant) for fake in made if fake is not None]
    new = [storage for storage in fresh if storage not in owned]
    return len(new) > len(set(new))
