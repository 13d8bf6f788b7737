"""Count the branches that the tests take, those of child processes too, and write the shares into docs/coverage.md.

python tools/run_coverage.py [--room NAME ...] [--missing]
python tools/run_coverage.py --pieces FOLDER [--only NAME ...] [--missing]

A room is a folder of the package; its tests are the folder of the same name. Rooms that are named run one by one, each
under its own tests; without `--room` the whole suite counts for every room. What a room gave is kept in
docs/coverage.json, so that rooms can run on different days; `--missing` names the lines and branches not taken. The
whole suite can run in pieces: with `--only` the folders or files of tests that are named (or meant: `gui/test_[a-h]*`)
run, and what they took is kept under `--pieces`; without it, all that is kept there is counted, for the rooms whose own
tests ran whole, and the page names the folders that did not. What a piece took of a file that changed afterwards does
not count. The exit code is 1 where a pure room has less than all of its branches taken, or another less than 90 %, or
tests failed.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import coverage
import msgspec

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "advisor"
PAGE, KEPT = ROOT / "docs" / "coverage.md", ROOT / "docs" / "coverage.json"
PURE = ("catalogue", "cost", "optable", "predict", "recommend", "claims", "logs")
"""Rooms that compute and neither start processes nor touch files of the user."""
PURE_GATE, GATE = 1.0, 0.9
NO_TESTS = 5
"""What pytest ends with where every test of a folder is left to the night."""
NO_PIECES = ("benchmarks",)
"""Folders of tests that the suite itself leaves out."""


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """What of a room was taken."""

    taken: int
    """Lines and branches."""
    number: int
    """Of so many."""
    date: str
    by: str
    """Whose tests: the room's own, the whole suite's, or the suite's but for some of the folders that are named."""
    tests_ended: int
    """Exit code of its own tests: a share of tests that fail is worth less."""


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """How some of the tests ended, and on which files of the package."""

    tests: str
    """The path of their folder or file below the tests, or a pattern of such paths."""
    code: int
    """Exit code of pytest."""
    digests: dict[str, str]
    """SHA-256 of each file of the package, by its path."""


def main() -> int:
    """Run the tests under coverage, write the page, tell whether every gate holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--room", nargs="*", default=[])
    parser.add_argument("--pieces", type=Path, help="an own folder for what each piece of the tests took")
    parser.add_argument("--only", nargs="*", default=[], help="the pieces to run now")
    parser.add_argument("--missing", action="store_true")
    chosen = parser.parse_args()
    if chosen.only and not chosen.pieces:
        parser.error("--only names pieces: say with --pieces where they are kept")
    if chosen.only:
        return max(run_piece(chosen.pieces, name) for name in chosen.only)
    kept = read_kept()
    shares: dict[str, Share] = {}
    for room in chosen.room or [""]:
        shares |= measured(room, pieces=chosen.pieces, missing=chosen.missing)
        kept |= shares
        KEPT.write_bytes(msgspec.json.format(msgspec.json.encode(kept, order="sorted"), indent=1) + b"\n")
        PAGE.write_text(page(kept), encoding="utf-8")
    for room, share in shares.items():
        print(f"{room}: {share.taken} of {share.number}", flush=True)
    return 0 if all(holds(room, share) and not share.tests_ended for room, share in shares.items()) else 1


def read_kept() -> dict[str, Share]:
    """What earlier runs gave, by room; nothing before the first."""
    return msgspec.json.decode(KEPT.read_bytes(), type=dict[str, Share]) if KEPT.exists() else {}


def holds(room: str, share: Share) -> bool:
    """Whether a room's gate holds."""
    return share.taken >= share.number * (PURE_GATE if room in PURE else GATE)


