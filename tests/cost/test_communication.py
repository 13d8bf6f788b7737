from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalogue.networks import Network
from advisor.catalogue.spec_table import spec_table
from advisor.cost.scaling.communication import (
    Costs,
    bus_bytes_per_s,
    costs,
    overlap_loss,
    quick_pair,
    slow_host,
)
from advisor.cost.scaling.links import Link, SizedTime, parse_interconnect, usual_link
from advisor.cost.scaling.scaling_figures import scaling_figures
from advisor.optable.op_columns import Floats
from tests.cost.scaling_cases import link

MIB = 1024.0 * 1024.0
KINDS = ("nvswitch", "nvlink_mesh", "fabric_mesh", "nvlink_bridge", "pcie_p2p", "pcie_host", "virtual_machine", "given")


def test_measured_buses_are_met_within_a_third() -> None:
    """nccl-tests figures, GB/s: A100 SXM x 8 about 200, A100 PCIe pair bridged 208 (both ways), x 3 over PCIe 20.

    MI300X: 313 for eight, 48 for two (ml-engineering, network/README.md).
    """
    table = spec_table()
    fabric = usual_link(table["mi300x"])
    assert bus_bytes_per_s(fabric, 8) == pytest.approx(312.9e9, rel=0.1)
    assert bus_bytes_per_s(fabric, 2) == pytest.approx(47.7e9, rel=0.15)
    assert bus_bytes_per_s(fabric, 16) == bus_bytes_per_s(fabric, 8)
    assert bus_bytes_per_s(usual_link(table["a100-sxm4-80"]), 8) == pytest.approx(200e9, rel=0.33)
    assert bus_bytes_per_s(parse_interconnect("PCIe", table["a100-pcie-80"]), 3) == pytest.approx(20e9, rel=0.33)
    assert bus_bytes_per_s(parse_interconnect("PCIe", table["rtx3090ti"]), 2) == pytest.approx(6e9, rel=0.33)


def test_the_mesh_uses_as_many_links_as_its_rings_have_never_more_than_the_card() -> None:
    mesh = link(type="nvlink_mesh", wire_bytes_per_s=150e9)
    rates = [bus_bytes_per_s(mesh, count) for count in (2, 3, 4, 8)]
    assert rates == sorted(rates)
    assert bus_bytes_per_s(mesh, 16) <= 150e9


def test_bridges_serve_pairs_and_beyond_them_pcie_rules() -> None:
    direct = link(type="nvlink_bridge", wire_bytes_per_s=56e9)
    hosted = link(type="nvlink_bridge", wire_bytes_per_s=56e9, peer_to_peer=False)
    assert bus_bytes_per_s(direct, 2) == bus_bytes_per_s(hosted, 2)
    assert bus_bytes_per_s(direct, 4) < bus_bytes_per_s(direct, 2) * 2
    assert bus_bytes_per_s(hosted, 4) < bus_bytes_per_s(direct, 4)
    assert bus_bytes_per_s(hosted, 4) > bus_bytes_per_s(link(type="pcie_host", peer_to_peer=False), 4)
    assert overlap_loss(hosted, 4) > overlap_loss(hosted, 2)


@pytest.mark.parametrize("peers", [True, False])
def test_hosts_of_one_bridged_pair_overlap_as_one_such_host_does(peers: bool) -> None:
    pair = link(type="nvlink_bridge", wire_bytes_per_s=56e9, peer_to_peer=peers, cards_per_node_count=2)
    of_four = msgspec.structs.replace(pair, cards_per_node_count=4)
    assert overlap_loss(pair, 8) == overlap_loss(pair, 2) == scaling_figures().fitted.direct_overlap_loss_fraction
    assert (overlap_loss(of_four, 8) == overlap_loss(pair, 8)) is peers
    assert slow_host(pair, 2) is None
    reached = slow_host(pair, 8)
    assert reached is not None
    assert bus_bytes_per_s(reached, 2) == bus_bytes_per_s(pair, 2)


