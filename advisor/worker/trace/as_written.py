"""Where a trace takes a model's Python otherwise than a step does: compiled parts, fused layers, numbers in lists."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensor
from torch.utils._python_dispatch import _disable_current_modes

from advisor.worker.replaced import replaced
from advisor.worker.trace.values.known import Fakes


@contextmanager
def layers_in_the_open() -> Iterator[None]:
    """Encoder layers run their own operators: evaluating, torch would fuse each into one whose work nobody can see."""
    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(before)


@contextmanager
def uncompiled() -> Iterator[None]:
    """A model that compiles itself is traced as it is written: the compiler's part is predicted from there."""

    def unchanged(model: Any = None, **_options: object) -> Any:  # noqa: ANN401 - a model, a function, or a decorator
        return (lambda decorated: decorated) if model is None else model

    with replaced(torch, compile=unchanged), replaced(torch.nn.Module, compile=lambda *_args, **_options: None):
        yield


def numbers_in_lists(of: type[torch.Tensor] = FakeTensor) -> AbstractContextManager[None]:
    """`torch.tensor` takes fakes of one number in its lists: it would read memory that they do not have."""
    original = torch.tensor

    def number(value: Any) -> Any:  # noqa: ANN401 - whatever stands in a list
        if isinstance(value, (list, tuple)):
            return [number(item) for item in value]
        return value.item() if isinstance(value, of) and value.dim() == 0 else value

    def tensor(data: Any, **options: Any) -> torch.Tensor:  # noqa: ANN401 - torch's own signature
        return original(number(data) if isinstance(data, (list, tuple)) else data, **options)

    return replaced(torch, tensor=tensor)


def numbers_in_texts() -> AbstractContextManager[None]:
    """A fake of one known number is written as that number: layers are looked up by names made of it."""
    original = torch.Tensor.__format__

    def written(tensor: torch.Tensor, wanted: str) -> str:
        is_number = isinstance(tensor, FakeTensor) and tensor.constant is not None and tensor.dim() == 0
        return format(tensor.item(), wanted) if is_number else original(tensor, wanted)  # type: ignore[no-untyped-call]

    return replaced(torch.Tensor, __format__=written)


def lists_at_once() -> AbstractContextManager[None]:
    """A list of known numbers is one copy from the device and one wait: fakes would ask for each of them."""
    original = FakeTensor.tolist

    def listed(tensor: FakeTensor) -> Any:  # noqa: ANN401 - a number, or lists of them
        if tensor.constant is None or not tensor.numel():
            return original(tensor)
        tensor.reshape(-1)[0].item()
        return tensor.constant.tolist()

    return replaced(FakeTensor, tolist=listed)


def arrays_of_values(mode: Fakes) -> AbstractContextManager[None]:
    """A fake becomes an array of NumPy with what is known of it, after one wait for the device; else a value was asked.

    Where choices are made evenly an unknown array is all zeros: what is worked out of it, a weight of the loss or who
    is matched with whom, has the sizes that it would have.
    """
    original = torch.Tensor.numpy

    def array(tensor: FakeTensor, *, force: bool = False) -> Any:  # noqa: ANN401 - NumPy's own type
        known = tensor.constant
        if known is None and mode.values != "even":
            raise DataDependentOutputException(torch.ops.aten._local_scalar_dense.default)  # noqa: SLF001 - torch's own name
        if tensor.requires_grad and not force:
            return original(tensor)  # torch's own words for it
        torch.tensor(0).item()
        mode.chose |= known is None
        with _disable_current_modes():
            return original(torch.zeros(tensor.shape, dtype=tensor.dtype) if known is None else known, force=True)

    return replaced(FakeTensor, numpy=array)


def no_layer_left_out() -> AbstractContextManager[None]:
    """A scalar `torch.rand([])`, by which models of transformers leave layers out, is 1: a step with all of them."""
    original = torch.rand

    def rand(*size: Any, **options: Any) -> torch.Tensor:  # noqa: ANN401 - torch's own signature
        return torch.tensor(1.0) if size in (((),), ([],)) and not options else original(*size, **options)

    return replaced(torch, rand=rand)


@contextmanager
def unasserted() -> Iterator[None]:
    """Assertions on values hold: they stop a step that is wrong, and decide nothing in one that is right."""
    distribution = torch.distributions.Distribution
    validate = distribution._validate_args  # noqa: SLF001 - it has no public reader
    distribution.set_default_validate_args(value=False)
    try:
        with replaced(torch, _check_tensor_all_with=lambda *_args, **_options: None):
            yield
    finally:
        distribution.set_default_validate_args(validate)
