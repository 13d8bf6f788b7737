"""Commands that need no torch start without it: little more than the packages that any of them imports."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

BARE = [sys.executable, "-c", "import msgspec, numpy, rich.console, rich.table, fluent.runtime, tomlkit"]
ADVISOR = [sys.executable, "-m", "advisor"]
ROUNDS = 5
COMMANDS = {
    "version": (["--version"], 0.6),
    "list": (["--list"], 1.4),
    "claim": (["--claim", "2 GPUs made it 3.5 times faster"], 1.5),
    "predicted claim": (["--claim", "A100 trains BERT-large at batch 32 in 200 ms a step"], 3.2),
    "predict": (["--predict", "iris_mlp", "--no-history", "--quiet"], 4.5),
}
"""Flags, and how many times as much processor time as the bare imports it may take."""


@pytest.fixture(scope="module", autouse=True)
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Modules are compiled once, as an installed wheel's are, wherever Python may write."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("compiled")))
        yield


def _cpu_s(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _typical_s(command: list[str]) -> float:
    return statistics.median(_cpu_s(command) for _ in range(ROUNDS))


@pytest.fixture(scope="module")
def bare_s() -> float:
    _cpu_s(BARE)  # compiles what it imports
    return _typical_s(BARE)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_without_torch_starts_in_a_small_multiple_of_its_imports(name: str, bare_s: float) -> None:
    flags, most = COMMANDS[name]
    _cpu_s([*ADVISOR, *flags])  # compiles what it imports
    took_s = _typical_s([*ADVISOR, *flags])
    print(f"{name}: {took_s:.3f} s of processor time, {took_s / bare_s:.2f} times the bare imports ({bare_s:.3f} s)")
    assert took_s < most * bare_s


def test_opening_an_advice_starts_as_fast(tmp_path: Path, bare_s: float) -> None:
    path = tmp_path / "advice.json"
    subprocess.run([*ADVISOR, "--predict", "iris_mlp", "--no-history", "--json", str(path)], check=True)
    _cpu_s([*ADVISOR, "--open", str(path)])
    took_s = _typical_s([*ADVISOR, "--open", str(path)])
    print(f"open: {took_s:.3f} s of processor time, {took_s / bare_s:.2f} times the bare imports ({bare_s:.3f} s)")
    assert took_s < 1.7 * bare_s