def test_two_cards_of_several_pairs_count_as_if_they_shared_no_bridge() -> None:
    for peers, without in ((True, "pcie_p2p"), (False, "pcie_host")):
        pairs = link(type="nvlink_bridge", wire_bytes_per_s=56e9, peer_to_peer=peers, several_pairs=True)
        unbridged = link(type=without, peer_to_peer=peers)
        assert bus_bytes_per_s(pairs, 2) == bus_bytes_per_s(unbridged, 2)
        assert overlap_loss(pairs, 2) == overlap_loss(unbridged, 2)
        shared = quick_pair(pairs, 2)
        assert shared is not None
        assert bus_bytes_per_s(shared, 2) == bus_bytes_per_s(link(type="nvlink_bridge", wire_bytes_per_s=56e9), 2)
        assert quick_pair(pairs, 4) is quick_pair(shared, 2) is None
        assert bus_bytes_per_s(pairs, 4) == bus_bytes_per_s(shared, 4)


@pytest.mark.parametrize("kind", ["pcie_p2p", "nvlink_bridge"])
def test_where_peers_reach_no_further_than_their_socket_the_host_carries_what_crosses(kind: str) -> None:
    near, far = (link(type=kind, pcie_bytes_per_s=15.75e9, peers_across_sockets=across) for across in (False, True))
    fitted = scaling_figures().fitted
    assert [bus_bytes_per_s(near, count) for count in (2, 4)] == [bus_bytes_per_s(far, count) for count in (2, 4)]
    assert bus_bytes_per_s(near, 8) == fitted.host_bytes_per_s < bus_bytes_per_s(far, 8)
    assert overlap_loss(near, 8) == fitted.host_overlap_loss_fraction > overlap_loss(far, 8)
    of_four = msgspec.structs.replace(near, cards_per_node_count=4)
    assert overlap_loss(of_four, 64) == overlap_loss(far, 8)


def test_through_the_host_more_cards_share_the_same_memory() -> None:
    hosted = link(type="pcie_host", peer_to_peer=False)
    fall = 4.0 ** -scaling_figures().fitted.host_contention_exponent
    assert 0 < fall < 1
    assert bus_bytes_per_s(hosted, 8) == pytest.approx(bus_bytes_per_s(hosted, 2) * fall)


def test_overlap_costs_less_with_peer_to_peer_than_through_the_host() -> None:
    assert overlap_loss(link(), 2) < 0.5 < overlap_loss(link(type="pcie_host"), 2)
    assert overlap_loss(link(type="given", peer_to_peer=True), 2) == overlap_loss(link(), 2)
    assert overlap_loss(link(type="given", peer_to_peer=False), 2) == overlap_loss(link(type="pcie_host"), 2)
    assert overlap_loss(link(type="shared_memory"), 2) == 1.0


def _all_reduce_s(size: float, count: int, over: Link) -> float:
    return float(costs(over, count).all_reduce_s(np.array(size)))


def test_one_card_communicates_with_nobody() -> None:
    alone, message = costs(link(), 1), np.array(25 * MIB)
    assert alone.all_reduce_s(message) == alone.half_s(message) == alone.broadcast_s(message) == 0.0


def test_an_all_reduce_by_ring_is_a_reduce_scatter_and_an_all_gather() -> None:
    four, message = costs(link(), 4), np.array(25 * MIB)
    assert four.ring_s + four.ring_s_per_byte * message == pytest.approx(2 * four.half_s(message))


def test_a_broadcast_carries_the_message_once() -> None:
    four, message = costs(link(), 4), np.array(25 * MIB)
    carried = message / bus_bytes_per_s(link(), 4)
    assert four.broadcast_s(message) == pytest.approx(carried + min(four.ring_s, four.tree_s) / 2)


def test_a_ring_moves_large_messages_faster_and_a_tree_small_ones_over_many_cards() -> None:
    far = costs(link(cards_per_node_count=1, network=Network(type="ethernet", node_bytes_per_s=1.25e9)), 64)
    assert far.tree_s < far.ring_s
    assert far.tree_s_per_byte > far.ring_s_per_byte
    assert far.all_reduce_s(np.array(4e3)) == pytest.approx(far.tree_s + far.tree_s_per_byte * 4e3)
    assert far.all_reduce_s(np.array(1e9)) == pytest.approx(far.ring_s + far.ring_s_per_byte * 1e9)


