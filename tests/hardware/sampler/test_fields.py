"""What a driver may answer of a field, up to the limits that no device passes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from advisor.hardware.sampler.fields import celsius, hertz, links, watts


@pytest.mark.parametrize(
    ("field", "most", "value"),
    [(hertz, 20_000, 20e9), (watts, 20_000_000, 20e3), (celsius, 200, 200.0), (links, 64, 64)],
)
def test_a_field_takes_its_largest_answer_and_none_beyond_it(
    field: Callable[[object], float], most: int, value: float
) -> None:
    assert field(most) == value
    with pytest.raises(ValueError, match=r"\d"):
        field(most + 1)
