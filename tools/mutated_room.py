"""The tests of one room, collected once in a process of their own; each mutant meets them in a fork of it."""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import coverage
import numpy as np  # noqa: F401 - imported before the forks
import pytest
from hypothesis import settings

from tools.mutants import ROOT, Mutant, statement_lines

SLOWEST_S = 40.0
"""Processor time that a test file may take and still be asked."""
EXAMPLES = 15
"""Of each property that does not say how many: fewer than in the suite, so that fewer mutants are killed, not more."""
FIRST_S = 3.0
"""Files that take so long together are collected first, so that a mutant killed early never pays for the others."""
_OUR_FAULT = 97


class Verdict(NamedTuple):
    """What became of a mutant: `killed`, `killed by time`, `survived` or `no test` (no test runs its line)."""

    verdict: str
    spent_s: float


@dataclass
class Footprint:
    """What one test file does in an unbroken room, alone in its process."""

    digest: str
    spent_s: float | None
    """Processor time; None where the file fails or takes longer than `SLOWEST_S`."""
    starts_children: bool = False
    lines: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    """Module → test → lines."""

    def tests_of(self, module: str, lines: range) -> list[str]:
        """The tests that run one of the lines."""
        return [test for test, ran in self.lines.get(module, {}).items() if any(line in lines for line in ran)]


