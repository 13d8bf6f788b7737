from __future__ import annotations

import dataclasses

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.catalogue.networks import Network
from advisor.catalogue.strategies import STRATEGIES, Strategy
from advisor.core.bundled import resource
from advisor.cost.scaling.cell import Setting
from advisor.cost.scaling.links import Link
from advisor.cost.scaling.offload import Offloading
from advisor.cost.scaling.scaling import PARTS, ScaledGrid, scale_steps
from advisor.cost.scaling.scaling_figures import ScalingFigures, scaling_figures
from advisor.cost.scaling.traffic import fill_buckets, traffic_of
from advisor.optable.accumulation import Accumulation
from tests.accuracy.tables import load_table
from tests.cost.scaling_cases import link, steps, traffic

KINDS = ("nvswitch", "nvlink_mesh", "nvlink_bridge", "pcie_p2p", "pcie_host", "virtual_machine", "given")
COUNTS = (1, 2, 4, 8, 32)


def _grid(case: Link | None = None, **options: object) -> ScaledGrid:
    shape = {name: options.pop(name) for name in ("step_s", "host_s") if name in options}
    load = options.pop("load", None) or traffic()
    return scale_steps(
        steps(1, 3, **shape),  # type: ignore[arg-type]
        load,  # type: ignore[arg-type]
        [case or link()],
        [900e9],
        (8, 16, 24),
        **({"counts": COUNTS} | options),  # type: ignore[arg-type]
    )


def _step(grid: ScaledGrid, strategy: Strategy, count: int) -> float:
    row, column = grid.index(strategy, count)
    return float(grid.step_s[row, column, 0, 0])


@settings(deadline=None, max_examples=60)
@given(
    kind=st.sampled_from(KINDS),
    step_s=st.floats(1e-4, 10.0),
    host_s=st.floats(0.0, 0.01),
    gradient_bytes=st.floats(1e3, 1e11),
    accumulation=st.integers(1, 64),
    cores=st.sampled_from([None, 2, 64]),
)
def test_parts_add_up_and_efficiency_stays_below_one(
    kind: str, step_s: float, host_s: float, gradient_bytes: float, accumulation: int, cores: int | None
) -> None:
    grid = _grid(
        link(type=kind),
        step_s=step_s,
        host_s=host_s,
        load=traffic(gradient_bytes),
        setting=Setting(accumulation_steps=accumulation, host_core_counts=(cores,), host_steps_s=(step_s / 2,)),
    )
    assert np.allclose(sum(grid.parts_s.values(), start=np.zeros_like(grid.step_s)), grid.step_s, rtol=1e-12)
    assert all(np.all(part >= 0) for part in grid.parts_s.values())
    replicas = [grid.strategies.index(name) for name in ("single", "dp", "ddp")]
    assert np.all(grid.efficiency[replicas] <= 1.0 + 1e-9)


@settings(deadline=None, max_examples=60)
@given(kind=st.sampled_from(KINDS), rate=st.floats(1e9, 5e11), count=st.sampled_from(COUNTS[1:]))
def test_a_faster_link_never_slows_any_strategy(kind: str, rate: float, count: int) -> None:
    slow, fast = (
        _grid(link(type=kind, wire_bytes_per_s=rate * factor, pcie_bytes_per_s=rate * factor)) for factor in (1.0, 2.0)
    )
    column = slow.counts.index(count)
    assert np.all(fast.step_s[:, column] <= slow.step_s[:, column] * (1 + 1e-12))


@settings(deadline=None, max_examples=60)
@given(
    kind=st.sampled_from(KINDS),
    step_s=st.floats(1e-4, 1.0),
    gradient_bytes=st.floats(1e5, 1e10),
    fewer=st.integers(1, 32),
    more=st.integers(1, 32),
)
def test_more_accumulation_never_lowers_the_rate_of_ddp(
    kind: str, step_s: float, gradient_bytes: float, fewer: int, more: int
) -> None:
    low, high = sorted((fewer, more))
    rates = []
    for accumulation in (low, high):
        setting = Setting(accumulation_steps=accumulation)
        grid = _grid(link(type=kind), step_s=step_s, load=traffic(gradient_bytes), setting=setting)
        rates.append(accumulation / _step(grid, "ddp", 8))
    assert rates[1] >= rates[0] * (1 - 1e-9)


def test_one_card_may_off_load_and_pays_for_it() -> None:
    grid = _grid(setting=Setting(offloading=Offloading(update_bytes=28e8)))
    row, column = grid.index("fsdp_offload", 1)
    assert grid.parts_s["optimizer_s"][row, column, 0, 0] > 0.01
    assert grid.parts_s["copy_s"][row, column, 0, 0] > grid.parts_s["copy_s"][0, 0, 0, 0]
    assert grid.parts_s["communication_s"][row, column, 0, 0] == 0.0
    assert grid.efficiency[row, column, 0, 0] < 1.0


