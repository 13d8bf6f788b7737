"""Write `docs/accuracy.md`, its plot and `resources/accuracy.toml`: python tools/write_accuracy_docs.py."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from advisor.catalogue.spec_table import spec_table  # noqa: E402 - the checkout first
from advisor.cost.efficiencies import Efficiencies, efficiencies  # noqa: E402 - the same
from advisor.optable.op_columns import Floats  # noqa: E402 - the same
from advisor.predict.accuracy_record import HeldOut  # noqa: E402 - the same
from advisor.predict.evaluation import Score, ScoredStep, score, scores_by  # noqa: E402 - the same
from advisor.predict.ranges.gain_range import LOG_WIDTHS, GainKind  # noqa: E402 - the same
from tests.accuracy.fitted_steps import fitted_steps, scored  # noqa: E402 - the same
from tests.accuracy.llm_steps import fitted_runs  # noqa: E402 - the same
from tests.accuracy.switch_gains import gain_errors, gain_pairs, weights, width_of  # noqa: E402 - the same
from tests.accuracy.unfitted_runs import unfitted_steps  # noqa: E402 - the same
from tests.accuracy.unseen_runs import unseen_steps, why_unused  # noqa: E402 - the same
from tools.accuracy_file import accuracy_file  # noqa: E402 - the same
from tools.accuracy_plot import scatter  # noqa: E402 - the same
from tools.fitting.fit import MeasuredStep, StepSet  # noqa: E402 - the same
from tools.fitting.left_out import left_out  # noqa: E402 - the same
from tools.fitting.range_ends import COVERAGE, bands_of  # noqa: E402 - the same
from tools.language_model_tables import of_language_models, slices_table, unfitted_table  # noqa: E402 - the same
from tools.measured_by_us import recordings, section, with_section  # noqa: E402 - the same

DOCUMENT = ROOT / "docs" / "accuracy.md"
PLOT = ROOT / "docs" / "predicted_against_measured.svg"
RECORD = ROOT / "resources" / "accuracy.toml"
TEXT = ROOT / "tools" / "accuracy_text.md"


LEFT_OUT: tuple[tuple[HeldOut, str], ...] = (
    ("none", "In-sample"),
    ("gpu", "Leave-one-GPU-out"),
    ("model", "Leave-one-model-out"),
    ("source", "Leave-one-source-out"),
    ("generation", "Leave-one-generation-out"),
)
Steps = Sequence[ScoredStep]


def main() -> int:
    """Predict in-sample and left out, and write or check the three files; takes ten minutes, and scipy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the committed file differs")
    check = parser.parse_args().check
    measured, figures = fitted_steps(), efficiencies()
    found: dict[HeldOut, Steps] = {}
    for held_out, _ in LEFT_OUT:
        predicted = (
            StepSet(measured, figures).predicted_s(figures.fitted)
            if held_out == "none"
            else left_out(held_out, measured, figures, figures.fitted)
        )
        found[held_out] = scored(measured, predicted, figures, new_card=held_out == "gpu")
    parts = [
        _table("What", [(name, score(found[held_out])) for held_out, name in LEFT_OUT]),
        _beside("Family", found, lambda step: step.family),
        _beside("Precision", found, lambda step: step.precision),
        _beside("GPU", found, lambda step: step.gpu_key),
        _beside("Workload", found, lambda step: step.workload),
        _beside("Source", found, lambda step: step.source),
        _beside("Software of", found, lambda step: step.generation),
        _beside("Method", found, lambda step: step.method),
        slices_table(of_language_models(found), fitted_runs()),
        unfitted_table(unfitted_steps()),
        unfitted_table(unseen_steps(), "card"),
    ]
    text = TEXT.read_text(encoding="utf-8")
    for number, part in enumerate(parts, start=1):
        text = text.replace(f"<!-- table {number} -->", part)
    for name, told in (
        ("bands", _bands()),
        ("ranges", _ranges(found, measured, figures)),
        ("gains", _gains(measured, np.array([step.predicted_s for step in found["source"]]))),
        ("cards", _cards()),
        ("spreads", _spreads()),
        ("lone", _lone()),
        ("unused", _unused()),
    ):
        text = text.replace(f"<!-- {name} -->", told)
    made = {
        DOCUMENT: with_section(text, section(recordings())),
        PLOT: scatter(found["model"]),
        RECORD: accuracy_file(found, measured, figures),
    }
    stale = [path for path, content in made.items() if path.read_text(encoding="utf-8") != content]
    if check:
        print("stale:", ", ".join(path.name for path in stale) or "none")
        return 1 if stale else 0
    for path in stale:
        path.write_text(made[path], encoding="utf-8")
    print(parts[0])
    return 0


def _percent(fraction: float | None, *, signed: bool = False) -> str:
    if fraction is None:
        return "–"
    return f"{100 * fraction:+.1f}" if signed else f"{100 * fraction:.1f}"


def _table(head: str, rows: Sequence[tuple[str, Score]]) -> str:
    lines = [
        f"| {head} | runs | mean error % | median % | bias % | in range % | pairs ranked % | speed-up error % |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {name} | {found.step_count} | {_percent(found.mean_error_fraction)} "
        f"| {_percent(found.median_error_fraction)} | {_percent(found.bias_fraction, signed=True)} "
        f"| {_percent(found.covered_fraction)} | {_percent(found.ranked_fraction)} "
        f"| {_percent(found.ratio_error_fraction)} |"
        for name, found in rows
    ]
    return "\n".join(lines)


