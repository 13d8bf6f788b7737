"""Break one line at a time and ask whether the tests of the same room notice: a seeded sample of cosmic-ray's mutants.

python tools/run_mutations.py RESULTS.jsonl [--count N] [--seed N] [--jobs N] [--limit-s S] [--minutes M] [--report]

Every mutant is written into a copy of the checkout and meets the test files of its room, those first that import the
module by name; test files that need longer than the limit by themselves are left out, and named. A run that is
started again goes on where it ended. `--report` writes docs/mutation.md from the results.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("cost", "predict", "recommend", "measure", "hardware")
COPIED = ("advisor", "tests", "resources", "workloads", "tools", "docs", "pyproject.toml", ".importlinter")
SEED = 20
WANTED_FRACTION = 0.85
REASONS = ROOT / "tools" / "surviving_mutants.toml"
REPORT = ROOT / "docs" / "mutation.md"


class Mutant(NamedTuple):
    """One operator at one place of one module."""

    module: str
    operator: str
    occurrence: int
    line: int

    @property
    def key(self) -> str:
        """What names it in the results."""
        return f"{self.module}:{self.line} {self.operator} {self.occurrence}"

    @property
    def room(self) -> str:
        """The folder of `advisor/` whose tests must notice."""
        return Path(self.module).parts[1]


def main() -> int:
    """Run what is left of the sample, or write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit-s", type=float, default=60.0)
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--report", action="store_true")
    chosen = parser.parse_args()
    rows = [json.loads(line) for line in chosen.results.read_text().splitlines()] if chosen.results.exists() else []
    if chosen.report:
        REPORT.write_text(report(rows, chosen.count, chosen.seed), encoding="utf-8")
        return 0
    done = {row["key"] for row in rows}
    end_s = time.monotonic() + 60 * chosen.minutes
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, chosen.results.open("a", encoding="utf-8") as out:
        copies = [copied(Path(folder) / str(job)) for job in range(chosen.jobs)]
        mutants = [Mutant(*row["mutant"]) for row in rows if row["key"].startswith("drawn ")]
        if not mutants:
            mutants = sample(chosen.count, chosen.seed)
            for mutant in mutants:
                write(out, {"key": f"drawn {mutant.key}", "mutant": list(mutant)})
        base = {row["file"]: row["spent_s"] for row in rows if row["key"].startswith("baseline ")}
        files = [
            str(path.relative_to(ROOT)) for room in ROOMS for path in sorted((ROOT / "tests" / room).rglob("test_*.py"))
        ]
        for file in (file for file in files if file not in base):
            code, spent_s = finished(started(copies[0], [file]), chosen.limit_s)
            base[file] = spent_s if code == 0 else float("inf")
            write(out, {"key": f"baseline {file}", "file": file, "spent_s": base[file]})
        waiting = [mutant for mutant in mutants if mutant.key not in done]
        run_all(waiting, copies, base, chosen.limit_s, end_s, out)
    return 0


def write(out: Any, row: dict[str, Any]) -> None:  # noqa: ANN401 - a text file
    """One result a line, kept at once."""
    out.write(json.dumps(row) + "\n")
    out.flush()


def sample(count: int, seed: int) -> list[Mutant]:
    """The same mutants for the same sources and seed.

    Annotations are left alone, for they are never run, and the switches of a record's own line (`frozen=True`), for
    what they forbid nobody does.
    """
    paths = sorted(path for room in ROOMS for path in (ROOT / "advisor" / room).rglob("*.py"))
    every = [mutant for path in paths for mutant in mutants_of(path)]
    random.Random(seed).shuffle(every)  # noqa: S311 - a sample, no secret
    drawn: list[Mutant] = []
    for mutant in every:
        source = (ROOT / mutant.module).read_text(encoding="utf-8")
        # cosmic-ray replaces no exception that is an attribute, and makes what is no Python of a bare `*`; where it
        # compares with a literal by identity (a SyntaxWarning), nothing changes but by the interpreter's whim.
        with contextlib.suppress(AttributeError, SyntaxError, SyntaxWarning), warnings.catch_warnings():
            warnings.simplefilter("error", SyntaxWarning)
            broken = mutate_code(source, get_operator(mutant.operator)(), mutant.occurrence)
            compile(broken or "", mutant.module, "exec", dont_inherit=True)
            drawn += [mutant] if broken not in {None, source} else []
        if len(drawn) == count:
            break
    return drawn


