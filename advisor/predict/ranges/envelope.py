"""What lies outside of all fitted runs: said of a prediction, and how much wider its range is for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.core.sentences import Reason

if TYPE_CHECKING:
    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.cost.efficiencies import Efficiencies
    from advisor.cost.layout import Layout
    from advisor.optable.compiled_table import CompiledTable
    from advisor.optable.op_columns import Floats
    from advisor.workload.workload import Training

_MANY = 0.3
"""Share of operators' work from which an unfitted family counts."""


@dataclass(frozen=True, kw_only=True)
class Outside:
    """One way in which a step is like no fitted run."""

    reason: Reason
    range_factor: float
    """On the width of the range, in the log."""


def outside_envelope(compiled: CompiledTable, training: Training, figures: Efficiencies) -> tuple[Outside, ...]:
    """What of a model and its training no fitted run has, whatever the card.

    A method (FP8, compiled training), a family of operators (recurrent layers) and a size. Each widens the range by a
    factor of `[assumed]`; where several do, the widest counts, since they do not err independently.
    """
    envelope, assumed = figures.envelope, figures.assumed
    found = []
    if compiled.precision not in envelope.traces:
        reason = Reason.of("predict-outside-precision", precision=compiled.precision.upper())
        found.append(Outside(reason=reason, range_factor=assumed.new_precision_range))
    if training.compile and training.mode not in envelope.compiled_modes:
        reason = Reason.of("predict-outside-compiled")
        found.append(Outside(reason=reason, range_factor=assumed.compiled_range))
    if _has_new_family(compiled):
        reason = Reason.of("predict-outside-recurrent")
        found.append(Outside(reason=reason, range_factor=assumed.new_family_range))
    if compiled.parameter_count > envelope.largest_parameter_count:
        numbers = {
            name: round(count / 1e9, 1)
            for name, count in (
                ("billions", compiled.parameter_count),
                ("largest_billions", envelope.largest_parameter_count),
            )
        }
        reason = Reason.of("predict-outside-size", **numbers)
        found.append(Outside(reason=reason, range_factor=assumed.new_size_range))
    return tuple(found)


def card_outside(spec: GpuSpec, figures: Efficiencies) -> tuple[Reason, ...]:
    """Whether no fitted run is of this card's generation: the range of such cards, which is wider, is its own."""
    if spec.key in figures.fitted_cards or spec.compute_capability in figures.fitted_capabilities:
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
