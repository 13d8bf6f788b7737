"""A seeded sample of cosmic-ray's mutants: one operator at one place of one module."""

from __future__ import annotations

import ast
import contextlib
import random
import warnings
from pathlib import Path
from typing import NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("cost", "predict", "recommend", "measure", "hardware")
_PARAMETERISED = frozenset({"core/VariableInserter", "core/VariableReplacer"})
"""Operators that need to be told names."""


class Mutant(NamedTuple):
    """One operator at one place of one module; `line`, `before` and `after` are what a reader is shown."""

    module: str
    operator: str
    occurrence: int
    line: int
    before: str
    after: str

    @property
    def key(self) -> str:
        """What names it in the results."""
        return f"{self.module}:{self.line} {self.operator} {self.occurrence}"

    @property
    def room(self) -> str:
        """The folder of `advisor/` whose tests must notice."""
        return Path(self.module).parts[1]

    def broken(self, source: str) -> str:
        """The module's text with the mutant in it."""
        return str(mutate_code(source, get_operator(self.operator)(), self.occurrence))


def sample(count: int, seed: int) -> list[Mutant]:
    """The same mutants for the same sources and seed.

    Annotations are left alone, for they are never run, and the switches of a record's own line (`frozen=True`), for
    what they forbid nobody does.
    """
    paths = sorted(path for room in ROOMS for path in (ROOT / "advisor" / room).rglob("*.py"))
    places = [place for path in paths for place in _places(path)]
    random.Random(seed).shuffle(places)  # noqa: S311 - a sample, no secret
    drawn: list[Mutant] = []
    for module, operator, occurrence in places:
        source = (ROOT / module).read_text(encoding="utf-8")
        # cosmic-ray replaces no exception that is an attribute, and makes what is no Python of a bare `*`; where it
        # compares with a literal by identity (a SyntaxWarning), nothing changes but by the interpreter's whim.
        with contextlib.suppress(AttributeError, SyntaxError, SyntaxWarning), warnings.catch_warnings():
            warnings.simplefilter("error", SyntaxWarning)
            broken = mutate_code(source, get_operator(operator)(), occurrence)
            compile(broken or "", module, "exec", dont_inherit=True)
            if broken not in {None, source}:
                drawn.append(Mutant(module, operator, occurrence, *_changed(source, broken)))
        if len(drawn) == count:
            break
    return drawn


def statement_lines(source: str, line: int) -> tuple[range, bool]:
    """The lines of the statement (of a compound one: its head) that a line belongs to; whether a function holds it."""
    smallest, in_body = range(line, line + 1), False
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.stmt):
            continue
        body = getattr(node, "body", None)
        end = body[0].lineno - 1 if body else (node.end_lineno or node.lineno)
        lines = range(node.lineno, max(end, node.lineno) + 1)
        if isinstance(node, ast.FunctionDef) and node.body[0].lineno <= line <= (node.end_lineno or 0):
            in_body = True
        if line in lines and (smallest == range(line, line + 1) or len(lines) < len(smallest)):
            smallest = lines
    return smallest, in_body


def _places(path: Path) -> list[tuple[str, str, int]]:
    """Every place of a module where an operator applies; operators that replace the same token share their places."""
    source = path.read_text(encoding="utf-8")
    nodes, skipped = list(ast_nodes(get_ast(source))), _never_run(source)
    starts: dict[str, list[tuple[int, int]]] = {}
    found = []
    for name in sorted(set(operator_names()) - _PARAMETERISED):
        family = name.rpartition("_")[0] if name.startswith("core/Replace") and name.count("_") > 1 else name
        if family not in starts:
            operator = get_operator(name)()
            starts[family] = [start for node in nodes for start, _ in operator.mutation_positions(node)]
        for occurrence, start in enumerate(starts[family]):
            if not any(first <= start < last for first, last in skipped):
                found.append((str(path.relative_to(ROOT)), name, occurrence))
    return found


def _never_run(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    spans: list[tuple[tuple[int, int], tuple[int, int]]] = []
    for node in ast.walk(ast.parse(source)):
        for name in ("annotation", "returns"):
            part = getattr(node, name, None)
            if isinstance(part, ast.expr):
                spans.append(((part.lineno, part.col_offset), (part.end_lineno or 0, part.end_col_offset or 0)))
        if isinstance(node, ast.ClassDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            spans.append(((first, 0), (node.body[0].lineno, 0)))
    return spans


def _changed(source: str, broken: str) -> tuple[int, str, str]:
    pairs = enumerate(zip(source.splitlines(), broken.splitlines(), strict=False), start=1)
    return next((line, old.strip(), new.strip()) for line, (old, new) in pairs if old != new)
