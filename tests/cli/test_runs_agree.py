"""Headless runs one after the other on one machine recommend the same and judge alike."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from advisor.store import json_file

TRUSTED = frozenset({"stable", "usable"})
ENOUGH = 5
"""Of two runs one series judged otherwise is already more than a tenth of the verdicts: a share needs more of them."""


class Ran(NamedTuple):
    """What was recommended, and by batch size and precision whether the measured steps could be trusted."""

    devices: frozenset[str]
    """The recommended one, and those that are told to be tied with it."""
    verdicts: dict[tuple[int, str], str]

    @property
    def disturbed(self) -> bool:
        """Somebody else used the processor meanwhile, and the run says so."""
        return "contended" in self.verdicts.values()


def _run(folder: Path) -> Ran:
    saved = folder / "advice.json"
    settings = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder / "data"), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "advisor", "--measure", "rnn_characters", "--budget", "8", "--json", str(saved)]
    command += ["--gpus", "rtx3090", "--quiet", "--force"]
    ended = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=280, check=False)
    assert ended.returncode == 0, ended.stderr
    advice = json_file.read(saved)
    chosen = advice.recommendation
    assert chosen is not None
    verdicts: dict[tuple[int, str], str] = {}
    for measurement in advice.measurements:
        for step in measurement.steps:
            trusted = step.verdict.kind in TRUSTED
            verdicts[step.batch_size, step.precision] = "trusted" if trusted else step.verdict.kind
    return Ran(frozenset({chosen.device.key, *(device.key for device in chosen.tied_with)}), verdicts)


@pytest.mark.alone
@pytest.mark.parametrize("count", [2, pytest.param(5, marks=pytest.mark.nightly)])
@pytest.mark.timeout(1500)
def test_runs_that_nobody_disturbed_recommend_the_same_and_judge_alike(
    tmp_path: Path, count: int, record_property: Callable[[str, object], None]
) -> None:
    runs = [_run(tmp_path) for _ in range(count)]
    quiet = [run for run in runs if not run.disturbed]
    by_series: dict[tuple[int, str], Counter[str]] = {}
    for run in quiet:
        for series, verdict in run.verdicts.items():
            by_series.setdefault(series, Counter())[verdict] += 1
    alike = sum(counted.most_common(1)[0][1] for counted in by_series.values())
    judged = sum(counted.total() for counted in by_series.values())
    shared = frozenset.intersection(*(run.devices for run in quiet)) if quiet else frozenset()
    one = "one recommendation" if shared or not quiet else "different recommendations"
    told = f"{one} of {len(quiet)} runs that nobody disturbed, {alike} of {judged} verdicts alike"
    record_property("figure", f"{count} runs: {told}")
    assert shared or not quiet
    if count >= ENOUGH:
        assert alike >= 0.9 * judged
    assert all(run.devices for run in runs)