def mutants_of(path: Path) -> list[Mutant]:
    """Every place of a module where an operator applies; operators that replace the same token share their places."""
    source = path.read_text(encoding="utf-8")
    nodes, skipped = list(ast_nodes(get_ast(source))), _never_run(path)
    places: dict[str, list[tuple[int, int]]] = {}
    found = []
    for name in sorted(operator_names()):
        if name in _PARAMETERISED:
            continue
        family = name.rpartition("_")[0] if name.startswith("core/Replace") and name.count("_") > 1 else name
        if family not in places:
            operator = get_operator(name)()
            places[family] = [start for node in nodes for start, _ in operator.mutation_positions(node)]
        for occurrence, place in enumerate(places[family]):
            if not any(start <= place < end for start, end in skipped):
                found.append(Mutant(str(path.relative_to(ROOT)), name, occurrence, place[0]))
    return found


_PARAMETERISED = frozenset({"core/VariableInserter", "core/VariableReplacer"})
"""Operators that need to be told names."""


def _never_run(path: Path) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    spans: list[tuple[tuple[int, int], tuple[int, int]]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for name in ("annotation", "returns"):
            part = getattr(node, name, None)
            if isinstance(part, ast.expr):
                spans.append(((part.lineno, part.col_offset), (part.end_lineno or 0, part.end_col_offset or 0)))
        if isinstance(node, ast.ClassDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            spans.append(((first, 0), (node.body[0].lineno, 0)))
    return spans


def copied(folder: Path) -> Path:
    """A copy of the checkout in which a mutant can live."""
    folder.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def files_for(mutant: Mutant, base: dict[str, float]) -> list[str]:
    """The room's test files that fit the limit: those that name the module first, then the fastest."""
    dotted = mutant.module.removesuffix(".py").replace("/", ".")
    own = [
        file for file, spent_s in base.items() if file.startswith(f"tests/{mutant.room}/") and spent_s < float("inf")
    ]
    named = {file for file in own if dotted in (ROOT / file).read_text(encoding="utf-8")}
    return sorted(own, key=lambda file: (file not in named, base[file]))


@dataclass
class Running:
    """A child that runs tests in a copy."""

    pid: int
    began_s: float
    copy: Path
    mutant: Mutant | None = None
    original: str = ""
    limit_s: float = 0.0


def started(copy: Path, files: list[str]) -> Running:
    """Fork: the copy's tests in a child whose third-party imports are paid already."""
    import hypothesis  # noqa: F401 - imported before the fork
    import numpy as np  # noqa: F401 - imported before the fork
    import pytest

    began_s = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        os.chdir(copy)
        sys.path[:] = [
            str(copy),
            *(place for place in sys.path if Path(place or ".").resolve() not in {ROOT, ROOT / "tools"}),
        ]
        os.environ["PYTHONPATH"] = str(copy)
        sys.dont_write_bytecode = True
        code = 3
        with contextlib.suppress(BaseException):
            code = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "--no-header", *files]))
        os._exit(code)
    return Running(pid, began_s, copy)


def ended(running: Running) -> int | None:
    """Exit status of a child that ended; None while it runs."""
    pid, status = os.waitpid(running.pid, os.WNOHANG)
    return None if pid == 0 else (os.waitstatus_to_exitcode(status))


def finished(running: Running, limit_s: float) -> tuple[int, float]:
    """Wait for a child; -9 where it ran past the limit."""
    while (code := ended(running)) is None:
        if time.monotonic() - running.began_s > limit_s:
            stopped(running)
            return -9, limit_s
        time.sleep(0.1)
    return code, time.monotonic() - running.began_s


