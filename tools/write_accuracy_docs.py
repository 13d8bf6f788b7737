"""Write `docs/accuracy.md`, its plot and `resources/accuracy.toml`: python tools/write_accuracy_docs.py."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from advisor.cost.efficiencies import efficiencies  # noqa: E402 - the same
from advisor.evaluate.evaluation_record import Evaluation, evaluation_of, scored_step  # noqa: E402 - the checkout first
from advisor.evaluate.row_predictions import RowPredictor  # noqa: E402 - the same
from advisor.optable.op_columns import Floats  # noqa: E402 - the same
from advisor.predict.evaluation import Score, ScoredStep, score, scores_by  # noqa: E402 - the same
from advisor.predict.fitting import leave_out  # noqa: E402 - the same
from tests.accuracy.recorded_runs import published_questions, published_steps, recorded_tables  # noqa: E402 - the same
from tools.accuracy_file import accuracy_file  # noqa: E402 - the same
from tools.accuracy_plot import scatter  # noqa: E402 - the same

DOCUMENT = ROOT / "docs" / "accuracy.md"
PLOT = ROOT / "docs" / "predicted_against_measured.svg"
RECORD = ROOT / "resources" / "accuracy.toml"
TEXT = ROOT / "tools" / "accuracy_text.md"


def main() -> None:
    """Predict in-sample and left out, and write the three files; takes two minutes, and scipy."""
    evaluation = _evaluation()
    steps = [step for answer in evaluation.answers if (step := scored_step(answer)) is not None]
    measured = published_steps()
    figures = efficiencies()
    by_card = _instead(steps, leave_out(measured, lambda one: one.spec.key, figures, figures.fitted))
    by_model = _instead(steps, leave_out(measured, lambda one: one.workload, figures, figures.fitted))
    left_out = (("Leave-one-GPU-out", by_card), ("Leave-one-model-out", by_model))
    parts = [
        _table("What", [_named(score(steps), "In-sample"), *(_named(score(found), name) for name, found in left_out)]),
        _beside("Family", steps, by_card, by_model, lambda step: step.family),
        _beside("Precision", steps, by_card, by_model, lambda step: step.precision),
        _beside("GPU", steps, by_card, by_model, lambda step: step.gpu_key),
        _beside("Workload", steps, by_card, by_model, lambda step: step.workload),
    ]
    text = TEXT.read_text(encoding="utf-8")
    for number, part in enumerate(parts, start=1):
        text = text.replace(f"<!-- table {number} -->", part)
    text = text.replace("<!-- bands -->", _bands())
    DOCUMENT.write_text(text, encoding="utf-8")
    PLOT.write_text(scatter(by_model), encoding="utf-8")
    record = accuracy_file({"none": steps, "gpu": by_card, "model": by_model}, measured, figures)
    RECORD.write_text(record, encoding="utf-8")
    print(parts[0])


def _evaluation() -> Evaluation:
    questions = published_questions()
    predictor = RowPredictor(recorded_tables(questions))
    return evaluation_of([predictor.answer(question) for question in questions])


def _instead(steps: Sequence[ScoredStep], predicted: Floats) -> list[ScoredStep]:
    """The same steps with other predictions and ranges of the same width."""
    return [
        replace(
            step,
            predicted_s=float(seconds),
            low_s=step.low_s / step.predicted_s * float(seconds),
            high_s=step.high_s / step.predicted_s * float(seconds),
        )
        for step, seconds in zip(steps, predicted, strict=True)
    ]


def _named(found: Score, name: str) -> tuple[str, Score]:
    return name, found


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


def _beside(
    head: str,
    steps: Sequence[ScoredStep],
    by_card: Sequence[ScoredStep],
    by_model: Sequence[ScoredStep],
    key: object,
) -> str:
    """In-sample and left-out errors of each group, side by side."""
    lines = [
        f"| {head} | runs | in-sample % | bias % | GPU left out % | bias % | model left out % | bias % |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    groups = [scores_by(found, key) for found in (steps, by_card, by_model)]  # type: ignore[arg-type]
    for rows in zip(*groups, strict=True):
        cells = [
            cell
            for found in rows
            for cell in (_percent(found.mean_error_fraction), _percent(found.bias_fraction, signed=True))
        ]
        lines.append(f"| {rows[0].group} | {rows[0].step_count} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _bands() -> str:
    lines = ["| Known of the card | low | high |", "|---|---:|---:|"]
    names = {
        "known_card": "it is in the fitted runs",
        "known_architecture": "only its architecture is",
        "new_architecture": "neither is",
    }
    lines += [f"| {names[band.group]} | × {band.low:.2f} | × {band.high:.2f} |" for band in efficiencies().bands]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
