from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path

import msgspec
import pytest

from advisor.core.drive import drive
from advisor.core.sentences import say
from advisor.measure.rank_guard import under_torchrun
from advisor.measure.rank_outcome import RanksOutcome
from advisor.measure.ranks import RanksPlan, measure_local_ranks
from advisor.protocol.messages import RankFinding, WorkerEvent
from tests.measure.rank_driver import small_plan

ROOT = Path(__file__).resolve().parents[2]
DRIVER = str(ROOT / "tests" / "measure" / "rank_driver.py")
TORCHRUN = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="ranks are started and killed by Linux means")


def _ended(events: Generator[WorkerEvent, None, RanksOutcome]) -> tuple[list[WorkerEvent], RanksOutcome]:
    seen: list[WorkerEvent] = []
    outcome = drive(events, seen.append)
    return seen, outcome


def _children(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                status = (entry / "stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            if int(status.rpartition(")")[2].split()[1]) == pid:
                found.append(int(entry.name))
    return sorted(found)


PATIENCE_S = 60.0
"""Beside other work; a rank that waited for its lost peer would report it as complete or never."""


def _wait_for(condition: object, limit_s: float = 30.0) -> bool:
    end_s = time.monotonic() + limit_s
    while time.monotonic() < end_s:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.05)
    return False


def test_two_ranks_measure_their_link_and_a_real_ddp_step() -> None:
    events, outcome = _ended(measure_local_ranks(small_plan(2.0), 2))
    assert outcome.complete, outcome.log_tail
    assert outcome.lost_ranks == ()
    kinds = {measured.kind for measured in outcome.communication}
    assert kinds == {"peer_values", "peer_copy", "memory_copy", "all_reduce", "single_step", "ddp_step"}
    checked = [measured.values_correct for measured in outcome.communication if measured.values_correct is not None]
    assert checked == [True] * 6
    steps = {m.accumulation_steps: m for m in outcome.communication if m.kind == "ddp_step"}
    assert sorted(steps) == [1, 2, 4, 8]  # type: ignore[type-var]
    assert all(len(measured.samples_s) >= 5 for measured in steps.values())
    assert all(measured.ranks_heard_count == 2 for measured in outcome.communication)
    assert any(isinstance(event, RankFinding) for event in events)


def test_four_ranks_on_two_cores_give_right_values_and_are_marked_contended() -> None:
    plan = msgspec.structs.replace(small_plan(1.0), usable_core_count=2)
    _, outcome = _ended(measure_local_ranks(plan, 4))
    assert outcome.complete, outcome.log_tail
    assert all(measured.contended for measured in outcome.communication)
    assert all(m.values_correct for m in outcome.communication if m.kind in {"peer_values", "all_reduce"})
    assert "ranks-contended" in {caveat.code for caveat in outcome.caveats}


@pytest.mark.parametrize("other", ["goes on", "is held up"])
def test_a_killed_rank_costs_a_caveat_and_never_the_run_and_who_waits_for_it_is_not_lost(other: str) -> None:
    findings: list[RankFinding] = []
    killed_at: list[int] = []

    def kill_once(event: WorkerEvent) -> None:
        findings.extend([event] if isinstance(event, RankFinding) else [])
        if len(findings) == 5 and not killed_at:
            *others, last = _children(os.getpid())
            for pid in others if other == "is held up" else ():
                os.kill(pid, signal.SIGSTOP)
            os.kill(last, signal.SIGKILL)
            killed_at.append(len(findings))

    outcome = drive(measure_local_ranks(small_plan(20.0), 2), kill_once)
    assert killed_at
    assert not outcome.complete
    assert len(outcome.lost_ranks) == 1
    assert outcome.usable
    assert outcome.caveats[0].code == "ranks-lost"
    assert str(outcome.lost_ranks[0]) in say(outcome.caveats[0], "en")
    assert _children(os.getpid()) == []


def test_a_model_that_cannot_be_built_is_told_in_the_workers_words() -> None:
    plan = small_plan(1.0)
    training = msgspec.structs.replace(plan.workload.training, optimizer="lamb")
    workload = msgspec.structs.replace(plan.workload, training=training)
    _, outcome = _ended(measure_local_ranks(msgspec.structs.replace(plan, workload=workload), 2))
    assert not outcome.complete
    assert outcome.caveats[0].code == "ranks-failed"
    assert "lamb" in say(outcome.caveats[0], "en")
    assert "lamb" in say(outcome.caveats[0], "zh")


def test_a_cancelled_measurement_ends_early_and_leaves_nothing() -> None:
    cancelled = threading.Event()
    events = measure_local_ranks(small_plan(30.0), 2, cancelled=cancelled)
    next(events)
    cancelled.set()
    _, outcome = _ended(events)
    assert not outcome.complete
    assert not any(measured.kind == "ddp_step" for measured in outcome.communication)
    assert _children(os.getpid()) == []


