"""Numbers with unit, range and basis, and the only place where base SI units are turned into readable text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Basis = Literal["measured", "calibrated", "specified"]
"""measured: timed here; calibrated: measured parts, predicted whole; specified: spec sheet and published fit only."""

NonNegative = Annotated[float, Meta(ge=0)]
Positive = Annotated[float, Meta(gt=0)]


HALF_RANGE_SIGMAS = 1.2816
"""Half of an 80 % range of a normal error, in its standard deviations."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A number with its 80 % range (`low` <= `value` <= `high`) and where it comes from.

    The unit is that of the field which holds the estimate (`step_s`: seconds, `peak_memory_bytes`: bytes).
    """

    value: float
    """The number that is expected."""
    low: float
    """Lower end of its 80 % range: the true number is below it in one of ten cases."""
    high: float
    """Upper end of its 80 % range: the true number is above it in one of ten cases."""
    basis: Basis
    """measured: timed here; calibrated: measured parts, predicted whole; specified: spec sheet and published fit."""

    def __post_init__(self) -> None:
        """Refuse a range that does not hold its value: such a number is a bug of ours, not of the world."""
        if not self.holds(self.value):
            message = f"Estimate {self.value} outside its own range {self.low}..{self.high}"
            raise ValueError(message)

    def scaled(self, factor: float) -> Estimate:
        """The same estimate in another unit or for `factor` times as much work (factor >= 0)."""
        return Estimate(value=self.value * factor, low=self.low * factor, high=self.high * factor, basis=self.basis)

    def per(self, amount: float) -> Estimate:
        """`amount` over it: the rate of a time, or the time of a rate."""
        return Estimate(value=amount / self.value, low=amount / self.high, high=amount / self.low, basis=self.basis)

    def arguments(self, what: str, unit: str) -> dict[str, float]:
        """The arguments of a sentence that tells value and range: `WHAT_UNIT`, `low_UNIT` and `high_UNIT`."""
        return {f"{what}_{unit}": self.value, f"low_{unit}": self.low, f"high_{unit}": self.high}

    def plus(self, other: Estimate) -> Estimate:
        """The sum of two that may both be at the same end of their range; the basis is this one's."""
        low, high = self.low + other.low, self.high + other.high
        return Estimate(value=self.value + other.value, low=low, high=high, basis=self.basis)

    def times(self, other: Estimate, basis: Basis) -> Estimate:
        """The product of two that may both be at the same end of their range."""
        low, high = self.low * other.low, self.high * other.high
        return Estimate(value=self.value * other.value, low=low, high=high, basis=basis)

    def holds(self, number: float) -> bool:
        """Whether the range holds a number."""
        return self.low <= number <= self.high

    def overlaps(self, other: Estimate) -> bool:
        """Whether the two ranges touch."""
        return self.low <= other.high and other.low <= self.high


def around(value: float, low: float, high: float, basis: Basis) -> Estimate:
    """An estimate of numbers that rounding may have put in another order; the range is widened to hold the value."""
    return Estimate(value=float(value), low=float(min(low, value)), high=float(max(high, value)), basis=basis)


def value_of(estimate: Estimate | None, unknown: float = math.inf) -> float:
    """The value, or what an unknown one counts as where estimates are put in order."""
    return unknown if estimate is None else estimate.value


def exactly(value: float, basis: Basis) -> Estimate:
    """An estimate without spread, for numbers that are counted rather than timed."""
    return Estimate(value=value, low=value, high=value, basis=basis)


S_PER_HOUR = 3600.0
_J_PER_WH = S_PER_HOUR
_TIME_STEPS = (
    (365.25 * 86400.0, "yr"),  # Julian, as astronomers count them
    (86400.0, "d"),
    (S_PER_HOUR, "h"),
    (60.0, "min"),
    (1.0, "s"),
    (1e-3, "ms"),
    (1e-6, "µs"),
    (1e-9, "ns"),
)
_BINARY_STEPS = ((2.0**40, "Ti"), (2.0**30, "Gi"), (2.0**20, "Mi"), (2.0**10, "Ki"), (1.0, ""))
_DECIMAL_STEPS = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))


