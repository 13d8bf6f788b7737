"""The tables of `docs/accuracy.md` on language models alone: left out by left out, slice by slice, and never fitted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from advisor.predict.accuracy_record import HeldOut
from advisor.predict.evaluation import Score, ScoredStep, score, scores_by
from tests.accuracy.llm_rows import LanguageModelRun
from tests.accuracy.own_runs import OWN

FAMILY = "language-model"
_SHOWN: tuple[tuple[HeldOut, str], ...] = (
    ("none", "in-sample"),
    ("model", "model left out"),
    ("source", "source left out"),
    ("generation", "generation left out"),
)
_SLICES: tuple[tuple[str, Callable[[ScoredStep], str]], ...] = (
    ("method", lambda step: step.method),
    ("generation", lambda step: f"software of {step.generation}"),
)


def of_language_models(found: Mapping[HeldOut, Sequence[ScoredStep]]) -> dict[HeldOut, list[ScoredStep]]:
    """The same predictions, published runs of language models alone."""
    return {
        held_out: [step for step in steps if step.family == FAMILY and not step.source.startswith(OWN)]
        for held_out, steps in found.items()
    }


def slices_table(found: Mapping[HeldOut, Sequence[ScoredStep]], runs: Sequence[LanguageModelRun]) -> str:
    """Mean and median error in percent of each slice, by what the fit had not seen; `runs` stand behind the steps."""
    columns = " | ".join(f"{name}: mean % | median %" for _, name in _SHOWN)
    lines = [
        f"| Language models | runs | {columns} | in range: source left out % |",
        f"|---|{'---:|' * (2 * len(_SHOWN) + 2)}",
        _line("all", [score(found[held_out]) for held_out, _ in _SHOWN]),
    ]
    for told in dict.fromkeys(run.untold for run in runs):
        chosen = {
            held_out: [step for step, run in zip(steps, runs, strict=True) if run.untold == told]
            for held_out, steps in found.items()
        }
        name = "described whole" if told is None else f"not told by the description: {told}"
        lines.append(_line(name, [score(chosen[held_out]) for held_out, _ in _SHOWN]))
    for name, key in _SLICES:
        groups = [scores_by(found[held_out], key) for held_out, _ in _SHOWN]
        lines += [_line(f"{name}: {rows[0].group}", rows) for rows in zip(*groups, strict=True)]
    return "\n".join(lines)


def _line(name: str, rows: Sequence[Score]) -> str:
    cells = [cell for one in rows for cell in (_of(one.mean_error_fraction), _of(one.median_error_fraction))]
    left_out = rows[[held_out for held_out, _ in _SHOWN].index("source")]
    return f"| {name} | {rows[0].step_count} | {' | '.join(cells)} | {_of(left_out.covered_fraction)} |"


def unfitted_table(steps: Sequence[ScoredStep], told: str = "why") -> str:
    """Errors of runs that no figure was fitted on, by what their method tells (what keeps them out) and by source."""
    lines = ["| Not fitted | runs | mean error % | median % | bias % | in range % |", f"|---|{'---:|' * 5}"]
    rows = [("all", score(steps))]
    rows += [(f"{told}: {one.group}", one) for one in scores_by(steps, lambda step: step.method)]
    rows += [(f"source: {one.group}", one) for one in scores_by(steps, lambda step: step.source)]
    lines += [
        f"| {name} | {one.step_count} | {_of(one.mean_error_fraction)} | {_of(one.median_error_fraction)} "
        f"| {_of(one.bias_fraction, signed=True)} | {_of(one.covered_fraction)} |"
        for name, one in rows
    ]
    return "\n".join(lines)


def _of(fraction: float | None, *, signed: bool = False) -> str:
    if fraction is None:
        return "–"
    return f"{100 * fraction:+.1f}" if signed else f"{100 * fraction:.1f}"
