"""Run the tests of the scorecard and write what they recorded into docs/reliability.md.

python tools/write_reliability.py [--line ID ...] [--night] [--limit-s S] [--only WORDS]
python tools/write_reliability.py --page | --check

Each line of tests/scorecard/lines.toml names its tests; a test tells its figure with `record_property("figure", …)`.
What a line gave is kept in docs/reliability.json, so that lines can be run on different days; `--night`: full sizes.
`--only` takes those of a line's tests that pytest's `-k` picks, and adds what they give to what is kept: a long line
can be run in parts, and a test that failed once more.
`--page` and `--check` run nothing: one writes the page of the kept figures, the other fails where it is another.
"""

from __future__ import annotations

import argparse
import datetime as dt
import platform
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec

ROOT = Path(__file__).resolve().parent.parent
LINES = ROOT / "tests" / "scorecard" / "lines.toml"
KEPT = ROOT / "docs" / "reliability.json"
PAGE = ROOT / "docs" / "reliability.md"
_HEAD = """\
# What it survives

Written by `python tools/write_reliability.py` from what the tests themselves recorded; nothing here is typed by hand.
A line holds where every test of it passed. `night` is the full size (`--night`), `sample` what runs with every change.

"""


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """What the tests of one line gave at one size."""

    date: str
    system: str
    passed: int
    failed: int
    skipped: int
    spent_s: int
    """Wall time of the tests, whole seconds."""
    figures: tuple[str, ...] = ()
    tests: dict[str, str] = {}
    """How each ended, of runs at full size, so that parts of a line can be run one by one."""

    def with_part(self, part: Ran) -> Ran:
        """This, and what some of the line's tests gave later: the later outcome of a test counts."""
        tests = self.tests | part.tests
        ended = list(tests.values())
        return msgspec.structs.replace(
            part,
            passed=ended.count("passed"),
            failed=ended.count("failed"),
            skipped=ended.count("skipped"),
            spent_s=self.spent_s + part.spent_s,
            figures=tuple(dict.fromkeys((*self.figures, *part.figures))),
            tests=tests,
        )

    @property
    def verdict(self) -> str:
        """One word on the line."""
        if self.failed:
            return f"**fails** ({self.failed} of {self.failed + self.passed})"
        if not self.passed:
            return "not run"
        return "holds" if not self.skipped else f"holds ({self.skipped} skipped)"


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One promise and its tests."""

    id: str
    check: str
    gate: str
    tests: tuple[str, ...]


Kept = dict[str, dict[str, Ran]]
"""By the line's id and the size (`sample`, `night`)."""


def read_lines() -> tuple[Line, ...]:
    """The scorecard."""
    found = tomllib.loads(LINES.read_text(encoding="utf-8"))["line"]
    return msgspec.convert(found, tuple[Line, ...])


def read_kept() -> Kept:
    """What earlier runs gave."""
    return msgspec.json.decode(KEPT.read_bytes(), type=Kept) if KEPT.exists() else {}


def main() -> int:
    """Run lines, keep what they gave, write the page; the exit code is 1 where one fails or the page is old."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--line", nargs="*", default=[], help="ids; default: all")
    parser.add_argument("--night", action="store_true", help="full sizes as well")
    parser.add_argument("--only", default="", help="those of the tests alone that pytest's -k picks, at full size")
    parser.add_argument("--limit-s", type=float, default=3600.0, help="of one line")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--page", action="store_true")
    chosen = parser.parse_args()
    lines, kept = read_lines(), read_kept()
    if chosen.check:
        return 0 if PAGE.read_text(encoding="utf-8") == page(lines, kept) else 1
    if chosen.page:
        PAGE.write_text(page(lines, kept), encoding="utf-8")
        return 0
    failed = False
    for line in lines:
        if not chosen.line or line.id in chosen.line:
            size = "night" if chosen.night else "sample"
            ran = run(line, night=chosen.night, limit_s=chosen.limit_s, only=chosen.only)
            if chosen.only and size in kept.get(line.id, {}):
                ran = kept[line.id][size].with_part(ran)
            if ran.passed + ran.failed:
                kept.setdefault(line.id, {})[size] = ran
            failed |= bool(ran.failed)
            print(f"{line.id}: {ran.verdict}; {'; '.join(ran.figures)}", flush=True)
            KEPT.write_bytes(msgspec.json.format(msgspec.json.encode(kept, order="sorted"), indent=1) + b"\n")
            PAGE.write_text(page(lines, kept), encoding="utf-8")
    return 1 if failed else 0


def run(line: Line, *, night: bool, limit_s: float, only: str = "") -> Ran:
    """Run a line's tests, or those that `only` picks; a run that does not end in time counts as one failure."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        marks = "nightly or not nightly" if night else "not nightly"
        command = [sys.executable, "-m", "pytest", "-q", "-m", marks, "-o", "junit_family=xunit1"]
        command += [f"--junitxml={report}", "-p", "no:cacheprovider", *dict.fromkeys(line.tests)]
        command += ["-k", only] if only else []
        try:
            subprocess.run(command, cwd=ROOT, check=False, timeout=limit_s, capture_output=True)
            cases = list(ET.parse(report).iter("testcase"))  # noqa: S314 - pytest wrote it a moment ago
        except (subprocess.TimeoutExpired, OSError):
            return _ran((), {"ended in time": "failed"}, spent_s=limit_s, named=night)
    for case in cases:
        for fault in (*case.iter("failure"), *case.iter("error")):
            print(f"{case.get('name', '')}: {fault.get('message', '')}", file=sys.stderr, flush=True)
    figures = [found.get("value", "") for case in cases for found in case.iter("property")]
    tests = {f"{case.get('classname', '')}::{case.get('name', '')}": _outcome(case) for case in cases}
    spent_s = sum(float(case.get("time", "0")) for case in cases)
    return _ran(tuple(dict.fromkeys(figures)), tests, spent_s=spent_s, named=night)


def _outcome(case: ET.Element) -> str:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "passed" if case.find("skipped") is None else "skipped"


def _ran(figures: tuple[str, ...], tests: dict[str, str], *, spent_s: float, named: bool) -> Ran:
    today = dt.datetime.now(dt.UTC).date().isoformat()
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    outcomes = list(tests.values())
    return Ran(
        date=today,
        system=system,
        passed=outcomes.count("passed"),
        failed=outcomes.count("failed"),
        skipped=outcomes.count("skipped"),
        spent_s=round(spent_s),
        figures=figures,
        tests=tests if named else {},
    )


def page(lines: tuple[Line, ...], kept: Kept) -> str:
    """The whole page."""
    rows = [
        "| # | check | gate | size | verdict | figures | tests passed | date |",
        "|---|---|---|---|---|---|---:|---|",
    ]
    for line in lines:
        ran = kept.get(line.id, {})
        if not ran:
            rows.append(f"| {line.id} | {line.check} | {line.gate} | – | not run | – | – | – |")
        for size, one in sorted(ran.items(), reverse=True):
            figures = "<br>".join(figure.replace("|", "\\|") for figure in one.figures) or "–"
            passed = f"{one.passed} in {one.spent_s} s"
            told = (line.id, line.check, line.gate, size, one.verdict, figures, passed, one.date)
            rows.append(f"| {' | '.join(told)} |")
    systems = sorted({one.system for ran in kept.values() for one in ran.values()})
    return _HEAD + "\n".join(rows) + f"\n\nRun on: {'; '.join(systems) or 'nothing yet'}.\n"


if __name__ == "__main__":
    sys.exit(main())
