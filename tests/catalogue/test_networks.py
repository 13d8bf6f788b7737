"""The rate of a host's network is read from the words that people use for it."""

from __future__ import annotations

import pytest

from advisor.catalogue.networks import Network, NetworkType, network_in


@pytest.mark.parametrize(
    ("text", "kind", "gigabytes_per_s"),
    [
        ("nodes joined by InfiniBand", "infiniband", 25.0),
        ("InfiniBand EDR", "infiniband", 12.5),
        ("HDR x8", "infiniband", 200.0),
        ("8 x 200 Gb/s InfiniBand", "infiniband", 200.0),
        ("25 Gb/s RoCE", "roce", 3.125),
        ("RDMA between the hosts", "roce", 12.5),
        ("over Ethernet", "ethernet", 1.25),
        ("100 GbE", "ethernet", 12.5),
        ("TCP at 40 gigabit", "ethernet", 5.0),
        ("InfiniBand with 25 GB/s", "infiniband", 25.0),
        ("0 Gb/s Ethernet", "ethernet", 1.25),
    ],
)
def test_words_give_the_kind_and_the_rate_of_all_adapters(text: str, kind: NetworkType, gigabytes_per_s: float) -> None:
    network, _ = network_in(text)
    assert network is not None
    assert (network.type, network.node_bytes_per_s) == (kind, gigabytes_per_s * 1e9)


def test_adapters_that_are_written_before_the_name_belong_to_the_network() -> None:
    network, before = network_in("two hosts, 8 x 200 Gb/s InfiniBand")
    assert network is not None
    assert before == "two hosts, "
    assert network_in("two hosts with NVLink") == (None, "two hosts with NVLink")


def test_a_rate_a_card_grows_with_the_cards_of_a_host_and_a_hosts_own_does_not() -> None:
    network, _ = network_in("200 Gb/s InfiniBand per GPU")
    assert network is not None
    assert network.of_host(8) == Network(type="infiniband", node_bytes_per_s=200e9)
    own = Network(type="roce", node_bytes_per_s=12.5e9)
    assert own.of_host(8) is own
