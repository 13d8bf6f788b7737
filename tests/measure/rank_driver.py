"""One rank under torchrun, as the command line runs it: measures, and the reporter writes the outcome."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import msgspec

from advisor.core.drive import drive
from advisor.measure.ranks import RanksPlan, end_run, run_under_torchrun
from advisor.workload.workload import Data, TemplateModel, Training, Workload


def small_plan(budget_s: float, layers: tuple[int, ...] = (64, 256, 10)) -> RanksPlan:
    """A small MLP on two ranks with one thread each."""
    workload = Workload(
        name="small MLP",
        model=TemplateModel(template="mlp", layers=layers),
        data=Data(samples=10_000),
        training=Training(precision="fp32", batch_size=32, optimizer="sgd"),
    )
    return RanksPlan(workload=workload, batch_size=32, budget_s=budget_s, usable_core_count=2)


def main() -> int:
    """Arguments: output folder, budget in seconds."""
    folder, budget_s = Path(sys.argv[1]), float(sys.argv[2])
    outcome = drive(run_under_torchrun(small_plan(budget_s)))
    if outcome.complete and outcome.rank == 0 and "killed-after-the-group" in sys.argv:
        os.kill(os.getpid(), signal.SIGKILL)
    if outcome.reporter:
        (folder / f"report-{outcome.rank}.json").write_bytes(msgspec.json.encode(outcome))
    if outcome.complete and outcome.rank == 0:
        end_run()
    return 0 if outcome.complete or outcome.reporter else 3


if __name__ == "__main__":
    sys.exit(main())
