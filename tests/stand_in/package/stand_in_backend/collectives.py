"""Collectives of the stand-in: through gloo on host copies, back onto the device, as an accelerator's library would."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch.futures import Future

BACKEND = "stand_in_ccl"


def register(device: str) -> None:
    """Make it torch's default backend for `device`."""
    dist.Backend.register_backend(BACKEND, _create, devices=[device])


def _create(store: dist.Store, rank: int, size: int, timeout: timedelta) -> dist.ProcessGroup:
    return HostGroup(dist.ProcessGroupGloo(store, rank, size, timeout), rank, size)


class HostGroup(dist.ProcessGroup):
    """Each collective is done when its call returns."""

    def __init__(self, inner: Any, rank: int, size: int) -> None:
        super().__init__(rank, size)
        self._inner = inner
        self.call_count = 0

    def getBackendName(self) -> str:  # noqa: N802 - torch's own name
        return BACKEND

    def _get_backend(self, device: torch.device) -> HostGroup:
        """Asked by torch 2.15 before messages go in one batch: the group is its own backend."""
        del device
        return self

    @property
    def pg_name(self) -> str:
        return BACKEND

    @property
    def group_name(self) -> str:
        return BACKEND

    def allreduce(self, tensors: list[torch.Tensor], options: Any = None) -> Any:
        options = dist.AllreduceOptions() if options is None else options
        return self._done(tensors, lambda host: self._inner.allreduce(host, options))

    def broadcast(self, tensors: list[torch.Tensor], options: Any) -> Any:
        return self._done(tensors, lambda host: self._inner.broadcast(host, options))

    def allgather(self, outputs: list[list[torch.Tensor]], inputs: list[torch.Tensor], options: Any = None) -> Any:
        self.call_count += 1
        host = [[one.cpu() for one in row] for row in outputs]
        options = dist.AllgatherOptions() if options is None else options
        self._inner.allgather(host, [one.cpu() for one in inputs], options).wait()
        for row, found in zip(outputs, host, strict=True):
            _copy_back(row, found)
        return _finished(outputs)

    def send(self, tensors: list[torch.Tensor], to: int, tag: int) -> Any:
        self.call_count += 1
        kept = [one.cpu() for one in tensors]
        return _Later(self._inner.send(kept, to, tag), kept.clear)

    def recv(self, tensors: list[torch.Tensor], sender: int, tag: int) -> Any:
        self.call_count += 1
        host = [one.cpu() for one in tensors]
        return _Later(self._inner.recv(host, sender, tag), lambda: _copy_back(tensors, host))

    def barrier(self, options: Any = None) -> Any:
        del options
        self._inner.barrier().wait()
        return _finished([])

    def _done(self, tensors: list[torch.Tensor], work: Callable[[list[torch.Tensor]], Any]) -> Any:
        self.call_count += 1
        host = [one.cpu() for one in tensors]
        work(host).wait()
        _copy_back(tensors, host)
        return _finished(tensors)


class _Later(dist.Work):
    """A message under way; the tensor is filled when it was waited for."""

    def __init__(self, inner: Any, then: Callable[[], object]) -> None:
        super().__init__()
        self._inner, self._then = inner, then

    def wait(self, timeout: timedelta = timedelta(0)) -> bool:
        del timeout
        self._inner.wait()
        self._then()
        return True


def _copy_back(targets: list[torch.Tensor], sources: list[torch.Tensor]) -> None:
    with torch.no_grad():
        for target, source in zip(targets, sources, strict=True):
            target.copy_(source)


def _finished(result: object) -> Any:
    future: Future[object] = Future()
    future.set_result(result)
    return torch._C._distributed_c10d._create_work_from_future(future)
