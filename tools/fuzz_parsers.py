"""Let a coverage-guided fuzzer (atheris) look for bytes that make a parser raise anything but our own error.

python tools/fuzz_parsers.py [--parser NAME ...] [--runs N] [--keep]

Each parser of tests/fuzz/parsers.py runs in a process of its own, from its samples and what tests/fuzz/corpus kept.
What fails is written there and the exit code is 1; with `--keep` a dozen inputs that reach new lines are kept as well,
the longest of those up to 512 bytes. Every kept file is a test of its own from then on.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
KEPT_COUNT, KEPT_BYTES = 12, 512
LONGEST_BYTES = 4096
_DONE = re.compile(r"DONE +cov: (\d+)")


def main() -> int:
    """Fuzz the chosen parsers one after the other, or be the process of one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parser", nargs="*", default=[], help="default: all")
    parser.add_argument("--runs", type=int, default=100_000, help="inputs a parser")
    parser.add_argument("--keep", action="store_true", help="keep inputs that reach new lines")
    parser.add_argument("--one", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    if chosen.one:
        fuzz(chosen.one[0], chosen.one[1:])
        return 0
    names = chosen.parser or list(importlib.import_module("tests.fuzz.parsers").PARSERS)
    return max(run(name, chosen.runs, keep=chosen.keep) for name in names)


def run(name: str, runs: int, *, keep: bool) -> int:
    """Fuzz one parser in a child, keep what it found, print a line; 1 where something failed."""
    parsers = importlib.import_module("tests.fuzz.parsers").PARSERS
    with tempfile.TemporaryDirectory() as folder:
        found, seeds, failed = (Path(folder, part) for part in ("found", "seeds", "failed"))
        for place in (found, seeds, failed):
            place.mkdir()
        for number, seed in enumerate(parsers[name].seeds):
            (seeds / f"{number}.bin").write_bytes(seed)
        kept = [str(CORPUS / name)] if (CORPUS / name).is_dir() else []
        flags = [f"-runs={runs}", f"-max_len={LONGEST_BYTES}", "-timeout=10", f"-artifact_prefix={failed}/"]
        command = [sys.executable, __file__, "--one", name, *flags, str(found), str(seeds), *kept]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)
        covered = _DONE.search(ended.stderr)
        failures = [path.read_bytes() for path in failed.iterdir()]
        fresh = [path.read_bytes() for path in found.iterdir()] if keep else []
    short = sorted((content for content in fresh if len(content) <= KEPT_BYTES), key=len, reverse=True)
    for content in (*failures, *short[:KEPT_COUNT]):
        target = CORPUS / name / f"{hashlib.sha256(content).hexdigest()[:16]}.bin"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    told = f"coverage {covered.group(1)}" if covered else ended.stderr.strip()[-1500:]
    print(f"{name}: {runs:,} inputs, {len(failures)} failed; {told}", flush=True)
    return 1 if failures or not covered else 0


def fuzz(name: str, flags: list[str]) -> None:
    """Hand this process over to the fuzzer, which ends it."""
    atheris = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["advisor"]):
        parsers = importlib.import_module("tests.fuzz.parsers")
    parser = parsers.PARSERS[name]
    with tempfile.TemporaryDirectory() as folder:

        def once(content: bytes) -> None:
            parsers.outcome(parser, content, Path(folder))

        atheris.Setup([name, *flags], once)
        atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
