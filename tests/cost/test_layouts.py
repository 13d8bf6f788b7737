"""Layouts of a job over several devices: parts that add up, and the directions in which links and degrees push."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalogue.networks import Network
from advisor.cost.layout import DataParallel, Layout
from advisor.cost.memory.sharding import layout_of
from advisor.cost.scaling.cell import Setting
from advisor.cost.scaling.layouts import LaidOutStep, ReplicaStep, lay_out
from advisor.cost.scaling.links import Link, LinkType
from advisor.cost.scaling.scaling import scale_steps
from advisor.cost.scaling.scaling_figures import scaling_figures
from advisor.optable.accumulation import Accumulation
from tests.cost.scaling_cases import link, steps, traffic

SHARDED: tuple[DataParallel, ...] = ("zero1", "zero2", "fsdp", "hsdp")
KINDS: tuple[LinkType, ...] = (
    "nvswitch", "nvlink_mesh", "fabric_mesh", "nvlink_bridge", "pcie_p2p", "pcie_host", "virtual_machine", "given"
)  # fmt: skip
LAYOUTS = st.builds(
    lambda kind, replicas, tensor, pipeline, context: Layout(
        data_parallel=kind,
        count=replicas * tensor * pipeline * context,
        tensor=tensor,
        pipeline=pipeline,
        context=context,
        host_size=8,
    ),
    st.sampled_from(("ddp", *SHARDED)),
    st.sampled_from((1, 2, 8, 64)),
    st.sampled_from((1, 2, 8)),
    st.sampled_from((1, 4)),
    st.sampled_from((1, 2)),
)


def _link(**changes: object) -> Link:
    network = Network(type="infiniband", node_bytes_per_s=100e9)
    fields = {"type": "nvswitch", "wire_bytes_per_s": 450e9, "cards_per_node_count": 8, "network": network}
    return link(**(fields | changes))


def _step(layout: Layout, own: Link | None = None, *, rounds: int = 1, forward_again: bool = False) -> LaidOutStep:
    replica = ReplicaStep(
        steps=steps(step_s=1.0),
        traffic=traffic(14e9, block_count=32, forward_again=forward_again),
        batch_size=2,
        link=own or _link(),
        memory_bytes_per_s=3e12,
    )
    return lay_out(replica, layout, setting=Setting(accumulation_steps=rounds))


@given(LAYOUTS, st.sampled_from((1, 4)))
def test_parts_add_up(layout: Layout, rounds: int) -> None:
    found = _step(layout, rounds=rounds)
    assert sum(found.parts_s.values()) == pytest.approx(found.step_s)
    assert min(found.parts_s.values()) >= 0


def test_products_that_add_up_gradients_and_casts_made_once_spare_every_further_micro_batch() -> None:
    plain = ReplicaStep(
        steps=steps(step_s=1.0), traffic=traffic(14e9), batch_size=2, link=_link(), memory_bytes_per_s=3e12
    )
    spared = replace(plain, traffic=replace(plain.traffic, accumulation=Accumulation(1.0, 20e9)))
    layout = Layout(data_parallel="zero1", count=8, tensor=2, host_size=8)
    first, second = (
        [lay_out(one, layout, setting=Setting(accumulation_steps=rounds)).parts_s["backward_s"] for rounds in (1, 5)]
        for one in (plain, spared)
    )
    assert first[0] == second[0]
    rate = 3e12 * scaling_figures().assumed.memory_fraction
    assert first[1] - second[1] == pytest.approx(4 * (2 * 14e9 / 2 + 20e9 / 2) / rate)


@given(LAYOUTS, st.sampled_from(KINDS), st.booleans(), st.tuples(*[st.floats(1.0, 50.0)] * 3))
def test_a_faster_link_never_slows(
    layout: Layout, kind: LinkType, peers: bool, times: tuple[float, float, float]
) -> None:
    """Its wires, the slots or the network, alone or together, of any kind of link."""
    slow, fast = (
        _link(
            type=kind,
            peer_to_peer=peers,
            wire_bytes_per_s=20e9 * wires,
            pcie_bytes_per_s=16e9 * slots,
            network=Network(type="infiniband", node_bytes_per_s=10e9 * network),
        )
        for wires, slots, network in ((1.0, 1.0, 1.0), times)
    )
    assert _step(layout, fast).step_s <= _step(layout, slow).step_s * (1 + 1e-9)


def test_plain_data_parallel_is_what_the_grid_of_strategies_gives() -> None:
    shared, own = traffic(14e9, block_count=32), _link()
    grid = scale_steps(steps(step_s=1.0), shared, [own], [3e12], [2], strategies=("ddp",), counts=(64,))
    assert _step(Layout(count=64, host_size=8)).step_s == pytest.approx(grid.step_s.item())


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize(("count", "cards"), [(8, 8), (12, 6), (16, 8), (128, 8)])
def test_tensor_parallel_is_groups_of_one_host_that_shard_across_hosts(count: int, cards: int, *, beside: bool) -> None:
    sent = replace(traffic(14e9, block_count=32), accumulation=Accumulation(1.0, 20e9))
    replica = ReplicaStep(steps=steps(step_s=1.0), traffic=sent, batch_size=2, link=_link(), memory_bytes_per_s=3e12)
    setting = Setting(accumulation_steps=3, tensor_beside=beside)
    grid = scale_steps(
        replica.steps, sent, [replica.link], [3e12], [2], strategies=("tp",), counts=(count,), setting=setting
    )
    kind: DataParallel = "ddp" if cards == count else "fsdp"
    layout = Layout(data_parallel=kind, count=count, tensor=cards)
    groups = lay_out(replica, layout, setting=replace(setting, accumulation_steps=3 * cards))
    assert layout_of("tp", count) == layout
    for name in ("forward_s", "backward_s", "optimizer_s", "communication_s"):
        assert grid.parts_s[name].item() == pytest.approx(groups.parts_s[name]), name
    assert grid.step_s.item() == pytest.approx(groups.step_s)


def test_every_micro_batch_of_shards_waits_for_adapters_gathered_apart_and_one_card_does_not() -> None:
    plain = ReplicaStep(
        steps=steps(step_s=1.0), traffic=traffic(14e9), batch_size=2, link=_link(), memory_bytes_per_s=3e12
    )
    apart = replace(plain, adapter_units_s=0.25)
    setting = Setting(accumulation_steps=4)
    shards = Layout(data_parallel="fsdp", count=8)
    alone, waiting = (lay_out(one, shards, setting=setting).parts_s["communication_s"] for one in (plain, apart))
    assert waiting - alone == pytest.approx(4 * 0.25)
    assert lay_out(apart, Layout(), setting=setting).step_s == lay_out(plain, Layout(), setting=setting).step_s


@pytest.mark.parametrize("kind", SHARDED)
def test_one_device_takes_its_own_step_however_it_is_called(kind: DataParallel) -> None:
    found = _step(Layout(data_parallel=kind))
    assert found.step_s == pytest.approx(steps(step_s=1.0).total_s.item())
    assert found.efficiency == pytest.approx(1.0)


def test_shards_within_a_host_cross_the_network_less_than_shards_across_all() -> None:
    slow = _link(network=Network(type="roce", node_bytes_per_s=12.5e9))
    across = _step(Layout(data_parallel="fsdp", count=64, host_size=8), slow, rounds=4)
    within = _step(Layout(data_parallel="hsdp", count=64, host_size=8), slow, rounds=4)
    assert within.parts_s["communication_s"] < across.parts_s["communication_s"]


def test_a_pipelines_bubble_shrinks_with_more_micro_batches() -> None:
    layout = Layout(data_parallel="zero1", count=8, pipeline=8, host_size=8)
    few, many = _step(layout, rounds=8), _step(layout, rounds=64)
    assert many.efficiency > few.efficiency
    assert few.parts_s["imbalance_s"] / few.step_s == pytest.approx(7 / 15, abs=0.08)


def test_tensor_parallel_across_hosts_is_slower_than_within_one() -> None:
    layout = Layout(data_parallel="ddp", count=16, tensor=16, host_size=8)
    assert _step(Layout(data_parallel="ddp", count=16, tensor=16, host_size=16)).step_s < _step(layout).step_s


def test_blocks_that_run_forward_again_send_again_but_for_the_sum_that_ends_them() -> None:
    split = Layout(data_parallel="ddp", count=8, tensor=8, host_size=8)
    once, again = (_step(split, forward_again=recomputed).parts_s["communication_s"] for recomputed in (False, True))
    assert again / once == pytest.approx((2 + 3 / 4) / 2)
    ring = Layout(data_parallel="ddp", count=8, context=8, host_size=8)
    plain, checkpointed = (_step(ring, forward_again=recomputed) for recomputed in (False, True))
    assert checkpointed.parts_s["communication_s"] > plain.parts_s["communication_s"]
    stages = Layout(data_parallel="ddp", count=8, pipeline=8, host_size=8)
    assert _step(stages, forward_again=True) == _step(stages)


def test_degrees_that_do_not_divide_the_devices_are_refused() -> None:
    with pytest.raises(ValueError, match="do not divide"):
        _step(Layout(count=8, tensor=3))


@pytest.mark.parametrize(
    ("layout", "plain"),
    [
        (Layout(count=8), True),
        (Layout(count=8, tensor=2), False),
        (Layout(count=8, pipeline=2), False),
        (Layout(count=8, context=4), False),
    ],
)
def test_a_layout_is_plain_where_each_device_is_a_replica(layout: Layout, plain: bool) -> None:
    assert layout.plain is plain


@pytest.mark.parametrize(("count", "step_s", "left"), [(2, 1.0, 0.5), (4, 1.0, 0.25), (4, 1e-9, 1.0)])
def test_pieces_beside_products_leave_the_first_to_wait_for_and_what_no_product_is_long_enough_to_hide(
    count: int, step_s: float, left: float
) -> None:
    def waited_s(*, beside: bool) -> float:
        replica = ReplicaStep(
            steps=steps(step_s=step_s), traffic=traffic(), batch_size=2, link=_link(), memory_bytes_per_s=3e12
        )
        setting = Setting(tensor_beside=beside)
        found = lay_out(replica, Layout(data_parallel="ddp", count=count, tensor=count), setting=setting)
        return found.parts_s["communication_s"]

    assert waited_s(beside=True) == pytest.approx(left * waited_s(beside=False), rel=1e-6)


def test_cards_of_a_stage_pass_on_a_part_of_an_activation_each() -> None:
    def passed_s(tensor: int) -> float:
        sends = traffic(0.0, linear_output_bytes=(0.0, 1e-9), boundary_bytes=(0.0, 4e12))
        replica = ReplicaStep(steps=steps(), traffic=sends, batch_size=1, link=_link(), memory_bytes_per_s=3e12)
        layout = Layout(data_parallel="ddp", count=2 * tensor, tensor=tensor, pipeline=2, host_size=8)
        return lay_out(replica, layout).parts_s["communication_s"]

    assert passed_s(4) == pytest.approx(passed_s(1) / 4, rel=0.01)


@pytest.mark.parametrize(("kind", "gathers"), [("zero1", False), ("zero2", False), ("fsdp", True)])
def test_frozen_weights_are_gathered_by_full_sharding_alone(kind: DataParallel, gathers: bool) -> None:
    def communication_s(updated_bytes: float | None) -> float:
        frozen = traffic(0.0, parameter_bytes=14e9, block_count=32, updated_bytes=updated_bytes)
        replica = ReplicaStep(steps=steps(), traffic=frozen, batch_size=1, link=_link(), memory_bytes_per_s=3e12)
        return lay_out(replica, Layout(data_parallel=kind, count=8)).parts_s["communication_s"]

    few, whole = communication_s(0.0), communication_s(None)
    assert (few == pytest.approx(whole)) is gathers
    assert whole > 0.01
