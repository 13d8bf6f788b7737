"""Starts ranks of a torch.distributed group, or is one under torchrun, and keeps what they found whatever happens."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator, Mapping
from pathlib import Path

import msgspec

from advisor.core.child_process import ChildProcess, wait_until
from advisor.core.memory_watch import allowance_bytes
from advisor.core.private_folder import private_folder
from advisor.core.records import shared_fields
from advisor.core.sentences import Listed, Reason
from advisor.measure.local_group import local_rank_environment, rendezvous_in
from advisor.measure.rank_folder import RankFolder, folder_of_run
from advisor.measure.rank_guard import local_ranks, peer_lost
from advisor.measure.rank_outcome import RanksOutcome, caveats_of, merged, numbers_of
from advisor.protocol.messages import (
    Failed,
    Finished,
    RankFinding,
    RanksRequest,
    RanksSettings,
    WorkerEvent,
    worker_event_of,
)
from advisor.workload.scrubbed_environment import scrubbed_environment

_POLL_S = 0.02
_AFTER_LOSS_S = 4.0
"""How long ranks that lost a peer may take to notice and end by themselves."""
START_S = 90.0
"""Imports, building the model, joining and the first steps, beside what was asked to be timed."""
_SETTLE_S = 1.0
_REPORT_POLL_S = 0.2


class RanksPlan(RanksSettings, frozen=True, kw_only=True):
    """What the ranks are to measure, and on how many cores those of this host do it."""

    usable_core_count: int | None = None

    def request(self, folder: Path, rendezvous: str = "env://") -> RanksRequest:
        """The request that each rank's worker gets."""
        return RanksRequest(**shared_fields(self, RanksSettings), report_folder=str(folder), rendezvous=rendezvous)


def measure_local_ranks(
    plan: RanksPlan, rank_count: int, *, cancelled: threading.Event | None = None
) -> Generator[WorkerEvent, None, RanksOutcome]:
    """Start `rank_count` ranks on this host, yield their events, return what they found.

    A rank that dies costs its part of the findings and a caveat, never an exception. Nothing is left running: each
    rank is a session of its own, killed at the end, and dies with this process. Call it from the thread that uses it.
    """
    with private_folder("group") as place:
        folder = RankFolder(place)
        request = plan.request(folder.path, rendezvous=rendezvous_in(place))
        group = _Group(plan, rank_count, host_rank_count=rank_count)
        try:
            for rank in range(rank_count):
                group.start(rank, request, local_rank_environment(rank, rank_count, plan.thread_count))
            yield from group.events(lambda: cancelled is not None and cancelled.is_set())
        finally:
            group.close()
        return group.outcome(folder.findings(), rank=None, reporter=True)


def run_under_torchrun(plan: RanksPlan) -> Generator[WorkerEvent, None, RanksOutcome]:
    """Be one rank of torchrun's group; `rank_guard.peer_lost` should have been called before anything slow.

    torch runs in a child of this process. On SIGTERM (torchrun's, when a peer died) or when the own worker dies, the
    findings of this host's ranks are put together and the lowest survivor is the reporter. Rank 0 reports a whole run
    and then calls `end_run`: until then the others of its host wait, since it may still be killed.
    """
    here = local_ranks()
    rank, rank_count = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    folder = RankFolder(folder_of_run(os.environ))
    lost = peer_lost()
    folder.register(rank)
    group = _Group(plan, rank_count, host_rank_count=len(here))
    try:
        environment = scrubbed_environment({**os.environ, "OMP_NUM_THREADS": str(plan.thread_count)})
        group.start(rank, plan.request(folder.path), environment)
        yield from group.events(lost.is_set)
    finally:
        group.close()
    if group.complete and not lost.is_set() and (rank == 0 or 0 not in here or _first_has_reported(folder, lost)):
        return group.outcome(group.findings, rank=rank, reporter=rank == 0)
    return _partial(group, folder, rank, own_lost=not lost.is_set() and rank in group.died)


def end_run() -> None:
    """In rank 0, once its report is out: the findings are needed no more, and the ranks of this host may end."""
    RankFolder(folder_of_run(os.environ)).remove()


def _first_has_reported(folder: RankFolder, lost: threading.Event) -> bool:
    """Wait for rank 0 of this host; whether it said that its report is out, rather than died on the way."""
    while folder.path.exists():
        if lost.is_set() or not folder.survived(0):
            return not folder.path.exists()
        time.sleep(_REPORT_POLL_S)
    return True


def _partial(group: _Group, folder: RankFolder, rank: int, *, own_lost: bool) -> RanksOutcome:
    """What is left after a loss; written at once, so that it is there whatever comes after.

    A host knows its own ranks alone: where none of them was lost, one of another host was, whose report names it.
    """
    folder.mark(rank, "lost" if own_lost else "ended")
    others = [other for other in local_ranks() if other != rank]
    end_s = time.monotonic() + _SETTLE_S
    lost: list[int] = []
    while not lost and not own_lost and wait_until(end_s) > 0:
        lost = [other for other in others if not folder.survived(other)]
        time.sleep(_POLL_S)
    reporter = not own_lost and not any(folder.survived(other) for other in others if other < rank)
    group.died.update(lost)
    elsewhere = tuple(sorted(set(range(int(os.environ["WORLD_SIZE"]))) - set(local_ranks())))
    outcome = group.outcome(folder.findings(), rank=rank, reporter=reporter, elsewhere=elsewhere)
    if reporter:
        path = folder.write_partial(outcome)
        caveat = Reason.of("ranks-partial-report", path=str(path))
        outcome = msgspec.structs.replace(outcome, caveats=(*outcome.caveats, caveat))
    return outcome


