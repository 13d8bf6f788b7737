"""The step of a job whose layers, tensors, lengths or states are split, from the single-card step of all others."""

from __future__ import annotations

from advisor.core.records import Record
from advisor.core.sentences import Reason
from advisor.core.units import Estimate, around
from advisor.cost.layout import Layout
from advisor.cost.scaling.adapter_units import waits_for_adapters_s
from advisor.cost.scaling.layouts import ReplicaStep, lay_out
from advisor.predict.candidate_grid import CandidateGrid
from advisor.predict.prediction import Candidate
from advisor.predict.ranges.envelope import layout_outside
from advisor.predict.ranges.scaling_range import layout_range
from advisor.predict.sources import Sources


class LayoutPrediction(Record, frozen=True, kw_only=True):
    """One optimizer step of a layout."""

    step_s: Estimate
    efficiency: Estimate | None
    """rate(n) / (n rate(1)) at the same micro-batch of a replica; None on one device."""
    notes: tuple[Reason, ...]


def predict_layout(
    candidate: Candidate, layout: Layout, sources: Sources, *, units_by_module: bool = True
) -> LayoutPrediction | Reason:
    """Predict the layout over the candidate's cards (its own count and strategy do not matter), or say why not.

    `units_by_module`: full sharding gathers modules whole, as its first generation does, and not tensors.
    """
    grid = CandidateGrid(candidate.precision, [candidate], sources)
    if grid.steps is None:
        return grid.refusals[0]
    spec, batch_size = grid.spec(candidate.device), candidate.batch_size_per_device
    waits_s = 0.0
    if units_by_module and spec is not None:
        waits_s = waits_for_adapters_s(grid.step, layout, spec, batch_size, sources.figures)
    laid_out = lay_out(
        ReplicaStep(
            steps=grid.steps,
            traffic=grid.traffic,
            batch_size=batch_size,
            link=grid.link(candidate.device, None),
            memory_bytes_per_s=grid.memory_bytes_per_s(candidate.device),
            adapter_units_s=waits_s,
        ),
        layout,
        setting=grid.setting(candidate.gradient_accumulation_steps),
    )
    basis = grid.steps.basis[0]
    ends = layout_range(laid_out, layout, grid.steps)
    efficiency = around(laid_out.efficiency, ends.efficiency_low.item(), ends.efficiency_high.item(), basis)
    return LayoutPrediction(
        step_s=around(laid_out.step_s, ends.low_s.item(), ends.high_s.item(), basis),
        efficiency=efficiency if layout.count > 1 else None,
        notes=(*grid.steps.notes[0], *layout_outside(layout)),
    )
