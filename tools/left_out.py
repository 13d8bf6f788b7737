"""Predictions of all fitted steps by fits that had not seen their card, model, source, generation or architecture.

Some ninety fits take ten minutes: what they predict is kept in the temporary folder, by the digest of all that it
depends on, so that writing the figures and writing their report make it once.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Hashable, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np

from advisor.cost.efficiencies import Efficiencies, Fitted
from advisor.optable.op_columns import Floats
from advisor.predict.fitting import MeasuredStep, leave_out
from tools.accuracy_file import runs_digest

KEYS: dict[str, Callable[[MeasuredStep], Hashable]] = {
    "gpu": lambda step: step.spec.key,
    "model": lambda step: step.workload,
    "source": lambda step: step.source,
    "generation": lambda step: step.software_year,
    "architecture": lambda step: step.spec.compute_capability,
}
"""What is left out at a time."""


def left_out(what: str, steps: Sequence[MeasuredStep], figures: Efficiencies, fitted: Fitted) -> Floats:
    """Seconds of every step, shape (steps,), each predicted without the steps that share its `what` (of `KEYS`)."""
    kept = _kept(what, steps, figures, fitted)
    if kept.exists():
        known: Floats = np.load(kept)
        return known
    found = leave_out(steps, KEYS[what], figures, fitted)
    np.save(kept, found)
    return found


def _kept(what: str, steps: Sequence[MeasuredStep], figures: Efficiencies, fitted: Fitted) -> Path:
    own = msgspec.structs.replace(figures, fitted=fitted, bands=(), source="", fitted_cards=(), fitted_capabilities=())
    digest = sha256(msgspec.json.encode(own, order="sorted") + runs_digest(steps).encode() + _formulas()).hexdigest()
    return Path(tempfile.gettempdir()) / f"advisor-left-out-{what}-{digest[:24]}.npy"


def _formulas() -> bytes:
    """The source of everything that a prediction is computed with."""
    package = Path(__file__).resolve().parents[1] / "advisor"
    rooms = ("cost", "optable", "catalogue", "predict")
    return b"".join(path.read_bytes() for room in rooms for path in sorted((package / room).rglob("*.py")))
