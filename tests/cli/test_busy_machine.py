"""What others do on a machine that is measured changes neither its advice nor what cards elsewhere take."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from advisor.store import json_file
from advisor.store.advice_record import AdviceRecord

WORKLOAD, CARD = "lstm_classifier", "rtx4090"
"""A model whose operators are many and small, on several threads: others slow it by up to a hundred times."""
RUNS = 3
"""With others on the machine, and as many without."""
MOST_APART = 1.5
"""Between runs, of a step on a card that is not here: its host's dispatch was timed beside others too."""


@contextmanager
def others_at_work() -> Iterator[None]:
    """As many processes as there are cores, each busy all the time."""
    with ExitStack() as stack:
        for _ in range(os.cpu_count() or 1):
            busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(busy.wait)
            stack.callback(busy.kill)
        yield


def measured(folder: Path) -> AdviceRecord:
    saved = folder / "advice.json"
    settings = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder / "data")}
    command = [sys.executable, "-m", "advisor", "--measure", WORKLOAD, "--json", str(saved), "--gpus", CARD]
    ended = subprocess.run(
        [*command, "--quiet", "--force"], env=settings, capture_output=True, text=True, timeout=280, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return json_file.read(saved)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_runs_on_a_busy_machine_and_on_a_quiet_one_give_one_advice(tmp_path: Path) -> None:
    quiet = [measured(tmp_path) for _ in range(RUNS)]
    with others_at_work():
        busy = [measured(tmp_path) for _ in range(RUNS)]
    devices, local, card_s = [], set(), []
    for advice in (*quiet, *busy):
        chosen, here = advice.recommendation, advice.recommendation_local
        assert chosen is not None
        assert here is not None
        devices.append({chosen.device.key, *(device.key for device in chosen.tied_with)})
        local.add((here.device.key, here.batch_size_per_device))
        card_s.append(
            min(
                one.step_s.value
                for one in advice.predictions
                if one.device.key == CARD and one.batch_size_per_device == 256
            )
        )
    print(f"{[sorted(each) for each in devices]}, {sorted(local)}, card {[round(each * 1e3, 2) for each in card_s]} ms")
    assert set.intersection(*devices)
    assert len(local) == 1
    assert max(card_s) <= MOST_APART * min(card_s)
