"""Words of the window in the chosen language; numbers in the chosen units."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from advisor.core.bundled import resource
from advisor.core.errors import UserFacingError
from advisor.core.money import format_cost
from advisor.core.sentences import Language, Reason, Value
from advisor.core.units import (
    Estimate,
    SizeUnits,
    format_energy,
    format_quantity,
    format_rate,
    format_seconds,
    format_size,
    in_one_unit,
    rate_number,
)
from advisor.gui.threads import Outcome
from advisor.present.window_words import reason_words, window_words

if TYPE_CHECKING:
    from advisor.catalogue.precisions import Precision
    from advisor.catalogue.strategies import Strategy

CHANGED = "•"
"""Beside what is not as it was at first."""
_MESSAGE = re.compile(r"^([a-z][\w-]*) = (.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)


@cache
def _plain_messages(language: Language) -> dict[str, str]:
    """Messages of the window's catalogue without arguments.

    They are read directly, because Fluent itself takes 110 ms to import: more than the window has until its
    first paint.
    """
    text = (resource("sentences") / language / "window.ftl").read_text(encoding="utf-8")
    messages = {name: re.sub(r"\s*\n\s*", " ", value).strip() for name, value in _MESSAGE.findall(text)}
    return {name: value for name, value in messages.items() if "{" not in value}


class Texts:
    """Sentences and numbers of one language and one choice of units."""

    def __init__(self, language: Language, units: SizeUnits = "binary") -> None:
        """`units`: memory in GiB (binary) or GB (decimal)."""
        self.language: Language = language
        self.units: SizeUnits = units

    def __call__(self, code: str, **numbers: Value) -> str:
        """The message `code` of the catalogues. Raises KeyError where it is missing: a bug of ours."""
        if not numbers:
            plain = _plain_messages(self.language).get(code)
            if plain is not None:
                return plain
        from advisor.core.sentences import Reason, say

        return say(Reason.of(code, **numbers), self.language, self.units)

    def title(self, name: str) -> str:
        """A workload's name: in the window's language where it is a bundled one's, else as it is."""
        from advisor.present.workload_titles import workload_title

        return workload_title(name, self.language)

    def say(self, reason: Reason) -> str:
        """The sentence of a reason; a code that this version does not know is shown with its numbers."""
        from advisor.core.sentences import visible

        try:
            return reason_words(reason, self.language, self.units)
        except KeyError:
            numbers = ", ".join(f"{name} = {value}" for name, value in reason.numbers.items())
            return visible(f"{reason.code} ({numbers})" if numbers else reason.code)

    def error(self, error: UserFacingError) -> tuple[str, str]:
        """What is wrong and what to do, in the window's language where the error knows it."""
        from advisor.core.sentences import error_text, visible

        text, remedy = error_text(error, self.language, self.units)
        return visible(window_words(text, self.language)), visible(window_words(remedy, self.language))

    def problem(self, outcome: Outcome) -> tuple[str, str]:
        """What went wrong in work in the background, and what to do."""
        return ("", "") if outcome.error is None else self.error(outcome.error)

    def phase(self, phase: str | Reason) -> str:
        """A phase's name, or as it is where no catalogue has it; empty for none."""
        from advisor.core.sentences import visible

        if not isinstance(phase, str):
            return self.say(phase)
        return (self.optional(phase) or visible(phase)) if phase else ""

    def optional(self, code: str) -> str | None:
        """The message without arguments, or None where no catalogue has it."""
        from advisor.core.sentences import message_exists

        return self(code) if message_exists(code, self.language) else None

    def _told(self, number: float | None, how: Callable[[float], str]) -> str:
        return self("window-unknown") if number is None else how(number)

    def size(self, count: float | None) -> str:
        """A size in bytes; `unknown` for None."""
        return self._told(count, lambda size: format_size(size, self.units))

    def duration(self, seconds: float | None) -> str:
        """A duration; `unknown` for None."""
        return self._told(seconds, format_seconds)

    def count(self, number: float | None) -> str:
        """A count with a decimal prefix from a thousand on; `–` for None."""
        if number is None:
            return "–"
        return f"{number:.0f}" if number < 1000 else format_quantity(number, "")  # noqa: PLR2004 - a thousand

    def time_left(self, seconds: float | None, *, late: bool) -> str:
        """About how long something still takes: seconds up to 90, then minutes; `late`: that nobody knows any more."""
        if late:
            return self("watch-late")
        if seconds is None:
            return ""
        coarse = f"{max(seconds, 1):.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"  # noqa: PLR2004 - as said
        return self("watch-left", left=coarse)

    def rate(self, per_second: float | None) -> str:
        """Samples a second; `unknown` for None."""
        return self._told(per_second, format_rate)

    def sample_rate(self, per_second: float | None) -> str:
        """Samples a second where nothing near says what is counted; `unknown` for None."""
        return self._told(per_second, lambda rate: self("rate-of-samples", rate=rate_number(rate)))

    def energy(self, joules: float | None) -> str:
        """An energy; `unknown` for None."""
        return self._told(joules, format_energy)

    def money(self, amount: float | None, currency: str | None) -> str:
        """An amount in its currency; `unknown` for None."""
        return self._told(amount, lambda money: format_cost(money, currency, self.language))

    def span(self, estimate: Estimate | None, how: Callable[[float], str]) -> str:
        """The range of an estimate, the unit said once where both ends share it; empty for None."""
        if estimate is None:
            return ""
        if how == self.energy:
            how = in_one_unit(estimate, format_energy)
        low, high = how(estimate.low), how(estimate.high)
        if low == high:
            return ""
        number, _, unit = low.rpartition(" ")
        shared = number and high.endswith(f" {unit}")
        return f"{number if shared else low} – {high}"

    def strategy(self, name: str) -> str:
        """A strategy's name."""
        return self(f"strategy-{name.replace('_', '-')}")

    def precision(self, name: Precision) -> str:
        """A precision as the form words it."""
        from advisor.catalogue.precisions import precision_name

        return precision_name(name, self.language)

    def short_strategy(self, name: Strategy, *, trains: bool = True) -> str:
        """A strategy as its framework abbreviates it, where it does; in a table that one needs a rewritten model."""
        from advisor.present.table_cells import strategy_cell

        return strategy_cell(name, self.language, trains=trains, short=True)

    def verdict(self, kind: str) -> str:
        """The word for how a measurement went."""
        return self(f"measure-verdict-{kind.replace('_', '-')}")

    def basis(self, estimate: Estimate | None) -> str:
        """The word for where a number comes from."""
        return self(f"basis-{estimate.basis}") if estimate is not None else ""