def _digits(number: float, figures: int = 3) -> str:
    """Three significant figures without an exponent: 0.700, 1.23, 12.3, 123, 1230; from 10,000 on with commas."""
    if number == 0:
        return "0"
    if abs(number) >= 10_000:  # noqa: PLR2004 - up to here every digit can be read at a glance
        return f"{number:,.0f}"
    # Of what is written: 9.996 is 10.0, not 10.00.
    exponent = int(f"{number:.{figures - 1}e}".partition("e")[2])
    decimals = max(0, figures - 1 - exponent)
    return f"{number:.{decimals}f}"


def _step_of(number: float, steps: tuple[tuple[float, str], ...]) -> tuple[float, str]:
    return next((step for step in steps if abs(number) >= step[0]), steps[-1])


def _stepped(number: float, steps: tuple[tuple[float, str], ...], unit: str, figures: int = 3) -> str:
    """A number in the largest step that it reaches, else in the last, and the unit behind that step's prefix."""
    size, prefix = _step_of(number, steps)
    return f"{_digits(number / size, figures)} {prefix}{unit}"


def format_seconds(seconds: float) -> str:
    """Text for a duration in seconds: `340 ms`, `2.40 h`, `12.6 yr`."""
    return _stepped(seconds, _TIME_STEPS, "")


def unit_of_seconds(seconds: float) -> float:
    """How many seconds the unit has that `format_seconds` tells a duration in."""
    return _step_of(seconds, _TIME_STEPS)[0]


def format_bytes(count: float) -> str:
    """Text for a size in bytes, in binary units: `1.20 GiB`."""
    return _stepped(count, _BINARY_STEPS, "B")


SizeUnits = Literal["binary", "decimal"]
"""Sizes of memory in GiB, or in GB: a choice of the reader."""


def format_size(count: float, units: SizeUnits = "binary", figures: int = 3) -> str:
    """Text for a size in bytes in the units that a reader chose: `1.20 GiB` or `1.29 GB`."""
    return _stepped(count, _BINARY_STEPS if units == "binary" else _DECIMAL_STEPS, "B", figures)


_FIGURES = (3, 4, 5)


def format_sizes(counts: Mapping[str, float], units: SizeUnits = "binary") -> dict[str, str]:
    """Text for the sizes of one sentence, with more figures where three would write two different ones alike.

    `needs 169 GiB where the card can give 169 GiB` explains nothing; what five figures do not part keeps three.
    """
    return {name: _size_beside(count, set(counts.values()) - {count}, units) for name, count in counts.items()}


def _size_beside(count: float, others: Collection[float], units: SizeUnits) -> str:
    for figures in _FIGURES:
        text = format_size(count, units, figures)
        if all(format_size(other, units, figures) != text for other in others):
            return text
    return format_size(count, units)


def format_quantity(number: float, unit: str) -> str:
    """Text for a quantity in decimal units: `312 TFLOP/s`, `110 M` parameters (unit "")."""
    return _stepped(number, _DECIMAL_STEPS, unit).rstrip()


def format_count(number: float) -> str:
    """Text for a count of things: whole below 10,000 (`83`), in decimal units above (`109 M`)."""
    if abs(number) < 10_000:  # noqa: PLR2004 - up to here every digit can be read at a glance
        return f"{number:,.0f}"
    return format_quantity(number, "")


def format_rate(per_second: float) -> str:
    """Text for things a second, three figures and no prefix below a million: `1,270 /s`, `0.816 /s`, `1.27 M/s`."""
    if abs(per_second) >= 1e6:  # noqa: PLR2004 - beyond, prefixes are read more easily than commas
        return format_quantity(per_second, "/s")
    return f"{rate_number(per_second)} /s"


def rate_number(per_second: float) -> str:
    """The same without its unit, where a sentence names what is counted: `1,270`, `1.27 M`."""
    if abs(per_second) >= 1e6:  # noqa: PLR2004 - as above
        return format_quantity(per_second, "")
    if abs(per_second) < 1000:  # noqa: PLR2004 - below, three figures need no comma
        return _digits(per_second)
    return _three_figures(per_second)


def _three_figures(number: float) -> str:
    """A number of at least a hundred, three of its figures and commas: `12,700`."""
    step = 10 ** (math.floor(math.log10(abs(number))) - 2)
    return f"{round(number / step) * step:,.0f}"


