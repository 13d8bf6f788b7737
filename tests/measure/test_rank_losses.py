"""A group that lost a rank: who reports, whom the report can name, and what a worker's last words become."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from advisor.core.child_process import ChildProcess
from advisor.core.sentences import say
from advisor.measure.rank_folder import RankFolder
from advisor.measure.rank_outcome import RanksOutcome
from advisor.measure.ranks import _Group, _partial
from advisor.protocol.messages import Failed, RankFinding, WorkerEvent
from tests.measure.rank_driver import small_plan

FINDING = RankFinding(
    rank=0, rank_count=4, kind="all_reduce", message_bytes=1_000_000, samples_s=(0.001, 0.002, 0.003)
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> RankFolder:
    (tmp_path / "rank-0.jsonl").write_bytes(msgspec.json.encode(FINDING) + b"\n")
    return RankFolder(tmp_path)


def second_of_two_hosts(monkeypatch: pytest.MonkeyPatch, rank: int, first: int) -> None:
    """What torchrun tells rank `rank` of four, two a host, where this host's begin at `first`."""
    told = {"RANK": rank, "WORLD_SIZE": 4, "LOCAL_RANK": rank - first, "LOCAL_WORLD_SIZE": 2}
    for name, value in told.items():
        monkeypatch.setenv(name, str(value))


def broken_off(folder: RankFolder, rank: int, *, own_lost: bool = False) -> RanksOutcome:
    group = _Group(small_plan(1.0), 4, host_rank_count=2)
    if own_lost:
        group.died.add(rank)
    return _partial(group, folder, rank, own_lost=own_lost)


def test_a_host_names_the_rank_it_lost_and_says_of_which_ranks_it_cannot_speak(
    monkeypatch: pytest.MonkeyPatch, folder: RankFolder
) -> None:
    second_of_two_hosts(monkeypatch, 0, 0)
    folder.mark(1, "lost")
    outcome = broken_off(folder, 0)
    assert outcome.lost_ranks == (1,)
    assert outcome.elsewhere_ranks == (2, 3)
    assert outcome.reporter
    assert not outcome.complete
    assert [caveat.code for caveat in outcome.caveats[-3:]] == [
        "ranks-lost",
        "ranks-other-hosts",
        "ranks-partial-report",
    ]
    assert outcome.communication[0].samples_s == FINDING.samples_s
    kept = json.loads((folder.path / "partial_report.json").read_text(encoding="utf-8"))
    assert kept["lost_ranks"] == [1]


def test_a_host_that_lost_none_of_its_ranks_says_that_another_did(
    monkeypatch: pytest.MonkeyPatch, folder: RankFolder
) -> None:
    second_of_two_hosts(monkeypatch, 2, 2)
    folder.mark(3, "ended")
    outcome = broken_off(folder, 2)
    assert outcome.lost_ranks == ()
    assert outcome.elsewhere_ranks == (0, 1)
    (lost, _) = (caveat for caveat in outcome.caveats if caveat.code.startswith("ranks-"))
    assert lost.code == "ranks-lost-elsewhere"
    assert "0, 1" in say(lost, "en")


def test_the_lowest_rank_that_is_left_reports_and_no_other(monkeypatch: pytest.MonkeyPatch, folder: RankFolder) -> None:
    second_of_two_hosts(monkeypatch, 1, 0)
    folder.mark(0, "ended")
    assert not broken_off(folder, 1).reporter
    assert not (folder.path / "partial_report.json").exists()


def test_a_rank_whose_own_worker_died_leaves_the_report_to_the_others(
    monkeypatch: pytest.MonkeyPatch, folder: RankFolder
) -> None:
    second_of_two_hosts(monkeypatch, 0, 0)
    outcome = broken_off(folder, 0, own_lost=True)
    assert outcome.lost_ranks == (0,)
    assert not outcome.reporter
    assert not folder.survived(0)


def ended_group(*said: bytes | None) -> tuple[list[WorkerEvent], RanksOutcome]:
    """A group of workers that get no request they know, or that are killed (None) before they get one."""
    group = _Group(small_plan(1.0), len(said), host_rank_count=len(said))
    try:
        for rank, line in enumerate(said):
            group._children[rank] = child = ChildProcess("advisor.worker")
            child.process.kill() if line is None else child.send(line)
        events = list(group.events(lambda: False))
    finally:
        group.close()
    return events, group.outcome([], rank=None, reporter=True)


def test_a_worker_that_fails_is_quoted_and_one_that_is_killed_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.measure.ranks._AFTER_LOSS_S", 60.0)  # a busy machine takes its time to start one
    events, outcome = ended_group(b'{"type": "no_request"}', None)
    (failed,) = events
    assert isinstance(failed, Failed)
    assert outcome.lost_ranks == (1,)
    assert [caveat.code for caveat in outcome.caveats] == ["ranks-lost-early"]
    events, outcome = ended_group(b'{"type": "no_request"}')
    assert outcome.lost_ranks == ()
    assert [caveat.code for caveat in outcome.caveats] == ["ranks-failed"]
    assert "no_request" in say(outcome.caveats[0], "en")