def run_piece(folder: Path, name: str) -> int:
    """Run a folder, a file or a pattern of tests and keep what they took; pytest's exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / (re.sub(r"[^\w.]+", "-", name) + ".data")
    before = digests()
    with tempfile.TemporaryDirectory() as parts:
        code = run(Path(parts, kept.name), name)
        combine([parts], kept)
    after = digests()
    same = {path: digest for path, digest in before.items() if after.get(path) == digest}
    kept.with_suffix(".json").write_bytes(msgspec.json.encode(Piece(tests=name, code=code, digests=same)))
    return code


def digests() -> dict[str, str]:
    """SHA-256 of each file of the package, by its path."""
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(PACKAGE.rglob("*.py"))}


def combine(parts: list[str], data: Path) -> None:
    """What several processes kept under the name of `data` in the folders `parts`, in one file."""
    command = [sys.executable, "-m", "coverage", "combine", "-q", *parts]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "COVERAGE_FILE": str(data)}, check=True)


def add_pieces(folder: Path, data: Path) -> tuple[dict[str, int], list[str]]:
    """What the kept pieces took of files as they are now, into `data`.

    Pytest's worst exit code of each folder of tests, and the folders that did not run whole.
    """
    files = {path.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}
    left = {path for path in files if path.parts[0] not in NO_PIECES}
    now, codes = digests(), dict[str, int]()
    total = coverage.CoverageData(str(data))
    for kept in sorted(folder.glob("*.json")):
        piece = msgspec.json.decode(kept.read_bytes(), type=Piece)
        taken, own = coverage.CoverageData(str(kept.with_suffix(".data"))), coverage.CoverageData(no_disk=True)
        taken.read()
        own.update(taken)
        own.purge_files([path for path in own.measured_files() if piece.digests.get(path) != now.get(path, "gone")])
        total.update(own)
        tested = Path(piece.tests).parts[0]
        codes[tested] = max(piece.code, codes.get(tested, 0))
        left = {path for path in left if not (path.is_relative_to(piece.tests) or path.match(piece.tests))}
    total.touch_files(now)  # one that no piece saw as it is now counts in full as not taken
    total.write()
    return codes, sorted({path.parts[0] for path in left})


def run(data: Path, tests: str) -> int:
    """The tests that a path or a pattern means under coverage, all of them where it is empty; pytest's exit code."""
    paths = sorted((ROOT / "tests").glob(tests)) if tests else [ROOT / "tests"]
    command = [sys.executable, "-m", "coverage", "run", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    environment = {**os.environ, "COVERAGE_FILE": str(data)}
    code = subprocess.run([*command, *map(str, paths)], cwd=ROOT, env=environment, check=False).returncode
    return 0 if code == NO_TESTS else code


def measured(room: str, *, pieces: Path | None, missing: bool) -> dict[str, Share]:
    """What a room's own tests take of it, or what the whole suite takes of every room whose own tests ran whole."""
    names: list[str] = []
    codes: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        data, report = Path(folder, "all"), Path(folder, "report.json")
        if pieces is None:
            parts = Path(folder, "parts")
            parts.mkdir()
            codes[room] = run(parts / data.name, room)
            combine([str(parts)], data)
        else:
            codes, names = add_pieces(pieces, data)
        command = [sys.executable, "-m", "coverage", "json", "-q", "-o", str(report)]
        subprocess.run(command, cwd=ROOT, env={**os.environ, "COVERAGE_FILE": str(data)}, check=True)
        files = json.loads(report.read_text(encoding="utf-8"))["files"]
    counts: dict[str, tuple[int, int]] = {}
    for name, found in files.items():
        inside = (ROOT / name).relative_to(PACKAGE).parts
        own = inside[0] if len(inside) > 1 else "the package itself"
        if room in {"", own} and own not in names:
            told = found["summary"]
            taken, number = counts.get(own, (0, 0))
            taken += told["covered_lines"] + told["covered_branches"]
            counts[own] = taken, number + told["num_statements"] + told["num_branches"]
            if missing and (found["missing_lines"] or found["missing_branches"]):
                print(name, found["missing_lines"], found["missing_branches"], flush=True)
    by = "its own tests" if room else "the whole suite"
    if names:
        by = f"the suite, not all of {', '.join(names)}"
    today = dt.datetime.now(dt.UTC).date().isoformat()
    return {
        own: Share(taken=taken, number=number, date=today, by=by, tests_ended=codes.get(own, codes.get("", 0)))
        for own, (taken, number) in sorted(counts.items())
    }


def page(kept: dict[str, Share]) -> str:
    """The shares as Markdown."""
    lines = [
        "# Branches that the tests take",
        "",
        "Written by `python tools/run_coverage.py`: lines and branches, child processes counted.",
        "",
        "| room | taken | of | share | wanted | | by | date |",
        "|---|---:|---:|---:|---:|---|---|---|",
    ]
    for room, share in sorted(kept.items()):
        wanted = PURE_GATE if room in PURE else GATE
        verdict = "holds" if holds(room, share) else "**less**"
        if share.tests_ended:
            verdict += ", with tests that failed"
        part = share.taken / max(1, share.number)
        told = (
            room,
            str(share.taken),
            str(share.number),
            f"{part:.1%}",
            f"{wanted:.0%}",
            verdict,
            share.by,
            share.date,
        )
        lines.append(f"| {' | '.join(told)} |")
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    if left := sorted(rooms.difference(kept)):
        lines += ["", f"Not counted yet: {', '.join(left)}."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
