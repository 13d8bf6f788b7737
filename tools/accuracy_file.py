"""The text of `resources/accuracy.toml`: the figures of `docs/accuracy.md` that the window and the report tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from hashlib import sha256

import msgspec
import numpy as np

from advisor.catalogue.spec_table import spec_table
from advisor.cost.efficiencies import Efficiencies
from advisor.optable.op_table import OpTable
from advisor.predict.accuracy_record import GroupedBy, HeldOut
from advisor.predict.evaluation import Score, ScoredStep, score, scores_by
from tools.fitting.fit import MeasuredStep

_DIGEST_LENGTH = 16
_HEAD = """\
# How right predicted step times were on published runs. Written by `python tools/write_accuracy_docs.py`.
schema_version = 1
source = "{count} runs, published or measured by us, in tests/accuracy"
figures_digest = "{figures}"
runs_digest = "{runs}"
"""
_SCORE = """
[[scores]]
held_out = "{held_out}"
grouped_by = "{grouped_by}"
group = "{group}"
run_count = {run_count}
mean_error_fraction = {mean:.9f}
median_error_fraction = {median:.9f}
covered_fraction = {covered:.9f}
fastest_ratio = {fastest:.3f}
"""

_OF_A_TABLE = (
    "precision",
    "parameter_count",
    "trainable_parameter_count",
    "gradient_bytes",
    "input_bytes",
    "dispatch_count",
    "synchronisation_count",
)
"""What a step's time depends on beside its operators, which are digested as columns."""


def capability_of(step: ScoredStep) -> str:
    """The compute capability of the card that ran the step."""
    return spec_table()[step.gpu_key].compute_capability or "unknown"


def groups_of(steps: Sequence[ScoredStep]) -> list[tuple[GroupedBy, Score]]:
    """All steps together, then by one property after the other."""
    keys: list[tuple[GroupedBy, Callable[[ScoredStep], str]]] = [
        ("precision", lambda step: step.precision),
        ("compute_capability", capability_of),
        ("family", lambda step: step.family),
        ("source", lambda step: step.source),
        ("generation", lambda step: step.generation),
        ("method", lambda step: step.method),
    ]
    return [("all", score(steps)), *((name, found) for name, key in keys for found in scores_by(steps, key))]


def figures_digest(figures: Efficiencies) -> str:
    """Of every figure and range, whatever the file's layout and comments."""
    return sha256(msgspec.json.encode(figures, order="sorted")).hexdigest()[:_DIGEST_LENGTH]


def runs_digest(measured: Sequence[MeasuredStep]) -> str:
    """Of all that a fit or a prediction sees of the runs: times, cards, training, operators."""
    found = sha256()
    compiled: dict[int, bytes] = {}
    for step in measured:
        key = id(step.compiled)
        if key not in compiled:
            compiled[key] = sha256(b"".join(_parts(step.compiled))).digest()
        facts = (
            step.spec,
            step.training,
            step.precision,
            step.batch_size,
            step.measured_s,
            step.software_year,
            step.flash_generation,
        )
        # What the predictor adds itself: its last bits are another Python's (`sum` is compensated since 3.12).
        several = [f"{of:.9g}" for of in (step.optimizer_share, step.accumulated_share, step.added_s, step.slowdown)]
        found.update(msgspec.json.encode(facts, order="sorted"))
        found.update(repr((step.host, step.workload, step.family, step.group, several)).encode())
        found.update(compiled[key])
    return found.hexdigest()[:_DIGEST_LENGTH]


def _parts(value: object) -> Iterator[bytes]:
    """The content of nested dataclasses of arrays and numbers."""
    if is_dataclass(value):
        for field in fields(value):
            yield from _parts(getattr(value, field.name))
    elif isinstance(value, OpTable):
        yield repr([getattr(value, name) for name in _OF_A_TABLE]).encode()
    elif isinstance(value, np.ndarray):
        yield value.astype("<f8").tobytes()
    else:
        yield repr(value).encode()


def accuracy_file(
    steps: Mapping[HeldOut, Sequence[ScoredStep]], measured: Sequence[MeasuredStep], figures: Efficiencies
) -> str:
    """The file's text; `steps` holds the same runs, predicted by fits that had not seen what the key says.

    `measured` and `figures` are what those predictions were made from.
    """
    count = len(next(iter(steps.values())))
    parts = [_HEAD.format(count=count, figures=figures_digest(figures), runs=runs_digest(measured))]
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
                fastest=one.fastest_ratio,
            )
            for name, one in groups_of(found)
        ]
    return "".join(parts)
