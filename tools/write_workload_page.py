"""Write docs/workload_file.md: every field of a workload file with its values and default, read from the types.

python tools/write_workload_page.py [--check]
"""

from __future__ import annotations

import argparse
import re
import sys
import typing
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal

import msgspec

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from advisor.workload import workload as types  # noqa: E402 - the checkout first
from tools.field_meanings import field_meanings  # noqa: E402 - the same

PAGE = ROOT / "docs" / "workload_file.md"
TEXT = ROOT / "tools" / "workload_page.md"
SECTIONS: tuple[tuple[str, type[msgspec.Struct]], ...] = (
    ('[model] with source = "huggingface"', types.HuggingFaceModel),
    ('[model] with source = "python"', types.PythonModel),
    ('[model] with source = "template"', types.TemplateModel),
    ('[model] with source = "numbers"', types.NumbersModel),
    ("[data]", types.Data),
    ("[training]", types.Training),
)
_BY_POWER_FROM = 1e16
WRITTEN_BY_THE_PROGRAM = {"origin", "sha256"}


def main() -> int:
    """Write the page, or with --check tell whether it is as it should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the committed file differs")
    check = parser.parse_args().check
    made = page()
    if check:
        return 0 if PAGE.read_text(encoding="utf-8") == made else 1
    PAGE.write_text(made, encoding="utf-8")
    return 0


def page() -> str:
    """The prose of tools/workload_page.md with the tables in the place of `TABLES`."""
    tables = "\n".join(table(title, type_) for title, type_ in SECTIONS)
    return TEXT.read_text(encoding="utf-8").replace("TABLES\n", tables)


def table(title: str, type_: type[msgspec.Struct]) -> str:
    """One section's fields: name, values, default, meaning."""
    meanings, hints = field_meanings(type_), typing.get_type_hints(type_, include_extras=True)
    lines = [f"### `{title}`", "", (type_.__doc__ or "").strip(), "", "| field | values | default | meaning |"]
    lines.append("|---|---|---|---|")
    for field in msgspec.structs.fields(type_):
        if field.name in WRITTEN_BY_THE_PROGRAM:
            continue
        meaning = _in_toml(meanings.get(field.name, ""))
        lines.append(f"| `{field.name}` | {values(hints[field.name])} | {default(field)} | {meaning} |")
    return "\n".join(lines) + "\n"


def values(hint: Any) -> str:  # noqa: ANN401 - any annotation
    """An annotation in words: what may be written for the field."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return f"{values(arguments[0])}{_bounds(arguments[1:])}"
    if origin is Literal:
        return ", ".join(f"`{value}`" if isinstance(value, str) else str(value) for value in arguments)
    if origin in {typing.Union, UnionType}:
        return " or ".join(values(one) for one in arguments if one is not type(None))
    if origin in {tuple, list}:
        return f"list of {values(arguments[0])}"
    if origin is dict:
        return "table"
    return {bool: "true, false", int: "whole number", float: "number", str: "text"}.get(hint, str(hint))


def _bounds(metas: tuple[Any, ...]) -> str:
    told = []
    for meta in metas:
        for sign, name in (("≥", "ge"), (">", "gt"), ("≤", "le")):
            bound = getattr(meta, name, None)
            if bound is not None:
                told.append(f"{sign} {_number(bound)}")
    return f" ({', '.join(told)})" if told else ""


def default(field: msgspec.structs.FieldInfo) -> str:
    """What stands where the field is left out."""
    if field.required:
        return "required"
    if field.default is msgspec.NODEFAULT or field.default is None:
        return "–"
    value = field.default
    if isinstance(value, tuple):
        return f"`[{', '.join(map(str, value))}]`"
    return str(value).lower() if isinstance(value, bool) else f"`{value}`" if isinstance(value, str) else str(value)


def _in_toml(meaning: str) -> str:
    """A meaning in the words of a file that has no None: a field is left out there."""
    return re.sub(r"(^|[.;] )None:", lambda found: f"{found[1]}{'L' if found[1] != '; ' else 'l'}eft out:", meaning)


def _number(bound: float) -> str:
    """A bound with its thousands apart; a whole one without a fraction, a very large one by its power of ten."""
    return f"{int(bound):,}" if bound == int(bound) and abs(bound) < _BY_POWER_FROM else f"{bound:g}"


if __name__ == "__main__":
    sys.exit(main())
