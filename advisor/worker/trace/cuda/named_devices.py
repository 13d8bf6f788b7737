"""Model code that names a GPU, traced where there is none: what it puts there lies with everything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from advisor.worker.causes import causes
from advisor.worker.trace.ops.raw_op import Args, Named

_LACKING = ("not compiled with CUDA", "Found no NVIDIA driver", "No CUDA GPUs are available", "not linked with support")
"""How torch says that it cannot put anything on a GPU here."""
_APART = "at least two devices"
"""How torch says that operands lie on a GPU and elsewhere: fakes can be put on a GPU that is not there."""
_MOVES = frozenset({torch.Tensor.cuda, torch.Tensor.pin_memory})


class InOnePlace(TorchFunctionMode):
    """Takes every GPU that is named, as an argument or by `.cuda()`, for the device of the trace."""

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: Args = (), kwargs: Named | None = None
    ) -> Any:  # noqa: ANN401 - whatever the function returns
        """Call it with the trace's device in the place of a GPU."""
        del types
        if func in _MOVES:
            return args[0]
        return func(*map(_here, args), **{name: _here(value) for name, value in (kwargs or {}).items()})


def _here(value: Any) -> Any:  # noqa: ANN401 - any argument
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "cpu"
    return value


def names_a_gpu(error: BaseException) -> bool:
    """Whether model code failed because it named a GPU: where torch has none, or beside what lies elsewhere."""
    said = [str(cause) for cause in causes(error) if isinstance(cause, AssertionError | RuntimeError)]
    lacking = any(words in text for text in said for words in _LACKING)
    return lacking or any(_APART in text and "cuda" in text for text in said)
