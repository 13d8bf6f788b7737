"""How good the time left is that the window tells: twenty real jobs of small models, one after the other.

Takes five to ten minutes (`ADVISOR_PROGRESS_RUNS` changes the number of jobs). A job is asked four times a second how
long it still takes. What was thought to be its whole time, seconds passed and seconds left together, is compared with
what it took, from a fifth of its time on. The first job of a kind knows only a guess of the program's; later ones know
what such jobs took here. Printed are each job's worst error and the middle and worst of all; what is asserted is that
the share done never falls and the time left never grows.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DRIVER = ROOT / "tests" / "gui" / "progress_driver.py"
_RUNS = 20
_MODELS = ("iris_mlp", "rnn_characters", "lstm_classifier")
_BUDGET_S = 6.0
_FROM = 0.2
"""Of a job's time: what is told before is told without having seen anything of it."""
_GOAL = 0.30


@pytest.mark.timeout(1800)
def test_the_time_left_is_told_well_from_a_fifth_of_the_way_on() -> None:
    runs = int(os.environ.get("ADVISOR_PROGRESS_RUNS", _RUNS))
    models = [_MODELS[number % len(_MODELS)] for number in range(runs)]
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ, "PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(DRIVER), folder, "--budget", str(_BUDGET_S), *models]
        done = subprocess.run(command, env=environment, check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    jobs = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(jobs) == runs
    worst = []
    for number, job in enumerate(jobs):
        shares, left = [one[1] for one in job["told"]], [one[2] for one in job["told"]]
        assert shares == sorted(shares)
        assert left == sorted(left, reverse=True)
        found = errors(job["told"], job["whole_s"])
        worst.append(max(found))
        print(
            f"\n{number + 1:2} {job['model']:16} took {job['whole_s']:5.1f} s, whole time told: worst error "
            f"{100 * max(found):3.0f} %, middle {100 * statistics.median(found):3.0f} %",
            end="",
        )
    for name, chosen in (("all jobs", worst), ("jobs whose kind had run here before", worst[len(_MODELS) :])):
        if chosen:
            print(
                f"\n{name}: within {100 * _GOAL:.0f} % all the time in {sum(one <= _GOAL for one in chosen)} of "
                f"{len(chosen)}; worst errors: middle {100 * statistics.median(chosen):.0f} %, "
                f"most {100 * max(chosen):.0f} %",
                end="",
            )
    print()


def errors(told: list[list[float]], whole_s: float) -> list[float]:
    """Of what was told from a fifth of the way on: how far off the whole time was, as a fraction of it."""
    return [abs(spent + left - whole_s) / whole_s for spent, _share, left in told if spent >= _FROM * whole_s]


def test_what_is_told_early_does_not_count_and_both_signs_do() -> None:
    told = [[1.0, 0.0, 99.0], [3.0, 0.3, 9.0], [5.0, 0.5, 3.0]]
    assert errors(told, 10.0) == pytest.approx([0.2, 0.2])