def test_a_process_is_a_rank_only_with_others_beside_it() -> None:
    assert under_torchrun({"RANK": "0", "WORLD_SIZE": "2"})
    assert not under_torchrun({"RANK": "0", "WORLD_SIZE": "1"})
    assert not under_torchrun({})
    assert not under_torchrun({"RANK": "x", "WORLD_SIZE": "2"})


def _torchrun(folder: Path, budget_s: float, *flags: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*TORCHRUN, DRIVER, str(folder), str(budget_s), *flags],
        env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "TMPDIR": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _reports(folder: Path) -> list[RanksOutcome]:
    return [msgspec.json.decode(path.read_bytes(), type=RanksOutcome) for path in sorted(folder.glob("report-*.json"))]


def test_rank_0_killed_after_the_group_ended_costs_no_finding(tmp_path: Path) -> None:
    running = _torchrun(tmp_path, 2.0, "killed-after-the-group")
    assert running.wait(timeout=600) != 0
    (report,) = _reports(tmp_path)
    assert report.rank == 1
    assert report.lost_ranks == (0,)
    assert report.communication
    assert not report.complete


def test_under_torchrun_rank_0_reports_the_whole_run(tmp_path: Path) -> None:
    assert _torchrun(tmp_path, 1.0).wait(timeout=600) == 0
    (report,) = _reports(tmp_path)
    assert (report.rank, report.complete, report.rank_count) == (0, True, 2)
    assert all(measured.ranks_heard_count == 2 for measured in report.communication)


def _kill_at(folder: Path, wait_s: float, rank: int, *, worker: bool) -> None:
    """Kill a rank's process, or the worker in which its torch runs, and check what is left."""
    run = _torchrun(folder, 30.0)
    try:
        assert _wait_for(lambda: len(list(folder.glob("advisor-ranks-*/*/rank-*.pid"))) == 2, 60)
        ranks = {
            int(path.stem.partition("-")[2]): int(path.read_text())
            for path in folder.glob("advisor-ranks-*/*/rank-*.pid")
        }
        time.sleep(wait_s)
        victim = ranks[rank]
        if worker:
            assert _wait_for(lambda: _children(victim) != [])
            victim = _children(victim)[0]
        os.kill(victim, signal.SIGKILL)
        assert run.wait(timeout=PATIENCE_S) != 0
        (report,) = _reports(folder)
        assert (report.rank, report.complete, report.lost_ranks) == (1 - rank, False, (rank,))
        assert report.caveats[0].code in {"ranks-lost", "ranks-lost-early"}
        assert not any(Path(f"/proc/{pid}").exists() for pid in ranks.values())
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)


def test_a_rank_killed_under_torchrun_leaves_a_partial_report_by_the_lowest_survivor(tmp_path: Path) -> None:
    moments = random.Random(19)
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        _kill_at(folder, moments.uniform(0.0, 8.0), number, worker=number == 1)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_a_rank_killed_at_20_random_moments_always_leaves_a_partial_report(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    moments = random.Random(2019)
    for number in range(20):
        folder = tmp_path / str(number)
        folder.mkdir()
        _kill_at(folder, moments.uniform(0.0, 12.0), moments.randrange(2), worker=moments.random() < 0.5)
    record_property("figure", "20 kills: 20 partial reports by the survivor, torchrun's code not 0")


def test_killing_torchrun_without_notice_leaves_no_rank_behind(tmp_path: Path) -> None:
    run = _torchrun(tmp_path, 30.0)
    assert _wait_for(lambda: len(list(tmp_path.glob("advisor-ranks-*/*/rank-*.pid"))) == 2, 60)
    ranks = [int(path.read_text()) for path in tmp_path.glob("advisor-ranks-*/*/rank-*.pid")]
    assert _wait_for(lambda: all(_children(rank) for rank in ranks))
    everyone = ranks + [child for rank in ranks for child in _children(rank)]
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    assert _wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in everyone), 60)


def test_killing_our_own_launcher_leaves_no_rank_behind(tmp_path: Path) -> None:
    script = tmp_path / "launcher.py"
    script.write_text(
        "from advisor.measure.ranks import measure_local_ranks\n"
        "from tests.measure.rank_driver import small_plan\n"
        "for _ in measure_local_ranks(small_plan(60.0), 2):\n    pass\n",
        encoding="utf-8",
    )
    launcher = subprocess.Popen(
        [sys.executable, str(script)],
        env=os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert _wait_for(lambda: len(_children(launcher.pid)) == 2, 60)
    ranks = _children(launcher.pid)
    os.kill(launcher.pid, signal.SIGKILL)
    launcher.wait()
    assert _wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in ranks), 10)


def test_a_plan_becomes_the_request_of_each_rank(tmp_path: Path) -> None:
    plan: RanksPlan = small_plan(1.0)
    request = plan.request(tmp_path, "file:///somewhere")
    assert (request.batch_size, request.rendezvous, request.report_folder) == (32, "file:///somewhere", str(tmp_path))
