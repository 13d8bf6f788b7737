"""Nothing that this program starts can be reached from another machine: every socket listens on the loopback."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Self

import msgspec
import pytest

from advisor.advice.verification import verify
from advisor.core.drive import drive
from advisor.core.units import Estimate
from advisor.measure.ranks import measure_local_ranks
from advisor.present.script.launch_script import launch_command, render
from advisor.store.advice_record import AdviceRecord as Advice
from advisor.store.history import Truth
from tests.measure.rank_driver import small_plan
from tests.persistence import ended_well
from tests.present.fakes import advice

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sockets are found in /proc")


def _own_address() -> str | None:
    """This host's address that other machines could use, if it has any (nothing is sent)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route:
        try:
            route.connect(("203.0.113.1", 9))
        except OSError:
            return None
        return str(route.getsockname()[0])


def _processes_below(root: int) -> list[int]:
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                status = (entry / "stat").read_text(encoding="utf-8", errors="replace")
                parents[int(entry.name)] = int(status.rpartition(")")[2].split()[1])
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def _listening() -> dict[str, tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int]]:
    """Every listening TCP socket of this machine by its inode, as address and port."""
    found: dict[str, tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int]] = {}
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError):
            for line in Path(table).read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                if fields[3] != "0A":
                    continue
                digits, port = fields[1].split(":")
                # The kernel prints each 32-bit word in the machine's own order.
                words = [int(digits[at : at + 8], 16).to_bytes(4, sys.byteorder) for at in range(0, len(digits), 8)]
                found[fields[9]] = ipaddress.ip_address(b"".join(words)), int(port, 16)
    return found


class ListeningWatch:
    """Looks at all processes below one again and again, and knocks from outside at whatever listens."""

    def __init__(self, root: int) -> None:
        self._root, self._over = root, threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._outside = _own_address()
        self.looks = 0
        self.listening: set[ipaddress.IPv4Address | ipaddress.IPv6Address] = set()
        self.let_in: set[int] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @property
    def open_to_others(self) -> set[ipaddress.IPv4Address | ipaddress.IPv6Address]:
        return {address for address in self.listening if not address.is_loopback}

    def _run(self) -> None:
        while not self._over.wait(0.1):
            self.looks += 1
            listening = _listening()
            for pid in _processes_below(self._root):
                for inode in self._sockets(pid):
                    if inode in listening:
                        address, port = listening[inode]
                        self.listening.add(address)
                        self._knock(port)

    def _sockets(self, pid: int) -> list[str]:
        found = []
        with contextlib.suppress(OSError):
            for descriptor in Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    name = str(descriptor.readlink())
                    if name.startswith("socket:["):
                        found.append(name[8:-1])
        return found

    def _knock(self, port: int) -> None:
        if self._outside is None:
            return
        with socket.socket() as door:
            door.settimeout(0.5)
            if door.connect_ex((self._outside, port)) == 0:
                self.let_in.add(port)


def _advised(count: int) -> Advice:
    """An advice whose set-up of this machine is a small network on so many ranks of the processor."""
    made = advice()
    assert made.recommendation is not None
    device = msgspec.structs.replace(made.recommendation.device, key="cpu", name="this processor", spec_key=None)
    chosen = msgspec.structs.replace(
        made.recommendation,
        device=device,
        count=count,
        strategy="ddp" if count > 1 else "single",
        precision="fp32",
        thread_count=1,
        batch_size_per_device=32,
        gradient_accumulation_steps=1,
        step_s=Estimate(value=0.01, low=0.001, high=0.1, basis="measured"),
    )
    plan = small_plan(1.0)
    return msgspec.structs.replace(made, workload=plan.workload, recommendation_local=chosen)


def _verified(count: int, seconds: float) -> Truth | None:
    return drive(verify(_advised(count), seconds=seconds, cancelled=threading.Event()))


def test_the_watch_sees_what_torchrun_opens(tmp_path: Path) -> None:
    script = tmp_path / "wait.py"
    script.write_text("import time; time.sleep(2)\n", encoding="utf-8")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "1", str(script)]
    with ListeningWatch(os.getpid()) as watch:
        subprocess.run(command, check=True, capture_output=True, timeout=600)
    assert watch.open_to_others
    assert watch.let_in or _own_address() is None


