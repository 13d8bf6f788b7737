"""The 80 % range of several cards: it holds its value, and what widens it widens it in the right direction."""

from __future__ import annotations

from dataclasses import fields

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.catalogue.spec_table import spec_table
from advisor.catalogue.strategies import STRATEGIES
from advisor.cost.layout import DataParallel, Layout
from advisor.cost.scaling.cell import Setting
from advisor.cost.scaling.layouts import ReplicaStep, lay_out
from advisor.cost.scaling.links import Link, usual_link
from advisor.cost.scaling.scaling import ScaledGrid, scale_steps
from advisor.cost.scaling.scaling_figures import scaling_figures
from advisor.cost.step_parts import StepParts
from advisor.predict.device_steps import DeviceSteps
from advisor.predict.ranges.scaling_range import ScaledRange, efficiency_range, layout_range, scaled_range
from tests.cost.scaling_cases import link, steps, traffic

COUNTS = (1, 2, 4, 8, 32)
SPREAD = scaling_figures().spread


def ranged(parts: StepParts, width: float = 0.1) -> DeviceSteps:
    """The steps with a range of their own."""
    shape = parts.total_s.shape
    return DeviceSteps(
        **{field.name: getattr(parts, field.name) for field in fields(StepParts)},
        low_s=parts.total_s / (1.0 + width),
        high_s=parts.total_s * (1.0 + width),
        measured=np.zeros(shape, dtype=bool),
        basis=("specified",) * shape[0],
        notes=((),) * shape[0],
    )


def scaled(own: Link, *, width: float = 0.1, setting: Setting | None = None) -> tuple[ScaledGrid, ScaledRange]:
    single = ranged(steps(1, 2), width)
    grid = scale_steps(
        single, traffic(), [own], [900e9], (8, 16), strategies=STRATEGIES, counts=COUNTS, setting=setting
    )
    return grid, scaled_range(grid, single)


def require_holding(grid: ScaledGrid, ends: ScaledRange) -> None:
    assert np.all(ends.low_s <= grid.step_s * (1 + 1e-9))
    assert np.all(grid.step_s <= ends.high_s * (1 + 1e-9))
    assert np.all(ends.efficiency_low > 0)
    assert np.all(ends.efficiency_low <= grid.efficiency + 1e-9)
    assert np.all(grid.efficiency <= ends.efficiency_high + 1e-9)
    assert np.all(np.isfinite(ends.high_s))


@settings(deadline=None, max_examples=40)
@given(
    kind=st.sampled_from(
        ("nvswitch", "nvlink_mesh", "fabric_mesh", "nvlink_bridge", "pcie_p2p", "pcie_host", "virtual_machine")
    ),
    step_s=st.floats(1e-4, 10.0),
    gradient_bytes=st.floats(1e3, 1e11),
    accumulation=st.integers(1, 64),
)
def test_ranges_hold_their_value(kind: str, step_s: float, gradient_bytes: float, accumulation: int) -> None:
    single = ranged(steps(1, 2, step_s=step_s))
    setting = Setting(accumulation_steps=accumulation, host_steps_s=(step_s / 2,))
    load = traffic(gradient_bytes)
    grid = scale_steps(single, load, [link(type=kind)], [900e9], (8, 16), counts=COUNTS, setting=setting)
    require_holding(grid, scaled_range(grid, single))


def test_ranges_hold_their_value_on_every_card_of_the_table() -> None:
    specs = list(spec_table().values())
    single = ranged(steps(len(specs), 2, host_s=0.002))
    links = [usual_link(spec) for spec in specs]
    grid = scale_steps(single, traffic(2e9), links, [9e11] * len(specs), (1, 64), strategies=STRATEGIES, counts=COUNTS)
    require_holding(grid, scaled_range(grid, single))


