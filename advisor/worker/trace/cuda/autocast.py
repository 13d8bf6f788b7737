"""Autocast as CUDA's: which operators it casts and how, and what model code itself asks of it, for a trace's tensors.

The kernels sit at the dispatcher's autocast key of the CPU while tracing. Whether CUDA's autocast knows an operator is
asked of the installed torch; how it treats one stands in `resources/operators.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any

import torch
from torch.library import Library, fallthrough_kernel

from advisor.worker.replaced import replaced
from advisor.worker.trace.ops.op_names import operators
from advisor.worker.trace.ops.raw_op import tensors_in

Tensor = torch.Tensor
Kernel = Callable[..., Any]
aten = torch.ops.aten
HALF_TYPES = (torch.float16, torch.bfloat16)
_DEVICES = ("cpu", "cuda")
_KEY = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)  # noqa: SLF001 - no public name


def without_autocast() -> Any:  # noqa: ANN401 - torch's own guard
    """A block whose operators autocast leaves alone."""
    return torch._C._ExcludeDispatchKeyGuard(_KEY)  # noqa: SLF001 - no public name


def _cast(value: Any, given: tuple[torch.dtype, ...], wanted: torch.dtype) -> Any:  # noqa: ANN401 - any argument of an operator
    """Tensors of the given types in another, in lists too."""
    if isinstance(value, Tensor) and value.dtype in given:
        return value.to(wanted)
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(item, given, wanted) for item in value)
    return value


def as_half(value: Any) -> Any:  # noqa: ANN401 - any argument of an operator
    """FP32 tensors in autocast's type, in lists too."""
    return _cast(value, (torch.float32,), torch.get_autocast_dtype("cpu"))


def _as_fp32(value: Any) -> Any:  # noqa: ANN401 - any argument of an operator
    return _cast(value, HALF_TYPES, torch.float32)


def _cast_then_call(overload: Kernel, cast: Callable[[Any], Any]) -> Kernel:
    def kernel(*args: object, **kwargs: object) -> object:
        with without_autocast():
            return overload(*[cast(a) for a in args], **{name: cast(a) for name, a in kwargs.items()})

    return kernel


def _in_the_widest(overload: Kernel) -> Kernel:
    """Where one of its tensors is FP32, all of them become so."""
    in_fp32 = _cast_then_call(overload, _as_fp32)

    def kernel(*args: object, **kwargs: object) -> object:
        if any(tensor.dtype == torch.float32 for tensor in tensors_in(kwargs, tensors_in(args))):
            return in_fp32(*args, **kwargs)
        with without_autocast():
            return overload(*args, **kwargs)

    return kernel


def _with_fp32_result(overload: Kernel) -> Kernel:
    """CUDA passes dtype=float32 where none was asked for: no separate cast runs."""

    def kernel(*args: object, **kwargs: object) -> object:
        first = args[0]
        if kwargs.get("dtype") is None and isinstance(first, Tensor) and first.dtype in HALF_TYPES:
            kwargs["dtype"] = torch.float32
        with without_autocast():
            return overload(*args, **kwargs)

    return kernel


@cache
def names_known_to(key: str) -> frozenset[str]:
    """Operators, without namespace and overload, that torch itself has a kernel of at a dispatch key."""
    full = torch._C._dispatch_get_registrations_for_dispatch_key(key)  # noqa: SLF001 - no public name
    return frozenset(name.removeprefix("aten::").split(".")[0] for name in full if name.startswith("aten::"))


def register_autocast(library: Library) -> None:
    """Make the CPU's autocast take CUDA's decisions for as long as the library lives."""
    names_of, cuda_names = operators().autocast, names_known_to("AutocastCUDA")
    for names, wrap in (
        (names_of.to_fp32, lambda overload: _cast_then_call(overload, _as_fp32)),
        (names_of.sums_in_fp32, _with_fp32_result),
        (names_of.to_half, lambda overload: _cast_then_call(overload, as_half)),
        (names_of.to_widest, _in_the_widest),
    ):
        for name in cuda_names.intersection(names):
            packet = getattr(aten, name)
            for overload_name in packet.overloads():
                overload = getattr(packet, overload_name)
                if "out" in overload_name.split("_") or overload_name.endswith("_out") or "dimname" in overload_name:
                    continue
                _put(library, name, overload_name, wrap(overload))
    for name in names_known_to("AutocastCPU") - cuda_names:
        for overload_name in getattr(aten, name).overloads():
            _put(library, name, overload_name, fallthrough_kernel)


def _put(library: Library, name: str, overload: str, kernel: Kernel) -> None:
    full = name if overload == "default" else f"{name}.{overload}"
    library.impl(full, kernel, "AutocastCPU", allow_override=True)  # type: ignore[no-untyped-call]


@contextmanager
def autocast_of_either() -> Iterator[None]:
    """What model code asks of autocast on a GPU or on the CPU holds for both: here the one stands for the other.

    Where no GPU is, torch takes every `torch.autocast("cuda")` for switched off.
    """
    set_enabled, set_format = torch.set_autocast_enabled, torch.set_autocast_dtype

    def enabled(*asked: Any) -> None:  # noqa: ANN401 - a device and a flag, or the flag alone
        device, flag = asked if len(asked) > 1 else ("cuda", asked[0])
        for each in _DEVICES if device in _DEVICES else (device,):
            set_enabled(each, flag)

    def of_format(device: str, format_: torch.dtype) -> None:
        for each in _DEVICES if device in _DEVICES else (device,):
            set_format(each, format_)

    with ExitStack() as stack:
        stack.enter_context(replaced(torch, set_autocast_enabled=enabled, set_autocast_dtype=of_format))
        stack.enter_context(replaced(torch.cuda.amp.common, amp_definitely_not_available=lambda: False))
        stack.enter_context(replaced(torch.cuda, is_bf16_supported=lambda *_given, **_named: True))
        for one in _DEVICES:
            stack.callback(set_format, one, torch.get_autocast_dtype(one))
        set_format("cpu", torch.get_autocast_dtype("cuda"))  # what a block that names no type takes
        yield