def test_one_card_is_what_it_was_whatever_the_strategy() -> None:
    grid = _grid(strategies=tuple(name for name in STRATEGIES if name != "fsdp_offload"))
    alone = steps(1, 3).total_s[0]
    for row in range(len(grid.strategies)):
        assert np.allclose(grid.step_s[row, 0, 0], alone)
        assert np.all(grid.efficiency[row, 0] == pytest.approx(1.0))


def test_the_single_strategy_stays_on_one_card_at_any_count() -> None:
    grid = _grid(strategies=("single",))
    assert np.ptp(grid.step_s[0, :, 0, 0]) == 0.0


def test_no_replica_is_slower_with_more_gradients_to_exchange() -> None:
    small, large = (_grid(load=traffic(size)) for size in (1e7, 1e9))
    assert np.all(large.step_s >= small.step_s - 1e-15)


def test_full_sharding_moves_more_than_ddp_and_off_load_more_than_that() -> None:
    hosted = link(type="pcie_host")
    grid = _grid(hosted, load=traffic(4e9, parameter_bytes=4e9))
    order = [_step(grid, name, 8) for name in ("ddp", "fsdp", "fsdp_offload")]
    assert order == sorted(order)
    assert _step(grid, "zero2", 8) < _step(grid, "fsdp", 8)


def test_sharding_splits_the_optimizer() -> None:
    grid = _grid()
    one, eight = (grid.parts_s["optimizer_s"][(*grid.index("fsdp", count), 0, 0)] for count in (1, 8))
    assert eight == pytest.approx(one / 8)


def test_accumulation_saves_ddp_its_exchanges_but_full_sharding_none_of_its_gathers() -> None:
    grids = [_grid(link(type="pcie_host"), setting=Setting(accumulation_steps=number)) for number in (1, 8)]
    once, often = (
        [grid.parts_s["communication_s"][(*grid.index(name, 8), 0, 0)] for grid in grids] for name in ("ddp", "fsdp")
    )
    assert once[1] == pytest.approx(once[0])
    assert often[1] == pytest.approx(8 * often[0])


def test_a_pipeline_idles_while_it_fills_and_accumulation_hides_that() -> None:
    few, many = (_grid(setting=Setting(accumulation_steps=number)) for number in (1, 16))
    place = (*few.index("pp", 8), 0, 0)
    assert few.efficiency[place] < 0.6 < many.efficiency[place]


def test_cards_beyond_the_layers_of_a_pipeline_idle() -> None:
    grid = _grid(load=traffic(layer_count=4))
    assert grid.efficiency[(*grid.index("pp", 32), 0, 0)] < 0.15
    three, four = (_grid(load=traffic(layer_count=3), counts=(count,)) for count in (3, 4))
    waits = [grid.parts_s["imbalance_s"][(*grid.index("pp", count), 0, 0)] for grid, count in ((three, 3), (four, 4))]
    passes = four.alone_s[0, 0] - four.parts_s["optimizer_s"][(*four.index("single", 4), 0, 0)]
    assert waits[1] - waits[0] == pytest.approx(passes / 3, rel=0.05)


def test_buffers_are_broadcast_before_forward() -> None:
    assert _step(_grid(load=traffic(buffer_bytes=1e8)), "ddp", 8) > _step(_grid(), "ddp", 8)


def test_data_parallel_is_bound_by_its_one_process() -> None:
    idle, busy = (_grid(setting=Setting(host_steps_s=(seconds,))) for seconds in (0.0, 0.08))
    place = (*idle.index("dp", 8), 0, 0)
    assert busy.parts_s["host_s"][place] > 0.1 > idle.parts_s["host_s"][place]


def test_ranks_that_outnumber_the_cores_wait_for_each_other() -> None:
    enough, few = (_grid(setting=Setting(host_steps_s=(0.09,), host_core_counts=(cores,))) for cores in (64, 2))
    assert _step(few, "ddp", 8) > _step(enough, "ddp", 8)


def test_scaling_goes_to_a_thousand_cards_over_a_network() -> None:
    far = link(
        type="nvswitch",
        wire_bytes_per_s=300e9,
        cards_per_node_count=8,
        network=Network(type="infiniband", node_bytes_per_s=200e9),
    )
    grid = _grid(far, counts=(8, 64, 1024), strategies=("ddp",))
    found = grid.efficiency[0, :, 0, 2]
    assert np.all(np.diff(found) < 0)
    assert found[-1] > 0.5