class _Group:
    """The workers that this process started, one a rank."""

    def __init__(self, plan: RanksPlan, rank_count: int, *, host_rank_count: int) -> None:
        self._plan, self._rank_count, self._host_rank_count = plan, rank_count, host_rank_count
        self._children: dict[int, ChildProcess] = {}
        self._finished: set[int] = set()
        self._failures: dict[int, Failed] = {}
        self._log = ""
        self.died: set[int] = set()
        """Ranks whose worker ended without a word: killed, crashed, or out of time while no other had ended."""
        self.findings: list[RankFinding] = []

    @property
    def complete(self) -> bool:
        """Every worker of ours said that it finished."""
        return bool(self._children) and self._finished == set(self._children)

    def start(self, rank: int, request: RanksRequest, environment: Mapping[str, str]) -> None:
        free = allowance_bytes()
        limit = None if free is None else free // max(1, self._host_rank_count - len(self._children))
        child = ChildProcess("advisor.worker", environment=environment, memory_limit_bytes=limit)
        self._children[rank] = child
        child.send(msgspec.json.encode(request))

    def events(self, stopped: Callable[[], bool]) -> Generator[WorkerEvent, None, None]:
        """Yield what the workers say until all have ended, one was lost for too long, or `stopped` says so."""
        end_s = time.monotonic() + self._plan.budget_s * 3 + START_S
        open_ranks = set(self._children)
        while open_ranks and not stopped() and wait_until(end_s) > 0:
            quiet = True
            for rank in sorted(open_ranks):
                try:
                    line = self._children[rank].next_line(0.0)
                except TimeoutError:
                    continue
                quiet = False
                if line is not None:
                    yield from self._understood(rank, line)
                    continue
                open_ranks.discard(rank)
                if rank not in self._finished:
                    if rank not in self._failures:
                        self.died.add(rank)
                    end_s = min(end_s, time.monotonic() + _AFTER_LOSS_S)
            if quiet:
                time.sleep(_POLL_S)
        if not (stopped() or self.died or self._failures):  # who waits for a lost peer is ended, and is not lost itself
            self.died.update(open_ranks - self._finished)

    def _understood(self, rank: int, line: bytes) -> Generator[WorkerEvent, None, None]:
        event = worker_event_of(line)
        if event is None:
            return
        if isinstance(event, Finished):
            self._finished.add(rank)
            return
        if isinstance(event, Failed):
            self._failures[rank] = event
        if isinstance(event, RankFinding):
            self.findings.append(event)
        yield event

    def close(self) -> None:
        """End every worker with its whole session."""
        for child in self._children.values():
            child.close()
        self._log = "\n".join(child.log[-4000:] for child in self._children.values() if child.log)

    def outcome(
        self, findings: list[RankFinding], *, rank: int | None, reporter: bool, elsewhere: tuple[int, ...] = ()
    ) -> RanksOutcome:
        """Everything merged, with what went wrong; `elsewhere`: ranks of other hosts."""
        communication = merged(
            findings,
            self._host_rank_count,
            thread_count=self._plan.thread_count,
            usable_core_count=self._plan.usable_core_count if self._plan.device == "cpu" else None,
        )
        whole = self.complete and not self.died
        caveats = list(caveats_of(communication))
        if not whole:
            caveats[:0] = self._losses(elsewhere, measured=bool(communication))
        return RanksOutcome(
            rank_count=self._rank_count,
            rank=rank,
            complete=whole,
            reporter=reporter,
            communication=communication,
            lost_ranks=tuple(sorted(self.died)),
            elsewhere_ranks=elsewhere,
            caveats=tuple(caveats),
            log_tail=self._log,
        )

    def _losses(self, elsewhere: tuple[int, ...], *, measured: bool) -> list[Reason]:
        """What broke the measurement off, and of which ranks this report cannot speak."""
        failures = list(self._failures.values())
        speaking = [failure for failure in failures if failure.exception == "PeerRefusedError"]
        speaking += [failure for failure in failures if failure.world_fault]
        speaking += [] if self.died or elsewhere else failures
        if speaking:
            reasons = [Reason.of("ranks-failed", text=Listed(reasons=(speaking[0].reason_or("worker-said"),)))]
        elif self.died or not elsewhere:
            code = "ranks-lost" if measured else "ranks-lost-early"
            reasons = [Reason.of(code, rank_count=self._rank_count, **numbers_of(sorted(self.died)))]
        else:
            return [Reason.of("ranks-lost-elsewhere", **numbers_of(elsewhere))]
        return reasons + ([Reason.of("ranks-other-hosts", **numbers_of(elsewhere))] if elsewhere else [])
