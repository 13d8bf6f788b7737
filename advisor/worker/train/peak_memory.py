"""Peak bytes of one real step on a processor, by following every storage that an operator returns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter

from advisor.worker.trace.ops.raw_op import Args, Named, Operator
from advisor.worker.trace.storages import StorageTracker


class LiveBytes(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """While active, sums the bytes of all live storages; `peak_bytes` is the highest sum seen.

    What a kernel takes and gives back inside one operator is not seen, as no tensor shows it.
    """

    def __init__(self) -> None:
        """Start with nothing alive."""
        super().__init__()  # type: ignore[no-untyped-call]
        self._storages = StorageTracker()

    @property
    def live_bytes(self) -> int:
        """Of the storages that are alive now."""
        return self._storages.live_bytes

    @property
    def peak_bytes(self) -> int:
        """The most that were alive at once."""
        return self._storages.peak_bytes

    def see(self, tensors: Iterable[object]) -> None:
        """Count the storages of tensors that exist already (parameters, optimizer states, the batch)."""
        for tensor in tensors:
            for part in _strided(tensor) if isinstance(tensor, torch.Tensor) else ():
                self._storages.see(part)

    def __torch_dispatch__(self, func: Operator, types: object, args: Args = (), kwargs: Named | None = None) -> Any:  # noqa: ANN401 - whatever the operator returns
        """Run the operator, then count what it made."""
        del types
        result = func(*args, **(kwargs or {}))
        self.see(tree_iter(result))
        return result


def _strided(tensor: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """The tensors that hold its memory: a sparse one has places and values, any other is itself."""
    if tensor.layout is torch.sparse_coo:
        return (tensor._indices(), tensor._values())  # noqa: SLF001 - without a copy, as of one that is not coalesced
    if tensor.layout in {torch.sparse_csr, torch.sparse_bsr}:
        return (tensor.crow_indices(), tensor.col_indices(), tensor.values())
    if tensor.layout in {torch.sparse_csc, torch.sparse_bsc}:
        return (tensor.ccol_indices(), tensor.row_indices(), tensor.values())
    return (tensor,)
