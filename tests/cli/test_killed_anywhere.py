"""Whichever process of a measurement is killed, and whenever: history and outputs stay whole, and nothing goes on."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.store import json_file
from advisor.store.history import FILE_NAME, History
from tests.persistence import growing_budgets, kill_moments

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")

MEANINGS = {0, 2, 3, 4, 5, 6}
"""Exit codes of a run that ended by itself: never that of an unforeseen fault."""


class Runs:
    """`advisor --measure` again and again in one home, where anything of it may be killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.saved = folder / "advice.json"
        for name in ("home", "tmp"):
            (folder / name).mkdir()

    def start(self, budget_s: float = 1.0) -> subprocess.Popen[str]:
        settings = {"HOME": str(self.folder / "home"), "XDG_DATA_HOME": str(self.folder / "data")}
        settings |= {"TMPDIR": str(self.folder / "tmp"), "OMP_NUM_THREADS": "1", "LANG": "C.UTF-8"}
        command = [
            sys.executable,
            "-m",
            "advisor",
            "--measure",
            "iris_mlp",
            "--budget",
            f"{budget_s:g}",
            "--gpus",
            "rtx3090",
        ]
        command += ["--json", str(self.saved), "--force"]
        return subprocess.Popen(
            command,
            env={**os.environ, **settings},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def end_well(self) -> bool:
        """Whether a run that nobody kills measures; beside other work the first budgets may pass before a step."""
        return any(self.start(budget_s).wait(timeout=240) == 0 for budget_s in growing_budgets(1.0))

    def processes(self) -> dict[int, str]:
        """Process numbers and command lines of all that have this home, whoever is their parent by now."""
        mark, found = f"HOME={self.folder / 'home'}".encode(), {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    if mark in (entry / "environ").read_bytes().split(b"\0"):
                        found[int(entry.name)] = (entry / "cmdline").read_bytes().decode(errors="replace")
                except OSError:
                    continue
        return found

    def nothing_is_left(self) -> bool:
        """Whether all of a run ends within the ten seconds that its children grant each other."""
        until = time.monotonic() + 10
        while self.processes() and time.monotonic() < until:
            time.sleep(0.05)
        return not self.processes()

    def whole_runs(self) -> int:
        """How many advices the history holds; it and each of them is checked."""
        for file in (self.folder / "data").rglob(FILE_NAME):
            with sqlite3.connect(file) as database:
                assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            database.close()
            with History(file.parent) as history:
                runs = history.runs()
                assert all(history.load(run.entry_index) is not None for run in runs)
                assert history.problems == ()
                return len(runs)
        return 0


def _role(command: str) -> str:
    """What a process is, for the figure: the module that it runs."""
    return next((part for part in command.split("\0") if part.startswith("advisor")), "other")


@kill_moments
@pytest.mark.timeout(7200)
def test_any_process_killed_at_any_moment_costs_no_saved_run_and_leaves_nothing_running(
    tmp_path: Path, moments: range, record_property: Callable[[str, object], None]
) -> None:
    runs, chance, killed = Runs(tmp_path), random.Random(moments[0]), Counter[str]()
    began_s = time.monotonic()
    assert runs.end_well()
    usual_s = time.monotonic() - began_s
    acknowledged = runs.whole_runs()
    assert acknowledged >= 1
    for moment in moments:
        running = runs.start()
        time.sleep(chance.uniform(0.0, usual_s))
        there = sorted(runs.processes().items())
        if there:
            victim, command = chance.choice(there)
            try:
                os.kill(victim, signal.SIGKILL)
                killed[_role(command)] += 1
            except ProcessLookupError:
                victim = 0
        _, said = running.communicate(timeout=240)
        assert runs.nothing_is_left(), (moment, runs.processes())
        assert "Traceback" not in said, (moment, said)
        assert running.returncode in {-signal.SIGKILL, *MEANINGS}, (moment, said)
        before, acknowledged = acknowledged, runs.whole_runs()
        assert acknowledged >= before + (running.returncode == 0), (moment, killed)
        json_file.read(runs.saved)
    assert runs.end_well()
    assert runs.whole_runs() > acknowledged
    roles = ", ".join(f"{role} {count}" for role, count in killed.most_common())
    told = f"kills {moments[0] + 1} to {moments[-1] + 1} ({killed.total()} hit: {roles})"
    record_property("figure", f"{told}: {acknowledged} runs kept, every file whole")
