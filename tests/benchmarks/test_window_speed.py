"""What the window costs: start-up against bare Qt, redraws, re-ranking, idle, and the event loop while measuring.

Run by `pytest tests/benchmarks -s`; figures are printed, and asserted loosely only, since machines differ.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.fake_nvml.stub import nvml_libraries, nvml_stub
from tests.gui import fakes

if TYPE_CHECKING:
    from tests.fake_nvml.stub import NvmlStub

__all__ = ["nvml_libraries", "nvml_stub"]

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
ROOT = Path(__file__).resolve().parents[2]
_ROUNDS = 5

BARE = """
import time, PySide6.QtWidgets as widgets
application = widgets.QApplication(["x"])
window = widgets.QWidget()
window.show()
application.processEvents()
"""

OURS = """
import sys, tempfile
from pathlib import Path
from advisor.gui.application import make_application
application = make_application()
from advisor.gui.main_window import MainWindow
from advisor.gui.session import Session
from advisor.gui.settings import Settings
settings = Settings(Path(tempfile.mkdtemp()) / "window.ini")
window = MainWindow(Session(settings), settings)
window.show()
while not window._painted:
    application.processEvents()
assert not {"torch", "numpy", "pyqtgraph"} & set(sys.modules)
import os
os._exit(0)
"""


def seconds_of(code: str, compiled: Path) -> float:
    """`compiled`: a folder for byte code, which an installed program has too."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    environment |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(compiled)}
    started_s = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, cwd=ROOT)
    return time.perf_counter() - started_s


def test_the_first_paint_comes_soon_after_that_of_a_bare_window(tmp_path: Path) -> None:
    seconds_of(OURS, tmp_path)
    pairs = [(seconds_of(BARE, tmp_path), seconds_of(OURS, tmp_path)) for _ in range(_ROUNDS)]
    ratio = statistics.median(ours / bare for bare, ours in pairs)
    bare_s, ours_s = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(f"\nfirst paint: bare {1000 * bare_s:.0f} ms, ours {1000 * ours_s:.0f} ms, ratio {ratio:.2f} (goal 2.0)")
    assert ratio < 4


def redraw_costs_s(gpu_count: int) -> tuple[float, float]:
    """Median CPU time of an update and of the painting that follows, as the shown window does it, in seconds."""
    import msgspec

    from advisor.gui.application import make_application
    from advisor.gui.models.readings import ReadingsBuffer
    from advisor.gui.plots.live_grid import LiveGrid
    from advisor.gui.style_sheet import style_sheet
    from advisor.gui.texts import Texts
    from advisor.gui.theme import LIGHT, palette_of

    application = make_application()
    application.setPalette(palette_of(LIGHT))
    application.setStyleSheet(style_sheet(LIGHT))
    buffer, machine = ReadingsBuffer(), fakes.machine(gpu_count)
    readings = fakes.readings(machine)
    buffer.add(readings)
    grid = LiveGrid(LIGHT, Texts("en"), machine, buffer)
    grid.resize(1040, 560)
    grid.show()
    grid.zoom(600.0)
    for _ in range(5):
        application.processEvents()
    update_s, paint_s = [], []
    for place in range(60):
        now_s = readings[-1].monotonic_s + 0.1 * (place + 1)
        buffer.add([msgspec.structs.replace(readings[place], monotonic_s=now_s)])
        started_s = time.thread_time()
        grid.refresh()
        updated_s = time.thread_time()
        application.processEvents()
        update_s.append(updated_s - started_s)
        paint_s.append(time.thread_time() - updated_s)
    grid.close()
    return statistics.median(update_s), statistics.median(paint_s)


@pytest.mark.parametrize("gpu_count", [2, 8])
def test_all_plots_are_redrawn_quickly(qapp: object, gpu_count: int) -> None:
    del qapp
    update_s, paint_s = redraw_costs_s(gpu_count)
    print(
        f"\nlive plots of {gpu_count} GPUs, 6,000 readings: update {1000 * update_s:.1f} ms, "
        f"with painting {1000 * (update_s + paint_s):.1f} ms (goal 8)"
    )
    assert update_s + paint_s < 0.1


