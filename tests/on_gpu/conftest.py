"""Runs the tests marked `on_gpu` on a card, the most telling first, in the time there is, and keeps what they saw."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.core.child_process import ChildProcess
from advisor.hardware.detect import detect_machine
from advisor.hardware.machine import Gpu
from tests.on_gpu.observe import Bench
from tests.on_gpu.recorder import DEVICE, RECORDER, RECORDING, Recorder
from tests.on_gpu.recording import LeftOut, write_recording

NO_GPU = "needs an NVIDIA GPU with its driver and a torch built for CUDA"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The most telling first: what is left out when time runs short is the tail."""

    def rank(item: pytest.Item) -> int:
        mark = item.get_closest_marker("on_gpu")
        return 0 if mark is None else int(mark.kwargs.get("rank", 5))

    mine = sorted((item for item in items if item.get_closest_marker("on_gpu")), key=rank)
    places = [number for number, item in enumerate(items) if item.get_closest_marker("on_gpu")]
    for place, item in zip(places, mine, strict=True):
        items[place] = item


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip, by name, what no longer fits into the time."""
    mark = item.get_closest_marker("on_gpu")
    if mark is None or RECORDER.bench is None:
        return
    needed, left = float(mark.kwargs["seconds"]), RECORDER.left_s()
    if needed > left:
        why = f"no time left: needs {needed:.0f} s of the {max(0.0, left):.0f} s that are left"
        RECORDER.left_out.append(LeftOut(name=item.name, why=why))
        pytest.skip(why)


def pytest_sessionfinish() -> None:
    """Write the file, also where a test failed: what was seen is seen."""
    path = os.environ.get(RECORDING)
    if path and RECORDER.bench is not None:
        write_recording(Path(path), RECORDER.recording())


@pytest.fixture(scope="session")
def card() -> Gpu | None:
    """The first card that this process may use, None for what stands in for one; skips where there is none."""
    if os.environ.get(DEVICE):
        return None
    machine = detect_machine()
    cards = [gpu for gpu in machine.gpus if gpu.vendor == "nvidia" and gpu.usable and not gpu.hidden_from_cuda]
    if not cards or not torch_has_cuda():
        pytest.skip(NO_GPU)
    return cards[0]


@pytest.fixture(scope="session")
def bench(card: Gpu | None) -> Iterator[Bench]:
    """The card with its worker and monitor, for the whole session."""
    with Bench(detect_machine(), card, os.environ.get(DEVICE, "cuda")) as made:
        RECORDER.bench = made
        RECORDER.start()
        yield made


@pytest.fixture
def recorder() -> Recorder:
    """Where a test leaves what it saw."""
    return RECORDER


def torch_has_cuda() -> bool:
    """Asked in a process of its own: torch stays out of this one."""
    child = ChildProcess("tests.on_gpu.cuda_is_there")
    try:
        return child.next_line(60.0) == b"yes\n"
    except TimeoutError:
        return False
    finally:
        child.close()
