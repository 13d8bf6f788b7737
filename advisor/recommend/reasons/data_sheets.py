"""A tie whose order contradicts the data sheets: it rests on what published runs of single cards reached."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.core.sentences import Names, Reason
from advisor.cost.efficiencies import efficiencies
from advisor.predict.prediction import Prediction
from advisor.recommend.comparison import Comparison, set_up_name
from advisor.recommend.precisions import rate_of
from advisor.recommend.ranking import CLEAR_DIFFERENCE_FRACTION


def data_sheet_reasons(comparison: Comparison, chosen: Prediction, tied: Sequence[Prediction]) -> Iterator[Reason]:
    """Which of those that are tied with the chosen set-up are no slower than it by every figure of their data sheets.

    Held against it in the same set-up, so that no batch and no strategy makes the difference: then the shares of single
    cards do, which published runs tell, of some cards few.
    """
    own = comparison.spec_of(chosen.device)
    if own is None or chosen.device.local:  # what is here is measured, or corrected by what was
        return
    ahead = []
    for other in tied:
        spec = comparison.spec_of(other.device)
        same = None if spec is None else _same_set_up(comparison, chosen, other)
        if spec is None or same is None or not _is_no_less(spec, own, chosen):
            continue
        if same.step_s.value > chosen.step_s.value * (1 + CLEAR_DIFFERENCE_FRACTION):  # less is no order to explain
            ahead.append((set_up_name(other), _run_count(spec)))
    if ahead:
        yield Reason.of(
            "why-tie-against-data-sheets",
            device=set_up_name(chosen),
            others=Names(names=tuple(name for name, _ in ahead)),
            count=len(ahead),
            runs=_run_count(own),
            other_runs=sum(runs for _, runs in ahead),
        )


def _same_set_up(comparison: Comparison, chosen: Prediction, other: Prediction) -> Prediction | None:
    """What was predicted of the chosen set-up on as many of another card."""
    alike = (one for one in comparison.predictions if one.device == other.device)
    return next((one for one in alike if one.differs_at_most_by(chosen, "device")), None)


def _is_no_less(spec: GpuSpec, own: GpuSpec, chosen: Prediction) -> bool:
    """Whether no figure of a card is below the chosen one's; unknown ones tell nothing."""
    precision = chosen.precision
    pairs = [
        (rate_of(spec, precision), rate_of(own, precision)),
        (spec.memory_bandwidth_bytes_per_s, own.memory_bandwidth_bytes_per_s),
        (spec.power_w, own.power_w),
        (spec.boost_clock_hz, own.boost_clock_hz),
        (spec.sm_count, own.sm_count),
    ]
    if chosen.count > 1:
        pairs.append((spec.nvlink_bytes_per_s or 0.0, own.nvlink_bytes_per_s or 0.0))
        pairs.append((spec.mesh_bytes_per_s or 0.0, own.mesh_bytes_per_s or 0.0))
    return all(more is not None and less is not None and more >= less for more, less in pairs)


def _run_count(spec: GpuSpec) -> int:
    """Published training runs of a card that the figures are fitted to."""
    return next((card.run_count for card in efficiencies().cards if card.key == spec.published_as), 0)
