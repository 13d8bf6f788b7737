"""Commands that need no torch start without it: little more than the packages that any of them imports."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

BARE = [sys.executable, "-c", "import msgspec, numpy, rich.console, rich.table, fluent.runtime, tomlkit"]
ADVISOR = [sys.executable, "-m", "advisor"]
ROUNDS = 5
COMMANDS = {
    "version": (["--version"], 1.2),
    "list": (["--list"], 2.5),
    "claim": (["--claim", "A100 trains BERT-large at batch 32 in 200 ms a step"], 7.0),
    "predict": (["--predict", "iris_mlp", "--no-history", "--quiet"], 9.0),
}
"""Flags, and how many times as much processor time as the bare imports it may take."""


def _cpu_s(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _typical_s(command: list[str]) -> float:
    return statistics.median(_cpu_s(command) for _ in range(ROUNDS))


@pytest.fixture(scope="module")
def bare_s() -> float:
    _cpu_s(BARE)
    return _typical_s(BARE)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_without_torch_starts_in_a_small_multiple_of_its_imports(name: str, bare_s: float) -> None:
    flags, most = COMMANDS[name]
    took_s = _typical_s([*ADVISOR, *flags])
    print(f"{name}: {took_s:.3f} s of processor time, {took_s / bare_s:.2f} times the bare imports ({bare_s:.3f} s)")
    assert took_s < most * bare_s


def test_opening_an_advice_starts_as_fast(tmp_path: Path, bare_s: float) -> None:
    path = tmp_path / "advice.json"
    subprocess.run([*ADVISOR, "--predict", "iris_mlp", "--no-history", "--json", str(path)], check=True)
    took_s = _typical_s([*ADVISOR, "--open", str(path)])
    print(f"open: {took_s:.3f} s of processor time, {took_s / bare_s:.2f} times the bare imports ({bare_s:.3f} s)")
    assert took_s < 4.0 * bare_s
