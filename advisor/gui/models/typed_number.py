"""One number as a person types it, with a decimal point or a comma; what can be read in two ways is no number."""

from __future__ import annotations

import math
import re

_TWO_READINGS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
"""`1,500` is a thousand and a half to some, one and a half to others."""
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3}){2,}(\.\d*)?|[+-]?[1-9]\d{0,2},\d{3}\.\d*")


class FieldError(ValueError):
    """What was typed is not allowed; `code` is a message id of the catalogue."""

    def __init__(self, code: str) -> None:
        """The words are chosen where it is shown."""
        super().__init__(code)
        self.code = code


def typed_number(text: str) -> float:
    """The finite number that a text says. Raises FieldError."""
    plain = re.sub(r"[\s\u00a0\u202f_]", "", text)
    if _TWO_READINGS.fullmatch(plain):
        raise FieldError("form-two-readings")
    plain = plain.replace(",", "") if _GROUPED.fullmatch(plain) else plain
    try:
        number = float(plain if "." in plain else plain.replace(",", ".", 1))
    except ValueError:
        raise FieldError("form-not-a-number") from None
    if not math.isfinite(number):
        raise FieldError("form-not-a-number")
    return number
