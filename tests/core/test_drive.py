"""Every generator of events is driven in one way."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from advisor.core.drive import drive


def counting(last: int) -> Generator[int, None, str]:
    yield from range(last)
    return "counted"


def test_every_event_is_shown_in_order_and_the_value_comes_back() -> None:
    seen: list[int] = []
    assert drive(counting(3), seen.append) == "counted"
    assert seen == [0, 1, 2]
    assert drive(counting(0)) == "counted"


def test_what_the_generator_raises_goes_on() -> None:
    def broken() -> Generator[int, None, None]:
        yield 1
        raise KeyError("world")

    with pytest.raises(KeyError, match="world"):
        drive(broken())
