"""Peak bytes of one real step on a processor, by following every storage that an operator returns."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter


class LiveBytes(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """While active, sums the bytes of all live storages; `peak_bytes` is the highest sum seen.

    What a kernel takes and gives back inside one operator is not seen, as no tensor shows it.
    """

    def __init__(self) -> None:
        """Start with nothing alive."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.live_bytes = 0
        self.peak_bytes = 0
        self._sizes: dict[int, tuple[int, object]] = {}

    def see(self, tensors: Iterable[object]) -> None:
        """Count the storages of tensors that exist already (parameters, optimizer states, the batch)."""
        for tensor in tensors:
            if isinstance(tensor, torch.Tensor):
                self._note(tensor)

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401 - whatever the operator returns
        """Run the operator, then count what it made."""
        del types
        result = func(*args, **(kwargs or {}))
        self.see(tree_iter(result))
        return result

    def _note(self, tensor: torch.Tensor) -> None:
        storage = tensor.untyped_storage()
        key = storage._cdata  # noqa: SLF001 - the identity that views of one storage share
        size = storage.nbytes()
        if size == 0 or key in self._sizes:
            return
        self._sizes[key] = (size, weakref.ref(storage, self._forget(key)))
        self.live_bytes += size
        self.peak_bytes = max(self.peak_bytes, self.live_bytes)

    def _forget(self, key: int) -> Callable[[object], None]:
        def died(_reference: object) -> None:
            self.live_bytes -= self._sizes.pop(key, (0, None))[0]

        return died