def test_unknown_steps_stay_unknown() -> None:
    blank = steps(1, 3)
    blank.forward_s[0, 1] = np.nan
    grid = scale_steps(blank, traffic(), [link()], [900e9], (1, 2, 3), counts=(1, 2))
    assert np.all(np.isnan(grid.step_s[..., 1]))
    assert np.all(np.isfinite(grid.step_s[..., 0]))


def test_a_card_without_links_or_a_count_of_zero_is_a_bug_of_the_caller() -> None:
    with pytest.raises(ValueError, match="need as many links"):
        scale_steps(steps(2, 1), traffic(), [link()], [1e12], (1,))
    with pytest.raises(ValueError, match="counts >= 1"):
        scale_steps(steps(1, 1), traffic(), [link()], [1e12], (1,), counts=(0,))


def test_a_model_without_gradients_scales_without_exchanging_any() -> None:
    frozen = traffic(0.0, 1, buckets=_grid_buckets_of_nothing())
    grid = _grid(load=frozen)
    assert grid.efficiency[(*grid.index("ddp", 8), 0, 0)] > 0.9


def _grid_buckets_of_nothing() -> object:
    from advisor.cost.scaling.traffic import fill_buckets

    return fill_buckets([], [])


def test_every_part_and_strategy_has_its_name() -> None:
    grid = _grid()
    assert tuple(grid.parts_s) == PARTS
    assert grid.strategies == STRATEGIES


def test_the_figures_file_is_refused_with_its_field_where_it_is_wrong() -> None:
    figures = resource("scaling.toml").read_text(encoding="utf-8")
    text = figures.replace("straggler_fraction = ", "straggler_fraction = 9")
    with pytest.raises(msgspec.ValidationError, match="straggler_fraction"):
        msgspec.toml.decode(text, type=ScalingFigures)


@pytest.mark.parametrize("strategy", ["ddp", "zero2", "fsdp"])
def test_two_cards_of_several_bridged_pairs_are_quicker_where_they_share_their_bridge(strategy: Strategy) -> None:
    bridge = link(type="nvlink_bridge", wire_bytes_per_s=56e9, several_pairs=True)
    grid = _grid(bridge)
    place = (*grid.index(strategy, 2), 0, 0)
    sure = _grid(msgspec.structs.replace(bridge, several_pairs=False))
    assert grid.quick_s[place] == pytest.approx(_step(sure, strategy, 2))
    assert grid.quick_s[place] < grid.step_s[place]


def test_a_further_micro_batch_is_spared_what_only_the_first_moves() -> None:
    plain, spared = (
        _grid(load=traffic(accumulation=Accumulation(3.0, moved)), setting=Setting(accumulation_steps=5))
        for moved in (0.0, 90e9)
    )
    place = (*plain.index("ddp", 8), 0, 0)
    saved = plain.parts_s["backward_s"][place] - spared.parts_s["backward_s"][place]
    assert saved == pytest.approx(4 * 90e9 / (900e9 * scaling_figures().assumed.memory_fraction))


def test_what_the_interpreter_lock_slows_in_data_parallel_is_gone_from_its_quickest_step() -> None:
    grid = _grid(setting=Setting(host_steps_s=(0.01,), host_dispatch_count=20_000))
    place = (*grid.index("dp", 8), 0, 0)
    assert grid.quick_s[place] < grid.step_s[place] / 2


@pytest.mark.parametrize(("strategy", "least", "most"), [("tp", 0.5, 0.5), ("fsdp", 0.0, 0.5)])
def test_without_a_way_back_nothing_is_sent_for_it(strategy: Strategy, least: float, most: float) -> None:
    """Split layers send half of it; shards gather once instead of twice, and scatter no gradients."""
    both = traffic(4e9, parameter_bytes=4e9)
    alone = dataclasses.replace(both, buckets=fill_buckets([], []), gradient_bytes=0.0, backward=False)
    there_and_back, there = (_grid(link(type="pcie_host"), load=load) for load in (both, alone))
    sent, less = (grid.parts_s["communication_s"][(*grid.index(strategy, 8), 0, 0)] for grid in (there_and_back, there))
    assert least <= less / sent <= most
    assert less > 0


def test_a_table_of_inference_has_no_gradients_to_send() -> None:
    table = load_table("opt_350m", 512, "half", "inference", fused=True)
    found = traffic_of(table, "fp16_true", backward=False)
    assert found.gradient_bytes == found.buckets.total_bytes == found.gradient_tensor_count == 0
    assert found.parameter_bytes == table.parameter_bytes
