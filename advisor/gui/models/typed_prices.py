"""Prices of an hour as typed into Compare's table: kept with their currency and the day they were typed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated

import msgspec

from advisor.core.records import Record
from advisor.gui.models.typed_number import FieldError, typed_number

MOST_AN_HOUR = 1e6
"""As in a price file."""


class TypedPrices(Record, frozen=True, kw_only=True):
    """What an hour of a device costs, by its key; an amount without its currency says nothing."""

    currency: Annotated[str, msgspec.Meta(min_length=1, max_length=8)]
    date: str
    """The day on which the last of them was typed, as ISO 8601, in the typist's own time."""
    devices: dict[str, Annotated[float, msgspec.Meta(ge=0, le=MOST_AN_HOUR)]]

    def as_text(self) -> str:
        """For the settings."""
        return msgspec.json.encode(self).decode()


def typed_price(text: str) -> float | None:
    """What an hour costs, as typed; None: nothing was typed. Raises FieldError."""
    if not text.strip():
        return None
    price = typed_number(text)
    if not 0 <= price <= MOST_AN_HOUR:
        raise FieldError("form-out-of-range")
    return price


def typed_today(devices: Mapping[str, float], currency: str) -> TypedPrices:
    """Prices by device key, as they stand now."""
    return TypedPrices(currency=currency, date=date.today().isoformat(), devices=dict(devices))  # noqa: DTZ011 - see there


def read_typed(text: str) -> TypedPrices | None:
    """What the settings hold; None where it is nothing, or no such prices."""
    try:
        return msgspec.json.decode(text, type=TypedPrices) if text else None
    except msgspec.DecodeError:
        return None
