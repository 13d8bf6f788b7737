"""Model code that names a GPU, traced where there is none: what it puts there lies with everything else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Self

import torch
from torch.overrides import TorchFunctionMode

from advisor.worker.causes import causes
from advisor.worker.replaced import replaced
from advisor.worker.trace.ops.raw_op import Args, Named

_LACKING = ("not compiled with CUDA", "Found no NVIDIA driver", "No CUDA GPUs are available", "not linked with support")
"""How torch says that it cannot put anything on a GPU here."""
_APART = "at least two devices"
"""How torch says that operands lie on a GPU and elsewhere: fakes can be put on a GPU that is not there."""
_MOVES = frozenset({torch.Tensor.cuda, torch.Tensor.pin_memory})


class _OldType(type):
    """A type of tensors on a GPU, as PyTorch had them before devices: `torch.cuda.LongTensor(12)` makes one."""

    dtype: torch.dtype

    def __call__(cls, *given: Any) -> torch.Tensor:  # noqa: ANN401 - sizes, or what the tensor holds
        """Such a tensor where all others are."""
        first = given[0] if given else 0
        if isinstance(first, torch.Tensor):
            return first.to(cls.dtype)
        if len(given) > 1 or isinstance(first, (int, torch.Size)):
            return torch.empty(*given, dtype=cls.dtype)
        return torch.tensor(first, dtype=cls.dtype)

    def __instancecheck__(cls, instance: object) -> bool:
        """Whether it holds such numbers: where it lies is one and the same for all."""
        return isinstance(instance, torch.Tensor) and instance.dtype == cls.dtype


_OLD_TYPES = {
    f"{name}Tensor": _OldType(f"{name}Tensor", (), {"dtype": dtype})
    for name, dtype in {
        "Float": torch.float32, "Double": torch.float64, "Half": torch.float16, "BFloat16": torch.bfloat16,
        "Long": torch.int64, "Int": torch.int32, "Short": torch.int16, "Char": torch.int8, "Byte": torch.uint8,
        "Bool": torch.bool,
    }.items()
}  # fmt: skip


class InOnePlace(TorchFunctionMode):
    """Takes every GPU that is named, as an argument, by `.cuda()` or by a type, for the device of the trace."""

    def __enter__(self) -> Self:
        """Let the types of GPUs make tensors here, until this mode is left."""
        self._replaced = ExitStack()
        self._replaced.enter_context(replaced(torch.cuda, **_OLD_TYPES))
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *raised: object) -> None:
        """Give them back."""
        super().__exit__(*raised)  # type: ignore[no-untyped-call]
        self._replaced.close()

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: Args = (), kwargs: Named | None = None
    ) -> Any:  # noqa: ANN401 - whatever the function returns
        """Call it with the trace's device in the place of a GPU."""
        del types
        if func in _MOVES:
            return args[0]
        if func is torch.Tensor.type and len(args) > 1 and isinstance(args[1], _OldType):
            return args[0].to(args[1].dtype)
        return func(*map(_here, args), **{name: _here(value) for name, value in (kwargs or {}).items()})


def _here(value: Any) -> Any:  # noqa: ANN401 - any argument
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "cpu"
    if isinstance(value, str) and value.startswith("torch.cuda."):
        return value.replace("torch.cuda.", "torch.", 1)
    return value


def names_a_gpu(error: BaseException) -> bool:
    """Whether model code failed because it named a GPU: where torch has none, or beside what lies elsewhere."""
    said = [str(cause) for cause in causes(error) if isinstance(cause, AssertionError | RuntimeError | TypeError)]
    lacking = any(words in text for text in said for words in _LACKING)
    return lacking or any(_APART in text and "cuda" in text for text in said)
