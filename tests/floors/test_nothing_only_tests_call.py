"""Code that nothing but tests would call is not kept: the package or a tool names every definition of the package."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import advisor
from advisor.core.bundled import workloads_folder

PACKAGE = Path(advisor.__file__).parent
TOOLS = Path(__file__).resolve().parents[2] / "tools"
_WORDS = re.compile(r"[A-Za-z_]\w*")
_NAMES = re.compile(r"[\w.\[\], |]{1,60}")
"""A name or an annotation; prose has other signs or is longer."""
KEPT = {
    "Advice.to_json": "for those who import the package",
    "Advice.to_rows": "for those who import the package",
    "Advice.to_pdf": "for those who import the package",
    **dict.fromkeys(
        ("MachinePage", "ModelPage", "MeasurePage", "AdvicePage", "ComparePage", "CasesPage", "HistoryPage"),
        "the main window makes it by its name",
    ),
    "answer": "the worker imports the module that answers a request by its name",
    "Recorder._should_skip_dynamo": "torch asks it",
    "Fakes._should_skip_dynamo": "torch asks it",
    "_Shown.get_code": "Python's import asks it",
    "TraceItem.paint": "Qt calls it",
    "Form.editor": "what a person can type into, for tests that type",
    "Monitor.sampler_pid": "for tests that kill the sampler, as a driver may",
}
"""Definitions that nothing here names, each with who does."""


class Definition(NamedTuple):
    """A function or class of a module, or a method of one of its classes."""

    module: str
    name: str
    """`function`, `Class` or `Class.method`."""

    @property
    def word(self) -> str:
        """The name by which it is called."""
        return self.name.rpartition(".")[2]


class Source(NamedTuple):
    """A module with everything that it names."""

    module: str
    tree: ast.Module
    words: frozenset[str]
    """Plain names that are read, and those in strings that look like names or annotations."""
    attributes: frozenset[str]
    imported: frozenset[tuple[str, str]]
    """(module, name) of every `from module import name`; of `alias.name` too, where the alias is a module."""
    given_on: frozenset[tuple[str, str]]
    """(name here, name there), both with their modules, of every `from module import name as other`."""


def _late(call: ast.Call) -> str:
    """The module that `import_module` is asked for by name; empty for other calls."""
    if not (isinstance(call.func, ast.Name) and call.func.id == "import_module"):
        return ""
    asked = call.args[0]
    return asked.value if isinstance(asked, ast.Constant) and isinstance(asked.value, str) else ""


def read(text: str, module: str) -> Source:
    """One module's source."""
    tree = ast.parse(text)
    words: set[str] = set()
    attributes: set[str] = set()
    imported: set[tuple[str, str]] = set()
    given_on: set[tuple[str, str]] = set()
    aliases: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            words.add(node.id)
        elif isinstance(node, ast.Attribute):
            attributes.add(node.attr)
        elif isinstance(node, ast.ImportFrom):
            imported |= {(node.module or "", alias.name) for alias in node.names}
            aliases |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            given_on |= {(f"{module}.{alias.asname}", f"{node.module}.{alias.name}") for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words |= set(_WORDS.findall(node.value)) if _NAMES.fullmatch(node.value) else set()
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _late(node.value):
            aliases |= {target.id: _late(node.value) for target in node.targets if isinstance(target, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
            imported.add((aliases[node.value.id], node.attr))
    return Source(module, tree, frozenset(words), frozenset(attributes), frozenset(imported), frozenset(given_on))


def definitions(source: Source) -> Iterator[Definition]:
    """Functions and classes, and methods but for those of Python's own protocols."""
    for node in source.tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield Definition(source.module, node.name)
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    yield Definition(source.module, f"{node.name}.{inner.name}")


def _of_qt(one: Definition) -> bool:
    """Methods with capitals in their names are Qt's, which calls them; ours have none."""
    return "." in one.name and one.word != one.word.lower()


def unnamed(package: list[Source], others: list[Source]) -> list[Definition]:
    """Definitions of `package` that no source names.

    A function or class must be read in its own module or imported from it; a method is named wherever an attribute of
    its name is.
    """
    everything = [*package, *others]
    imported = set[tuple[str, str]]().union(*(source.imported for source in everything))
    given_on = frozenset().union(*(source.given_on for source in everything))
    imported |= {(there, name) for here, there in given_on for module, name in set(imported) if module == here}
    words = frozenset().union(*(source.words for source in everything))
    attributes = frozenset().union(*(source.attributes for source in everything))
    found = []
    for source in package:
        for one in definitions(source):
            if one.word.startswith("__") or one.word == "_" or _of_qt(one):
                continue
            if "." in one.name:
                named = one.word in attributes or one.word in words
            else:
                named = one.word in source.words or (one.module, one.word) in imported
            if not named and one.name not in KEPT:
                found.append(one)
    return found


@functools.cache
def sources(folder: Path) -> list[Source]:
    """Every module below a folder, by its dotted name from the folder's parent; bundled models are data."""
    paths = [path for path in sorted(folder.rglob("*.py")) if path.parent != workloads_folder()]
    dotted = [".".join(path.relative_to(folder.parent).with_suffix("").parts) for path in paths]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return [read(text, name.removesuffix(".__init__")) for text, name in zip(texts, dotted, strict=True)]


def test_the_package_or_a_tool_names_every_definition_of_the_package() -> None:
    assert [f"{one.module}: {one.name}" for one in unnamed(sources(PACKAGE), sources(TOOLS))] == []


def test_every_exception_is_still_one() -> None:
    known = {one.name for source in sources(PACKAGE) for one in definitions(source)}
    assert set(KEPT) - known == set()


def test_a_function_that_only_a_namesake_elsewhere_calls_is_found() -> None:
    first = read("def total(): ...\ndef used(): ...\n\nclass Box:\n    def lift(self): ...\n", "a")
    second = read("from a import used\nfrom c import total\n\ntotal(used)\n", "b")
    assert [one.name for one in unnamed([first], [second])] == ["total", "Box", "Box.lift"]
    third = read("import a as other\nfrom x import a\nother.lift()\n", "d")
    assert "Box.lift" not in [one.name for one in unnamed([first], [third])]
