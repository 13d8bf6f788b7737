"""What an earlier version said stays readable: statements whose saved values do not fill the words of today."""

from __future__ import annotations

from typing import TypeVar, get_args

import msgspec

from advisor.core.sentences import Language, Lost, Reason, say, told_by

Kept = TypeVar("Kept")
_LONGEST_TOLD = 600


def sayable(saved: Kept) -> Kept:
    """What was read from the disk, with each statement in it one that can be said in every language.

    A value that its words tell and nobody kept is `Lost`. Where that does not help (words that are gone, values of
    another kind), the statement tells its code and values as they are. What can be said stays the same object.
    """
    return _sayable(saved)  # type: ignore[return-value] # a record becomes one of its own type


def _sayable(saved: object) -> object:
    match saved:
        case Reason():
            return _statement(saved)
        case msgspec.Struct():
            fields = {name: getattr(saved, name) for name in saved.__struct_fields__}
            changed = {name: new for name, old in fields.items() if (new := _sayable(old)) is not old}
            return msgspec.structs.replace(saved, **changed) if changed else saved
        case tuple():
            items = tuple(map(_sayable, saved))
            return saved if all(new is old for new, old in zip(items, saved, strict=True)) else items
        case dict():
            values = {key: _sayable(value) for key, value in saved.items()}
            return saved if all(values[key] is value for key, value in saved.items()) else values
    return saved


def _statement(saved: Reason) -> Reason:
    """The statement, its lists first: what they hold may lack a value of its own."""
    values = {name: _sayable(value) for name, value in saved.numbers.items()}
    if any(values[name] is not value for name, value in saved.numbers.items()):
        saved = Reason(code=saved.code, numbers=values)  # type: ignore[arg-type] # each of the type that it was of
    if _can_be_said(saved):
        return saved
    told = frozenset[str]().union(*(told_by(saved.code, language) for language in get_args(Language)))
    lost = {name: Lost() for name in sorted(told - saved.numbers.keys())}
    filled = Reason(code=saved.code, numbers={**saved.numbers, **lost})
    if lost and _can_be_said(filled):
        return filled
    values = {name: value for name, value in saved.numbers.items() if isinstance(value, int | float | str)}
    shown = ", ".join(f"{name} = {value}" for name, value in values.items())
    return Reason.of("saved-statement", told=(f"{saved.code} ({shown})" if shown else saved.code)[:_LONGEST_TOLD])


def _can_be_said(reason: Reason) -> bool:
    try:
        for language in get_args(Language):
            say(reason, language)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return False
    return True