def test_re_ranking_the_full_grid_is_quick(qapp: object) -> None:
    del qapp
    from advisor.gui.pages.compare_figures import PredictionIndex

    comparison = PredictionIndex(fakes.advice())
    times_s = []
    for precision in comparison.precisions:
        for batch in comparison.batches:
            started_s = time.process_time()
            comparison.rows(precision, batch, 1, "time")
            times_s.append(time.process_time() - started_s)
    worst_s = max(times_s)
    print(f"\nre-ranking {len(comparison.predictions)} set-ups: worst {1000 * worst_s:.2f} ms (goal 50)")
    assert worst_s < 0.5


WINDOW = """
import sys, tempfile, time
from pathlib import Path
import psutil
from advisor.gui.application import make_application
application = make_application()
from PySide6.QtCore import QEventLoop, QTimer
from advisor.gui.main_window import MainWindow
from advisor.gui.session import Session
from advisor.gui.settings import Settings
settings = Settings(Path(tempfile.mkdtemp()) / "window.ini")
session = Session(settings)
window = MainWindow(session, settings)
window.show()
window.first_painted.connect(lambda: (session.detect(), session.feed.start()))
def stay(seconds):
    loop = QEventLoop()
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()
"""
"""A window that detects and watches this machine, and time that it is left alone for."""

REST = """
stay(6)
before_s = time.process_time()
stay(8)
shown = (time.process_time() - before_s) / 8
window._visibility_changed(hidden=True)
stay(1)
before_s = time.process_time()
stay(6)
hidden = (time.process_time() - before_s) / 6
assert session.machine is not None and session.feed.buffer.latest is not None
print(f"{100 * shown:.2f} {100 * hidden:.2f}")
window.close()
"""


def test_at_rest_the_window_costs_next_to_nothing() -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", WINDOW + REST], env=environment, check=True, cwd=ROOT, capture_output=True, text=True
    )
    shown, hidden = (float(part) for part in done.stdout.split())
    print(f"\nwindow at rest: {shown:.2f} % of a core (goal 2), hidden {hidden:.2f} % (goal 0.3)")
    assert shown < 15


WATCH = """
seconds = float(sys.argv[1])
end_s = time.monotonic() + 120
while session.feed.buffer is None or session.feed.buffer.latest is None or session.machine is None:
    assert time.monotonic() < end_s
    stay(1)
stay(max(15, seconds / 6))
assert len(session.machine.gpus) == 8
own = psutil.Process()
sampler = next(one for one in own.children() if any("sampler" in word for word in one.cmdline()))
def costs():
    return [(sum(one.cpu_times()[:2]), one.memory_full_info().uss) for one in (own, sampler)]
before = costs()
stay(seconds)
for (cpu_s, size), (cpu_before_s, size_before) in zip(costs(), before):
    print(f"{100 * (cpu_s - cpu_before_s) / seconds:.2f} {(size - size_before) / 1024:.0f}")
window.close()
"""


@pytest.mark.timeout(3600)
def test_watching_eight_gpus_takes_little_of_a_core_and_no_more_memory_with_time(nvml_stub: NvmlStub) -> None:
    seconds = os.environ.get("ADVISOR_WATCH_S", "60")
    nvml_stub.use("a100_8")
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", WINDOW + WATCH, seconds],
        env=environment,
        check=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    rows = [[float(part) for part in line.split()] for line in done.stdout.splitlines()]
    print(f"\neight GPUs watched for {seconds} s (goal 3 % of a core for sampling, flat memory)")
    for name, (share, grown_kib) in zip(("window that draws them", "sampler"), rows, strict=True):
        print(f"  {name:22} {share:.2f} % of a core, {grown_kib:+.0f} KiB")
    assert rows[1][0] < 15


