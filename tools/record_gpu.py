"""Run the GPU suite on this machine's card and keep what it saw: python tools/record_gpu.py [--write FILE].

`--plan` prints what would run and how long, and runs nothing. `--predict FILE` puts the program's own predictions
beside the times of a recording (also done after a run; needs no GPU). `--rows FILE… --write OUT.csv` writes recordings
as a table for `advisor --evaluate` and `tools/fit_efficiencies.py --add`. Needs pytest, torch with CUDA, transformers
and what docs/gpu_suite.md lists; no Qt, no network.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import pytest
from msgspec.structs import replace

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.on_gpu.plan import WHOLE_S  # noqa: E402 - the checkout first
from tests.on_gpu.recorder import RECORDING, SECONDS  # noqa: E402 - the same
from tests.on_gpu.recording import (  # noqa: E402 - the same
    Recording,
    StepSeen,
    read_recording,
    rows_to_predict,
    run_rows,
    write_recording,
)

SUITE = ROOT / "tests" / "on_gpu"
# The suite's own conftest alone: the others need packages that a machine with a GPU may not have.
PYTEST = [f"--confcutdir={SUITE}", f"--rootdir={ROOT}", "-m", "on_gpu", str(SUITE / "test_on_gpu.py")]
_PREDICT_S = 240.0


class Collected:
    """What pytest would run, by test function, in its order."""

    def __init__(self) -> None:
        """Nothing is collected yet."""
        self.items: list[tuple[str, float]] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keep the names and what each may take."""
        for item in session.items:
            mark = item.get_closest_marker("on_gpu")
            if mark is not None:
                self.items.append((item.name, float(mark.kwargs["seconds"])))


def plan() -> list[tuple[str, float]]:
    """(test, the seconds it may take), in the order in which they would run."""
    found = Collected()
    with contextlib.redirect_stdout(io.StringIO()):  # pytest lists them too, without their times
        pytest.main(["--collect-only", "-qq", *PYTEST], plugins=[found])
    return found.items


def plan_text(items: list[tuple[str, float]], whole_s: float) -> str:
    """The plan as lines: what runs, how long, and what no longer fits."""
    lines, spent_s, dropped = [], 0.0, defaultdict[str, int](int)
    for name, seconds in items:
        if spent_s + seconds > whole_s:
            dropped[name.split("[")[0]] += 1
            continue
        spent_s += seconds
        lines.append(f"{spent_s - seconds:6.0f} s  + {seconds:4.0f} s  {name}")
    lines.append(f"{len(lines)} tests, {spent_s:.0f} s at most, limit {whole_s:.0f} s")
    lines += [f"no time would be left for {count} of {name}" for name, count in dropped.items()]
    return "\n".join(lines)


def predicted(recording: Recording) -> Recording:
    """The recording with this program's predictions from the spec table beside the times that can be predicted."""
    with tempfile.TemporaryDirectory() as folder:
        rows = rows_to_predict([recording], Path(folder))
        if rows.count("\n") < 2:  # noqa: PLR2004 - a head alone
            return recording
        asked, told = Path(folder) / "rows.csv", Path(folder) / "predicted.csv"
        asked.write_text(rows, encoding="utf-8")
        command = [sys.executable, "-m", "advisor", "--evaluate", str(asked), "--csv", str(told), "--allow-code"]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PREDICT_S, check=False, cwd=folder, env=environment
        )
        if not told.is_file():
            print(f"no predictions: {done.stderr[-500:]}", file=sys.stderr)
            return recording
        found = {int(row["place"]): row for row in csv.DictReader(told.read_text(encoding="utf-8").splitlines())}
    steps = tuple(_with(step, found.get(place)) for place, step in enumerate(recording.steps))
    return replace(recording, steps=steps)


def _with(step: StepSeen, row: dict[str, str] | None) -> StepSeen:
    if row is None or not row["predicted_ms"]:
        return step
    peak = row.get("predicted_peak_gb", "")
    return replace(
        step,
        predicted_s=float(row["predicted_ms"]) / 1e3,
        predicted_low_s=float(row["low_ms"]) / 1e3,
        predicted_high_s=float(row["high_ms"]) / 1e3,
        predicted_peak_bytes=float(peak) * 1e9 if peak else None,
    )


def record(path: Path, whole_s: float, words: list[str]) -> int:
    """Run the suite in a process of its own, then predict; the exit code is pytest's."""
    environment = os.environ | {
        RECORDING: str(path.resolve()),
        SECONDS: f"{whole_s:g}",
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }
    path.unlink(missing_ok=True)
    code = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", *PYTEST, *words], env=environment, check=False
    ).returncode
    if not path.is_file():
        print("nothing was recorded: no card that torch can use", file=sys.stderr)
        return code or 3
    print(f"{path}: {path.stat().st_size} bytes; predicting the same steps from the spec table", flush=True)
    recording = predicted(read_recording(path))
    write_recording(path, recording)
    _print(recording)
    return code


def _split(words: str) -> list[str]:
    """`-k a or b` as pytest wants it: the option and one expression."""
    option, _, rest = words.strip().partition(" ")
    return [part for part in (option, rest) if part]


def _print(recording: Recording) -> None:
    for step in recording.steps:
        if step.median_s is not None and step.predicted_s is not None:
            error = step.predicted_s / step.median_s - 1.0
            inside = (step.predicted_low_s or 0.0) <= step.median_s <= (step.predicted_high_s or 0.0)
            print(
                f"{step.workload:30} {step.precision:10} {step.change:40} measured {1e3 * step.median_s:9.3f} ms  "
                f"predicted {1e3 * step.predicted_s:9.3f} ms  {error:+7.1%}  {'inside' if inside else 'outside'}"
            )
    for one in recording.left_out:
        print(f"left out: {one.name}: {one.why}")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--plan", action="store_true", help="print what would run and how long, and run nothing")
    parser.add_argument("--predict", type=Path, metavar="FILE", help="put predictions beside the times of a recording")
    parser.add_argument("--rows", type=Path, nargs="+", metavar="FILE", help="recordings to write as a table of runs")
    parser.add_argument("--write", type=Path, default=Path("gpu_recording.json"), metavar="FILE", help="file to write")
    parser.add_argument("--seconds", type=float, default=WHOLE_S, help="time that the suite may take")
    parser.add_argument("--words", default="", help="further words for pytest, such as `-k resnet50`")
    options = parser.parse_args()
    if options.plan:
        print(plan_text(plan(), options.seconds))
        return 0
    if options.predict is not None:
        recording = predicted(read_recording(options.predict))
        write_recording(options.predict, recording)
        _print(recording)
        return 0
    if options.rows is not None:
        options.write.write_text(run_rows(read_recording(path) for path in options.rows), encoding="utf-8")
        return 0
    return record(options.write, options.seconds, _split(options.words))


if __name__ == "__main__":
    sys.exit(main())
