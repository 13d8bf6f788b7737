"""Count the branches that the tests take, those of child processes too, and write the shares into docs/coverage.md.

python tools/run_coverage.py [--room NAME ...]

A room is a folder of the package; its tests are the folder of the same name. Without `--room` the whole suite counts
for every room. The exit code is 1 where a pure room has less than all of its branches taken, or another less than 90 %.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "advisor"
PAGE = ROOT / "docs" / "coverage.md"
PURE = ("catalogue", "cost", "optable", "predict", "recommend", "claims", "logs")
"""Rooms that compute and neither start processes nor touch files of the user."""
PURE_GATE, GATE = 1.0, 0.9


def main() -> int:
    """Run the tests under coverage, write the page, tell whether every gate holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--room", nargs="*", default=[])
    chosen = parser.parse_args()
    shares = measured(chosen.room)
    PAGE.write_text(page(shares, chosen.room), encoding="utf-8")
    for room, (taken, number) in shares.items():
        print(f"{room}: {taken} of {number}", flush=True)
    return 0 if all(holds(room, *share) for room, share in shares.items()) else 1


def holds(room: str, taken: int, number: int) -> bool:
    """Whether a room's gate holds."""
    return number == 0 or taken / number >= (PURE_GATE if room in PURE else GATE)


def measured(rooms: list[str]) -> dict[str, tuple[int, int]]:
    """By room: lines and branches that were taken, and how many there are."""
    tests = [str(ROOT / "tests" / room) for room in rooms] or [str(ROOT / "tests")]
    with tempfile.TemporaryDirectory() as folder:
        data, report = Path(folder, "data"), Path(folder, "report.json")
        environment = {**os.environ, "COVERAGE_FILE": str(data)}
        run = [sys.executable, "-m", "coverage", "run", "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
        subprocess.run(run, cwd=ROOT, env=environment, check=False)
        for step in (["combine", "-q"], ["json", "-q", "-o", str(report)]):
            subprocess.run([sys.executable, "-m", "coverage", *step], cwd=ROOT, env=environment, check=True)
        files = json.loads(report.read_text(encoding="utf-8"))["files"]
    shares: dict[str, tuple[int, int]] = {}
    for name, found in files.items():
        inside = Path(name).resolve().relative_to(PACKAGE).parts
        room = inside[0] if len(inside) > 1 else "the package itself"
        told = found["summary"]
        taken, number = shares.get(room, (0, 0))
        taken += told["covered_lines"] + told["covered_branches"]
        shares[room] = taken, number + told["num_statements"] + told["num_branches"]
    return {room: share for room, share in sorted(shares.items()) if not rooms or room in rooms}


def page(shares: dict[str, tuple[int, int]], rooms: list[str]) -> str:
    """The shares as Markdown."""
    today = dt.datetime.now(dt.UTC).date().isoformat()
    by = "each room's own tests alone" if rooms else "the whole suite"
    lines = [
        "# Branches that the tests take",
        "",
        f"Written by `python tools/run_coverage.py` on {today} from {by}; lines and branches, child processes counted.",
        "",
        "| room | taken | of | share | wanted | |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for room, (taken, number) in shares.items():
        wanted = PURE_GATE if room in PURE else GATE
        verdict = "holds" if holds(room, taken, number) else "**less**"
        lines.append(f"| {room} | {taken} | {number} | {taken / max(1, number):.1%} | {wanted:.0%} | {verdict} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
