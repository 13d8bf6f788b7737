"""Detection is cheap: little more than two starts of Python, without torch, numpy or Qt; watching costs little too."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from advisor.hardware.monitor import Monitor

HEAVY = ("torch", "transformers", "numpy", "PySide6")
BARE = [sys.executable, "-c", "import psutil"]
ROUNDS = 7
NO_DRIVER = {key: value for key, value in os.environ.items() if key not in ("LD_LIBRARY_PATH", "FAKE_NVML")}


class Cost(NamedTuple):
    """What one run took: seconds on the wall, and seconds of processor of it and all its children."""

    wall_s: float
    cpu_s: float


def cost(command: list[str]) -> Cost:
    before, began_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=NO_DRIVER)
    after, wall_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began_s
    return Cost(wall_s, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


@pytest.mark.parametrize(
    "command",
    [
        [sys.executable, "-c", "from advisor.hardware.detect import detect_machine; detect_machine()"],
        [sys.executable, "-m", "advisor", "--detect"],
    ],
    ids=["detect_machine", "advisor --detect"],
)
def test_detection_takes_less_than_three_bare_starts_and_a_little(command: list[str]) -> None:
    """Asserted on processor time: detection waits for nothing, and on a busy machine the wall measures the others."""
    pairs = [(cost(BARE), cost(command)) for _ in range(ROUNDS)]
    bare, detect = (
        Cost(*(statistics.median(column) for column in zip(*side, strict=True))) for side in zip(*pairs, strict=True)
    )
    for name, each in (("bare psutil", bare), (command[-1], detect)):
        print(f"\n{name}: wall {each.wall_s * 1e3:.0f} ms, processor {each.cpu_s * 1e3:.0f} ms", end="")
    print(f"; wall {detect.wall_s / bare.wall_s:.1f} x bare")
    assert detect.cpu_s < 3 * bare.cpu_s + 0.3


def test_detection_imports_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from advisor.hardware.detect import detect_machine\n"
        "from advisor.hardware.describe import machine_lines\n"
        "machine_lines(detect_machine(), 'en')\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")
def test_watching_at_one_reading_a_second_costs_little_of_a_core() -> None:
    with Monitor(1.0) as monitor:
        while not monitor.readings():
            time.sleep(0.05)
        pid = monitor.sampler_pid
        before_s, began_s = cpu_seconds(pid), time.monotonic()
        time.sleep(5.0)
        share = (cpu_seconds(pid) - before_s) / (time.monotonic() - began_s)
    print(f"\nsampler at 1 Hz: {100 * share:.2f} % of a core")
    assert share < 0.03  # 1 % is the aim; the clock counts in hundredths of a second


def cpu_seconds(pid: int | None) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
