"""A model on fake weights: built without memory or initialisation, whatever its constructor does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._python_dispatch import _disable_current_modes

from advisor.worker.causes import causes
from advisor.worker.replaced import replaced
from advisor.worker.trace.values.kept_values import is_small_enough, with_values

Tensor = torch.Tensor
_FILLS = ("normal_", "uniform_", "trunc_normal_", "erfinv_", "bernoulli_")
_INITIALISERS = ("orthogonal_", "trunc_normal_")


@contextmanager
def without_initialisation() -> Iterator[None]:
    """Skip random weight initialisation: it is useless on fakes, and slow."""

    def unchanged(tensor: Tensor, *_args: object, **_kwargs: object) -> Tensor:
        return tensor

    fills = dict.fromkeys((name for name in _FILLS if hasattr(Tensor, name)), unchanged)
    with replaced(Tensor, **fills), replaced(torch.nn.init, **dict.fromkeys(_INITIALISERS, unchanged)):
        yield


def _fakes_copied() -> AbstractContextManager[None]:
    """Let `copy.deepcopy` clone a fake tensor: torch copies its storage, fails half-way and corrupts memory."""
    original = Tensor.__deepcopy__

    def deepcopy(tensor: Tensor, memo: dict[int, object]) -> Tensor:
        if not isinstance(tensor, FakeTensor):
            return original(tensor, memo)  # type: ignore[no-untyped-call, no-any-return]
        if id(tensor) not in memo:
            copied = tensor.detach().clone().requires_grad_(tensor.requires_grad)
            memo[id(tensor)] = _like(tensor, copied)
        return memo[id(tensor)]  # type: ignore[return-value]

    return replaced(Tensor, __deepcopy__=deepcopy)


def _ramps_known(mode: FakeTensorMode) -> AbstractContextManager[None]:
    """Keep the values of a `torch.linspace` of numbers: constructors read drop rates off it, layer by layer."""
    original = torch.linspace

    def linspace(*args: Any, **options: Any) -> Tensor:  # noqa: ANN401 - torch's own signature
        if any(isinstance(value, Tensor) for value in (*args, *options.values())):
            return original(*args, **options)
        with _disable_current_modes():
            ramp = original(*args, **options)
        return with_values(mode, ramp) if ramp.device.type == "cpu" else original(*args, **options)

    return replaced(torch, linspace=linspace)


def converted_in_place() -> AbstractContextManager[None]:
    """A module that converts its own parameters gives each its new data, as on real ones, and its mode notes it.

    torch would swap fakes for what they become, which it refuses of any that something refers to.
    """
    original = torch.nn.Module._apply  # noqa: SLF001 - `to`, `half`, `float` and the others all end here

    def _apply(module: torch.nn.Module, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> torch.nn.Module:  # noqa: FBT002 - torch's own signature
        own: list[Any] = [*module._parameters.values()]  # noqa: SLF001 - its own alone, those shared with others included
        fakes = [one for one in own if isinstance(one, FakeTensor)]
        if not fakes:
            return original(module, fn, recurse)  # type: ignore[no-untyped-call, no-any-return]
        for child in module.children() if recurse else ():
            child._apply(fn)  # type: ignore[no-untyped-call]  # noqa: SLF001 - as torch does
        for parameter in fakes:
            with torch.no_grad():
                made = fn(parameter)
            if made is not parameter:
                parameter.data = made
                vars(parameter.fake_mode)["converted"] = True
        for name, buffer in module._buffers.items():  # noqa: SLF001 - as above
            if buffer is not None:
                module._buffers[name] = fn(buffer)  # noqa: SLF001 - as above
        return module

    return replaced(torch.nn.Module, _apply=_apply)


def _came_from_torch(error: BaseException) -> bool:
    """Whether an operator failed on fakes: data-dependent, unsupported, or a storage that cannot be set."""
    return any(isinstance(cause, RuntimeError | NotImplementedError) for cause in causes(error))


def build_fake(build: Callable[[], torch.nn.Module], mode: FakeTensorMode, *, real: bool = False) -> torch.nn.Module:
    """What `build` makes, on fakes of `mode`; `real`: built and initialised for real, its small tensors keep values.

    Where its construction reads values or does what fakes cannot, it is built for real (uninitialised, so that the
    system lends no pages to most of it) and every tensor is then replaced.
    """
    if real:
        model = build()
        _make_fake(model, mode, lambda tensor: _known(mode, tensor))
        return model
    with without_initialisation():
        try:
            with mode, _fakes_copied(), _ramps_known(mode):
                model = build()
                _forget_weights(model)
        except Exception as error:
            if not _came_from_torch(error):
                raise
            model = build()
    _make_fake(model, mode, mode.from_tensor)
    return model


def _known(mode: FakeTensorMode, tensor: Tensor) -> Tensor:
    """A fake with its values where the tensor is small; a parameter stays one."""
    if not is_small_enough(tensor, every=True):
        return mode.from_tensor(tensor)
    return _like(tensor, with_values(mode, tensor.detach()))


def _like(tensor: Tensor, made: Tensor) -> Tensor:
    """What was made in a tensor's place: a parameter where that is one."""
    return torch.nn.Parameter(made, tensor.requires_grad) if isinstance(tensor, torch.nn.Parameter) else made


def _forget_weights(model: torch.nn.Module) -> None:
    """Weights that were never initialised have no values to decide by, however small they are."""
    for parameter in model.parameters():
        if isinstance(parameter, FakeTensor):
            parameter.constant = None


def _of_this(mode: FakeTensorMode, other: FakeTensor) -> Tensor:
    """A fake of another mode, which has traced this module before, made again: its values are gone."""
    with mode:
        made = torch.empty_strided(other.shape, other.stride(), dtype=other.dtype, device=other.device)
    return _like(other, made)


def _make_fake(model: torch.nn.Module, mode: FakeTensorMode, made: Callable[[Tensor], Tensor]) -> None:
    """Replace every tensor of a module that is no fake of `mode`; shared parameters stay shared."""
    fakes: dict[int, Tensor] = {}

    def fake(tensor: Tensor) -> Tensor:
        if isinstance(tensor, FakeTensor) and tensor.fake_mode is mode:
            return tensor
        if id(tensor) not in fakes:
            fakes[id(tensor)] = _of_this(mode, tensor) if isinstance(tensor, FakeTensor) else made(tensor)
        return fakes[id(tensor)]

    keepers = [*model.parameters(), *model.buffers()]  # no id is given out twice while these live
    for module in model.modules():
        for store in (module._parameters, module._buffers):  # noqa: SLF001 - torch has no setter that keeps ties
            for name, tensor in store.items():
                if tensor is not None:
                    store[name] = fake(tensor)  # type: ignore[assignment]
        for name, value in list(vars(module).items()):
            if type(value) in {Tensor, FakeTensor}:
                setattr(module, name, fake(value))
    del keepers
