"""Estimates keep their value inside their range; figures are written with the unit that a reader expects."""

from __future__ import annotations

import math

import pytest

from advisor.core.units import (
    FORMATTERS,
    Estimate,
    around,
    exactly,
    format_bytes,
    format_count,
    format_energy,
    format_quantity,
    format_range,
    format_rate,
    format_seconds,
    format_size,
    format_sizes,
    unbroken,
    value_of,
)

STEP = Estimate(value=2.0, low=1.0, high=3.0, basis="measured")


def test_an_estimate_outside_its_own_range_is_refused() -> None:
    with pytest.raises(ValueError, match=r"4\.0 outside its own range 1\.0\.\.3\.0"):
        Estimate(value=4.0, low=1.0, high=3.0, basis="measured")


def test_rounding_widens_a_range_and_never_moves_the_value() -> None:
    assert around(4.0, 1.0, 3.0, "measured") == Estimate(value=4.0, low=1.0, high=4.0, basis="measured")
    assert around(0.5, 1.0, 3.0, "measured") == Estimate(value=0.5, low=0.5, high=3.0, basis="measured")


def test_a_scaled_estimate_keeps_its_share_of_doubt_and_its_basis() -> None:
    assert STEP.scaled(3.0) == Estimate(value=6.0, low=3.0, high=9.0, basis="measured")
    assert exactly(2.0, "specified").scaled(0.5) == exactly(1.0, "specified")


@pytest.mark.parametrize(("low", "touches"), [(3.0, True), (3.1, False), (0.0, True)])
def test_ranges_touch_where_they_share_a_number(low: float, *, touches: bool) -> None:
    other = Estimate(value=low + 0.5, low=low, high=low + 1.0, basis="measured")
    assert STEP.overlaps(other) is touches
    assert other.overlaps(STEP) is touches


def test_what_is_unknown_is_put_last() -> None:
    assert sorted([STEP, None, exactly(1.0, "measured")], key=value_of) == [exactly(1.0, "measured"), STEP, None]
    assert value_of(None) == math.inf
    assert value_of(None, 0.0) == 0.0


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (format_seconds(0.34), "340 ms"),
        (format_seconds(8640.0), "2.40 h"),
        (format_seconds(2e-9), "2.00 ns"),
        (format_seconds(300 * 86400.0), "300 d"),
        (format_seconds(4619 * 86400.0), "12.6 yr"),
        (format_bytes(1.2 * 2**30), "1.20 GiB"),
        (format_bytes(12), "12.0 B"),
        (format_size(1.2 * 2**30), "1.20 GiB"),
        (format_size(1.2 * 2**30, "decimal"), "1.29 GB"),
        (format_quantity(312e12, "FLOP/s"), "312 TFLOP/s"),
        (format_quantity(12, ""), "12.0"),
        (format_count(83), "83"),
        (format_count(9_999), "9,999"),
        (format_count(109e6), "109 M"),
        (format_rate(0.816), "0.816 /s"),
        (format_rate(0.7), "0.700 /s"),
        (format_rate(0.6994), "0.699 /s"),
        (format_rate(0.99996), "1.00 /s"),
        (format_seconds(9.996), "10.0 s"),
        (format_bytes(99.96 * 2**30), "100 GiB"),
        (format_size(2**29 * 1.0 + 2**29, figures=5), "1.0000 GiB"),
        (format_rate(1268.0), "1,270 /s"),
        (format_rate(2.5e6), "2.50 M/s"),
        (FORMATTERS["ratio"](2.216), "2.22"),
        (FORMATTERS["ratio"](221.6), "222"),
        (FORMATTERS["ratio"](2216.0), "2,220"),
        (FORMATTERS["ratio"](math.inf), "inf"),
    ],
)
def test_a_figure_is_written_with_three_digits_and_its_unit(shown: str, text: str) -> None:
    assert shown == text


def test_a_range_is_shown_where_there_is_one() -> None:
    assert format_range(STEP, format_seconds) == "2.00 s (1.00 s – 3.00 s)"
    assert format_range(exactly(2.0, "measured"), format_seconds) == "2.00 s"


def test_an_energy_keeps_one_unit_in_value_and_range() -> None:
    around_one_watt_hour = Estimate(value=3700.0, low=3000.0, high=4000.0, basis="measured")
    assert {word for word in format_range(around_one_watt_hour, format_energy).split() if "h" in word} == {"Wh", "Wh)"}
    below = Estimate(value=3500.0, low=3000.0, high=4000.0, basis="measured")
    assert "Wh" not in format_range(below, format_energy)


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.5e-10, "0.250 ns"), (0.0, "0 ns"), (5e-9, "5.00 ns"), (-0.34, "-340 ms")]
)
def test_durations_below_a_nanosecond_are_written_in_it_all_the_same(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


@pytest.mark.parametrize("unit", list(FORMATTERS))
def test_no_line_ends_between_a_figure_and_its_unit(unit: str) -> None:
    for exponent in range(-9, 16):
        text = FORMATTERS[unit](2.5 * 10.0**exponent)
        assert unbroken(f"{text}, {text} each") == f"{text}, {text} each".replace(
            f"{text}", text.replace(" ", "\u00a0").replace("/s", "/\u2060s")
        )


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("on 2 × RTX 3090 or one L40S", "on 2\u00a0×\u00a0RTX 3090 or one L40S"),
        ("批大小 4 × 8", "批大小 4\u00a0×\u00a08"),
        ("costs CHF 1,214.04, or < €0.0001", "costs CHF\u00a01,214.04, or <\u00a0€0.0001"),
    ],
)
def test_no_line_ends_between_a_count_and_what_is_counted(text: str, kept: str) -> None:
    assert unbroken(text) == kept


@pytest.mark.parametrize("text", ["3 steps of 5 GPUs", "8 Bytes", "12 months, 4 hours", "a × b", "12 DDP steps"])
def test_words_after_a_number_may_begin_a_line(text: str) -> None:
    assert unbroken(text) == text


def test_sizes_that_differ_are_never_written_alike_in_one_sentence() -> None:
    gib = 2.0**30
    assert format_sizes({"need": 169.4 * gib, "room": 168.6 * gib}) == {"need": "169.4 GiB", "room": "168.6 GiB"}
    assert format_sizes({"need": 169.41 * gib, "room": 169.40 * gib})["need"] == "169.41 GiB"
    assert format_sizes({"need": 12 * gib, "room": 12 * gib, "other": 3 * gib})["need"] == "12.0 GiB"
    assert format_sizes({"need": 169.4e9, "room": 168.6e9}, "decimal") == {"need": "169.4 GB", "room": "168.6 GB"}
