"""What would help is said where it likely would; what may as well cost stands in the table alone."""

from __future__ import annotations

import pytest

from advisor.core.units import Estimate
from advisor.present.switch_table import help_sentences
from advisor.recommend.switches import Switch
from tests.recommend.fakes import switch


def gaining(value: float, low: float, high: float, *, fits: bool = True) -> Switch:
    peak = Estimate(value=1e9, low=1e9, high=1e9, basis="specified")
    return switch(Estimate(value=value, low=low, high=high, basis="specified"), peak=peak, fits=fits)


@pytest.mark.parametrize(
    ("value", "low", "high", "told"),
    [
        (1.58, 1.26, 1.97, True),
        (1.19, 0.95, 1.48, True),
        (1.04, 1.02, 1.06, False),
        (1.09, 0.58, 2.07, False),
        (1.14, 0.61, 2.16, False),
        (0.8, 0.7, 0.9, False),
    ],
)
def test_a_gain_is_said_where_it_is_three_times_as_likely_as_none(
    value: float, low: float, high: float, *, told: bool
) -> None:
    assert len(help_sentences((gaining(value, low, high),), "en")) == told


def test_a_gain_that_does_not_fit_is_not_said() -> None:
    assert help_sentences((gaining(1.58, 1.26, 1.97, fits=False),), "en") == ()


@pytest.mark.parametrize(("room", "told"), [(None, 0), (0.9e9, 0), (1.1e9, 1)])
def test_what_stays_inside_the_memory_is_said_where_the_advised_step_may_not(room: float | None, told: int) -> None:
    sentences = help_sentences((gaining(1.01, 0.99, 1.03),), "en", room)
    assert len(sentences) == told
    # What gains time too is said once, with both.
    assert len(help_sentences((gaining(1.58, 1.26, 1.97),), "en", room)) == 1
    assert all("a step would need 954 MiB (at most 954 MiB), at 1.01 times the speed" in text for text in sentences)
