"""What each switch would bring, as a table: gains first, costs as they are."""

from __future__ import annotations

from advisor.catalogue.strategies import STRATEGY_LABELS
from advisor.core.sentences import Language, sentence, visible
from advisor.core.units import Estimate, format_bytes, format_seconds, value_of
from advisor.present.tables import Table, table_of
from advisor.recommend.comparison import counted
from advisor.recommend.switches import Switch

_COLUMNS = ("switch", "on", "step", "times", "gain-range", "saved", "need", "published")


def switch_table(switches: tuple[Switch, ...], language: Language) -> Table | None:
    """One row a switch, the one that gains most time first; None without any."""
    if not switches:
        return None
    ordered = sorted(switches, key=lambda one: -value_of(one.gain, 0.0))
    rows = (_row(one, language) for one in ordered)
    return table_of(sentence("summary-switches", language), _COLUMNS, rows, language, first_number="step")


WORTH_SAYING_RATIO = 1.05
_VAGUE_RATIO = 16.0
"""A gain that may be a loss, and whose ends lie further apart than this, says nothing: it stands in the table alone."""


def help_sentences(switches: tuple[Switch, ...], language: Language) -> tuple[str, ...]:
    """What would help most: adapters where nothing else fits on one card, then the gains of over 5 %."""
    adapters = [one for one in switches if one.gain is None and one.fits and one.peak_memory_bytes is not None]
    gaining = [one for one in switches if one.gain is not None and _worth_saying(one.gain) and one.fits]
    gaining.sort(key=lambda one: -value_of(one.gain, 0.0))
    return (
        *(_adapter_help(one, language) for one in adapters),
        *(_gain_help(one, one.gain, language) for one in gaining if one.gain is not None),
    )


def _worth_saying(gain: Estimate) -> bool:
    return gain.value >= WORTH_SAYING_RATIO and (gain.low >= 1 or gain.high <= _VAGUE_RATIO * gain.low)


def _holding(one: Switch) -> str:
    """Message id of what holds a step where the question's own set-ups do not."""
    if one.kind != "larger_cards":
        return "help-adapter"
    return "help-larger-card" if one.count == 1 else "help-larger-cards"


def _adapter_help(one: Switch, language: Language) -> str:
    return sentence(
        _holding(one),
        language,
        name=_name(one, language),
        device=one.device_name,
        count=one.count,
        strategy=STRATEGY_LABELS.get(one.strategy, ""),
        batch=one.batch_size_per_device,
        steps=one.gradient_accumulation_steps,
        step_s=one.step_s.value,
        need_bytes=value_of(one.peak_memory_bytes, 0.0),
    )


def _gain_help(one: Switch, gain: Estimate, language: Language) -> str:
    return sentence("help-switch", language, name=_name(one, language), **gain.arguments("gain", "ratio"))


def _name(one: Switch, language: Language) -> str:
    return sentence(f"switch-{one.kind.replace('_', '-')}", language)


def _row(one: Switch, language: Language) -> tuple[str, ...]:
    gain = one.gain
    return (
        _name(one, language),
        counted(one.count, visible(one.device_name)),
        format_seconds(one.step_s.value),
        "–" if gain is None else f"{gain.value:.2f}",
        "–" if gain is None else f"{gain.low:.2f} – {gain.high:.2f}",
        "–" if one.saved_bytes is None else _signed(one.saved_bytes),
        "–" if one.peak_memory_bytes is None else format_bytes(one.peak_memory_bytes.value),
        _published(one, language),
    )


def _published(one: Switch, language: Language) -> str:
    """The middle and the ends of published pairs, whose card they are of, and whether they meet the prediction."""
    found = one.published
    if found is None:
        return sentence("published-none", language)
    code = "published-card" if found.same_card else "published-others"
    low, middle, high = found.least_gain_ratio, found.median_gain_ratio, found.greatest_gain_ratio
    ratios = {"low": f"{low:.2f}", "ratio": f"{middle:.2f}", "high": f"{high:.2f}"}
    against = f" {sentence('published-against', language)}" if found.bears_out is False else ""
    return sentence(code, language, count=found.pair_count, **ratios) + against


def _signed(size_bytes: float) -> str:
    return f"-{format_bytes(-size_bytes)}" if size_bytes < 0 else format_bytes(size_bytes)