def test_one_card_has_the_range_of_its_step_alone() -> None:
    grid, ends = scaled(link(type="nvswitch"), width=0.2)
    for row, strategy in enumerate(grid.strategies):
        if strategy == "fsdp_offload":
            continue
        assert np.allclose(ends.efficiency_low[row, 0], 1.0)
        assert np.allclose(ends.efficiency_high[row, 0], 1.0)
        assert np.allclose(ends.high_s[row, 0] / grid.step_s[row, 0], 1.2)
        assert np.allclose(grid.step_s[row, 0] / ends.low_s[row, 0], 1.2)


def test_the_ranges_of_step_and_efficiency_add_as_squares_of_logarithms() -> None:
    grid, ends = scaled(link(type="nvswitch"), width=0.2)
    place = (*grid.index("ddp", 8), 0, 0)
    up, down = np.log(grid.efficiency[place] / ends.efficiency_low[place]), np.log(ends.efficiency_high[place])
    down -= np.log(grid.efficiency[place])
    assert np.log(ends.high_s[place] / grid.step_s[place]) == pytest.approx(np.hypot(np.log(1.2), up))
    assert np.log(grid.step_s[place] / ends.low_s[place]) == pytest.approx(np.hypot(np.log(1.2), down))


def test_tensor_and_pipeline_parallel_ranges_are_wide() -> None:
    grid, ends = scaled(link())
    for name in ("tp", "pp"):
        place = (*grid.index(name, 4), 0, 0)
        assert ends.high_s[place] / ends.low_s[place] > 1.5


def test_an_efficiency_is_off_by_a_fixed_part_and_one_that_grows_with_the_loss() -> None:
    certain, alike = np.ones((1, 1), dtype=bool), np.ones((2, 1, 1, 1, 1))
    for efficiency in (0.95, 0.6):
        low, high = efficiency_range(np.full((1, 1, 1, 1), efficiency), certain, alike, SPREAD)
        loss = 1.0 - efficiency
        assert low.item() == pytest.approx(efficiency - SPREAD.below_fraction - SPREAD.below_of_loss_ratio * loss)
        above = efficiency + SPREAD.above_fraction + SPREAD.above_of_loss_ratio * loss
        assert high.item() == pytest.approx(min(1.03, above))


def test_what_cards_lose_to_each_other_lasts_at_most_five_times_as_long() -> None:
    unsure, alike = np.zeros((1, 1), dtype=bool), np.ones((2, 1, 1, 1, 1))
    for efficiency in (0.01, 0.2, 0.4):
        low, high = efficiency_range(np.full((1, 1, 1, 1), efficiency), unsure, alike, SPREAD)
        assert 1 / low.item() - 1 == pytest.approx(5 * (1 / efficiency - 1))
        assert high.item() > efficiency


def test_a_range_gets_no_wider_in_the_log_where_hardly_anything_is_left_to_lose() -> None:
    unsure, alike = np.zeros((1, 1), dtype=bool), np.ones((2, 1, 1, 1, 1))
    efficiencies = np.array([0.9, 0.7, 0.5, 0.4, 0.3, 0.1]).reshape(1, 1, 1, -1)
    low, _ = efficiency_range(efficiencies, unsure, alike, SPREAD)
    assert np.all((efficiencies / low) < 5)
    assert np.all(np.diff(low) < 0), "less efficient, and no better at its worst"


def test_the_range_of_an_unmeasured_pcie_link_reaches_down_to_a_badly_routing_host() -> None:
    (grid, unmeasured), (same, measured) = (scaled(link(basis=basis)) for basis in ("specified", "measured"))
    place = (*grid.index("ddp", 8), 0, 0)
    assert unmeasured.efficiency_low[place] < measured.efficiency_low[place] - 0.05
    assert grid.efficiency[place] == same.efficiency[place]


def test_an_uncertain_link_widens_the_range_downwards_by_half() -> None:
    (grid, sure), (same, unsure) = (scaled(link(type="nvswitch", certain=certain)) for certain in (True, False))
    place = (*grid.index("ddp", 8), 0, 0)
    assert grid.efficiency[place] == same.efficiency[place]
    value = grid.efficiency[place]
    assert value - unsure.efficiency_low[place] == pytest.approx(1.5 * (value - sure.efficiency_low[place]))
    assert unsure.efficiency_high[place] == sure.efficiency_high[place]


