"""Run what CI leaves out, tests marked `nightly` and all benchmarks, and write what they gave into docs/nightly.md.

python tools/run_nightly.py [--only WORD] [--limit-s S]

A file at a time, so that one that hangs or dies costs its own figures alone; the exit code is 1 where anything failed.
"""

from __future__ import annotations

import argparse
import datetime as dt
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "docs" / "nightly.md"


class Ended(NamedTuple):
    """One test file of the night."""

    file: str
    verdict: str
    """The last line of pytest, or that it ran past the limit."""
    spent_s: float
    printed: tuple[str, ...]
    """What benchmarks print: their tables."""
    passed: bool


def main() -> int:
    """Run every file, write the report, tell whether all passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="part of the files' names")
    parser.add_argument("--limit-s", type=float, default=3600.0, help="of one file")
    chosen = parser.parse_args()
    ended = []
    for file in nightly_files():
        if chosen.only in file:
            ended.append(run(file, chosen.limit_s))
            print(f"{ended[-1].file}: {ended[-1].verdict}", flush=True)
    REPORT.write_text(report(ended), encoding="utf-8")
    return 0 if all(one.passed for one in ended) else 1


def nightly_files() -> list[str]:
    """Benchmarks, and every test file that speaks of the mark."""
    tests = ROOT / "tests"
    files = sorted(path for path in tests.rglob("test_*.py") if "recorded" not in path.parts)
    marked = [path for path in files if "mark.nightly" in path.read_text(encoding="utf-8")]
    benchmarks = [path for path in files if path.is_relative_to(tests / "benchmarks")]
    return sorted({str(path.relative_to(ROOT)) for path in (*marked, *benchmarks)})


def run(file: str, limit_s: float) -> Ended:
    """One file: of a benchmark every test, of another file those with the mark."""
    marks = "nightly or not nightly" if file.startswith("tests/benchmarks/") else "nightly"
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-m", marks, "-p", "no:cacheprovider", file]
    began_s = time.monotonic()
    try:
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=limit_s)
    except subprocess.TimeoutExpired:
        return Ended(file, f"not ended after {limit_s:.0f} s", limit_s, (), passed=False)
    lines = [line.rstrip() for line in ended.stdout.splitlines() if line.strip(" .sFE")]
    verdict = lines[-1] if lines else f"exit code {ended.returncode}"
    return Ended(file, verdict, time.monotonic() - began_s, tuple(lines[:-1][-60:]), passed=ended.returncode in {0, 5})


def report(ended: list[Ended]) -> str:
    """The night as Markdown."""
    today = dt.datetime.now(dt.UTC).date().isoformat()
    rows = [f"| `{one.file}` | {one.verdict} | {one.spent_s:.0f} s |" for one in ended]
    tables = [line for one in ended if one.printed for line in ("", f"## {one.file}", "", "```", *one.printed, "```")]
    head = [
        "# What CI leaves out",
        "",
        f"Written by `python tools/run_nightly.py` on {today}: {platform.system()} on {platform.machine()}, Python",
        f"{platform.python_version()}. {sum(one.passed for one in ended)} of {len(ended)} files passed.",
        "",
        "| file | verdict | took |",
        "|---|---|---:|",
    ]
    return "\n".join([*head, *rows, *tables]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
