"""Opens and closes the real window in turns beside one worker that trains all the while; prints a line a block.

Run by `test_window_disturbance.py` in a process of its own. Shown blocks draw what a measurement draws, at its rate:
readings at 10 Hz from the real sampler, each step time as it comes. In hidden blocks no window exists; sampler,
worker and the thread that relays their events go on, as they do headless.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, QTimer

from advisor.gui.application import make_application
from advisor.gui.main_window import MainWindow
from advisor.gui.session import Session
from advisor.gui.settings import Settings
from advisor.hardware.monitor import Monitor
from advisor.measure.events import DeviceStarted, PhaseStarted, RunProgress
from advisor.measure.worker_session import Cancelled, WorkerSession
from advisor.protocol.messages import Environment, MeasureRequest, Progress, Sample
from advisor.workload.workload_file import load_workload

if TYPE_CHECKING:
    import threading
    from collections.abc import Generator

_STAGE_S = 600.0
_START_LIMIT_S = 120.0
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Work:
    """The worker's steps, kept for judging, and on their way to the window as in any measurement."""

    def __init__(self, batch_size: int) -> None:
        self.samples: list[tuple[int, Sample]] = []
        self.request_count = 0
        self.worker: int | None = None
        self.threads: int | None = None
        """What the worker chose at first, as in a measurement; later requests keep to it."""
        self._batch_size = batch_size

    def events(self, cancelled: threading.Event) -> Generator[object, None, object]:
        """One request after the other on one worker; readings between its events, as the runner yields them."""
        workload = load_workload("rnn_characters")
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        session = WorkerSession(visible="", cancelled=cancelled)
        self.worker = session.pid
        yield DeviceStarted(device_key="cpu", device_name="CPU", started_monotonic_s=time.monotonic())
        try:
            with Monitor() as monitor:
                while not cancelled.is_set():
                    request = MeasureRequest(
                        workload=workload,
                        device="cpu",
                        batch_sizes=(self._batch_size,),
                        budget_s=_STAGE_S,
                        thread_count=self.threads,
                        thread_counts=tuple(sorted({1, cores})),
                    )
                    self.request_count += 1
                    for event in session.ask(request, deadline_s=time.monotonic() + 2 * _STAGE_S):
                        yield from monitor.readings()
                        if event is not None:
                            yield from self._seen(event)
        except Cancelled:
            pass
        finally:
            session.close()
        return None

    def _seen(self, event: object) -> Generator[object, None, None]:
        if isinstance(event, Sample) and event.series == "step":
            self.samples.append((self.request_count, event))
        if isinstance(event, Progress):
            now_s = time.monotonic()
            yield PhaseStarted(device_key="cpu", phase=event.phase, detail=event.detail, started_monotonic_s=now_s)
            yield RunProgress(phase=event.phase, fraction=event.fraction, detail=event.detail, left_s=_STAGE_S)
        if isinstance(event, Environment):
            self.threads = event.thread_count
        yield event


def stay(seconds: float) -> None:
    """Let the event loop run."""
    loop = QEventLoop()
    QTimer.singleShot(int(1000 * seconds), loop.quit)
    loop.exec()


def busy_s() -> float | None:
    """CPU time that all processes of this machine have used, with what its host took from it; None if not told."""
    try:
        head = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    except OSError:
        return None
    user, nice, system, _idle, _wait, interrupts, soft, steal = (int(part) for part in head[:8])
    return (user + nice + system + interrupts + soft + steal) / _TICKS_PER_S


def own_s(pids: list[int]) -> float:
    """CPU time of this process and of its children that are named, in seconds."""
    total = 0.0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        except OSError:
            continue
        total += (int(fields[11]) + int(fields[12])) / _TICKS_PER_S
    return total


def children() -> list[int]:
    """This process and its children: worker and sampler."""
    here = os.getpid()
    found = [here]
    for path in Path(f"/proc/{here}/task").glob("*/children"):
        found += [int(part) for part in path.read_text(encoding="ascii").split()]
    return found


def thread_s() -> float:
    """CPU time of the window's thread."""
    return time.thread_time()


class Stage:
    """The window, there or not."""

    def __init__(self, session: Session, settings: Settings) -> None:
        self._session, self._settings = session, settings
        self._window: MainWindow | None = None

    def show(self) -> None:
        """A new window on the Measure page, as when a measurement was started in it."""
        self._window = MainWindow(self._session, self._settings)
        self._window.show()
        self._window.show_page("measure")
        self._session.runner._drain.start()

    def hide(self) -> None:
        """No window, and nothing of it left."""
        window, self._window = self._window, None
        if window is None:
            return
        self._session.runner._drain.stop()
        for page in window._stack.made.values():
            page.deactivate()
        window.preload.stop()
        window._collection.end()
        window.hide()
        window.deleteLater()


def main() -> int:
    """Print what the machine does in each block until the time is over."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=150.0)
    parser.add_argument("--block", type=float, default=3.0)
    parser.add_argument("--settle", type=float, default=1.2)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    make_application()
    folder = tempfile.mkdtemp()
    settings = Settings(Path(folder) / "window.ini")
    settings.store("data_folder", folder)
    session = Session(settings)
    session.detect()
    session.described.load("rnn_characters")
    work = Work(chosen.batch)
    while session.machine is None or session.described.workload is None:
        stay(0.05)
    session.runner.start(work.events, measure=True)
    stage, dice = Stage(session, settings), random.Random(chosen.seed)
    began_s = time.monotonic()
    stage.show()
    while len(work.samples) < 25 and time.monotonic() - began_s < _START_LIMIT_S:
        stay(0.2)
    stay(2.0)
    stage.hide()
    end_s = time.monotonic() + chosen.seconds
    pair = 0
    while time.monotonic() + 2 * (chosen.block + chosen.settle) < end_s:
        for shown in dice.sample((True, False), 2):
            if shown:
                stage.show()
            stay(chosen.settle)
            _block(work, pair, seconds=chosen.block, shown=shown)
            stage.hide()
        pair += 1
    session.close()
    sys.stdout.flush()
    os._exit(0)


def _block(work: Work, pair: int, *, seconds: float, shown: bool) -> None:
    pids = children()
    before = busy_s(), own_s(pids), thread_s(), time.monotonic()
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
    stay(seconds)
    after = busy_s(), own_s(pids), thread_s(), time.monotonic()
    wall_s = after[3] - before[3]
    taken = [
        (request, one.wall_s)
        for request, one in work.samples
        if one.started_monotonic_s >= before[3]
        and one.started_monotonic_s + one.wall_s * one.step_count <= after[3]
        and not one.warm_up
    ]
    foreign = None
    if before[0] is not None and after[0] is not None:
        foreign = max(0.0, (after[0] - before[0]) - (after[1] - before[1])) / wall_s
    told = {
        "pair": pair,
        "threads": work.threads,
        "shown": shown,
        "requests": sorted({request for request, _wall in taken}),
        "count": len(taken),
        "median_s": statistics.median(wall for _request, wall in taken) if taken else None,
        "foreign_cores": foreign,
        "window_cores": (after[2] - before[2]) / wall_s,
        "switches": resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw - faults,
    }
    sys.stdout.write(f"{json.dumps(told)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