def stopped(running: Running) -> None:
    """Kill a child with all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(running.pid, signal.SIGKILL)
    os.waitpid(running.pid, 0)


def run_all(  # noqa: PLR0913 - the whole of a run
    waiting: list[Mutant],
    copies: list[Path],
    base: dict[str, float],
    limit_s: float,
    end_s: float,
    out: Any,  # noqa: ANN401
) -> None:
    """Keep every copy busy until nothing waits or the time is over."""
    free, running = list(copies), list[Running]()
    while running or (waiting and time.monotonic() < end_s):
        while free and waiting and time.monotonic() < end_s:
            mutant, copy = waiting.pop(0), free.pop()
            child = put(mutant, copy, base, limit_s)
            if child is None:
                free.append(copy)
                write(out, {"key": mutant.key, **mutant._asdict(), "verdict": "no test", "spent_s": 0.0})
            else:
                running.append(child)
        for child in list(running):
            code = ended(child)
            spent_s = time.monotonic() - child.began_s
            if code is None and spent_s < child.limit_s:
                continue
            if code is None:
                stopped(child)
            assert child.mutant is not None
            verdict = "survived" if code == 0 else "killed" if code is not None else "killed by time"
            write(
                out,
                {"key": child.mutant.key, **child.mutant._asdict(), "verdict": verdict, "spent_s": round(spent_s, 1)},
            )
            (child.copy / child.mutant.module).write_text(child.original, encoding="utf-8")
            running.remove(child)
            free.append(child.copy)
        time.sleep(0.1)


def put(mutant: Mutant, copy: Path, base: dict[str, float], limit_s: float) -> Running | None:
    """Write the mutant into a copy and start its tests, with three times what they need unbroken; None without any."""
    files = files_for(mutant, base)
    if not files:
        return None
    place = copy / mutant.module
    original = place.read_text(encoding="utf-8")
    place.write_text(mutate_code(original, get_operator(mutant.operator)(), mutant.occurrence), encoding="utf-8")
    child = started(copy, files)
    child.mutant, child.original = mutant, original
    child.limit_s = limit_s + 3 * sum(base[file] for file in files)
    return child


def report(rows: list[dict[str, Any]], count: int, seed: int) -> str:
    """docs/mutation.md: what was run, what was killed by room, and every survivor with its line and a reason."""
    import tomllib

    reasons = tomllib.loads(REASONS.read_text(encoding="utf-8")) if REASONS.exists() else {}
    runs = [row for row in rows if "verdict" in row]
    left_out = [row["file"] for row in rows if row["key"].startswith("baseline ") and row["spent_s"] == float("inf")]
    killed = [row for row in runs if row["verdict"].startswith("killed")]
    lines = [
        "# Mutation run",
        "",
        "Do the tests of a room notice when one of its lines is broken? `tools/run_mutations.py` draws a sample of",
        f"cosmic-ray's mutants of {', '.join(ROOMS)} (seed {seed}) and gives each to the tests of its own room alone.",
        "",
        f"{len(runs)} of a sample of {count} were run{'' if len(runs) >= count else ' (a partial run)'};",
        f"{len(killed)} were killed: {len(killed) / max(len(runs), 1):.0%} (wanted: {WANTED_FRACTION:.0%}).",
        "Some that lived at first were given a test and run again: the share is of today's tests, not of those before.",
        "",
        "| room | run | killed | by the time limit | survived |",
        "|---|---:|---:|---:|---:|",
    ]
    for room in ROOMS:
        verdicts = Counter(row["verdict"] for row in runs if Path(row["module"]).parts[1] == room)
        alive = verdicts["survived"] + verdicts["no test"]
        timed = verdicts["killed by time"]
        lines.append(f"| {room} | {verdicts.total()} | {verdicts['killed'] + timed} | {timed} | {alive} |")
    if len(runs) < count:
        lines += ["", "A partial run says little of the whole: what is left of the sample was not reached in its time."]
    if left_out:
        lines += ["", "The slowest test files took no part:", ""]
        lines += [f"- `{file}`" for file in left_out]
    lines += ["", "## Survivors", "", "| place | line | broken | why it lives |", "|---|---|---|---|"]
    for row in sorted((row for row in runs if row not in killed), key=lambda row: (row["module"], row["line"])):
        line, before, after = changed(row)
        why = reasons.get(row["key"], "not looked at yet")
        lines.append(f"| `{row['module']}:{line}` | {_cell(before)} | {_cell(after)} | {why} |")
    return "\n".join(lines) + "\n"


def changed(row: dict[str, Any]) -> tuple[int, str, str]:
    """The line that a mutant changes, as it is and broken."""
    source = (ROOT / row["module"]).read_text(encoding="utf-8")
    broken = mutate_code(source, get_operator(row["operator"])(), row["occurrence"])
    pairs = enumerate(zip(source.splitlines(), broken.splitlines(), strict=False), start=1)
    return next(((line, old.strip(), new.strip()) for line, (old, new) in pairs if old != new), (row["line"], "", ""))


def _cell(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if text else ""


if __name__ == "__main__":
    sys.exit(main())