def test_data_parallel_may_be_as_quick_as_if_its_threads_did_not_contend() -> None:
    setting = Setting(host_steps_s=(0.02,), host_dispatch_count=5000.0)
    grid, ends = scaled(link(type="nvswitch"), setting=setting)
    place = (*grid.index("dp", 8), 0, 0)
    quick = grid.alone_s[0, 0] / grid.quick_s[place]
    assert ends.efficiency_high[place] >= quick > grid.efficiency[place]


def test_two_cards_of_several_pairs_may_be_as_quick_as_if_they_shared_their_bridge() -> None:
    pairs = link(type="nvlink_bridge", wire_bytes_per_s=56e9, peer_to_peer=False, several_pairs=True)
    (grid, ends), (shared, _) = scaled(pairs), scaled(msgspec.structs.replace(pairs, several_pairs=False))
    place = (*grid.index("ddp", 2), 0, 0)
    assert ends.efficiency_low[place] < grid.efficiency[place] < shared.efficiency[place] <= ends.efficiency_high[place]


KINDS: tuple[DataParallel, ...] = ("ddp", "zero1", "zero2", "fsdp", "hsdp")
LAYOUTS = st.builds(
    lambda kind, replicas, tensor, pipeline, context: Layout(
        data_parallel=kind,
        count=replicas * tensor * pipeline * context,
        tensor=tensor,
        pipeline=pipeline,
        context=context,
        host_size=8,
    ),
    st.sampled_from(KINDS),
    st.sampled_from((1, 2, 8)),
    st.sampled_from((1, 2, 8)),
    st.sampled_from((1, 4)),
    st.sampled_from((1, 2)),
)


def laid_out(layout: Layout, own: Link, gradient_bytes: float = 14e9) -> tuple[float, ScaledRange]:
    single = ranged(steps(step_s=1.0))
    replica = ReplicaStep(
        steps=single, traffic=traffic(gradient_bytes, block_count=32), batch_size=2, link=own, memory_bytes_per_s=3e12
    )
    found = lay_out(replica, layout)
    return found.step_s, layout_range(found, layout, single)


@settings(deadline=None, max_examples=40)
@given(LAYOUTS)
def test_the_range_of_a_layout_holds_its_step(layout: Layout) -> None:
    step_s, ends = laid_out(layout, link(type="nvswitch", wire_bytes_per_s=450e9))
    assert ends.low_s.item() <= step_s <= ends.high_s.item()
    assert ends.efficiency_low.item() <= ends.efficiency_high.item()


ALIKE = Layout(data_parallel="ddp", count=16)


def test_splitting_tensors_or_layers_widens_a_layouts_range_each_by_its_own_factor() -> None:
    own = link(type="nvswitch", wire_bytes_per_s=450e9)
    degrees: tuple[dict[str, int], ...] = (
        {},
        {"tensor": 2},
        {"context": 2},
        {"pipeline": 4},
        {"tensor": 2, "pipeline": 4},
    )
    found = [laid_out(msgspec.structs.replace(ALIKE, **how), own)[1] for how in degrees]
    widths = [(ends.high_s / ends.low_s).item() for ends in found]
    assert widths[0] < min(widths[1:4])
    assert widths[4] > max(widths[1:4])


def test_a_layout_over_an_unmeasured_pcie_link_may_stand_in_a_badly_routing_host() -> None:
    layout = Layout(data_parallel="ddp", count=8, host_size=8)
    plain = link()
    _, unmeasured = laid_out(layout, msgspec.structs.replace(plain, basis="specified"), 1e9)
    _, measured = laid_out(layout, msgspec.structs.replace(plain, basis="measured"), 1e9)
    assert unmeasured.efficiency_low.item() < measured.efficiency_low.item()
