"""A line of a child is a message or none; a record's moment is to the second and sorts as text."""

from __future__ import annotations

import re

import msgspec
import pytest

from advisor.core.json_lines import decoded
from advisor.core.moment import utc_text

NUMBERS: msgspec.json.Decoder[list[int]] = msgspec.json.Decoder(list[int])


@pytest.mark.parametrize(
    ("line", "message"),
    [(b"[1,2]", [1, 2]), (b"[1,", None), (b'["\xff"]', None), (b'["a"]', None), (b"[" * 100_000, None), (b"", None)],
)
def test_a_torn_or_foreign_line_holds_no_message(line: bytes, message: list[int] | None) -> None:
    assert decoded(NUMBERS, line) == message


def test_a_moment_is_to_the_second_and_earlier_ones_sort_first() -> None:
    now, before = utc_text(), utc_text(days_ago=1.5)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", now)
    assert before < now