@pytest.mark.parametrize("count", [pytest.param(1, marks=pytest.mark.nightly), 2])
def test_verifying_opens_nothing_to_other_machines(count: int) -> None:
    with ListeningWatch(os.getpid()) as watch:
        truth = _verified(count, 4.0)
    assert truth is not None
    assert truth.actual_step_s > 0
    assert truth.count == count
    assert watch.looks > 20
    assert not watch.open_to_others
    assert not watch.let_in


def _started(folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """The advised command of two ranks with further flags, of which nothing may listen to others."""
    chosen = _advised(2).recommendation_local
    assert chosen is not None
    command = launch_command(chosen).split()
    assert command[0] == "python"
    (folder / "train.py").write_text(render(_advised(2), chosen), encoding="utf-8")
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    with ListeningWatch(os.getpid()) as watch:
        ended = subprocess.run(
            [sys.executable, *command[1:], *flags],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    assert watch.listening, "gloo's own sockets are among what is watched"
    assert not watch.open_to_others
    assert not watch.let_in
    return ended


def test_the_advised_command_opens_nothing_to_other_machines(tmp_path: Path) -> None:
    ended = _started(tmp_path, "--seconds", "3")
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert '"step_s"' in ended.stdout


@pytest.mark.parametrize("end", ["", "sys.exit(0)\n"])
def test_a_script_of_the_users_runs_on_ranks_that_no_other_machine_reaches(tmp_path: Path, end: str) -> None:
    own = "import os, sys, time, torch, torch.distributed as dist\n"
    own += "sum_of_ranks = torch.tensor(float(dist.get_rank() + 1))\n"
    own += "dist.all_reduce(sum_of_ranks)\nkinds = os.environ['ACCELERATE_MIXED_PRECISION'], sys.argv[1:]\n"
    own += "line = f'{int(sum_of_ranks.item())} {dist.get_world_size()} {kinds[0]} {kinds[1]}'\n"
    own += "open(f'rank_{dist.get_rank()}.txt', 'w').write(line)\n"  # what two ranks print mixes within a line
    own += "time.sleep(1)\n"  # its sockets are there for long enough to be looked at
    (tmp_path / "own.py").write_text(own + end, encoding="utf-8")
    ended = _started(tmp_path, "--run", "own.py", "--epochs", "3")
    assert ended.returncode == 0, ended.stderr[-2000:]
    seen = [(tmp_path / f"rank_{rank}.txt").read_text(encoding="utf-8") for rank in range(2)]
    assert seen == ["3 2 no ['--epochs', '3']"] * 2


def test_the_advised_script_refuses_a_flag_that_it_does_not_know(tmp_path: Path) -> None:
    chosen = _advised(1).recommendation_local
    (tmp_path / "train.py").write_text(render(_advised(1), chosen), encoding="utf-8")
    command = [sys.executable, "train.py", "--sekonds", "3"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 2
    assert "--sekonds" in ended.stderr


def test_ranks_of_one_machine_open_nothing_to_others() -> None:
    with ListeningWatch(os.getpid()) as watch:
        outcome = drive(measure_local_ranks(small_plan(2.0), 2))
    assert outcome.complete
    assert watch.listening, "gloo's own sockets are among what is watched"
    assert not watch.open_to_others
    assert not watch.let_in


@pytest.mark.nightly
def test_measuring_from_the_command_line_opens_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    environment |= {"TMPDIR": str(temporary), "LANG": "C.UTF-8"}
    command = [sys.executable, "-m", "advisor", "--measure", "iris_mlp", "--verify", "3", "--quiet", "--budget"]

    def run(budget_s: float) -> subprocess.CompletedProcess[str]:
        timed = [*command, f"{budget_s:g}"]
        return subprocess.run(timed, env=environment, capture_output=True, text=True, timeout=400, check=False)

    with ListeningWatch(os.getpid()) as watch:
        ended = ended_well(run, 6.0)
    assert ended.returncode == 0, ended.stderr
    assert "Verified" in ended.stdout
    assert not watch.open_to_others
    assert not watch.let_in
    assert [entry.name for entry in temporary.iterdir() if "advisor" in entry.name or "elastic" in entry.name] == []
