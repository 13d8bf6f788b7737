"""A refusal of msgspec turned into ours: the field's path, what was given, and what its declared type takes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from msgspec import ValidationError, convert, inspect

from advisor.core.file_fault import closest_name, file_fault, meant_or_known, remedy, shortened, shown_value
from advisor.core.sentences import Listed, Names, Reason, SaidError, Value

_AT = re.compile(r"(?s)(.*?)(?: - at `(?:key in )?\$(.*)`)?\Z")
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")
_UNITS = (
    ("bytes_per_s", "B/s"),
    ("flop_per_s", "FLOP/s"),
    ("bytes", "B"),
    ("hz", "Hz"),
    ("w", "W"),
    ("per_s", "1/s"),
    ("s", "s"),
)
"""Endings of fields' names, the longer before those that end them, with the unit that each says."""
_UNKNOWN_FIELD = re.compile(r"(?s)Object contains unknown field `(.*)`\Z")
_MISSING_FIELD = re.compile(r"Object missing required field `(.*)`\Z")


def field_fault(message: str, value: object, type_: object, name: str) -> SaidError:
    """The fault that msgspec's `message` tells of `value`, which should be a `type_` and stands in the file `name`."""
    match = _AT.match(message)
    what, where = (match.group(1), match.group(2) or "") if match else (message, "")
    steps = _named([first or second for first, second in _STEP.findall(where)], value, type_)
    path = ".".join(step for step in steps if step != "...")
    given, declared = _follow(value, type_, steps)
    node = _plain(declared, given)
    if unknown := _UNKNOWN_FIELD.match(what):
        field = shortened(_joined(path, unknown.group(1)))
        other_names = meant_or_known(unknown.group(1), sorted(_fields_of(node, given)))
        return file_fault("unknown-field", other_names, path=name, field=field)
    if missing := _MISSING_FIELD.match(what):
        field = shortened(_joined(path, missing.group(1)))
        inner = _fields_of(node, given).get(missing.group(1))
        allowed = _in_unit(_allowed(inner), missing.group(1), inner) if inner is not None else _tags(node)
        add = remedy("allowed", kind=allowed) if allowed is not None else remedy("add-it")
        return file_fault("missing-field", add, path=name, field=field)
    mend = remedy("allowed", kind=_in_unit(_allowed(node, _examples(declared)), path, node) or shortened(what))
    if isinstance(given, str) and (meant := closest_name(given, _of_like_digits(given, _choices(node)))):
        mend = remedy("allowed-or-meant", kind=mend.numbers["kind"], word=meant)
    if not path:
        return file_fault("wrong-whole", mend, path=name, given=shown_value(given))
    return file_fault("wrong-field", mend, path=name, field=shortened(path), given=shown_value(given))


def _of_like_digits(given: str, choices: Iterable[str]) -> list[str]:
    """The choices with the given word's digits, in any order: others are another size (`fp64`), no slip of typing."""
    return [choice for choice in choices if _digits(choice) == _digits(given)]


def _digits(word: str) -> list[str]:
    return sorted(character for character in word if character.isdigit())


def _named(steps: list[str], value: object, type_: object) -> list[str]:
    """The steps with msgspec's `...` as the key that it stands for: the first whose entry is refused by itself."""
    if "..." not in steps:
        return steps
    before, after = steps[: steps.index("...")], steps[steps.index("...") + 1 :]
    entries, _ = _follow(value, type_, before)
    for key, entry in entries.items() if isinstance(entries, Mapping) else ():
        try:
            convert(_with(value, before, {key: entry}), type_)
        except ValidationError:
            return _named([*before, str(key), *after], value, type_)
    return steps


def _with(value: object, steps: list[str], other: object) -> object:
    """A value with another one at the end of a path."""
    if not steps:
        return other
    inner = _with(_item(value, steps[0]), steps[1:], other)
    if isinstance(value, Mapping):
        return {**value, steps[0]: inner}
    assert isinstance(value, list | tuple)  # a path leads through nothing else
    return [inner if str(index) == steps[0] else item for index, item in enumerate(value)]


def _joined(path: str, field: str) -> str:
    return f"{path}.{field}" if path else field


@cache
def _declared(type_: object) -> inspect.Type:
    """What a type's fields are: read once, for it takes fifteen times as long as to read a file."""
    return inspect.type_info(type_)


def _follow(value: object, type_: object, steps: list[str]) -> tuple[object, inspect.Type | None]:
    """The given value and the declared type at the end of a path; None where the path leaves the declaration."""
    node: inspect.Type | None = _declared(type_)
    for step in steps:
        node = _plain(node, value)
        if isinstance(node, inspect.StructType):
            tag = node.tag_field
            fields = {field.encode_name: field.type for field in node.fields}
            node = inspect.LiteralType(values=(node.tag,)) if step == tag else fields.get(step)
        elif isinstance(node, inspect.UnionType) and any(
            isinstance(option, inspect.StructType) and option.tag_field == step for option in node.types
        ):
            tags = tuple(option.tag for option in node.types if isinstance(option, inspect.StructType))
            node = inspect.LiteralType(values=tags)
        else:
            node = getattr(node, "item_type", None) or getattr(node, "value_type", None)
        value = _item(value, step)
    return value, node


def _item(value: object, step: str) -> object:
    if isinstance(value, Mapping):
        return value.get(step)
    if isinstance(value, list | tuple) and step.isdigit() and int(step) < len(value):
        return value[int(step)]
    return None


