"""Write what we measured on GPUs, beside the predictions, into docs/accuracy.md: python tools/measured_by_us.py."""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from advisor.catalogue.precisions import PRECISION_LABELS  # noqa: E402 - the checkout first
from tests.on_gpu.recording import Recording, ScriptSeen, StepSeen, changed_steps, fit_steps, gpu_key, read_recording  # noqa: E402 - the same

DOCUMENT = ROOT / "docs" / "accuracy.md"
FOLDER = ROOT / "tests" / "recorded" / "gpus"
HEADING = "## Measured by us"
NOTHING = (
    "No GPU has been measured by us so far. `python tools/record_gpu.py` does it within minutes: see gpu_suite.md."
)


BLIND = (
    "Predictions here are those of the version that met the card, from its data sheet alone: it had seen none of these "
    "runs. Later versions are fitted on those in which the card decides (`tests/accuracy/measured_steps.csv`). The "
    "steps left convolutions to cuDNN's rules, which scripts do not: those of convolutional networks are not fitted."
)


def section(recordings: Iterable[Recording]) -> str:
    """The section as Markdown; recordings that are made up do not count."""
    real = [recording for recording in recordings if not recording.made_up]
    parts = [HEADING, ""]
    if not real:
        return "\n".join([*parts, NOTHING, ""])
    parts += [BLIND, ""]
    for recording in real:
        parts += _lines(recording)
    return "\n".join(parts)


def _lines(recording: Recording) -> list[str]:
    name = next((gpu.name for gpu in recording.machine.gpus if gpu.usable), "unknown")
    torch = "unknown" if recording.environment is None else recording.environment.torch
    known = [step for step in fit_steps(recording) if step.predicted_s is not None]
    head = f"**{name}** ({gpu_key(recording) or 'no row in the table'}), torch {torch}, {recording.created_utc[:10]}"
    if not known:
        return [f"{head}: no step of it has a prediction.", ""]
    inside = sum(_inside(step) for step in known)
    error = 100 * statistics.median(abs(_error(step)) for step in known)
    return [
        f"{head}. {inside} of {len(known)} steps lie inside their 80 % range; the median error is {error:.0f} %.",
        "",
        "| workload | precision | batch | measured ms | predicted ms | error | range | peak, GB | predicted GB |",
        "|---|---|---:|---:|---:|---:|---|---:|---:|",
        *(_row(step) for step in known),
        "",
        *_changes(recording, known),
        *_scripts(recording),
    ]


def _changes(recording: Recording, known: Sequence[StepSeen]) -> list[str]:
    """What one setting brought over the same step without it, measured and predicted."""
    plain = {(step.workload, step.precision, step.batch_size): step for step in known}
    rows = []
    for step in changed_steps(recording):
        without = plain.get((step.workload, step.precision, step.batch_size))
        if without is None or not step.median_s or not step.predicted_s:
            continue
        measured, predicted = (without.median_s or 0.0) / step.median_s, (without.predicted_s or 0.0) / step.predicted_s
        rows.append(
            f"| {step.workload} | {PRECISION_LABELS[step.precision]} | {step.change.replace(',', ', ')} "
            f"| {measured:.2f} | {predicted:.2f} "
            f"| {_gb(step.peak_allocated_bytes)} | {_gb(step.predicted_peak_bytes)} |"
        )
    if not rows:
        return []
    return [
        "One setting changed: how many times as fast as the same step without it.",
        "",
        "| workload | precision | setting | measured | predicted | peak, GB | predicted GB |",
        "|---|---|---|---:|---:|---:|---:|",
        *rows,
        "",
    ]


def _scripts(recording: Recording) -> list[str]:
    """What came of doing as told."""
    if not recording.scripts:
        return []
    return [
        "Scripts written for this card, run on it as they stand, loader included, beside what the advice had told.",
        "",
        "| script | precision | batch | measured ms | told ms | error | range | peak, GB | told GB | reserved | told |",
        "|---|---|---:|---:|---:|---:|---|---:|---:|---:|---:|",
        *(_script(seen) for seen in recording.scripts),
        "",
    ]


def _script(seen: ScriptSeen) -> str:
    where = "inside" if seen.told_low_s <= seen.step_s <= seen.told_high_s else "outside"
    return (
        f"| {seen.name} | {PRECISION_LABELS[seen.precision]} | {seen.batch_size} "
        f"| {1e3 * seen.step_s:.1f} | {1e3 * seen.told_s:.1f} "
        f"| {100 * (seen.told_s / seen.step_s - 1):+.0f} % | {where} "
        f"| {_gb(seen.peak_allocated_bytes)} | {_gb(seen.told_allocated_bytes)} "
        f"| {_gb(seen.peak_reserved_bytes)} | {_gb(seen.told_reserved_bytes)} |"
    )


def _row(step: StepSeen) -> str:
    where = "inside" if _inside(step) else "outside"
    return (
        f"| {step.workload} | {PRECISION_LABELS[step.precision]} | {step.batch_size} "
        f"| {1e3 * (step.median_s or 0.0):.1f} | {1e3 * (step.predicted_s or 0.0):.1f} "
        f"| {100 * _error(step):+.0f} % | {where} "
        f"| {_gb(step.peak_allocated_bytes)} | {_gb(step.predicted_peak_bytes)} |"
    )


def _gb(size_bytes: float | None) -> str:
    return "–" if size_bytes is None else f"{size_bytes / 1e9:.2f}"


def _error(step: StepSeen) -> float:
    return (step.predicted_s or 0.0) / (step.median_s or 1.0) - 1.0


def _inside(step: StepSeen) -> bool:
    return (step.predicted_low_s or 0.0) <= (step.median_s or 0.0) <= (step.predicted_high_s or 0.0)


def recordings() -> Sequence[Recording]:
    """The kept ones."""
    return [read_recording(path) for path in sorted(FOLDER.glob("*.json"))]


def with_section(document: str, text: str) -> str:
    """The document with this section in the place of its own, or at its end."""
    before, found, after = document.partition(f"{HEADING}\n")
    if not found:
        return f"{document.rstrip()}\n\n{text}"
    _, next_heading, rest = after.partition("\n## ")
    return f"{before}{text.rstrip()}\n{next_heading}{rest}" if next_heading else f"{before}{text}"


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    DOCUMENT.write_text(with_section(DOCUMENT.read_text(encoding="utf-8"), section(recordings())), encoding="utf-8")
