"""What lies outside of all fitted runs: said of a prediction, and how much wider its range is for it."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.core.sentences import Reason
from advisor.cost.efficiencies import Assumed, Efficiencies
from advisor.cost.layout import Layout
from advisor.optable.compiled_table import CompiledTable
from advisor.optable.op_columns import Floats
from advisor.workload.workload import Training

_MANY = 0.3
"""Share of operators' work from which an unfitted family counts."""


_WIDENING = {
    "predict-outside-precision": "new_precision_range",
    "predict-outside-compiled": "compiled_range",
    "predict-outside-recurrent": "new_family_range",
    "predict-outside-size": "new_size_range",
}
"""The figure of `[assumed]` that widens a range for each way, by the way's message id."""


def outside_envelope(compiled: CompiledTable, training: Training, figures: Efficiencies) -> tuple[Reason, ...]:
    """What of a model and its training no fitted run has, whatever the card.

    A method (FP8, compiled training), a family of operators (recurrent layers) and a size.
    """
    envelope = figures.envelope
    reasons = []
    products = compiled.table.precision.removesuffix("_cast")
    if compiled.table.precision not in envelope.traces:
        reasons.append(Reason.of("predict-outside-precision", precision=products.upper()))
    if training.compile and training.mode not in envelope.compiled_modes:
        reasons.append(Reason.of("predict-outside-compiled"))
    if _has_new_family(compiled):
        reasons.append(Reason.of("predict-outside-recurrent"))
    if compiled.table.parameter_count > envelope.largest_parameter_count:
        numbers = {
            name: round(count / 1e9, 1)
            for name, count in (
                ("billions", compiled.table.parameter_count),
                ("largest_billions", envelope.largest_parameter_count),
            )
        }
        reasons.append(Reason.of("predict-outside-size", **numbers))
    return tuple(reasons)


def widening(notes: Iterable[Reason], assumed: Assumed) -> float:
    """By what a range is wider in the log for what lies outside; the widest counts, since they err alike."""
    return max((getattr(assumed, _WIDENING[reason.code]) for reason in notes if reason.code in _WIDENING), default=1.0)


def card_outside(spec: GpuSpec, figures: Efficiencies) -> tuple[Reason, ...]:
    """Whether no fitted run is of this card's maker or generation: the range of such cards is wider."""
    if spec.amdgpu_target is not None:
        link = "fabric" if spec.is_linked else "pcie"
        return (Reason.of("predict-outside-maker", gpu=spec.name, link=link),)
    if spec.published_as in figures.fitted_cards or spec.compute_capability in figures.fitted_capabilities:
        return ()
    return (Reason.of("predict-outside-generation", gpu=spec.name),)


def layout_outside(layout: Layout) -> tuple[Reason, ...]:
    """Whether the work is split in a way that no fitted run is: their ranges have ends of their own."""
    splits = (("tensor", layout.tensor), ("pipeline", layout.pipeline), ("context", layout.context))
    return tuple(Reason.of("predict-outside-split", kind=kind, count=degree) for kind, degree in splits if degree > 1)


def _has_new_family(compiled: CompiledTable) -> bool:
    """Whether recurrent layers do a good part of the work."""

    def flop(columns: Floats, calls: Floats) -> float:
        return float((columns * calls).sum())

    families = (compiled.rnn, compiled.attention, compiled.matmul, compiled.convolution)
    work = [flop(family.constant.flop + family.slope.flop, family.constant.call_count) for family in families]
    return work[0] > _MANY * max(sum(work), 1.0)
