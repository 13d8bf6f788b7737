"""Whether the open window changes what it measures: one worker trains, the window is open and closed in turns.

Takes about 2.5 minutes (`ADVISOR_DISTURBANCE_S` changes that). Blocks of 3 s stand in pairs, one with the window open
and plotting and one without any window, in random order, so that a drift of the machine falls on both alike; the
second after each change is left out. A pair counts unless other processes used the machine meanwhile (seen in the
CPU time of all processes less our own, time stolen by a host included) or the worker began another request in it.
The ratio of a pair is median step time with the window over median step time without; printed are the median of the
ratios, its 95 % bootstrap interval and a verdict: `within` (the interval includes 1.00 and lies inside ±2 %),
`outside` (it lies wholly beyond ±2 %), else `not shown`. Run it on a quiet machine: on a busy one pairs are dropped,
and with too few left nothing is shown.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
DRIVER = ROOT / "tests" / "gui" / "disturbance_driver.py"
_SECONDS = 140.0
_LIMIT = 0.02
_FOREIGN_CORES = 0.15
"""More than a quiet desktop's own processes take."""
_LEAST_COUNT = 5
_LEAST_PAIRS = 8
_DRAWS = 10_000

Verdict = Literal["within", "not shown", "outside"]
Block = dict[str, Any]


def usable(block: Block) -> bool:
    """Whether nothing else used the machine in a block, and its samples are of one request."""
    foreign = block["foreign_cores"]
    quiet = foreign is None or foreign <= _FOREIGN_CORES
    return bool(quiet and len(block["requests"]) == 1 and block["count"] >= _LEAST_COUNT)


def ratios(blocks: list[Block]) -> list[float]:
    """Step time with the window over without it, of each pair of neighbours that may be compared."""
    found = []
    for number in sorted({block["pair"] for block in blocks}):
        pair = {block["shown"]: block for block in blocks if block["pair"] == number}
        if len(pair) == 2 and all(map(usable, pair.values())) and pair[True]["requests"] == pair[False]["requests"]:
            found.append(pair[True]["median_s"] / pair[False]["median_s"])
    return found


def interval(values: list[float]) -> tuple[float, float]:
    """95 % bootstrap interval of the median."""
    drawn = np.random.default_rng(0).choice(np.asarray(values), size=(_DRAWS, len(values)))
    low, high = np.percentile(np.median(drawn, axis=1), (2.5, 97.5))
    return float(low), float(high)


def verdict(values: list[float]) -> Verdict:
    """The word for what the pairs show."""
    if len(values) < _LEAST_PAIRS:
        return "not shown"
    low, high = interval(values)
    if low > 1 + _LIMIT or high < 1 - _LIMIT:
        return "outside"
    inside = 1 - _LIMIT <= low <= 1 <= high <= 1 + _LIMIT
    return "within" if inside else "not shown"


def pair_of(number: int, ratio: float, *, foreign: float = 0.0, request: int = 1) -> list[Block]:
    """Two blocks as the driver prints them."""
    block = {"pair": number, "requests": [request], "count": 30, "foreign_cores": foreign}
    return [{**block, "shown": True, "median_s": 0.1 * ratio}, {**block, "shown": False, "median_s": 0.1}]


def test_pairs_that_other_load_touched_do_not_count() -> None:
    blocks = pair_of(0, 1.0) + pair_of(1, 3.0, foreign=0.9) + pair_of(2, 1.01)
    blocks[-1]["requests"] = [1, 2]
    assert ratios(blocks) == [1.0]


def test_the_verdict_says_no_more_than_the_pairs_show() -> None:
    noise = np.random.default_rng(1).normal(0, 1, 20)
    assert verdict([1 + 0.005 * float(one) for one in noise]) == "within"
    assert verdict([1 + 0.1 * float(one) for one in noise]) == "not shown"
    assert verdict([1.015 + 0.002 * float(one) for one in noise]) == "not shown"
    assert verdict([1.04 + 0.002 * float(one) for one in noise]) == "outside"
    assert verdict([1.0] * (_LEAST_PAIRS - 1)) == "not shown"


def test_the_window_does_not_change_the_measured_step_time() -> None:
    seconds = os.environ.get("ADVISOR_DISTURBANCE_S", str(_SECONDS))
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(DRIVER), "--seconds", seconds]
    done = subprocess.run(command, env=environment, check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    blocks = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    found, pair_count = ratios(blocks), len(blocks) // 2
    shown = [block for block in blocks if block["shown"]]
    assert shown
    drawing = float(np.median([block["window_cores"] for block in shown]))
    foreign = [block["foreign_cores"] for block in blocks if block["foreign_cores"] is not None]
    print(
        f"\nstep time with the window over without: {len(found)} of {pair_count} pairs counted "
        f"({pair_count - len(found)} dropped; others used {np.median(foreign or [0.0]):.2f} cores), "
        f"the window's thread used {100 * drawing:.1f} % of a core"
    )
    if found:
        low, high = interval(found)
        steps = np.median([block["median_s"] for block in blocks if block["median_s"]])
        print(
            f"step of {1000 * steps:.0f} ms on {blocks[0]['threads']} threads: ratio {np.median(found):.4f}, "
            f"95 % interval {low:.4f} to {high:.4f} (goal: 1.00 inside, within ±2 %)"
        )
    print(f"verdict: {verdict(found)}")
    assert drawing < 0.2
