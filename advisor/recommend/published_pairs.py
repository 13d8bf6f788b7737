"""What a switch brought in published runs that differ in nothing else: whether they bear a predicted gain out."""

from __future__ import annotations

from functools import cache
from statistics import median
from typing import Literal

from advisor.core.bundled import read_figures, resource
from advisor.core.records import Record
from advisor.core.units import Estimate

ModelFamily = Literal["language", "vision"]


class PairEntry(Record, frozen=True, kw_only=True):
    """Pairs of one source on one card, of `resources/switch_pairs.toml`."""

    switch: str
    family: ModelFamily
    gpu_key: str
    mode: str
    source: str
    pair_count: int
    least_gain_ratio: float
    median_gain_ratio: float
    greatest_gain_ratio: float
    median_saved_fraction: float | None = None


class PublishedGain(Record, frozen=True, kw_only=True):
    """Published pairs like the switch that is asked for: gains are samples a second with it over without."""

    pair_count: int
    """Pairs of runs, of all sources."""
    same_card: bool
    """Whether they ran on the card that is asked about; else on others."""
    least_gain_ratio: float
    """Of all pairs; below 1 the switch cost time."""
    median_gain_ratio: float
    """Of the sources' medians."""
    greatest_gain_ratio: float
    """Of all pairs."""
    sources: tuple[str, ...]
    """Short names of the publications, in alphabetical order."""
    bears_out: bool | None
    """Whether the predicted range meets the published one; None: no gain was predicted."""


class _Pairs(Record, frozen=True, kw_only=True):
    pair: tuple[PairEntry, ...]


@cache
def published_pairs() -> tuple[PairEntry, ...]:
    """All entries, read once."""
    return read_figures(resource("switch_pairs.toml"), _Pairs, "tools/write_switch_pairs.py").pair


def published_gain(
    switch: str, family: ModelFamily | None, gpu_key: str, mode: str, gain: Estimate | None
) -> PublishedGain | None:
    """The pairs of this switch for such models, of this card where there are any; None: nobody published one."""
    alike = [entry for entry in published_pairs() if (entry.switch, entry.family, entry.mode) == (switch, family, mode)]
    own = [entry for entry in alike if entry.gpu_key == gpu_key]
    chosen = own or alike
    if not chosen:
        return None
    least, greatest = min(e.least_gain_ratio for e in chosen), max(e.greatest_gain_ratio for e in chosen)
    return PublishedGain(
        pair_count=sum(entry.pair_count for entry in chosen),
        same_card=bool(own),
        least_gain_ratio=least,
        median_gain_ratio=median(entry.median_gain_ratio for entry in chosen),
        greatest_gain_ratio=greatest,
        sources=tuple(sorted({entry.source for entry in chosen})),
        bears_out=None if gain is None else gain.low <= greatest and least <= gain.high,
    )
