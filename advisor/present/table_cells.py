"""What a table's cell says of a set-up or of a timed step: each column is written in one way, wherever it stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.catalogue.strategies import Strategy
from advisor.core.sentences import Language, sentence, visible
from advisor.core.units import Estimate, format_bytes, format_cost, format_energy, format_seconds
from advisor.predict.prediction import Prediction, SetUp
from advisor.present.checked_steps import CheckedStep, batch_text

NONE = "–"
_ANSWERS = {True: "yes", False: "no", None: "unknown"}


def set_up_cells(one: Prediction, columns: Sequence[str], language: Language, **own: str) -> tuple[str, ...]:
    """A row of these columns; `own` are the cells that a table writes in its own way."""
    return tuple(own[name] if name in own else _OF_A_SET_UP[name](one, language) for name in columns)


def step_cells(one: CheckedStep, columns: Sequence[str], language: Language) -> tuple[str, ...]:
    """A row of these columns for a step that was timed."""
    return tuple(_OF_A_STEP[name](one, language) for name in columns)


def strategy_name(strategy: Strategy, language: Language, *, short: bool = False) -> str:
    """The strategy in words, or as its framework abbreviates it."""
    return sentence(f"strategy-{'short-' if short else ''}{strategy.replace('_', '-')}", language)


def batch_of(chosen: SetUp) -> str:
    """The batch size of a device, with the micro-batches of a step where it has several: `16 × 4`."""
    steps = f" × {chosen.gradient_accumulation_steps:,}" if chosen.gradient_accumulation_steps > 1 else ""
    return f"{chosen.batch_size_per_device:,}{steps}"


def seconds_range(low_s: float, high_s: float) -> str:
    """Two durations as the ends of a range."""
    return f"{format_seconds(low_s)} – {format_seconds(high_s)}"


def _known(estimate: Estimate | None, formatter: Callable[[float], str], language: Language) -> str:
    return sentence("unknown", language) if estimate is None else formatter(estimate.value)


_OF_A_SET_UP: dict[str, Callable[[Prediction, Language], str]] = {
    "device": lambda one, _: visible(one.device.name),
    "count": lambda one, _: str(one.count),
    "strategy": lambda one, language: strategy_name(one.strategy, language),
    "precision": lambda one, _: PRECISION_LABELS[one.precision],
    "batch": lambda one, _: batch_of(one),
    "step": lambda one, _: format_seconds(one.step_s.value),
    "range": lambda one, _: seconds_range(one.step_s.low, one.step_s.high),
    "job": lambda one, language: _known(one.job_s, format_seconds, language),
    "memory": lambda one, language: _known(one.peak_memory_bytes, format_bytes, language),
    "fits": lambda one, language: sentence(_ANSWERS[one.fits], language),
    "energy": lambda one, language: _known(one.energy_j, format_energy, language),
    "cost": lambda one, language: _known(one.cost, lambda cost: format_cost(cost, one.currency), language),
    "basis": lambda one, language: sentence(f"basis-{one.step_s.basis}", language),
}

_OF_A_STEP: dict[str, Callable[[CheckedStep, Language], str]] = {
    "device": lambda one, _: visible(one.device_name),
    "precision": lambda one, _: PRECISION_LABELS[one.step.precision],
    "batch": lambda one, language: batch_text(one.step, language),
    "median": lambda one, _: format_seconds(one.summary.median_s),
    "interval": lambda one, _: seconds_range(one.summary.low_s, one.summary.high_s),
    "samples": lambda one, _: f"{one.summary.sample_count:,}",
    "predicted": lambda one, _: NONE if one.predicted is None else format_seconds(one.predicted.step_s.value),
    "error": lambda one, _: NONE if one.error_fraction is None else f"{100 * one.error_fraction:+.1f} %",
    "verdict": lambda one, language: sentence(f"measure-verdict-{one.step.verdict.kind.replace('_', '-')}", language),
}