def _plain(node: inspect.Type | None, value: object) -> inspect.Type | None:
    """The member of a union that the value means (by its tag); other types unchanged."""
    if isinstance(node, inspect.Metadata):
        return _plain(node.type, value)
    if not isinstance(node, inspect.UnionType):
        return node
    options = [option for option in node.types if not isinstance(option, inspect.NoneType)]
    if len(options) == 1:
        return _plain(options[0], value)
    for option in options:
        if not isinstance(option, inspect.StructType) or not isinstance(value, Mapping) or option.tag is None:
            continue
        if value.get(str(option.tag_field)) == option.tag:
            return option
    return node


def _fields_of(node: inspect.Type | None, value: object) -> dict[str, inspect.Type]:
    node = _plain(node, value)
    if not isinstance(node, inspect.StructType):
        return {}
    return {field.encode_name: field.type for field in node.fields}


def _choices(node: inspect.Type | None) -> list[str]:
    return [str(value) for value in node.values] if isinstance(node, inspect.LiteralType) else []


def _tags(node: inspect.Type | None) -> Value | None:
    if not isinstance(node, inspect.UnionType):
        return None
    tags = tuple(str(option.tag) for option in node.types if isinstance(option, inspect.StructType))
    return Names(names=tags) if tags else None


def _allowed(node: inspect.Type | None, examples: Names | None = None) -> Value | None:  # noqa: PLR0911 - one a kind of type
    """What a declared type takes, in words; None where it takes anything."""
    examples = examples or _examples(node)
    node = _plain(node, None)
    if isinstance(node, inspect.LiteralType):
        return Names(names=tuple(str(value) for value in node.values))
    if isinstance(node, inspect.UnionType):
        return _tags(node) or _alternatives([kind for kind in map(_allowed, node.types) if kind is not None])
    kind = next((code for type_, code in _KINDS if isinstance(node, type_)), None)
    if kind is None:
        return None
    named = Listed(reasons=(Reason.of(f"file-kind-{kind}"),))
    if isinstance(node, inspect.IntType | inspect.FloatType):
        return _range(node, named)
    if isinstance(node, inspect.StrType) and node.pattern is not None:
        if examples is None:
            return Listed(reasons=(Reason.of("file-kind-text-like", pattern=node.pattern),))
        return Listed(reasons=(Reason.of("file-kind-text-such-as", examples=examples),))
    if getattr(node, "max_length", None) is not None:
        low, high = str(node.min_length or 0), str(node.max_length)  # type: ignore[union-attr]
        return Listed(reasons=(Reason.of(f"file-kind-{kind}-of", low=low, high=high),))
    return named


def _examples(node: inspect.Type | None) -> Names | None:
    """What a declaration gives as examples of what it takes: a pattern alone is for programs to read."""
    if isinstance(node, inspect.UnionType):
        return next((found for found in map(_examples, node.types) if found is not None), None)
    if not isinstance(node, inspect.Metadata):
        return None
    given = (node.extra_json_schema or {}).get("examples")
    return Names(names=tuple(f"`{one}`" for one in given), alternatives=True) if given else _examples(node.type)


def _in_unit(kind: Value | None, field: str, node: inspect.Type | None) -> Value | None:
    """What a number may be with the unit that ends its field's name."""
    unit = next((symbol for ending, symbol in _UNITS if field.endswith(f"_{ending}")), None)
    if kind is None or unit is None or not isinstance(_plain(node, None), inspect.IntType | inspect.FloatType):
        return kind
    return Listed(reasons=(Reason.of("file-kind-in-unit", kind=kind, unit=unit),))


def _alternatives(kinds: list[Value]) -> Value | None:
    """Each kind once, joined by `or`."""
    different = [kind for number, kind in enumerate(kinds) if kind not in kinds[:number]]
    if not different:
        return None
    joined = different[0]
    for other in different[1:]:
        joined = Listed(reasons=(Reason.of("file-kind-either", kind=joined, other=other),))
    return joined


_KINDS: tuple[tuple[type, str], ...] = (
    (inspect.IntType, "integer"),
    (inspect.FloatType, "number"),
    (inspect.BoolType, "boolean"),
    (inspect.StrType, "text"),
    (inspect.StructType, "table"),
    (inspect.DictType, "table"),
    (inspect.ListType, "list"),
    (inspect.VarTupleType, "list"),
    (inspect.TupleType, "list"),
)


def integer_between(low: float, high: float) -> Value:
    """`an integer from LOW to HIGH`."""
    named = Listed(reasons=(Reason.of("file-kind-integer"),))
    ends: dict[str, Value] = {"kind": named, "from": f"{low}", "to": f"{high}"}
    return Listed(reasons=(Reason.of("file-range-from-to", **ends),))


def _range(node: inspect.IntType | inspect.FloatType, kind: Value) -> Value:
    low = ("from", node.ge) if node.ge is not None else ("over", node.gt)
    high = ("to", node.le) if node.le is not None else ("below", node.lt)
    ends = [(word, end) for word, end in (low, high) if end is not None]
    if not ends:
        return kind
    code = "-".join(["file-range", *(word for word, _ in ends)])
    return Listed(reasons=(Reason.of(code, **({"kind": kind} | {word: _end(end) for word, end in ends})),))


def _end(value: float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
