"""Answers a `RanksRequest`: this process is one rank of a torch.distributed group and measures with the others."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path

import msgspec
import torch
import torch.distributed as dist

from advisor import __version__
from advisor.core.sentences import Reason, say
from advisor.protocol.messages import Failed, Progress, RankFinding, RankReport, RanksRequest
from advisor.worker.event_box import EventBox
from advisor.worker.ranks.collectives import Rank, check_peers, time_all_reduces, time_memory_copy, time_peer_copies
from advisor.worker.ranks.deadline import PhaseDeadline
from advisor.worker.ranks.rank_messages import RANK_SCHEMA_VERSION, exchange_reports
from advisor.worker.ranks.steps import RankSteps

_JOIN_S = 30.0
_EXCHANGE_S = 15.0
_SHARES = {"peers": 0.1, "all_reduce": 0.25, "steps": 0.5, "dp": 0.15}
"""Of the budget."""
_GRACE = 3.0
"""A phase may take this many times its share, plus the time of a collective that waits for its deadline."""


def answer(request: RanksRequest, box: EventBox) -> None:
    """Join the group, measure phase by phase, and exchange what was found.

    Every finding goes to this rank's own file at once; rank 0 also sends what the others found.
    """
    torch.set_num_threads(request.thread_count)
    number, count = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    deadline = PhaseDeadline(lambda phase: box.send(_expired(phase)))
    keep = _RankFile(Path(request.report_folder) / f"rank-{number}.jsonl", box)
    run = _Run(request, box, deadline)
    with deadline.phase("ranks-phase-join", _JOIN_S):
        box.send(Progress(phase="ranks-phase-join", fraction=0.0, detail=f"{number}/{count}"))
        rank = _join(request, number, count, keep)
    try:
        run.measure(rank)
    finally:
        dist.destroy_process_group()


class _RankFile:
    """A rank's own file: one finding a line, on disk before the next begins."""

    def __init__(self, path: Path, box: EventBox) -> None:
        self._path, self._box = path, box

    def __call__(self, finding: RankFinding) -> None:
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(finding) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._box.send(finding)


class _Run:
    """The phases, each with its deadline."""

    def __init__(self, request: RanksRequest, box: EventBox, deadline: PhaseDeadline) -> None:
        self._request, self._box, self._deadline = request, box, deadline

    def measure(self, rank: Rank) -> None:
        """Compare versions first, then values, links, collectives and steps; exchange at the end."""
        request = self._request
        with self._phase("ranks-phase-exchange", 0.05, _EXCHANGE_S):
            exchange_reports(_report(rank, ()), rank.control)
        with self._phase("ranks-phase-load", 0.1, _JOIN_S + request.budget_s):
            steps = RankSteps(request, rank)
            rank.barrier()
        with self._phase("ranks-phase-peers", 0.2, self._limit_s("peers")):
            check_peers(rank)
            time_peer_copies(rank, request.budget_s * _SHARES["peers"])
            time_memory_copy(rank)
        with self._phase("ranks-phase-all-reduce", 0.3, self._limit_s("all_reduce")):
            time_all_reduces(rank, request.budget_s * _SHARES["all_reduce"], steps.largest_gradient_bytes)
        if "ddp" in request.strategies:
            with self._phase("ranks-phase-steps", 0.5, self._limit_s("steps") + _JOIN_S):
                steps.measure(request.budget_s * _SHARES["steps"])
        if "dp" in request.strategies and rank.device.type == "cuda":
            with self._phase("ranks-phase-dp", 0.8, self._limit_s("dp") + _JOIN_S):
                steps.measure_data_parallel(request.budget_s * _SHARES["dp"])
        with self._phase("ranks-phase-exchange", 0.95, _EXCHANGE_S):
            reports = exchange_reports(_report(rank, tuple(rank.findings)), rank.control)
        if rank.rank == 0:
            for report in reports[1:]:
                for finding in report.findings:
                    self._box.send(finding)

    def _phase(self, name: str, fraction: float, limit_s: float) -> AbstractContextManager[None]:
        self._box.send(Progress(phase=name, fraction=fraction))
        return self._deadline.phase(name, limit_s)

    def _limit_s(self, share: str) -> float:
        return self._request.budget_s * _SHARES[share] * _GRACE + 2 * self._request.collective_deadline_s


def _join(request: RanksRequest, number: int, count: int, keep: _RankFile) -> Rank:
    """Join the group that the environment names (`env://`): gloo for CPUs, else the accelerator's own (CUDA: NCCL)."""
    kind = request.device
    accelerated = kind != "cpu"
    device = torch.device(kind, int(os.environ.get("LOCAL_RANK", "0"))) if accelerated else torch.device(kind)
    if accelerated:
        getattr(torch, kind).set_device(device)
    timeout = timedelta(seconds=request.collective_deadline_s)
    dist.init_process_group(
        dist.get_default_backend_for_device(kind),
        init_method=request.rendezvous,
        rank=number,
        world_size=count,
        timeout=timeout,
    )
    control = dist.new_group(backend="gloo", timeout=timeout) if accelerated else dist.group.WORLD
    if control is None or isinstance(control, int):
        message = "no control group"
        raise RuntimeError(message)
    return Rank(rank=number, count=count, device=device, control=control, keep=keep)


def _report(rank: Rank, findings: tuple[RankFinding, ...]) -> RankReport:
    return RankReport(
        schema_version=RANK_SCHEMA_VERSION,
        advisor_version=__version__,
        rank=rank.rank,
        rank_count=rank.count,
        findings=findings,
    )


def _expired(phase: str) -> Failed:
    reason = Reason.of("ranks-deadline", phase=phase)
    return Failed(exception="DeadlineExceeded", text=say(reason, "en"), traceback="", world_fault=True, reason=reason)
