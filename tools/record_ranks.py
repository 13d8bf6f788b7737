"""Keep real runs of two ranks on this host's CPU: python tools/record_ranks.py FILE.json [--runs N] [--seconds S].

Only runs that had the cores to themselves are kept; the machine should have two cores and nothing else to do. What is
kept is judged for ever by tests/measure/test_ranks_accuracy.py, whatever else the machine of that test does meanwhile.
"""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from advisor.core.moment import utc_text  # noqa: E402 - the checkout first
from advisor.hardware.detect import detect_machine  # noqa: E402 - the same
from advisor.measure.measurement import CommunicationMeasurement  # noqa: E402 - the same
from tests.measure.rank_runs import MODELS, KeptRun, KeptRuns, calm, errors_of, ranks_measured, table_of  # noqa: E402


def _of_steps_alone(measured: CommunicationMeasurement) -> CommunicationMeasurement:
    """With its samples where they are steps': a collective has hundreds, and its median is what is asked for."""
    return measured if measured.batch_size is not None else msgspec.structs.replace(measured, samples_s=())


def main() -> int:
    """Exit code 1: not even one run of a model was calm, and nothing is written."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--runs", type=int, default=5, help="of each model")
    parser.add_argument("--seconds", type=float, default=20.0, help="a run")
    arguments = parser.parse_args()
    runs: list[KeptRun] = []
    for name in MODELS:
        table = table_of(name)
        for _ in range(arguments.runs):
            communication = ranks_measured(name, arguments.seconds).communication
            errors = ", ".join(f"{100 * error:+.1f} %" for error in errors_of(communication, table).values())
            print(f"{name}: {errors}" + ("" if calm(communication) else " (contended, not kept)"), flush=True)
            if calm(communication):
                runs.append(KeptRun(model=name, communication=tuple(map(_of_steps_alone, communication))))
    if {run.model for run in runs} != set(MODELS):
        print("nothing is written: a model has no calm run", file=sys.stderr)
        return 1
    cpu = detect_machine().cpu
    kept = KeptRuns(
        cpu_name=cpu.name,
        usable_core_count=cpu.usable_core_count,
        torch_version=version("torch"),
        created_utc=utc_text(),
        runs=tuple(runs),
    )
    arguments.file.write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
