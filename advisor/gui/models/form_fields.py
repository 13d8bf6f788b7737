"""Form fields read off the workload's own types: ranges, choices and defaults are declared once, there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args, get_type_hints

import msgspec
from msgspec import inspect

from advisor.gui.models.typed_number import FieldError, typed_number

FieldKind = Literal["integer", "number", "choice", "flag", "text", "list", "names"]


_EDITED_FIRST: dict[type[inspect.Type], int] = {inspect.VarTupleType: 0, inspect.BoolType: 2}
"""Of a union, which type the form edits; words of a choice are typed where names are."""


@dataclass(frozen=True, kw_only=True)
class FormField:
    """One setting of a workload."""

    name: str
    kind: FieldKind
    required: bool
    optional: bool
    """Whether it may be left empty."""
    default: Any
    choices: tuple[Any, ...] = ()
    low: float | None = None
    high: float | None = None
    low_excluded: bool = False


@cache
def fields_of(kind: type[msgspec.Struct]) -> tuple[FormField, ...]:
    """The fields of a struct that a form can edit, in their order."""
    described, declared = inspect.type_info(kind), get_type_hints(kind)
    assert isinstance(described, inspect.StructType)
    fields = [_field(field, _words_of(declared[field.name])) for field in described.fields]
    return tuple(field for field in fields if field is not None)


def _words_of(declared: Any) -> list[Any]:  # noqa: ANN401 - a type, a union of types, or a word of a Literal
    """The words of a choice in their order: `inspect` sorts them by letters."""
    parts = get_args(declared)
    return [word for part in parts for word in _words_of(part)] if parts else [declared]


def _field(field: inspect.Field, words_in_order: list[Any]) -> FormField | None:
    inner, optional, words = _without_none(field.type)
    default = None if field.default is msgspec.NODEFAULT else field.default
    common: dict[str, Any] = {
        "name": field.encode_name,
        "required": field.required,
        "optional": optional,
        "default": default,
    }
    if isinstance(inner, inspect.BoolType):
        return FormField(kind="flag", **common)
    if isinstance(inner, inspect.LiteralType):
        ordered = tuple(word for word in words_in_order if word in inner.values)
        return FormField(kind="choice", choices=ordered, **common)
    if isinstance(inner, inspect.IntType | inspect.FloatType):
        kind: FieldKind = "integer" if isinstance(inner, inspect.IntType) else "number"
        low = inner.ge if inner.ge is not None else inner.gt
        return FormField(kind=kind, low=low, high=inner.le, low_excluded=inner.gt is not None, **common)
    if isinstance(inner, inspect.VarTupleType) and isinstance(inner.item_type, inspect.StrType):
        return FormField(kind="names", choices=words, **common)
    if isinstance(inner, inspect.VarTupleType):
        return FormField(kind="list", **common)
    return FormField(kind="text", **common) if isinstance(inner, inspect.StrType) else None


def _without_none(kind: inspect.Type) -> tuple[inspect.Type, bool, tuple[Any, ...]]:
    """The type that a form edits, whether nothing is allowed too, and the words that stand for lists of names.

    A choice that older files gave as true or false is edited as the choice.
    """
    kind = _declared(kind)
    if not isinstance(kind, inspect.UnionType):
        return kind, False, ()
    others = [_declared(option) for option in kind.types if not isinstance(option, inspect.NoneType)]
    words = next((tuple(other.values) for other in others if isinstance(other, inspect.LiteralType)), ())
    edited = min(others, key=lambda option: _EDITED_FIRST.get(type(option), 1))
    return edited, len(others) < len(kind.types), words


def _declared(kind: inspect.Type) -> inspect.Type:
    """The type itself, without the examples that stand beside it."""
    return kind.type if isinstance(kind, inspect.Metadata) else kind


def parse(field: FormField, text: str) -> Any:  # noqa: ANN401 - a field's own type
    """The value that was typed, or None for an empty optional field. Raises FieldError."""
    if field.kind == "names" and text.strip():
        return _parse_names(field, text)
    typed = text.strip()
    if field.kind != "text":
        typed = typed.replace("\u00a0", "").replace("_", "")
    if not typed:
        if field.optional:
            return None
        if not field.required:
            return field.default
        raise FieldError("form-required")
    if field.kind == "list":
        return _parse_list(typed)
    if field.kind == "text":
        return typed
    number = _parse_whole(typed.replace(" ", "")) if field.kind == "integer" else typed_number(typed)
    below = field.low is not None and (number <= field.low if field.low_excluded else number < field.low)
    if below or (field.high is not None and number > field.high):
        raise FieldError("form-out-of-range")
    return number


def _parse_whole(typed: str) -> int:
    try:
        number = float(typed)
    except ValueError:
        raise FieldError("form-not-a-number") from None
    if not math.isfinite(number):
        raise FieldError("form-not-a-number")
    if number != int(number):
        raise FieldError("form-not-whole")
    return int(typed) if typed.lstrip("+-").isdigit() else int(number)


def _parse_names(field: FormField, text: str) -> str | list[str]:
    names = [part for part in text.replace(",", " ").split() if part]
    return names[0] if len(names) == 1 and names[0] in field.choices else names


def _parse_list(typed: str) -> list[int]:
    try:
        return [int(part) for part in typed.replace(",", " ").split()]
    except ValueError:
        raise FieldError("form-not-a-list") from None


def shown(field: FormField, value: object) -> str:
    """A value as a person would type it."""
    if value is None:
        return ""
    if field.kind in {"list", "names"} and isinstance(value, list | tuple):
        return ", ".join(str(part) for part in value)
    if isinstance(value, float):
        return f"{value:g}" if value < 1e15 and value != int(value) else f"{value:.6g}"  # noqa: PLR2004 - exact below
    return str(value)


def range_text(field: FormField) -> str:
    """`1 … 1000000`, or empty where there is no range."""
    if field.low is None and field.high is None:
        return ""
    low = "" if field.low is None else f"{'> ' if field.low_excluded else ''}{_short(field.low)}"
    return f"{low} … {_short(field.high)}" if field.high is not None else f"≥ {low}".replace("≥ > ", "> ")


def _short(number: float) -> str:
    if 0 < abs(number) < 1:
        return f"{number:g}"
    return f"{number:,.0f}".replace(",", "\u00a0") if abs(number) < 1e7 else f"{number:.0e}".replace("e+", "e")  # noqa: PLR2004
