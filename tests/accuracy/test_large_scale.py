from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.accuracy.large_scale_rows import read_large_scale

ROOT = Path(__file__).resolve().parents[2]


def test_published_runs_up_to_1024_devices_are_met_within_five_points() -> None:
    rows = read_large_scale()
    error = np.array([abs(row.predicted - row.published) for row in rows])
    print(f"{len(rows)} rows: {100 * error.mean():.1f} points, worst {100 * error.max():.1f}")
    assert max(row.count for row in rows) == 1024
    assert 100 * error.mean() <= 5.0
    assert all(100 * abs(row.predicted - row.published) <= 7.0 for row in rows if row.count == 1024)


def test_the_page_on_scaling_shows_what_the_program_predicts_today() -> None:
    command = [sys.executable, str(ROOT / "tools" / "write_scaling_page.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