class Room:
    """Footprints of a room's test files, kept beside the results, and the runs of mutants against them."""

    def __init__(self, copy: Path, room: str, kept: Path, without: Collection[str]) -> None:
        """`copy`: a copy of the checkout in which a mutant can live; `without`: test files that are not asked."""
        self.copy, self.room, self.kept, self.without = copy, room, kept, without
        every = sorted(str(path.relative_to(copy)) for path in (copy / "tests" / room).rglob("test_*.py"))
        self.files = [file for file in every if file not in without]
        sources = sorted((copy / "advisor").rglob("*.py"))
        self._sources = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
        self._read_kept()

    def run(self, mutants: list[Mutant], until_s: float, report: Callable[[Mutant, Verdict], None]) -> None:
        """Every mutant until the time is over: footprints, then those inside a function, then the others."""
        self._in_fork(lambda: self._session(mutants, until_s, report), None)
        self._read_kept()
        for mutant in mutants:
            if self.is_known() and time.monotonic() < until_s and not self._is_warm(mutant):
                report(mutant, self._run_cold(mutant))

    def left_out(self) -> list[str]:
        """Test files that took no part."""
        not_asked = [file for file in self.without if file.startswith(f"tests/{self.room}/")]
        return sorted(not_asked + [file for file in self.files if self.footprints[file].spent_s is None])

    def _read_kept(self) -> None:
        kept = json.loads(self.kept.read_text(encoding="utf-8")) if self.kept.exists() else {}
        self.on_import: dict[str, list[int]] = kept.get("on_import", {})
        self.footprints = {file: Footprint(**values) for file, values in kept.get("footprints", {}).items()}

    def is_known(self) -> bool:
        """Whether every test file has its footprint."""
        return all(self._has_footprint(file) for file in self.files)

    def _has_footprint(self, file: str) -> bool:
        return file in self.footprints and self.footprints[file].digest == self._digest(file)

    def _digest(self, file: str) -> str:
        return hashlib.sha256((self._sources + (self.copy / file).read_text(encoding="utf-8")).encode()).hexdigest()

    def _is_warm(self, mutant: Mutant) -> bool:
        lines, in_function = statement_lines((self.copy / mutant.module).read_text(encoding="utf-8"), mutant.line)
        return in_function and not set(lines) & set(self.on_import.get(mutant.module, []))

    # --- in the room's process -------------------------------------------------------------------

    def _session(self, mutants: list[Mutant], until_s: float, report: Callable[[Mutant, Verdict], None]) -> int:
        """Collect every test of the room, and in place of running them take what footprints lack, then run mutants."""
        ran = self._coverage()

        class Collected:
            @staticmethod
            def pytest_runtestloop(session: pytest.Session) -> bool:
                ran.stop()
                settings.register_profile("few", deadline=None, max_examples=EXAMPLES)
                settings.load_profile("few")
                self.on_import = {self._inside(path): sorted(ran.get_data().lines(path) or []) for path in _seen(ran)}
                self._take_footprints(session.items, until_s)
                if self.is_known():
                    self._run_warm(
                        [mutant for mutant in mutants if self._is_warm(mutant)], session.items, until_s, report
                    )
                return True

        ran.start()
        return int(pytest.main(["-q", "--no-header", *self.files], plugins=[Collected()]))

    def _coverage(self) -> coverage.Coverage:
        return coverage.Coverage(data_file=None, include=[f"{self.copy}/advisor/{self.room}/*"], config_file=False)

    def _inside(self, path: str) -> str:
        return str(Path(path).relative_to(self.copy))

    def _take_footprints(self, items: list[pytest.Item], until_s: float) -> None:
        for file in self.files:
            if self._has_footprint(file) or time.monotonic() > until_s:
                continue
            own = [item for item in items if item.nodeid.startswith(f"{file}::")]
            answer = self.kept.with_suffix(".part")
            answer.unlink(missing_ok=True)
            code, spent_s = self._in_fork(functools.partial(self._footprint, own, answer), SLOWEST_S)
            seen = json.loads(answer.read_text(encoding="utf-8")) if code == 0 and answer.exists() else {}
            self.footprints[file] = Footprint(self._digest(file), spent_s if code == 0 else None, **seen)
            kept = {name: vars(footprint) for name, footprint in self.footprints.items() if name in self.files}
            self.kept.write_text(json.dumps({"on_import": self.on_import, "footprints": kept}), encoding="utf-8")

    def _footprint(self, items: list[pytest.Item], answer: Path) -> int:
        children: list[str] = []
        starts = ("subprocess.Popen", "os.posix_spawn", "os.fork")
        sys.addaudithook(lambda event, _: children.append(event) if event in starts else None)
        ran = self._coverage()
        ran.start()
        code = _run_items(items, ran.switch_context)
        ran.stop()
        lines: dict[str, dict[str, list[int]]] = {}
        for path in _seen(ran):
            by_test = lines.setdefault(self._inside(path), {})
            for line, tests in ran.get_data().contexts_by_lineno(path).items():
                for test in tests:
                    by_test.setdefault(test, []).append(line)
        answer.write_text(json.dumps({"starts_children": bool(children), "lines": lines}), encoding="utf-8")
        return code

    def _run_warm(
        self,
        mutants: list[Mutant],
        items: list[pytest.Item],
        until_s: float,
        report: Callable[[Mutant, Verdict], None],
    ) -> None:
        for mutant in mutants:
            if time.monotonic() > until_s:
                return
            chosen, need_s = self._chosen(mutant, items)
            if not chosen:
                report(mutant, Verdict("no test", 0.0))
                continue
            ran = self.kept.with_suffix(".ran")
            with self._mutated(mutant) as (original, broken):
                run = functools.partial(_run_swapped, str(self.copy / mutant.module), original, broken, chosen, ran)
                code, spent_s = self._in_fork(run, 5 + 3 * need_s)
            if code == 1:
                unbroken = functools.partial(_run_items, chosen[: int(ran.read_text(encoding="utf-8"))])
                if self._in_fork(unbroken, None)[0] != 0:
                    raise SystemExit(f"{mutant.key}: its tests fail unbroken too, in this order")
            report(mutant, Verdict(_said(code), round(spent_s, 1)))

    def _chosen(self, mutant: Mutant, items: list[pytest.Item]) -> tuple[list[pytest.Item], float]:
        """Tests that run the line, then those that may have it run for them, with what their files need unbroken.

        The quickest file's first: a fixture or a cache runs a line for other tests of its file. Where no test runs it,
        a child may: then files that start some.
        """
        lines, _ = statement_lines((self.copy / mutant.module).read_text(encoding="utf-8"), mutant.line)
        asked = sorted(
            ((file, footprint) for file, footprint in self.footprints.items() if footprint.spent_s is not None),
            key=lambda one: one[1].spent_s or 0.0,
        )
        running = {file: footprint.tests_of(mutant.module, lines) for file, footprint in asked}
        near = {test for tests in running.values() for test in tests}
        files = [file for file, footprint in asked if (running[file] if near else footprint.starts_children)]
        order = {file: place for place, file in enumerate(files)}
        chosen = [item for item in items if item.nodeid.partition("::")[0] in order]
        chosen.sort(key=lambda item: (item.nodeid not in near, order[item.nodeid.partition("::")[0]]))
        return chosen, sum(self.footprints[file].spent_s or 0.0 for file in files)

    # --- apart from it ---------------------------------------------------------------------------

    def _run_cold(self, mutant: Mutant) -> Verdict:
        """Import everything anew with the mutant: first the quickest files that run its module, then all others."""
        name = mutant.module.removesuffix(".py").replace("/", ".")
        asked = {file: known.spent_s for file, known in self.footprints.items() if known.spent_s is not None}
        names = {file for file in asked if name in (self.copy / file).read_text(encoding="utf-8")}
        runs = {file for file in asked if mutant.module in self.footprints[file].lines}
        files = sorted(asked, key=lambda file: (file not in names, file not in runs, asked[file]))
        first = [file for place, file in enumerate(files) if sum(asked[one] for one in files[: place + 1]) < FIRST_S]
        code, all_s = 0, 0.0
        with self._mutated(mutant):
            for part in (first, files[len(first) :]):
                if part and code == 0:
                    need_s = 5 * FIRST_S + 3 * sum(asked[file] for file in part)
                    code, spent_s = self._in_fork(lambda part=part: _fresh(part), need_s)  # type: ignore[misc]
                    all_s += spent_s
        return Verdict(_said(code), round(all_s, 1))

    @contextlib.contextmanager
    def _mutated(self, mutant: Mutant) -> Any:  # noqa: ANN401 - a context of both texts
        """The mutant written into the copy; then the original with its own time, so that its byte code stays good."""
        place = self.copy / mutant.module
        original, before = place.read_text(encoding="utf-8"), place.stat()
        try:
            place.write_text(broken := mutant.broken(original), encoding="utf-8")
            os.utime(place, (before.st_atime, before.st_mtime + 10))
            yield original, broken
        finally:
            place.write_text(original, encoding="utf-8")
            os.utime(place, (before.st_atime, before.st_mtime))

    def _in_fork(self, run: Callable[[], int], limit_s: float | None) -> tuple[int, float]:
        """Exit status and processor seconds of a fork, which ends where it took longer or waited far longer."""
        began_s = time.monotonic()
        used_s = resource.getrusage(resource.RUSAGE_CHILDREN)
        pid = os.fork()
        if pid == 0:
            _as_child(self.copy, run, limit_s)
        while (ended := os.waitpid(pid, os.WNOHANG if limit_s else 0))[0] == 0:
            if limit_s and time.monotonic() - began_s > 30 + 3 * limit_s:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)
            time.sleep(0.02)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)  # what it left behind
        now_s = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent_s = now_s.ru_utime + now_s.ru_stime - used_s.ru_utime - used_s.ru_stime
        return os.waitstatus_to_exitcode(ended[1]), spent_s


