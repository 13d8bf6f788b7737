"""Collectives of one rank, timed and their values compared: peers, links, all-reduce by size."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.distributed as dist

from advisor.protocol.messages import RankFinding, RankFindingKind

SIZES_BYTES = (4096, 65_536, 1_048_576, 5_242_880, 26_214_400)
"""From a single small gradient to DDP's bucket of 25 MiB."""
_LARGE_BYTES = 104_857_600
"""An embedding that fills its own bucket."""

_BYTES_PER_FLOAT = 4
_LEAST_REPEATS, _MOST_REPEATS = 5, 200
_PATTERN_LENGTH = 4096


@dataclass
class Rank:
    """This process's place in the group, and how to work with its device."""

    rank: int
    count: int
    device: torch.device
    control: dist.ProcessGroup
    """gloo over CPU tensors: barriers and messages, also where the data go over NCCL."""
    keep: Callable[[RankFinding], None]
    """Writes a finding to this rank's file."""
    findings: list[RankFinding] = field(default_factory=list)

    def record(self, kind: RankFindingKind, **figures: Any) -> None:  # noqa: ANN401 - fields of a finding
        """Keep a finding of this rank, here and on disk."""
        finding = RankFinding(**{"rank": self.rank, "rank_count": self.count, "kind": kind, **figures})
        self.findings.append(finding)
        self.keep(finding)

    def barrier(self) -> None:
        """Wait for every rank; fails after the group's timeout."""
        dist.barrier(group=self.control)

    def synchronise(self) -> None:
        """Wait for the device."""
        if self.device.type != "cpu":
            getattr(torch, self.device.type).synchronize(self.device)

    def agreed(self, value: float) -> float:
        """The largest of all ranks' values: ranks must run equally many collectives."""
        tensor = torch.tensor([value], dtype=torch.float64)
        dist.all_reduce(tensor, op=dist.ReduceOp.MAX, group=self.control)
        return float(tensor.item())

    def timed(self, work: Callable[[], object], repeats: int) -> tuple[float, ...]:
        """Seconds of each of `repeats` calls, every rank starting together."""
        samples = []
        for _ in range(repeats):
            self.barrier()
            self.synchronise()
            begin = time.perf_counter()
            work()
            self.synchronise()
            samples.append(time.perf_counter() - begin)
        return tuple(samples)

    def repeats_within(self, once_s: float, budget_s: float) -> int:
        """How often to repeat something that took `once_s` on the slowest rank."""
        slowest = self.agreed(once_s)
        return int(min(_MOST_REPEATS, max(_LEAST_REPEATS, budget_s / max(slowest, 1e-6))))


def check_peers(rank: Rank) -> None:
    """Send a pattern around the ring, compare every value, and time the copy by size.

    Peer-to-peer that is advertised but broken corrupts or hangs: the values decide, not the driver's word.
    """
    following, previous = (rank.rank + 1) % rank.count, (rank.rank - 1) % rank.count
    pattern = _pattern(rank.rank, rank.device)
    received = torch.full_like(pattern, math.nan)
    _shift(pattern, received, following, previous)
    rank.synchronise()
    correct = bool(torch.equal(received.cpu(), _pattern(previous, torch.device("cpu"))))
    rank.record("peer_values", message_bytes=pattern.numel() * _BYTES_PER_FLOAT, values_correct=correct)


def time_peer_copies(rank: Rank, budget_s: float) -> None:
    """One message to the next rank while one comes from the previous: what a link carries one way."""
    following, previous = (rank.rank + 1) % rank.count, (rank.rank - 1) % rank.count
    sent = torch.randn(SIZES_BYTES[-1] // _BYTES_PER_FLOAT, device=rank.device)
    received = torch.empty_like(sent)

    def work() -> None:
        _shift(sent, received, following, previous)

    once = rank.timed(work, 2)[-1]
    samples = rank.timed(work, rank.repeats_within(once, budget_s))
    rank.record("peer_copy", message_bytes=SIZES_BYTES[-1], samples_s=samples)


def time_memory_copy(rank: Rank) -> None:
    """Copy 25 MiB within the device's memory: what flattening and averaging gradients costs a byte."""
    source = torch.randn(SIZES_BYTES[-1] // _BYTES_PER_FLOAT, device=rank.device)
    target = torch.empty_like(source)
    rank.timed(lambda: target.copy_(source), 2)
    samples = rank.timed(lambda: target.copy_(source), 9)
    rank.record("memory_copy", message_bytes=SIZES_BYTES[-1], samples_s=samples)


def time_all_reduces(rank: Rank, budget_s: float, largest_gradient_bytes: int) -> None:
    """All-reduce by size; the sum of known patterns is compared, not only timed."""
    sizes = SIZES_BYTES + ((_LARGE_BYTES,) if largest_gradient_bytes > SIZES_BYTES[-1] else ())
    for size in sizes:
        tensor = torch.empty(size // _BYTES_PER_FLOAT, device=rank.device)
        tensor.fill_(float(rank.rank + 1))
        dist.all_reduce(tensor)
        rank.synchronise()
        expected = rank.count * (rank.count + 1) / 2
        correct = bool(torch.all(tensor == expected).item())
        tensor.zero_()
        once = statistics.median(rank.timed(lambda tensor=tensor: dist.all_reduce(tensor), 3))  # type: ignore[misc]
        repeats = rank.repeats_within(once, budget_s / len(sizes))
        samples = rank.timed(lambda tensor=tensor: dist.all_reduce(tensor), repeats)  # type: ignore[misc]
        rank.record("all_reduce", message_bytes=size, samples_s=samples, values_correct=correct)


def _pattern(rank: int, device: torch.device) -> torch.Tensor:
    return torch.arange(_PATTERN_LENGTH, dtype=torch.float32, device=device) * 0.5 + 1000.0 * (rank + 1)


def _shift(sent: torch.Tensor, received: torch.Tensor, following: int, previous: int) -> None:
    operations = [dist.P2POp(dist.isend, sent, following), dist.P2POp(dist.irecv, received, previous)]
    for work in dist.batch_isend_irecv(operations):
        work.wait()
