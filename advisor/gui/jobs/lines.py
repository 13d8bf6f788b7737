"""The lines between window and child: a name, a space, and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, get_args

import msgspec

from advisor.core.records import built

_CHUNK = 50
"""Predictions a line: decoding holds the interpreter's lock, and this many take two milliseconds."""
_KINDS = {
    "AdviceRecord": "advisor.store.advice_record",
    "Machine": "advisor.hardware.machine",
    "OpTable": "advisor.optable.op_table",
    "Truth": "advisor.store.history",
    "ClaimAnswer": "advisor.claims.claim",
    "CaseAnswer": "advisor.cases.case_file",
    "LogReport": "advisor.logs.training_log",
    "Prediction": "advisor.predict.prediction",
    "Measurement": "advisor.measure.measurement",
    "Refused": "advisor.gui.jobs.asks",
    "Broken": "advisor.gui.jobs.asks",
}
"""Where each kind stands that is no event; a star behind its name: several of them."""
_NOTHING, _ANSWERS = "Nothing", "CaseAnswer*"
RESULT_NAMES = ("AdviceRecord", "Machine", "OpTable", "Truth", "ClaimAnswer", "LogReport", _ANSWERS, _NOTHING)
_PIECES = {"Prediction*": "predictions", "Measurement*": "measurements"}
"""Fields of an advice that come before it."""


@cache
def _decoder(name: str) -> msgspec.json.Decoder[Any]:
    """For the lines of a name, made when the first one comes. Raises KeyError for one that is none of ours."""
    if name == _NOTHING:
        return msgspec.json.Decoder(type(None))
    kind = name.removesuffix("*")
    type_ = getattr(import_module(_KINDS[kind]), kind) if kind in _KINDS else _events()[kind]
    return msgspec.json.Decoder(built(type_ if kind == name else tuple[type_, ...]))  # type: ignore[valid-type]


@cache
def _events() -> dict[str, Any]:
    from advisor.measure.events import RunnerEvent

    return {kind.__name__: kind for kind in _flat(RunnerEvent)}


def _flat(kind: Any) -> list[Any]:  # noqa: ANN401 - a type or a union of them
    parts = get_args(kind)
    return [option for part in parts for option in _flat(part)] if parts else [kind]


def line_of(name: str, value: object) -> bytes:
    """`name` and the value as JSON, with the end of the line."""
    return name.encode() + b" " + msgspec.json.encode(value) + b"\n"


def read_line(line: bytes) -> tuple[str, Any]:
    """Name and value of a line. Raises msgspec.MsgspecError or KeyError for one that is none of ours."""
    name, _space, body = line.partition(b" ")
    return name.decode("ascii", "replace"), _decoder(name.decode("ascii", "replace")).decode(body)


def result_lines(result: object) -> Iterator[bytes]:
    """A result in pieces, the whole last: a large advice would hold up the window if it came as one line."""
    from advisor.store.advice_record import AdviceRecord

    if isinstance(result, AdviceRecord):
        for start in range(0, len(result.predictions), _CHUNK):
            yield line_of("Prediction*", result.predictions[start : start + _CHUNK])
        for measurement in result.measurements:
            yield line_of("Measurement*", (measurement,))
        yield line_of("AdviceRecord", msgspec.structs.replace(result, predictions=(), measurements=()))
    elif result is None:
        yield line_of(_NOTHING, None)
    else:
        yield line_of(_ANSWERS if isinstance(result, tuple) else type(result).__name__, result)


class Pieces:
    """Gathers what came before the line that ends a result."""

    def __init__(self) -> None:
        """Nothing came yet."""
        self._pieces: dict[str, list[Any]] = {field: [] for field in _PIECES.values()}

    def take(self, name: str, value: Any) -> bool:  # noqa: ANN401 - what a line holds
        """Keep a piece; False where the line is none."""
        if name not in _PIECES:
            return False
        self._pieces[_PIECES[name]] += value
        return True

    def whole(self, result: object) -> object:
        """The result, an advice with its pieces."""
        from advisor.store.advice_record import AdviceRecord

        if not isinstance(result, AdviceRecord):
            return result
        return msgspec.structs.replace(result, **{field: tuple(pieces) for field, pieces in self._pieces.items()})