def test_small_messages_pay_latency_and_large_ones_bandwidth() -> None:
    small, large = (_all_reduce_s(size, 8, link()) for size in (1e3, 1e9))
    assert small > 1e3 * 1.75 / bus_bytes_per_s(link(), 8) * 10
    assert large == pytest.approx(1e9 * 1.75 / bus_bytes_per_s(link(), 8), rel=0.01)


def test_between_hosts_the_slower_level_rules() -> None:
    inside = link(type="nvswitch", wire_bytes_per_s=300e9, cards_per_node_count=8)
    fast = link(
        type="nvswitch",
        wire_bytes_per_s=300e9,
        cards_per_node_count=8,
        network=Network(type="infiniband", node_bytes_per_s=400e9),
    )
    slow = link(
        type="nvswitch",
        wire_bytes_per_s=300e9,
        cards_per_node_count=8,
        network=Network(type="ethernet", node_bytes_per_s=1.25e9),
    )
    roce = link(
        type="nvswitch",
        wire_bytes_per_s=300e9,
        cards_per_node_count=8,
        network=Network(type="roce", node_bytes_per_s=50e9),
    )
    times = [_all_reduce_s(1e9, 16, case) for case in (fast, roce, slow)]
    assert times == sorted(times)
    assert _all_reduce_s(1e9, 8, slow) == _all_reduce_s(1e9, 8, inside)


def test_measured_sizes_are_believed_and_continued_at_the_largest_ones_rate() -> None:
    measured = link(
        type="shared_memory",
        measured_rank_count=2,
        measured=(
            SizedTime(message_bytes=1e6, duration_s=2e-3),
            SizedTime(message_bytes=1e4, duration_s=1e-3),
        ),
    )
    times = costs(measured, 2).all_reduce_s(np.array([1e2, 1e4, 1e6, 1e7]))
    assert times.tolist() == pytest.approx([1e-3, 1e-3, 2e-3, 2e-2])
    assert costs(measured, 2).half_s(np.array(1e6)) == pytest.approx(1e-3)
    assert costs(measured, 4).measured == ()


@given(
    kind=st.sampled_from(KINDS),
    count=st.integers(2, 64),
    size=st.floats(1.0, 1e11),
    rate=st.floats(1e9, 1e12),
    collective=st.sampled_from((Costs.all_reduce_s, Costs.half_s, Costs.broadcast_s)),
)
def test_a_faster_link_and_a_smaller_message_never_take_longer(
    kind: str, count: int, size: float, rate: float, collective: Callable[[Costs, Floats], Floats]
) -> None:
    def seconds(message_bytes: float, factor: float) -> float:
        case = Link(
            type=kind,  # type: ignore[arg-type]
            wire_bytes_per_s=rate * factor,
            pcie_bytes_per_s=32e9 * factor,
            peer_to_peer=True,
        )
        return float(collective(costs(case, count), np.array(message_bytes)))

    assert seconds(size, 1.0) > 0
    assert seconds(size, 2.0) <= seconds(size, 1.0)
    assert seconds(size / 2, 1.0) <= seconds(size, 1.0)


@pytest.mark.parametrize("network_bytes_per_s", [5e9, 50e9, 5e12])
def test_bytes_that_wait_for_a_network_take_no_more_compute_than_those_of_one_host(network_bytes_per_s: float) -> None:
    network = Network(type="infiniband", node_bytes_per_s=network_bytes_per_s)
    own = link(type="nvswitch", wire_bytes_per_s=300e9, cards_per_node_count=8, network=network)
    several, alone = costs(own, 64), costs(msgspec.structs.replace(own, cards_per_node_count=None), 8)
    assert alone.busy_share == 1.0
    busy_s_per_byte = several.busy_share * several.ring_s_per_byte
    assert busy_s_per_byte / alone.ring_s_per_byte == pytest.approx((63 / 64) / (7 / 8))
    assert (several.busy_share < 1.0) is (network_bytes_per_s < 100e9)


def test_cards_that_stand_alone_in_their_hosts_lose_compute_by_what_their_own_link_would_move() -> None:
    network = Network(type="ethernet", node_bytes_per_s=1e9)
    found = costs(link(cards_per_node_count=1, network=network), 16)
    assert 0.0 < found.busy_share < 0.1
