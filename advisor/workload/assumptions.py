"""What was assumed of a workload that came without data or training section, each value with its unit."""

from __future__ import annotations

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.core.sentences import Listed, Reason
from advisor.workload.defaults import ASSUMED_SPEECH_SAMPLES
from advisor.workload.model_config import resolve_config
from advisor.workload.picture_sides import sides_in_config, sides_of_pictures
from advisor.workload.workload import HuggingFaceModel, PythonModel, Workload

_PARTS = {
    "data.samples": "assumed-samples",
    "data.loader_workers": "assumed-loader-workers",
    "data.image_size": "assumed-image-size",
    "data.sequence_length": "assumed-sequence-length",
    "training.precision": "assumed-precision",
    "training.optimizer": "assumed-optimizer",
    "training.epochs": "assumed-epochs",
    "training.batch_size": "assumed-batch-size",
    "training.weights_bits": "assumed-frozen-bits",
}


def assumed_reason(workload: Workload, *, but: frozenset[str] = frozenset()) -> Reason | None:
    """The sentence that names every assumed value of a workload, `but` those; None where nothing else was assumed."""
    names = [field for field in workload.assumed if field not in but]
    fields = tuple(Reason.of(_code(field, workload), value=_value(field, workload)) for field in names)
    return Reason.of("workload-assumed-values", fields=Listed(reasons=fields)) if fields else None


def still_assumed(assumed: tuple[str, ...], workload: Workload, *, edited: str) -> tuple[str, ...]:
    """Which of the fields nobody has given yet once `edited` was, as `workload` now has them."""
    return tuple(field for field in assumed if field != edited and _given(field, workload) is not None)


def _code(field: str, workload: Workload) -> str:
    if field == "data.sequence_length" and workload.data.sequence_length == ASSUMED_SPEECH_SAMPLES:
        return "assumed-speech-length"
    if field == "data.sequence_length" and isinstance(workload.model, PythonModel):
        return "assumed-batch-length"  # what the file makes of it, it alone knows: tokens, or pixels of a side
    return _PARTS.get(field, "assumed-other")


def _value(field: str, workload: Workload) -> str:
    if field == "training.precision":
        return PRECISION_LABELS[workload.training.precision]
    value = _given(field, workload)
    if field == "data.image_size":
        model = workload.model
        configured = sides_in_config(resolve_config(model.config)) if isinstance(model, HuggingFaceModel) else None
        return " × ".join(f"{side:,}" for side in sides_of_pictures(configured, workload))
    number = isinstance(value, int | float) and not isinstance(value, bool)
    shown = f"{value:,.10g}" if number else str(value)
    return shown if field in _PARTS else f"{field} = {shown}"


def _given(field: str, workload: Workload) -> object:
    section, _, name = field.partition(".")
    return getattr(getattr(workload, section, None), name, None)
