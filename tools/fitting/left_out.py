"""Predictions of all fitted steps by fits that had not seen their card, model, source, generation or architecture.

Some ninety fits take minutes: what they find is kept in the temporary folder, by the digest of all that it depends on,
so that writing the figures and writing their report make it once.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Hashable, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from advisor.cost.efficiencies import Efficiencies, Fitted
from advisor.optable.op_columns import Floats
from tests.accuracy.llm_steps import table_key
from tools.accuracy_file import runs_digest
from tools.fitting.card_shares import without_shares
from tools.fitting.fit import MeasuredStep, StepSet
from tools.fitting.leaving_out import figures_without, leave_out

KEYS: dict[str, Callable[[MeasuredStep], Hashable]] = {
    "gpu": table_key,
    "model": lambda step: step.workload,
    "source": lambda step: step.source,
    "generation": lambda step: step.software_year,
    "architecture": lambda step: step.spec.compute_capability,
}
"""What is left out at a time."""


def left_out(what: str, steps: Sequence[MeasuredStep], figures: Efficiencies, fitted: Fitted) -> Floats:
    """Seconds of every step, shape (steps,), each predicted without the steps that share its `what` (of `KEYS`)."""
    plain = without_shares(figures)
    kept = _kept(what, steps, plain, fitted)
    if kept.exists():
        fits = msgspec.json.decode(kept.read_bytes(), type=tuple[Fitted, ...])
    else:
        fits = figures_without(steps, KEYS[what], plain, fitted)
        kept.write_bytes(msgspec.json.encode(fits))
    return leave_out(steps, KEYS[what], figures, fitted, fits=fits)


def _kept(what: str, steps: Sequence[MeasuredStep], figures: Efficiencies, fitted: Fitted) -> Path:
    """By the runs, the figures, and what the formulas make of both."""
    in_sample = StepSet(steps, figures).predicted_s(fitted)
    told = [f"{seconds:.9e}" for seconds in in_sample]
    digest = sha256(msgspec.json.encode((told, fitted), order="sorted") + runs_digest(steps).encode()).hexdigest()
    return Path(tempfile.gettempdir()) / f"advisor-left-out-{what}-{digest[:24]}.json"
