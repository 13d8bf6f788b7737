"""Answers a `RanksRequest`: this process is one rank of a torch.distributed group and measures with the others."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

import msgspec
import torch
import torch.distributed as dist

from advisor import __version__
from advisor.core.sentences import Reason, say
from advisor.protocol.messages import Failed, Progress, RankFinding, RankReport, RanksRequest
from advisor.worker.event_box import EventBox
from advisor.worker.ranks.collectives import Rank, check_peers, time_all_reduces, time_memory_copy, time_peer_copies
from advisor.worker.ranks.rank_messages import RANK_SCHEMA_VERSION, exchange_reports
from advisor.worker.ranks.steps import RankSteps

_JOIN_S = 30.0
_EXCHANGE_S = 15.0
_SHARES = {"peers": 0.1, "all_reduce": 0.25, "steps": 0.5, "dp": 0.15}
"""Of the budget."""
_COLLECTIVE_DEADLINE_S = 10.0
"""After this long without a peer's answer a collective fails."""
_DEADLINE_EXIT_CODE = 7
_GRACE = 3.0
"""A phase may take this many times its share, plus the time of a collective that waits for its deadline."""


def answer(request: RanksRequest, box: EventBox) -> None:
    """Join the group, measure phase by phase, and exchange what was found.

    Every finding goes to this rank's own file at once; rank 0 also sends what the others found.
    """
    torch.set_num_threads(request.thread_count)
    number, count = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    file = Path(request.report_folder) / f"rank-{number}.jsonl"
    with _phase(box, "ranks-phase-join", 0.0, _JOIN_S, detail=f"{number}/{count}"):
        rank = _join(request, number, count, partial(_keep, file, box))
    try:
        _measure(request, box, rank)
    finally:
        dist.destroy_process_group()


def _keep(path: Path, box: EventBox, finding: RankFinding) -> None:
    """Add a finding to this rank's own file, on disk before the next one is made, and send it."""
    with path.open("ab") as file:
        file.write(msgspec.json.encode(finding) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    box.send(finding)


@contextmanager
def _phase(box: EventBox, name: str, fraction: float, limit_s: float, *, detail: str = "") -> Iterator[None]:
    """One phase: it says that it begins, and ends this process where it takes longer than `limit_s`.

    A collective that hangs in a library cannot be interrupted, only left; what was found is in the rank's file already.
    """

    def leave() -> None:
        with suppress(Exception):
            box.send(_expired(name))
        os._exit(_DEADLINE_EXIT_CODE)

    box.send(Progress(phase=name, fraction=fraction, detail=detail))
    deadline = threading.Timer(limit_s, leave)
    deadline.daemon = True
    deadline.start()
    try:
        yield
    finally:
        deadline.cancel()


def _measure(request: RanksRequest, box: EventBox, rank: Rank) -> None:
    """Compare versions first, then values, links, collectives and steps; exchange at the end."""
    budget_s = {name: request.budget_s * share for name, share in _SHARES.items()}
    limit_s = {name: _GRACE * part_s + 2 * _COLLECTIVE_DEADLINE_S for name, part_s in budget_s.items()}
    with _phase(box, "ranks-phase-exchange", 0.05, _EXCHANGE_S):
        exchange_reports(_report(rank, ()), rank.control)
    with _phase(box, "ranks-phase-load", 0.1, _JOIN_S + request.budget_s):
        steps = RankSteps(request, rank)
        rank.barrier()
    with _phase(box, "ranks-phase-peers", 0.2, limit_s["peers"]):
        check_peers(rank)
        time_peer_copies(rank, budget_s["peers"])
        time_memory_copy(rank)
    with _phase(box, "ranks-phase-all-reduce", 0.3, limit_s["all_reduce"]):
        time_all_reduces(rank, budget_s["all_reduce"], steps.largest_gradient_bytes)
    if "ddp" in request.strategies:
        with _phase(box, "ranks-phase-steps", 0.5, limit_s["steps"] + _JOIN_S):
            steps.measure(budget_s["steps"])
    if "dp" in request.strategies and rank.device.type == "cuda":
        with _phase(box, "ranks-phase-dp", 0.8, limit_s["dp"] + _JOIN_S):
            steps.measure_data_parallel(budget_s["dp"])
    with _phase(box, "ranks-phase-exchange", 0.95, _EXCHANGE_S):
        reports = exchange_reports(_report(rank, tuple(rank.findings)), rank.control)
    for report in reports[1:] if rank.rank == 0 else ():
        for finding in report.findings:
            box.send(finding)


def _join(request: RanksRequest, number: int, count: int, keep: Callable[[RankFinding], None]) -> Rank:
    """Join the group that the environment names (`env://`): gloo for CPUs, else the accelerator's own (CUDA: NCCL)."""
    kind = request.device
    accelerated = kind != "cpu"
    device = torch.device(kind, int(os.environ.get("LOCAL_RANK", "0"))) if accelerated else torch.device(kind)
    if accelerated:
        getattr(torch, kind).set_device(device)
    timeout = timedelta(seconds=_COLLECTIVE_DEADLINE_S)
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
