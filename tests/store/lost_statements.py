"""Every sentence of the catalogues, without any of the values that it tells: what an earlier version may have saved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache

import msgspec

from advisor.core.sentences import Language, Listed, Reason, Value, told_by
from advisor.core.units import unit_of
from advisor.store import json_file
from advisor.store.advice_record import AdviceRecord
from tests.core.test_sentences import catalogue

LANGUAGES: tuple[Language, ...] = ("en", "zh")


def whole(code: str) -> dict[str, Value]:
    """A value for each argument of a sentence: a figure where its name ends in a unit, else a name."""
    return {name: "A name" if unit_of(name) is None else 2.5 for name in sorted(told_by(code, "en"))}


@cache
def lacking() -> tuple[Reason, ...]:
    """Each sentence that tells values, once without each of them and once without all."""
    return tuple(_lacking())


def _lacking() -> Iterator[Reason]:
    for code in catalogue("en"):
        values = whole(code)
        for name in values:
            yield Reason(code=code, numbers={kept: value for kept, value in values.items() if kept != name})
        if len(values) > 1:
            yield Reason.of(code)


@cache
def lacking_once() -> tuple[Reason, ...]:
    """Each of them that tells values, without one of them: another place in the sentence from one to the next."""
    found = []
    for turn, code in enumerate(catalogue("en")):
        values = whole(code)
        if values:
            lost = sorted(values)[turn % len(values)]
            found.append(Reason(code=code, numbers={name: value for name, value in values.items() if name != lost}))
    return tuple(found)


@cache
def opened(template: bytes, share: int = 0, of: int = 1) -> AdviceRecord:
    """A saved advice with a share of them among its caveats, its reasons, the notes of a row, and inside a list."""
    raw = json.loads(template)
    reasons = lacking_once()[share::of]
    saved = [json.loads(msgspec.json.encode(reason)) for reason in reasons]
    listed = Reason.of("input-refused", said=Listed(reasons=reasons[:3], whole=True))
    raw["caveats"] = [*saved[::3], json.loads(msgspec.json.encode(listed))]
    raw["recommendation"]["why"] = saved[1::3]
    raw["recommendation"]["would_change_if"] = []
    raw["reasons"] = saved[2::3]
    raw["predictions"][0]["notes"] = saved[:5]
    return json_file.decode(json.dumps(raw).encode(), "saved.json")
