"""What a table's cell says of a set-up or of a timed step: each column is written in one way, wherever it stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from advisor.catalogue.precisions import precision_name
from advisor.catalogue.strategies import STRATEGY_FACTS, Strategy
from advisor.core.money import format_cost
from advisor.core.sentences import Language, sentence, visible
from advisor.core.shown_names import shown_card
from advisor.core.units import Estimate, format_bytes, format_energy, format_quantity, format_seconds
from advisor.predict.additions import Added
from advisor.predict.prediction import Prediction, SetUp
from advisor.present.checked_steps import CheckedStep, batch_text
from advisor.recommend.ranking import gpu_hours

NONE = "–"
_ANSWERS = {True: "yes", False: "no", None: "unknown"}


def set_up_cells(prediction: Prediction, columns: Sequence[str], language: Language, **own: str) -> tuple[str, ...]:
    """A row of these columns; `own` are the cells that a table writes in its own way."""
    return tuple(own[name] if name in own else _OF_A_SET_UP[name](prediction, language) for name in columns)


def step_cells(checked: CheckedStep, columns: Sequence[str], language: Language) -> tuple[str, ...]:
    """A row of these columns for a step that was timed."""
    return tuple(_OF_A_STEP[name](checked, language) for name in columns)


def strategy_name(strategy: Strategy, language: Language, *, short: bool = False) -> str:
    """The strategy in words, or as its framework abbreviates it."""
    return sentence(f"strategy-{'short-' if short else ''}{strategy.replace('_', '-')}", language)


def strategy_cell(strategy: Strategy, language: Language, *, trains: bool, short: bool = False) -> str:
    """The same as a table has it, where no sentence beside it says that the model has to be rewritten for it.

    Servers bring models that are cut up already: where nothing is trained nobody has to.
    """
    name = strategy_name(strategy, language, short=short)
    rewritten = trains and STRATEGY_FACTS[strategy].rewrites
    return sentence("table-rewritten", language, name=name) if rewritten else name


def added_names(added: Added, language: Language) -> tuple[str, ...]:
    """What frees memory and was added to the workload, in words."""
    return tuple(sentence(f"switch-{name.replace('_', '-')}", language) for name in added)


def strategy_of(chosen: Prediction, language: Language, *, short: bool = False) -> str:
    """The strategy of a set-up with what it adds to free memory: `FSDP + activation checkpointing`."""
    name = strategy_cell(chosen.strategy, language, trains=chosen.trains, short=short)
    return " + ".join((name, *added_names(chosen.added, language)))


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
    "device": lambda prediction, _: shown_card(visible(prediction.device.name)),
    "count": lambda prediction, _: str(prediction.count),
    "strategy": strategy_of,
    "precision": lambda prediction, language: precision_name(prediction.precision, language),
    "batch": lambda prediction, _: batch_of(prediction),
    "step": lambda prediction, _: format_seconds(prediction.step_s.value),
    "range": lambda prediction, _: seconds_range(prediction.step_s.low, prediction.step_s.high),
    "job": lambda prediction, language: _known(prediction.job_s, format_seconds, language),
    "memory": lambda prediction, language: _known(prediction.peak_memory_bytes, format_bytes, language),
    "fits": lambda prediction, language: sentence(_ANSWERS[prediction.fits], language),
    "energy": lambda prediction, language: _known(prediction.energy_j, format_energy, language),
    "cost": lambda prediction, language: _known(
        prediction.cost, lambda cost: format_cost(cost, prediction.currency, language), language
    ),
    "hours": lambda prediction, language: _known(
        gpu_hours(prediction), lambda hours: format_quantity(hours, "h"), language
    ),
    "basis": lambda prediction, language: sentence(f"basis-{prediction.step_s.basis}", language),
}

_OF_A_STEP: dict[str, Callable[[CheckedStep, Language], str]] = {
    "device": lambda checked, _: shown_card(visible(checked.device_name)),
    "precision": lambda checked, language: precision_name(checked.step.precision, language),
    "batch": lambda checked, language: batch_text(checked.step, language),
    "median": lambda checked, _: format_seconds(checked.summary.median_s),
    "interval": lambda checked, _: seconds_range(checked.summary.low_s, checked.summary.high_s),
    "samples": lambda checked, _: f"{checked.summary.sample_count:,}",
    "predicted": lambda checked, _: (
        NONE if checked.predicted is None else format_seconds(checked.predicted.step_s.value)
    ),
    "error": lambda checked, _: NONE if checked.error_fraction is None else f"{100 * checked.error_fraction:+.1f} %",
    "verdict": lambda checked, language: sentence(
        f"measure-verdict-{checked.step.verdict.kind.replace('_', '-')}", language
    ),
}
