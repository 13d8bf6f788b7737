"""The text of `resources/accuracy.toml`: the figures of `docs/accuracy.md` that the window and the report tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from advisor.hardware.spec_table import spec_table
from advisor.predict.accuracy_record import GroupedBy, HeldOut
from advisor.predict.evaluation import Score, ScoredStep, score, scores_by

_HEAD = """\
# How right predicted step times were on published runs. Written by `python tools/write_accuracy_docs.py`.
schema_version = 1
source = "{count} published runs, tests/accuracy/published_steps.csv"
"""
_SCORE = """
[[scores]]
held_out = "{held_out}"
grouped_by = "{grouped_by}"
group = "{group}"
run_count = {run_count}
mean_error_fraction = {mean:.4f}
median_error_fraction = {median:.4f}
covered_fraction = {covered:.4f}
"""


def capability_of(step: ScoredStep) -> str:
    """The compute capability of the card that ran the step."""
    return spec_table()[step.gpu_key].compute_capability or "unknown"


def groups_of(steps: Sequence[ScoredStep]) -> list[tuple[GroupedBy, Score]]:
    """All steps together, then by precision, then by compute capability."""
    keys: list[tuple[GroupedBy, Callable[[ScoredStep], str]]] = [
        ("precision", lambda step: step.precision),
        ("compute_capability", capability_of),
    ]
    return [("all", score(steps)), *((name, found) for name, key in keys for found in scores_by(steps, key))]


def accuracy_file(steps: Mapping[HeldOut, Sequence[ScoredStep]]) -> str:
    """The file's text; `steps` holds the same runs, predicted by fits that had not seen what the key says."""
    parts = [_HEAD.format(count=len(next(iter(steps.values()))))]
    for held_out, found in steps.items():
        parts += [
            _SCORE.format(
                held_out=held_out,
                grouped_by=name,
                group=one.group,
                run_count=one.step_count,
                mean=one.mean_error_fraction,
                median=one.median_error_fraction,
                covered=one.covered_fraction,
            )
            for name, one in groups_of(found)
        ]
    return "".join(parts)