def _beside(head: str, found: dict[HeldOut, Steps], key: Callable[[ScoredStep], str]) -> str:
    """In-sample and left-out errors of each group, side by side, and how many runs lie in their range."""
    names = [f"{what} left out" for what in ("GPU", "model", "source", "generation")]
    columns = [f"{what} % | bias %" for what in ("in-sample", *names)]
    lines = [
        f"| {head} | runs | {' | '.join(columns)} | in range: source % | generation % |",
        f"|---|{'---:|' * (2 * len(columns) + 3)}",
    ]
    groups = [scores_by(found[held_out], key) for held_out, _ in LEFT_OUT]
    for rows in zip(*groups, strict=True):
        cells = [
            cell
            for one in rows
            for cell in (_percent(one.mean_error_fraction), _percent(one.bias_fraction, signed=True))
        ]
        covered = [_percent(one.covered_fraction) for one in rows[-2:]]
        lines.append(f"| {rows[0].group} | {rows[0].step_count} | {' | '.join((*cells, *covered))} |")
    return "\n".join(lines)


def _cards() -> str:
    lines = ["| Card | runs | published by | bandwidth | compute |", "|---|---:|---:|---:|---:|"]
    lines += [
        f"| {card.key} | {card.run_count} | {len(card.sources)} | × {card.bandwidth:.3f} | × {card.compute:.3f} |"
        for card in efficiencies().cards
    ]
    return "\n".join(lines)


def _spreads() -> str:
    """How much cards, publishers, models and runs differ, as half a sentence."""
    spread = efficiencies().share_spread
    return (
        f"cards differ by {_percent(spread.bandwidth)} % in bandwidth and {_percent(spread.compute)} % in compute, "
        f"publishers by {_percent(spread.source_bandwidth)} and {_percent(spread.source_compute)} %, "
        f"models by {_percent(spread.model)} %, single runs by {_percent(spread.run)} %"
    )


def _lone() -> str:
    """The cards of the table whose share one publisher alone tells."""
    cards = [card for card in efficiencies().cards if card.key in spec_table()]
    lone = [card.key for card in cards if len(card.sources) == 1]
    return f"{len(lone)} of {len(cards)} cards have one publisher ({', '.join(lone)}):"


def _unused() -> str:
    """The rows of sources that were never fitted that are not judged, and why."""
    return "; ".join(f"{count} rows, {reason}" for reason, count in why_unused().items())


def _bands() -> str:
    lines = [
        "| known of the card | all else: below | above | compiled training: below | above |",
        f"|---|{'---:|' * 4}",
    ]
    names = {
        "known_card": "it is in the fitted runs",
        "known_architecture": "only its architecture is",
        "new_architecture": "neither is",
    }
    for group, name in names.items():
        own = sorted((band for band in efficiencies().bands if band.group == group), key=lambda band: band.compiled)
        cells = [f"{end:.2f}" for band in own for end in (band.below, band.above)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _ranges(found: dict[HeldOut, Steps], measured: Sequence[MeasuredStep], figures: Efficiencies) -> str:
    """How often ranges hold and how wide they are; last by ends that the publisher's own runs did not tell either."""
    held_out: tuple[HeldOut, ...] = ("model", "source", "generation")
    predicted: dict[str, Floats] = {what: np.array([step.predicted_s for step in found[what]]) for what in held_out}
    sources = np.array([step.source for step in measured])
    unseen: list[ScoredStep] = []
    for source in dict.fromkeys(sources.tolist()):
        own = np.flatnonzero(sources == source)
        bands = bands_of(measured, figures, predicted, kept=sources != source)
        told = msgspec.structs.replace(figures, bands=bands)
        unseen += scored([measured[index] for index in own.tolist()], predicted["source"][own], told)
    rows: list[tuple[str, Steps]] = [(f"{what} left out", found[what]) for what in held_out]
    lines = ["| Runs, predicted with their | inside % | every publisher alike % | high over low | score |"]
    lines.append(f"|---|{'---:|' * 4}")
    for name, steps in (*rows, ("source left out of fit and ends", unseen)):
        inside = [_percent(one) for one in (_covered(steps), _covered_alike(steps))]
        width = np.array([np.log(step.high_s / step.low_s) for step in steps])
        beyond = [
            max(0.0, np.log(step.low_s / step.measured_s), np.log(step.measured_s / step.high_s)) for step in steps
        ]
        score_of = (width + 2.0 / (1.0 - COVERAGE) * np.array(beyond)).mean()
        lines.append(f"| {name} | {' | '.join(inside)} | × {np.exp(width.mean()):.2f} | {score_of:.3f} |")
    return "\n".join(lines)


def _gains(measured: Sequence[MeasuredStep], predicted_s: Floats) -> str:
    """How far ratios of published pairs are off, by what differs, and how many lie inside of a switch's range."""
    lines = [
        "| what differs | pairs | sources | half off by more than % | 84 of 100 within % | range % | inside % |",
        f"|---|{'---:|' * 6}",
    ]
    pairs = gain_pairs(measured)
    kinds: dict[GainKind, str] = {"alike": "one switch, the batch size", "compiled": "compiler", "adapters": "adapters"}
    for kind, name in kinds.items():
        own = [pair for pair in pairs if pair.kind == kind]
        errors, width = gain_errors(own, measured, predicted_s), LOG_WIDTHS[kind]
        inside = float(np.average(errors <= width, weights=weights(own)))
        off = [_percent(math.expm1(one)) for one in (np.median(errors), width_of(own, errors), width)]
        cells = (len(own), len({pair.source for pair in own}), *off, _percent(inside))
        lines.append(f"| {name} | {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def _covered(steps: Steps) -> float:
    return float(np.mean([step.covered for step in steps]))


def _covered_alike(steps: Steps) -> float:
    """The mean over publishers."""
    return float(np.mean([one.covered_fraction for one in scores_by(steps, lambda step: step.source)]))


if __name__ == "__main__":
    sys.exit(main())