def _as_child(copy: Path, run: Callable[[], int], limit_s: float | None) -> None:
    """Never returns."""
    code = _OUR_FAULT
    try:
        if limit_s:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit_s) + 1, int(limit_s) + 2))
        silent = os.open(os.environ.get("ADVISOR_MUTATION_LOG", os.devnull), os.O_WRONLY | os.O_APPEND)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        os.chdir(copy)
        os.environ["PYTHONPATH"] = str(copy)
        sys.path[:] = [str(copy), *(place for place in sys.path if Path(place or ".").resolve() != ROOT)]
        sys.modules.pop("tools", None)
        code = run()
    finally:
        os._exit(code)


def _seen(ran: coverage.Coverage) -> list[str]:
    return sorted(ran.get_data().measured_files())


def _said(code: int) -> str:
    if code == _OUR_FAULT:
        raise SystemExit("the run itself failed: set ADVISOR_MUTATION_LOG to a file and look there")
    if code == 0:
        return "survived"
    return "killed by time" if code in {-signal.SIGKILL, -signal.SIGXCPU} else "killed"


def _fresh(files: list[str]) -> int:
    return int(pytest.main(["-x", "-q", "--no-header", *files]))


def _run_items(items: list[pytest.Item], named: Callable[[str], object] | None = None) -> int:
    """1 at the first test that fails, in setting up, in its body or in tearing down."""
    _forget()
    failed: list[str] = []

    class Failures:
        @staticmethod
        def pytest_runtest_logreport(report: pytest.TestReport) -> None:
            if report.failed:
                failed.append(report.nodeid)

    for place, item in enumerate(items):
        if place == 0:
            item.config.pluginmanager.register(Failures())
        if named:
            named(item.nodeid)
        following = items[place + 1] if place + 1 < len(items) else None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if failed:
            return 1
    return 0


def _run_swapped(path: str, original: str, broken: str, items: list[pytest.Item], ran: Path) -> int:
    """Give every live function of the module its broken code, then run the tests; `ran` keeps how many."""
    codes = dict(_pairs(*(compile(text, path, "exec", dont_inherit=True) for text in (original, broken))))
    for function in [thing for thing in gc.get_objects() if isinstance(thing, FunctionType)]:
        if function.__code__.co_filename == path and (broken_code := codes.get(_place(function.__code__))):
            function.__code__ = broken_code
    started: list[str] = []
    code = _run_items(items, started.append)
    ran.write_text(str(len(started)), encoding="utf-8")
    return code


def _pairs(code: CodeType, broken: CodeType) -> Iterator[tuple[Any, CodeType]]:
    """Where a code object stands in the original, with its broken counterpart; a mutant adds none and removes none."""
    yield _place(code), broken
    inner = [[part for part in one.co_consts if isinstance(part, CodeType)] for one in (code, broken)]
    for part, broken_part in zip(*inner, strict=True):
        yield from _pairs(part, broken_part)


def _place(code: CodeType) -> Any:  # noqa: ANN401 - a key
    return code.co_qualname, tuple(code.co_positions())


def _forget() -> None:
    """Empty every cache of a function of ours: what one test left there must not answer for another."""
    for thing in gc.get_objects():
        if isinstance(thing, functools._lru_cache_wrapper) and thing.__module__.startswith(("advisor", "tests")):  # noqa: SLF001 - its type
            thing.cache_clear()
