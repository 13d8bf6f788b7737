"""Whether the open window changes what it measures: step times with it and headless, interleaved A B A B."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_PAIRS = 3

HEADLESS = """
from advisor.advice import AdviceRequest, advise_events
from advisor.workload.workload_file import load_workload
events = advise_events(AdviceRequest(workload=load_workload("rnn_characters"), budget_s=6.0, devices=("cpu",)))
while True:
    try:
        next(events)
    except StopIteration as end:
        advice = end.value
        break
"""

WINDOW = """
import os, tempfile, time
from pathlib import Path
from advisor.gui.application import make_application
application = make_application()
from advisor.gui.main_window import MainWindow
from advisor.gui.session import Session
from advisor.gui.settings import Settings
folder = tempfile.mkdtemp()
settings = Settings(Path(folder) / "window.ini")
settings.store("budget_s", "6")
settings.store("data_folder", folder)
session = Session(settings)
window = MainWindow(session, settings)
window.show()
session.detect()
session.feed.start()
session.load_workload("rnn_characters")
while session.machine is None or session.workload is None:
    application.processEvents()
    time.sleep(0.01)
window.commands.act("measure")
session.job_ended.connect(lambda _outcome: application.quit())
application.exec()
advice = session.advice
"""

TELL = """
for measurement in advice.measurements:
    for step in measurement.steps:
        if step.summary is not None:
            key = f"{step.precision}/{step.batch_size}/{step.layer_limit}/{step.thread_count}"
            print(key, step.summary.median_s, flush=True)
import os
os._exit(0)
"""


def medians(code: str) -> dict[str, float]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code + TELL], env=environment, check=False, cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return {line.split()[0]: float(line.split()[1]) for line in done.stdout.splitlines() if "/" in line}


def test_the_window_does_not_change_the_measured_step_time() -> None:
    ratios: list[float] = []
    for _ in range(_PAIRS):
        without, with_window = medians(HEADLESS), medians(WINDOW)
        ratios += [with_window[key] / without[key] for key in without.keys() & with_window.keys()]
    assert ratios
    ordered = sorted(ratios)
    print(
        f"\nstep time with the window over headless: median {statistics.median(ordered):.3f}, "
        f"{len(ordered)} pairs from {ordered[0]:.3f} to {ordered[-1]:.3f} (goal: 1.00 inside ±2 %)"
    )
    assert statistics.median(ordered) < 3
