"""Run what CI leaves out, tests marked `nightly` and all benchmarks, and write what they gave into docs/nightly.md.

python tools/run_nightly.py [--only WORD] [--missing] [--limit-s S]

A file at a time, so that one that hangs or dies costs its own figures alone; the exit code is 1 where anything failed.
What a file gave is kept in docs/nightly.json, so that a night can be run in pieces (`--missing`: what has not passed).
"""

from __future__ import annotations

import argparse
import datetime as dt
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "docs" / "nightly.md"
KEPT = ROOT / "docs" / "nightly.json"


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """One test file of the night."""

    verdict: str
    """The last line of pytest, or that it ran past the limit."""
    spent_s: float
    printed: tuple[str, ...]
    """What benchmarks print: their tables; nothing of a file that failed, whose traces name folders of a machine."""
    passed: bool
    date: str


Night = dict[str, Ended]


def main() -> int:
    """Run the files asked for, write the report after each, tell whether all of them passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="part of the files' names")
    parser.add_argument("--missing", action="store_true", help="only what has not passed yet")
    parser.add_argument("--limit-s", type=float, default=3600.0, help="of one file")
    chosen = parser.parse_args()
    files = nightly_files()
    kept = {file: ended for file, ended in read_kept().items() if file in files}
    passed = True
    for file in files:
        if chosen.only not in file or (chosen.missing and file in kept and kept[file].passed):
            continue
        kept[file] = run(file, chosen.limit_s)
        passed = passed and kept[file].passed
        print(f"{file}: {kept[file].verdict}", flush=True)
        KEPT.write_bytes(msgspec.json.format(msgspec.json.encode(kept, order="sorted"), indent=1) + b"\n")
        REPORT.write_text(report(files, kept), encoding="utf-8")
    return 0 if passed else 1


def read_kept() -> Night:
    """What earlier pieces gave, by file; nothing before the first."""
    return msgspec.json.decode(KEPT.read_bytes(), type=dict[str, Ended]) if KEPT.exists() else {}


def nightly_files() -> list[str]:
    """Benchmarks, and every test file that speaks of the mark."""
    tests = ROOT / "tests"
    files = sorted(path for path in tests.rglob("test_*.py") if "recorded" not in path.parts)
    marked = [path for path in files if "mark.nightly" in path.read_text(encoding="utf-8")]
    benchmarks = [path for path in files if path.is_relative_to(tests / "benchmarks")]
    return sorted({path.relative_to(ROOT).as_posix() for path in (*marked, *benchmarks)})


def run(file: str, limit_s: float) -> Ended:
    """One file: of a benchmark every test, of another file those with the mark."""
    marks = "nightly or not nightly" if file.startswith("tests/benchmarks/") else "nightly"
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-m", marks, "-p", "no:cacheprovider", file]
    today = dt.datetime.now(dt.UTC).date().isoformat()
    began_s = time.monotonic()
    try:
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=limit_s)
    except subprocess.TimeoutExpired:
        verdict = f"not ended after {limit_s:.0f} s"
        return Ended(verdict=verdict, spent_s=limit_s, printed=(), passed=False, date=today)
    passed = ended.returncode in {0, 5}
    if not passed:
        print(ended.stdout[-6000:], flush=True)
    lines = [line.rstrip() for line in ended.stdout.splitlines() if line.strip(" .sFE") and not _names_a_folder(line)]
    return Ended(
        verdict=lines[-1] if lines else f"exit code {ended.returncode}",
        spent_s=round(time.monotonic() - began_s, 1),
        printed=tuple(lines[:-1][-60:]) if passed else (),
        passed=passed,
        date=today,
    )


def _names_a_folder(line: str) -> bool:
    """Whether a line names a folder of this machine, which the committed page must not."""
    return any(folder in line for folder in (str(ROOT), tempfile.gettempdir(), str(Path.home()), sys.prefix))


def report(files: list[str], kept: Night) -> str:
    """The night as Markdown; what no piece has run yet is named."""
    rows = [
        f"| `{file}` | {kept[file].verdict} | {kept[file].spent_s:.0f} s | {kept[file].date} |"
        if file in kept
        else f"| `{file}` | not run yet | – | – |"
        for file in files
    ]
    shown = [(file, kept[file].printed) for file in files if file in kept and kept[file].printed]
    tables = [line for file, printed in shown for line in ("", f"## {file}", "", "```", *printed, "```")]
    passed = sum(ended.passed for ended in kept.values())
    head = [
        "# What CI leaves out",
        "",
        f"Written by `python tools/run_nightly.py`: {platform.system()} on {platform.machine()}, Python",
        f"{platform.python_version()}. {passed} of {len(files)} files passed, {len(files) - len(kept)} not run yet.",
        "",
        "| file | verdict | took | date |",
        "|---|---|---:|---|",
    ]
    return "\n".join([*head, *rows, *tables]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
