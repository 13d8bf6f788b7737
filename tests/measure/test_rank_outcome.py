from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from advisor.core.errors import InputError, UserFacingError
from advisor.core.sentences import say
from advisor.measure.rank_folder import RankFolder, folder_of_run
from advisor.measure.rank_guard import local_ranks
from advisor.measure.rank_outcome import RanksOutcome, caveats_of, merged
from advisor.protocol.messages import RankFinding, RankFindingKind

if TYPE_CHECKING:
    from pathlib import Path


def _finding(rank: int, kind: RankFindingKind = "all_reduce", **changes: object) -> RankFinding:
    fields: dict[str, object] = {
        "rank": rank,
        "rank_count": 2,
        "kind": kind,
        "message_bytes": 1_000_000,
        "samples_s": (0.001, 0.002, 0.003),
    }
    return RankFinding(**(fields | changes))  # type: ignore[arg-type]


def _merged(*findings: RankFinding, cores: int | None = 8) -> RanksOutcome:
    return RanksOutcome(
        rank_count=2,
        rank=None,
        complete=True,
        reporter=True,
        communication=merged(findings, 2, thread_count=1, usable_core_count=cores),
    )


def test_a_collective_is_as_slow_as_its_slowest_rank() -> None:
    outcome = _merged(_finding(0), _finding(1, samples_s=(0.004, 0.001, 0.001)))
    (measured,) = outcome.communication
    assert measured.samples_s == (0.004, 0.002, 0.003)
    assert measured.median_s == 0.003
    assert measured.bus_bytes_per_s == pytest.approx(1_000_000 / 0.003)
    assert measured.ranks_heard_count == 2
    assert outcome.usable


def test_ranks_with_different_sample_counts_give_the_slower_ones_samples() -> None:
    (measured,) = _merged(_finding(0), _finding(1, samples_s=(0.5,))).communication
    assert measured.samples_s == (0.5,)


def test_what_a_rank_says_twice_counts_once() -> None:
    (measured,) = _merged(_finding(0), _finding(0, samples_s=(9.0, 9.0, 9.0))).communication
    assert measured.ranks_heard_count == 1
    assert measured.median_s == 0.002


def test_a_copy_moves_its_bytes_once_and_a_step_moves_none() -> None:
    copy, step = _merged(_finding(0, "peer_copy"), _finding(0, "single_step", message_bytes=None)).communication
    assert copy.bus_bytes_per_s == pytest.approx(1_000_000 / 0.002)
    assert step.bus_bytes_per_s is None


def test_wrong_values_of_one_rank_make_the_measurement_wrong() -> None:
    findings = [_finding(rank, "peer_values", samples_s=(), values_correct=rank == 0) for rank in (0, 1)]
    outcome = _merged(*findings)
    assert outcome.communication[0].values_correct is False
    assert not outcome.usable
    assert [caveat.code for caveat in caveats_of(outcome.communication)] == ["ranks-wrong-values"]


def test_more_ranks_than_cores_are_marked_contended() -> None:
    assert _merged(_finding(0), cores=1).communication[0].contended
    assert not _merged(_finding(0), cores=2).communication[0].contended
    assert not _merged(_finding(0), cores=None).communication[0].contended


def test_a_rank_that_shared_its_core_while_it_computed_is_marked_contended() -> None:
    outcome = _merged(_finding(0, "single_step", message_bytes=None, cpu_share_fraction=0.6))
    assert outcome.communication[0].contended
    (caveat,) = caveats_of(outcome.communication)
    assert "2" in say(caveat, "en")
    assert say(caveat, "zh") != say(caveat, "en")


def test_findings_that_a_death_cut_off_are_left_out(tmp_path: Path) -> None:
    line = msgspec.json.encode(_finding(0))
    (tmp_path / "rank-0.jsonl").write_bytes(line + b"\n" + line[:-9])
    (tmp_path / "rank-1.jsonl").write_bytes(b"")
    assert RankFolder(tmp_path).findings() == [_finding(0)]


def test_a_rank_is_alive_until_its_process_ends_or_its_worker_is_lost(tmp_path: Path) -> None:
    folder = RankFolder(tmp_path)
    assert not folder.survived(0)
    folder.register(0)
    assert folder.survived(0)
    folder.mark(0, "lost")
    assert not folder.survived(0)
    (tmp_path / "rank-1.pid").write_text("not a number", encoding="ascii")
    assert not folder.survived(1)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_rank_that_outlived_the_measurement_is_not_lost_by_ending(tmp_path: Path) -> None:
    folder = RankFolder(tmp_path)
    folder.mark(3, "ended")
    assert folder.survived(3)
    folder.mark(3, "lost")
    assert not folder.survived(3)


def test_a_process_that_is_dead_but_not_yet_reaped_does_not_count_as_alive(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    (tmp_path / "rank-0.pid").write_text(str(child.pid), encoding="ascii")
    end_s = time.monotonic() + 20
    while RankFolder(tmp_path).survived(0) and time.monotonic() < end_s:
        time.sleep(0.02)
    assert not RankFolder(tmp_path).survived(0)
    child.wait()
    assert not RankFolder(tmp_path).survived(0)


def test_a_partial_report_is_whole_and_the_run_leaves_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.mkdir()
    folder = RankFolder(path)
    outcome = _merged(_finding(0))
    written = folder.write_partial(outcome)
    assert msgspec.json.decode(written.read_bytes(), type=RanksOutcome) == outcome
    assert [file.name for file in path.iterdir()] == ["partial_report.json"]
    folder.remove()
    assert not path.exists()


def test_all_ranks_of_a_host_derive_the_same_private_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    env = {"TORCHELASTIC_RUN_ID": "run", "MASTER_PORT": "1"}
    first = folder_of_run(env)
    assert folder_of_run(env) == first
    assert folder_of_run(env | {"MASTER_PORT": "2"}) != first
    assert first.stat().st_mode & 0o077 == 0


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs symbolic links")
def test_a_folder_that_someone_else_put_there_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    made = folder_of_run({})
    made.rmdir()
    made.symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(UserFacingError, match="belongs to someone else"):
        folder_of_run({})


def launched(rank: int, count: int, local_rank: int, local_count: int) -> dict[str, str]:
    """What torchrun tells one process."""
    names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
    return dict(zip(names, map(str, (rank, count, local_rank, local_count)), strict=True))


def test_the_ranks_of_a_host_are_those_around_its_own() -> None:
    assert local_ranks(launched(3, 6, 1, 2)) == range(2, 4)
    assert local_ranks(launched(5, 6, 1, 2)) == range(4, 6)
    assert local_ranks({"RANK": "1", "WORLD_SIZE": "4"}) == range(4)


@pytest.mark.parametrize("told", [launched(3, 4, 1, 3), launched(0, 4, 1, 2), launched(3, 4, 1, 1)])
def test_a_host_with_more_ranks_than_the_group_or_without_its_own_is_refused(told: dict[str, str]) -> None:
    with pytest.raises(InputError, match="no group has a rank"):
        local_ranks(told)