def format_energy(joules: float) -> str:
    """Text for an energy in joules, in watt-hours from 3.6 kJ on: `247 Wh`, `1.20 kWh`, `35.0 J`."""
    return _watt_hours(joules) if abs(joules) >= _J_PER_WH else _joules(joules)


def _watt_hours(joules: float) -> str:
    return format_quantity(joules / _J_PER_WH, "Wh")


def _joules(joules: float) -> str:
    return f"{_digits(joules * 1e3)} mJ" if abs(joules) < 1 else format_quantity(joules, "J")


def format_fraction(fraction: float) -> str:
    """Text for a fraction as a percentage: `47 %`."""
    return f"{100 * fraction:.0f} %"


_RATIO_WITH_CENTS, _RATIO_WITH_COMMAS = 10, 1000
"""From the first on three figures say enough of a ratio, from the second on in commas."""


def _format_ratio(ratio: float) -> str:
    if abs(ratio) < _RATIO_WITH_CENTS:
        return f"{ratio:.2f}"
    return _three_figures(ratio) if _RATIO_WITH_COMMAS <= abs(ratio) < math.inf else f"{ratio:.3g}"


FORMATTERS: dict[str, Callable[[float], str]] = {
    "s": format_seconds,
    "bytes": format_bytes,
    "flop": lambda value: format_quantity(value, "FLOP"),
    "flop_per_s": lambda value: format_quantity(value, "FLOP/s"),
    "bytes_per_s": lambda value: format_quantity(value, "B/s"),
    "per_s": lambda value: format_quantity(value, "/s"),
    "fraction": format_fraction,
    "ratio": _format_ratio,
    "w": lambda value: f"{value:.0f} W",
    "j": format_energy,
    "hz": lambda value: format_quantity(value, "Hz"),
    "celsius": lambda value: f"{value:.0f} °C",
}
"""How a figure is written, by its unit."""


def unit_of(name: str) -> str | None:
    """The unit that ends a figure's name (`link_bytes_per_s`: `bytes_per_s`); None for a count or a name."""
    words = name.split("_")
    endings = ("_".join(words[start:]) for start in range(1, len(words)))
    return next((ending for ending in endings if ending in FORMATTERS), None)


_BEFORE_UNIT = re.compile(
    r"(?<=\d) (?=(?:%|°C|[nµm]?s|min|h|d|yr|[KMGT]iB|mJ|[kMGTP]?(?:B(?:/s)?|FLOP(?:/s)?|/s|Wh|J|W|Hz)|[kMGTP])(?!\w))",
    re.ASCII,
)
"""The space between a figure and one of the units above."""
_COUNT = re.compile(r"(?<=\d) × (?=\w)")
_IN_A_SUM = re.compile(r"(?<=\b[A-Z]{3}) (?=\d[\d,]*\.\d\d)|(?<=<) (?=\S{0,4}\d)", re.ASCII)
_PER_SECOND = re.compile(r"/s\b", re.ASCII)


def unbroken(text: str) -> str:
    """The text with what lets no line end between a figure and its unit, inside `TFLOP/s` or within `2 × RTX`."""
    together = _IN_A_SUM.sub("\u00a0", _BEFORE_UNIT.sub("\u00a0", _COUNT.sub("\u00a0×\u00a0", text)))
    return _PER_SECOND.sub("/\u2060s", together)


def in_one_unit(estimate: Estimate, formatter: Callable[[float], str]) -> Callable[[float], str]:
    """How all figures of an estimate are written: an energy in watt-hours or in joules, as its value is."""
    if formatter is format_energy:
        return _watt_hours if estimate.value >= _J_PER_WH else _joules
    return formatter


def format_range(estimate: Estimate, formatter: Callable[[float], str]) -> str:
    """Text for an estimate with its 80 % range: `340 ms (310 ms – 380 ms)`.

    A point (a count) has no range to show.
    """
    formatter = in_one_unit(estimate, formatter)
    value = formatter(estimate.value)
    if estimate.low == estimate.high:
        return value
    return f"{value} ({formatter(estimate.low)} – {formatter(estimate.high)})"
