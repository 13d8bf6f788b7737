"""Break one line at a time and ask whether the tests of the same room notice: a seeded sample of cosmic-ray's mutants.

python tools/run_mutations.py RESULTS.jsonl [--count N] [--seed N] [--minutes M] [--again]
    [--rooms ROOM...] [--without TESTS...] [--report]

A mutant inside a function meets, in a fork of a process that has collected the room's tests, those tests that run its
line, the quickest first, and then the rest of their files; one that is run while importing meets the room's files in a
new process. Test files that fail unbroken or need too long are left out, and named. A run that is started again goes on
where it ended; `--again` runs anew what lived. `--report` writes docs/mutation.md from the results.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tools.mutants import ROOMS, Mutant, sample  # noqa: E402 - beside this file
from tools.mutated_room import Room, Verdict  # noqa: E402 - the same

SEED = 26
WANTED_FRACTION = 0.85
REASONS = ROOT / "tools" / "surviving_mutants.toml"
REPORT = ROOT / "docs" / "mutation.md"


def main() -> int:
    """Run what is left of the sample, or write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--count", type=int, default=320)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--rooms", nargs="*", default=ROOMS, choices=ROOMS)
    parser.add_argument("--without", nargs="*", default=[], metavar="TESTS", help="test files not to ask: the slowest")
    parser.add_argument("--again", action="store_true", help="run anew what lived and has no reason yet")
    parser.add_argument("--report", action="store_true")
    chosen = parser.parse_args()
    rows = _rows(chosen.results)
    if chosen.report:
        day = datetime.fromtimestamp(chosen.results.stat().st_mtime, tz=UTC).date()
        REPORT.write_text(report(rows, day), encoding="utf-8")
        return 0
    end_s = time.monotonic() + 60 * chosen.minutes
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, chosen.results.open("a", encoding="utf-8") as out:

        def write(key: str, **values: Any) -> None:  # noqa: ANN401 - a line of JSON
            out.write(json.dumps({"key": key, **values}) + "\n")
            out.flush()

        def answered(mutant: Mutant, verdict: Verdict) -> None:
            write(mutant.key, mutant=list(mutant), **verdict._asdict())

        if not rows:
            for mutant in sample(chosen.count, chosen.seed):
                write(mutant.key, mutant=list(mutant))
            rows = _rows(chosen.results)
        done = {"killed", "killed by time"} | (set() if chosen.again else {"survived", "no test"})
        reasons = _reasons()
        waiting = [
            Mutant(*row["mutant"])
            for key, row in rows.items()
            if "mutant" in row and row.get("verdict") not in done and not (chosen.again and key in reasons)
        ]
        _copy(Path(folder) / "copy")
        for name in chosen.rooms:
            room = Room(Path(folder) / "copy", name, chosen.results.with_suffix(f".{name}.json"), chosen.without)
            mutants = [mutant for mutant in waiting if mutant.room == name]
            if mutants and time.monotonic() < end_s:
                room.run(mutants, end_s, answered)
                if room.is_known():
                    write(f"left out of {name}", files=room.left_out())
    return 0


def _rows(results: Path) -> dict[str, dict[str, Any]]:
    """The last result of every mutant, with its first verdict, and the test files left out of every room."""
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    rows: dict[str, dict[str, Any]] = {}
    for row in map(json.loads, lines):
        first = rows.get(row["key"], {}).get("first", row.get("verdict"))
        rows[row["key"]] = row | ({"first": first} if first else {})
    return rows


def _reasons() -> dict[str, str]:
    return tomllib.loads(REASONS.read_text(encoding="utf-8")) if REASONS.exists() else {}


def _copy(folder: Path) -> None:
    """What git knows of the checkout and what it does not ignore, where a mutant can live."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)  # noqa: S607 - git of the path
    for name in listed.stdout.decode().splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def report(rows: dict[str, dict[str, Any]], day: date) -> str:
    """docs/mutation.md, of a run that ended on `day`: what was killed by room, every survivor and why it lives."""
    reasons, mutants = _reasons(), [row for row in rows.values() if "mutant" in row]
    runs = [row for row in mutants if "verdict" in row]
    count = max(len(runs), 1)
    alive = [row for row in runs if not row["verdict"].startswith("killed")]
    at_first = sum(row["first"].startswith("killed") for row in runs)
    partial = "" if len(runs) == len(mutants) else " (a partial run)"
    lines = [
        "# Mutation run",
        "",
        "Do the tests of a room notice when one of its lines is broken? `tools/run_mutations.py` draws a sample of",
        f"cosmic-ray's mutants of {', '.join(ROOMS)} (seed {SEED}) and gives each to the tests of its own room alone.",
        "",
        f"{len(runs)} of a sample of {len(mutants)} were run{partial}, the last on {day};",
        f"{len(runs) - len(alive)} were killed: {1 - len(alive) / count:.1%} (wanted: {WANTED_FRACTION:.0%});",
        f"before the tests were written that some of them called for, {at_first} were: {at_first / count:.1%}.",
        "It ran in slices, each on the sources of its hour (one may leave out more test files, which kills fewer);",
        "a survivor is shown where its line stood when the sample was drawn.",
        "",
        "| room | run | killed | by the time limit | survived |",
        "|---|---:|---:|---:|---:|",
    ]
    for room in ROOMS:
        verdicts = Counter(row["verdict"] for row in runs if Mutant(*row["mutant"]).room == room)
        timed, lived = verdicts["killed by time"], verdicts["survived"] + verdicts["no test"]
        lines.append(f"| {room} | {verdicts.total()} | {verdicts['killed'] + timed} | {timed} | {lived} |")
    left_out = [file for row in rows.values() for file in row.get("files", [])]
    if left_out:
        lines += ["", "Test files that took no part, for what they need beside the package or for their time:", ""]
        lines += [f"- `{file}`" for file in left_out]
    lines += ["", "## Survivors", "", "| place | line | broken | why it lives |", "|---|---|---|---|"]
    for mutant in sorted((Mutant(*row["mutant"]) for row in alive), key=lambda mutant: (mutant.module, mutant.line)):
        why = reasons.get(mutant.key, "not looked at yet")
        lines.append(f"| `{mutant.module}:{mutant.line}` | {_cell(mutant.before)} | {_cell(mutant.after)} | {why} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if text else ""


if __name__ == "__main__":
    sys.exit(main())