BUSY = """
import sys, tempfile, time
from pathlib import Path
from advisor.gui.application import make_application
application = make_application()
from PySide6.QtCore import QTimer, Qt
from advisor.gui.main_window import MainWindow
from advisor.gui.session import Session
from advisor.gui.settings import Settings
settings = Settings(Path(tempfile.mkdtemp()) / "window.ini")
settings.store("budget_s", "8")
settings.store("data_folder", tempfile.mkdtemp())
session = Session(settings)
window = MainWindow(session, settings)
window.show()
while not window._painted:
    application.processEvents()
session.detect(); session.described.load("rnn_characters")
end_s = time.monotonic() + 60
while (session.machine is None or session.described.workload is None) and time.monotonic() < end_s:
    application.processEvents(); time.sleep(0.01)
window.show_page("measure")
def stay(seconds):
    from PySide6.QtCore import QEventLoop
    loop = QEventLoop()
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()
stay(2)
def delay_s():
    try:
        return int(open("/proc/thread-self/schedstat").read().split()[1]) / 1e9
    except OSError:
        return 0.0
gaps, last, ended, shown = [], [None, 0.0, 0.0], [], [""]
def beat():
    now_s, waited_s, busy_s = time.perf_counter(), delay_s(), time.thread_time()
    if last[0] is not None and session.runner.job is not None:
        late_s = max(0.0, now_s - last[0] - 0.010)
        phase = "after" if ended else "measuring" if session.runner.job.sample_count else "starting"
        if session.runner.job.phase.startswith(("advice-phase-p", "advice-phase-d")):
            phase = "advising" if session.runner.job.sample_count and not ended else phase
        gaps.append((shown[0] or phase, late_s, min(late_s, waited_s - last[1]), busy_s - last[2]))
    last[:] = now_s, waited_s, busy_s
timer = QTimer(); timer.setTimerType(Qt.TimerType.PreciseTimer); timer.setInterval(10); timer.timeout.connect(beat)
timer.start()
window.commands.act("measure")
from PySide6.QtCore import QEventLoop
loop = QEventLoop()  # The application's own would close the window with its end.
session.runner.ended.connect(lambda: (ended.append(1), QTimer.singleShot(2500, loop.quit)))
QTimer.singleShot(90000, loop.quit)
loop.exec()
assert window.current == "advice" and not window.page("advice").filling
shown[0] = "pages"
for name in ("machine", "model", "measure", "advice", "compare", "history", "cases", "machine", "model", "advice"):
    window.show_page(name)
    stay(1.5)
shown[0] = "language"
for name, language in (("advice", "zh"), ("model", "en"), ("machine", "zh")):
    window.show_page(name)
    settings.store("language", language)
    window.rebuild_soon()
    stay(2.5)
import os
for gap in gaps:
    print(*gap)
sys.stdout.flush()
window.close()
os._exit(0)
"""


def test_the_event_loop_stays_quick_while_a_model_is_measured() -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", BUSY], env=environment, check=True, cwd=ROOT, capture_output=True, text=True
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    assert len(rows) > 50
    print("\nlateness of a 10 ms beat from the click to the advice and on (goals: p99 16 ms, most 50 ms)")
    for phase in ("starting", "measuring", "advising", "after", "pages", "language", "all"):
        late = np.array([[float(part) for part in row[1:]] for row in rows if phase in {row[0], "all"}])
        if not len(late):
            continue
        worst = late[late[:, 0].argmax()]
        print(
            f"  {phase:9} {len(late):5} beats: median {1000 * np.median(late[:, 0]):.1f} ms, "
            f"p99 {1000 * np.percentile(late[:, 0], 99):.0f} ms, most {1000 * worst[0]:.0f} ms "
            f"(of which {1000 * worst[1]:.0f} ms waiting for a core); computing itself between two beats: "
            f"p99 {1000 * np.percentile(late[:, 2], 99):.0f} ms, most {1000 * late[:, 2].max():.0f} ms"
        )
    assert max(float(row[1]) for row in rows) < 5
