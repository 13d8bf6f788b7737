"""Runs one job of a small model after the other as the window does, without one; prints what was told of its end.

Started by `test_progress_estimate.py` in a process of its own: a line of JSON a job with the model, the seconds that
it took, and every `[seconds passed, share done, seconds left]` that was told.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer

from advisor.gui.job_request import job_for
from advisor.gui.monitor_feed import MonitorFeed
from advisor.gui.session import Session
from advisor.gui.settings import Settings

_LIMIT_MS = 240_000
_LOOK_MS = 250
_REST_MS = 500
"""After the end, until what the job took has been written down."""


def main() -> int:
    """Run the jobs; 1 where one does not come to its end."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--budget", type=float, required=True)
    parser.add_argument("models", nargs="+")
    chosen = parser.parse_args()
    _application = QCoreApplication(["progress"])
    for model in chosen.models:
        whole_s, told = _run(model, chosen.folder, chosen.budget)
        if whole_s is None:
            return 1
        sys.stdout.write(json.dumps({"model": model, "whole_s": whole_s, "told": told}) + "\n")
        sys.stdout.flush()
    return 0


def _run(model: str, folder: Path, budget_s: float) -> tuple[float | None, list[tuple[float, float, float]]]:
    settings = Settings(folder / "window.ini")
    settings.store("budget_s", f"{budget_s:g}")
    settings.store("data_folder", str(folder))
    session, loop = Session(settings, MonitorFeed()), QEventLoop()
    session.described.changed.connect(loop.quit)
    QTimer.singleShot(_LIMIT_MS, loop, loop.quit)
    session.described.load(model)
    if session.described.workload is None:
        loop.exec()
    began_s = time.monotonic()
    told: list[tuple[float, float, float]] = []
    ended: list[float] = []

    def look() -> None:
        if session.runner.job is not None and session.runner.busy:
            share, left_s = session.runner.job.progress(time.monotonic())
            if left_s is not None:
                told.append((time.monotonic() - began_s, share, left_s))

    def end() -> None:
        if session.runner.outcome is not None and session.runner.outcome.kind == "finished":
            ended.append(time.monotonic() - began_s)
        loop.quit()

    timer = QTimer()
    timer.setInterval(_LOOK_MS)
    timer.timeout.connect(look)
    session.runner.ended.connect(end)
    session.runner.start(job_for(session, settings, measure=True), measure=True)
    timer.start()
    loop.exec()
    timer.stop()
    QTimer.singleShot(_REST_MS, loop, loop.quit)
    loop.exec()
    session.close()
    return (ended[0] if ended else None), told


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # What the jobs have begun to write down in threads may go with the folder.
    os._exit(code)
