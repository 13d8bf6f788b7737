"""What transformers reads from tensors while it builds or runs, made known where tensors are fakes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor

from advisor.worker.replaced import replaced


@contextlib.contextmanager
def no_initialisation() -> Iterator[None]:
    """Set no weights, and give constructors the drop-path rates that they read off a `torch.linspace`."""
    from transformers.initialization import no_init_weights

    original = torch.linspace

    def linspace(start: Any, end: Any, steps: int, **options: Any) -> Any:  # noqa: ANN401 - torch's own signature
        if options.get("device") == "cpu":
            return _Rates(start + (end - start) * index / max(1, steps - 1) for index in range(steps))
        return original(start, end, steps, **options)

    with replaced(torch, linspace=linspace), no_init_weights():
        yield


class _Rate(float):
    """A number that can be asked like a tensor."""

    __slots__ = ()

    def item(self) -> float:
        """The number."""
        return float(self)


class _Rates(list[float]):
    """Numbers that can be asked like a tensor of one dimension."""

    def __iter__(self) -> Iterator[float]:
        """Each as a `_Rate`."""
        return (_Rate(value) for value in super().__iter__())

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a tensor has
        """What else a tensor of these numbers has."""
        return getattr(torch.tensor(list(self)), name)

    def tolist(self) -> list[float]:
        """The plain numbers."""
        return [float(value) for value in self]

    def split(self, sizes: Sequence[int]) -> list[_Rates]:
        """Consecutive parts of the given sizes."""
        parts, start = [], 0
        for size in sizes:
            parts.append(_Rates(self[start : start + size]))
            start += size
        return parts


def known_layer_drop() -> contextlib.AbstractContextManager[None]:
    """No layer is dropped: a scalar `torch.rand([])`, which models compare with their drop rate, is 1."""
    original = torch.rand

    def rand(*size: Any, **options: Any) -> Any:  # noqa: ANN401 - torch's own signature
        return 1.0 if size in (((),), ([],)) else original(*size, **options)

    return replaced(torch, rand=rand)


def let_experts_be_fake() -> None:
    """Under fakes `grouped_mm` takes BF16 only; other types go through the fallback, which does the same work."""
    try:
        from transformers.integrations import moe
    except ImportError:
        return
    original = getattr(moe, "_can_use_grouped_mm", None)
    if original is None or getattr(original, "knows_fakes", False):
        return

    def can_use(inputs: Tensor, weight: Tensor, offs: Tensor) -> bool:
        fake = isinstance(weight, FakeTensor)
        return (not fake or weight.dtype == torch.bfloat16) and bool(original(inputs, weight, offs))

    can_use.knows_fakes = True  # type: ignore[attr-defined]
    moe._can_use_grouped_mm = can_use  # type: ignore[assignment] # noqa: SLF001 - transformers has no setting for it
