"""torchrun on two hosts, both played by this one: each with folders of its own, four ranks in all."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from advisor.core.sentences import say
from tests.measure.test_ranks import DRIVER, PATIENCE_S, ROOT, _reports, _wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from advisor.measure.rank_outcome import RanksOutcome

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="ranks are started and killed by Linux means"),
    pytest.mark.timeout(180),
]


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _hosts(folder: Path, budget_s: float) -> list[subprocess.Popen[bytes]]:
    port, started = _free_port(), []
    for node in range(2):
        own = folder / str(node)
        own.mkdir()
        command = [
            *(sys.executable, "-m", "torch.distributed.run", "--nnodes=2", "--nproc-per-node=2"),
            *(f"--node-rank={node}", "--master-addr=127.0.0.1", f"--master-port={port}"),
            *(DRIVER, str(own), str(budget_s)),
        ]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "TMPDIR": str(own)}
        started.append(
            subprocess.Popen(
                command,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        )
    return started


def _end(hosts: list[subprocess.Popen[bytes]]) -> None:
    for host in hosts:
        if host.poll() is None:
            os.killpg(host.pid, signal.SIGKILL)
            host.wait()


def _all_reports(folder: Path) -> dict[int, RanksOutcome]:
    found = [report for node in range(2) for report in _reports(folder / str(node))]
    return {report.rank: report for report in found if report.rank is not None}


def test_rank_0_reports_what_the_ranks_of_both_hosts_found(tmp_path: Path) -> None:
    hosts = _hosts(tmp_path, 1.0)
    try:
        assert [host.wait(timeout=600) for host in hosts] == [0, 0]
    finally:
        _end(hosts)
    reports = _all_reports(tmp_path)
    assert set(reports) == {0}
    assert (reports[0].complete, reports[0].rank_count) == (True, 4)
    assert {measured.ranks_heard_count for measured in reports[0].communication} == {4}


def _kill_at(folder: Path, wait_s: float, victim: int) -> None:
    hosts = _hosts(folder, 30.0)
    try:
        assert _wait_for(lambda: len(list(folder.glob("*/advisor-ranks-*/*/rank-*.pid"))) == 4, 90)
        (path,) = folder.glob(f"*/advisor-ranks-*/*/rank-{victim}.pid")
        time.sleep(wait_s)
        os.kill(int(path.read_text()), signal.SIGKILL)
        assert all(host.wait(timeout=PATIENCE_S) != 0 for host in hosts)
    finally:
        _end(hosts)
    reports = _all_reports(folder)
    own = {0, 1} if victim < 2 else {2, 3}
    survivor, other = (own - {victim}).pop(), min({0, 1, 2, 3} - own)
    assert set(reports) == {survivor, other}
    assert not any(report.complete for report in reports.values())
    assert (reports[survivor].lost_ranks, reports[other].lost_ranks) == ((victim,), ())
    assert set(reports[survivor].elsewhere_ranks) == {0, 1, 2, 3} - own
    assert set(reports[other].elsewhere_ranks) == own
    assert str(victim) in say(reports[other].caveats[0], "en")
    assert reports[survivor].caveats[0].code in {"ranks-lost", "ranks-lost-early"}
    assert reports[other].caveats[0].code == "ranks-lost-elsewhere"


def test_a_rank_lost_on_one_host_is_named_there_and_not_blamed_on_the_other(tmp_path: Path) -> None:
    _kill_at(tmp_path, 6.0, 3)


@pytest.mark.nightly
@pytest.mark.timeout(900)
def test_any_rank_lost_at_any_moment_is_named_by_its_own_host(tmp_path: Path) -> None:
    moments = random.Random(47)
    for victim in (0, 1, 2, 3, 0, 2):
        folder = tmp_path / f"{victim}-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        _kill_at(folder, moments.uniform(0.0, 12.0), victim)
