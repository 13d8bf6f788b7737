"""Write docs/troubleshooting.md: every error, its remedy and its exit code, and every sentence about what went wrong.

python tools/write_troubleshooting.py [--check]

Errors are read from the syntax trees of the package, sentences from the catalogue that the program itself speaks from.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from fluent.syntax import ast as fluent
from fluent.syntax import parse

import advisor
from advisor.core.bundled import resource

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path(advisor.__file__).parent
SENTENCES = resource("sentences") / "en"
PAGE = ROOT / "docs" / "troubleshooting.md"
ROOMS = {
    "command": "The command line",
    "files": "Files that are read",
    "checks": "Fields that contradict each other",
    "hardware": "The machine, its driver and its cards",
    "measure": "Measuring",
    "trace": "Reading the model",
    "workload": "Describing the job",
    "caveats": "What an advice rests on",
    "memory": "Memory",
    "predict": "Predicting",
    "advice": "The advice as a whole",
    "claims": "Checking a claim",
    "history": "The history",
}
"""Files of the catalogue that tell of trouble; labels and headings of window and report are left out."""
_CODE = re.compile(r"[a-z]+(-[a-z]+)+")
"""A message of the catalogue in a text's place: it stands among the sentences."""
_HEAD = """\
# When something goes wrong

Written by `python tools/write_troubleshooting.py` from the package itself: a test fails where this page is old.

Nothing here is a number: what the program does not know is shown as unknown with its reason. With a bug report send the
output of `advisor --detect`; in the window, `Help` copies a report without names of users, hosts or folders.

## Exit codes

| code | meaning |
|---:|---|
| 0 | the advice, or whatever was asked for, is there |
| 1 | a bug of this program |
| 2 | wrong use, or a file that cannot be used: the message names file, field and remedy |
| 3 | the advised set-up did not run here (`--verify`), or measuring failed |
| 4 | interrupted; what was measured is kept |
| 5 | an output could not be written, or the machine refused what is needed; the advice is printed all the same |
| 6 | nothing can be recommended, or no row of `--evaluate` predicted; the caveats, or the rows, say why |

"""


class Told(NamedTuple):
    """One error as a person meets it; ‹name› stands for what is filled in."""

    room: str
    text: str
    remedy: str
    code: int


def main() -> int:
    """Write the page, or with --check tell whether it is what would be written."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        return 0 if PAGE.read_text(encoding="utf-8") == page() else 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


def page() -> str:
    """The whole page."""
    lines = [_HEAD.rstrip("\n"), "", "## Errors", "", "| message | what to do | code |", "|---|---|---:|"]
    lines += [f"| {_cell(one.text)} | {_cell(one.remedy)} | {one.code} |" for one in errors()]
    for room, title in ROOMS.items():
        lines += ["", f"## {title}", "", "| code | sentence |", "|---|---|"]
        lines += [f"| `{code}` | {_cell(text)} |" for code, text in sentences(room)]
    return "\n".join(lines) + "\n"


@cache
def exit_codes() -> dict[str, int]:
    """What the command line ends with, by the kind of error that is raised: each class's own code or its base's."""
    classes = {
        node.name: node for tree in _trees().values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    }
    found: dict[str, int] = {}

    def code_of(name: str) -> int | None:
        if name not in classes:
            return None
        for line in classes[name].body:
            if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "exit_code":
                return int(ast.literal_eval(line.value))
        return next((code for base in classes[name].bases if (code := code_of(_name(base))) is not None), None)

    for name in classes:
        code = code_of(name)
        if code is not None:
            found[name] = code
    return found


@cache
def errors() -> list[Told]:
    """Every error of the package that is made with its text, by room and text."""
    found, codes = set(), exit_codes()
    for path, tree in _trees().items():
        texts = {
            node.targets[0].id: node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args and _name(node.func) in codes:
                text, remedy = [_template(part, texts) for part in (*node.args[:2], ast.Constant(""))[:2]]
                if text and not _CODE.fullmatch(text):
                    room = path.relative_to(PACKAGE).parts[0]
                    found.add(Told(room, text, remedy or "", codes[_name(node.func)]))
    return sorted(found)


@cache
def _trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


def _name(called: ast.expr) -> str:
    return called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""


def _template(node: ast.expr, texts: dict[str, ast.expr]) -> str | None:
    """A text with its gaps named; None where it is made somewhere else."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_template(part, texts) or "" for part in parts)
        case ast.FormattedValue(value=inner):
            return f"‹{_gap(inner)}›"
        case ast.Name(id=name) if isinstance(texts.get(name), ast.Constant | ast.JoinedStr):
            return _template(texts[name], texts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return f"{_template(left, texts) or '…'}{_template(right, texts) or '…'}"
    return None


def _gap(node: ast.expr) -> str:
    """What fills a gap, by the last name of its expression."""
    match node:
        case ast.Name(id=name):
            return name.replace("_", " ")
        case ast.Attribute(attr=name):
            return name.replace("_", " ")
        case ast.Call(func=_, args=[first, *_]):
            return _gap(first)
        case ast.Call(func=called) | ast.Subscript(value=called):
            return _gap(called)
        case ast.BoolOp(values=[first, *_]) | ast.BinOp(left=first) | ast.IfExp(body=first):
            return _gap(first)
    return "…"


def sentences(room: str) -> list[tuple[str, str]]:
    """Every message of a file of the catalogue, in its order."""
    resource = parse((SENTENCES / f"{room}.ftl").read_text(encoding="utf-8"))
    return [
        (entry.id.name, _said(entry.value))
        for entry in resource.body
        if isinstance(entry, fluent.Message) and entry.value is not None
    ]


def _said(pattern: fluent.Pattern) -> str:
    """A message with its gaps named and of each choice the usual variant."""
    said = []
    for element in pattern.elements:
        if isinstance(element, fluent.TextElement):
            said.append(element.value)
            continue
        inner = element.expression
        if isinstance(inner, fluent.SelectExpression):
            usual = next(variant for variant in inner.variants if variant.default)
            said.append(_said(usual.value))
        elif isinstance(inner, fluent.VariableReference):
            said.append(f"‹{inner.id.name.replace('_', ' ')}›")
        elif isinstance(inner, fluent.StringLiteral):
            said.append(inner.value)
    return " ".join("".join(said).split())


def _cell(text: str) -> str:
    """Text in one cell of a Markdown table."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;") or "–"


if __name__ == "__main__":
    sys.exit(main())
