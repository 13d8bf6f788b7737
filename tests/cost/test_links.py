from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from advisor.catalogue.links import pcie_bytes_per_s
from advisor.catalogue.spec_table import spec_table
from advisor.core.errors import InputError
from advisor.cost.scaling.communication import bus_bytes_per_s, network_of, slow_host
from advisor.cost.scaling.links import (
    detected_link,
    interconnect_or_usual,
    interconnect_schema,
    names_link,
    parse_interconnect,
    usual_link,
)
from advisor.hardware.machine import GpuLink
from tests.cost.scaling_cases import spec

SXM = {"key": "a100-sxm", "nvlink_bytes_per_s": 300e9, "nvlink_pairs_only": False, "nvswitch": True}
MESH = {"key": "v100-sxm", "nvlink_bytes_per_s": 150e9, "nvlink_pairs_only": False}
FABRIC = {"key": "mi300x", "nvlink_bytes_per_s": None, "nvlink_pairs_only": False, "mesh_bytes_per_s": 64e9}
GEFORCE = {"name": "GeForce RTX 4090", "nvlink_bytes_per_s": None, "nvlink_pairs_only": False, "peer_to_peer": False}


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        ("NVLink3/NVSwitch", SXM, "nvswitch"),
        ("NVLink4 / NV Switch", SXM, "nvswitch"),
        ("NVLink2 hybrid-cube-mesh", MESH, "nvlink_mesh"),
        ("Infinity Fabric", FABRIC, "fabric_mesh"),
        ("xGMI", FABRIC, "fabric_mesh"),
        ("full mesh", FABRIC, "fabric_mesh"),
        ("", FABRIC, "fabric_mesh"),
        ("NVLink", SXM, "nvswitch"),
        ("NVLink", MESH, "nvlink_mesh"),
        ("NVLink", {}, "nvlink_bridge"),
        ("NVLink bridge (pairs)", {}, "nvlink_bridge"),
        ("NVLink bridge (pairs)", {"nvlink_bytes_per_s": None}, "pcie_p2p"),
        ("PCIe (no NVLink bridge)", {}, "pcie_p2p"),
        ("NVLink disabled", {}, "pcie_p2p"),
        ("PCIe (no NVLink bridge)", GEFORCE, "pcie_host"),
        ("PCIe", {}, "pcie_p2p"),
        ("PCIe 4.0 x16", GEFORCE, "pcie_host"),
        ("PCIe P2P", GEFORCE, "pcie_p2p"),
        ("PCIe without P2P", {}, "pcie_host"),
        ("PCIe, no peer-to-peer", {}, "pcie_host"),
        ("through the host", {}, "pcie_host"),
        ("PHB", {}, "pcie_p2p"),
        ("PCIe or NVLink bridge: source does not say", {}, "nvlink_bridge"),
        ("PCIe or NVLink bridge: source does not say", GEFORCE, "pcie_host"),
        ("virtual machine, NVLink not visible", MESH, "virtual_machine"),
        ("", SXM, "nvswitch"),
        ("", MESH, "nvlink_mesh"),
        ("", {}, "pcie_p2p"),
        ("12", {}, "given"),
        ("12 GB/s", {}, "given"),
        ("900 MB/s", {}, "given"),
    ],
)
def test_words_name_a_link(text: str, changes: dict[str, object], expected: str) -> None:
    assert parse_interconnect(text, spec(**changes)).type == expected


def test_only_bridges_of_pairs_leave_open_which_two_cards_share_one() -> None:
    pairs = "NVLink bridge (pairs)"
    assert parse_interconnect(pairs, spec()).several_pairs
    assert not parse_interconnect("NVLink bridge", spec()).several_pairs
    assert not parse_interconnect(pairs, spec(), cards_per_node=2).several_pairs
    assert not parse_interconnect(pairs, spec(nvlink_bytes_per_s=None)).several_pairs


def test_hosts_of_pcie_3_carry_what_crosses_sockets_through_their_memory() -> None:
    across = {card.key: usual_link(card).peers_across_sockets for card in spec_table().values()}
    assert not across["qrtx8000"]
    assert not across["v100-pcie-32"]
    assert across["a6000"]
    assert across["gh200-96"]


def test_a_given_rate_is_in_gigabytes_unless_a_unit_says_otherwise() -> None:
    assert parse_interconnect("12", spec()).wire_bytes_per_s == 12e9
    assert parse_interconnect("0.5 TB/s", spec()).wire_bytes_per_s == 0.5e12
    assert parse_interconnect("900 MB/s", spec()).wire_bytes_per_s == 900e6


@pytest.mark.parametrize("text", ["carrier pigeon", "0", "0 GB/s", "-3", "nan", "1e400", "x" * 5000, "١٢ stones"])
def test_words_that_name_no_link_are_refused_with_the_words_that_do(text: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_interconnect(text, spec())
    assert "NVSwitch" in refused.value.remedy
    assert len(refused.value.text) < 200


@given(st.text(max_size=60))
def test_any_text_of_an_evaluation_row_gives_a_link(text: str) -> None:
    assert interconnect_or_usual(text, spec()).wire_bytes_per_s > 0


def test_text_that_is_not_understood_gives_the_usual_link_marked_uncertain() -> None:
    found = interconnect_or_usual("carrier pigeon", spec(**SXM))
    assert (found.type, found.certain) == ("nvswitch", False)
    assert interconnect_or_usual(None, spec(**SXM)).certain


@pytest.mark.parametrize(
    ("text", "network", "rate"),
    [
        ("NVSwitch + InfiniBand HDR x8", "infiniband", 8 * 25e9),
        ("NVSwitch + 8x HDR InfiniBand", "infiniband", 8 * 25e9),
        ("PCIe + 100 Gb/s Ethernet", "ethernet", 12.5e9),
        ("PCIe, 10GbE", "ethernet", 1.25e9),
        ("25 Gb/s RoCE", "roce", 25e9 / 8),
        ("NVSwitch + InfiniBand", "infiniband", 25e9),
        ("NVSwitch + IB EDR", "infiniband", 12.5e9),
        ("NVSwitch + RoCE 12.5 GB/s", "roce", 12.5e9),
        ("PCIe + TCP", "ethernet", 1.25e9),
        ("4 x 100 Gb RoCE between nodes", "roce", 4 * 12.5e9),
        ("1600 Gbps RoCE between nodes", "roce", 200e9),
        ("NVLink in node; 400 Gb/s RDMA per GPU", "roce", 8 * 50e9),
    ],
)
def test_a_network_may_follow_the_link_inside_a_host(text: str, network: str, rate: float) -> None:
    found = parse_interconnect(text, spec(**SXM), cards_per_node=8).network
    assert found is not None
    assert str(found.type) == network
    assert found.of_host(8).node_bytes_per_s == pytest.approx(rate)


def test_the_network_words_leave_the_link_inside_the_host_as_it_was() -> None:
    assert parse_interconnect("25 Gb/s RoCE", spec(**MESH)).type == "nvlink_mesh"
    assert parse_interconnect("PCIe + 100 Gb/s Ethernet", spec(**SXM)).type == "pcie_p2p"


def test_geforce_cards_whose_row_does_not_tell_have_no_peer_to_peer_and_say_so() -> None:
    geforce = parse_interconnect("PCIe", spec(name="GeForce RTX 9090", peer_to_peer=None))
    quadro = parse_interconnect("PCIe", spec(name="Quadro RTX 6000", peer_to_peer=None))
    assert (geforce.type, geforce.certain) == ("pcie_host", False)
    assert quadro.type == "pcie_p2p"


def test_every_card_of_the_table_has_a_usual_link() -> None:
    for found in (usual_link(card) for card in spec_table().values()):
        assert found.wire_bytes_per_s > 0
    assert usual_link(spec_table()["rtx4090"]).type == "pcie_host"
    assert usual_link(spec_table()["h100-sxm"]).type == "nvswitch"
    assert usual_link(spec_table()["v100-sxm2-32"]).type == "nvlink_mesh"


def _found(kind: str, rate: float | None = None) -> GpuLink:
    return GpuLink(first_index=0, second_index=1, kind=kind, bandwidth_bytes_per_s=rate)  # type: ignore[arg-type]


def test_detection_gives_the_weakest_link_and_its_measured_rate() -> None:
    assert detected_link(spec(**SXM), (_found("unknown"),)).type == "nvswitch"
    assert detected_link(spec(), (_found("nvlink"), _found("pcie_host"))).type == "pcie_host"
    assert detected_link(spec(**MESH), (_found("nvlink"),)).type == "nvlink_mesh"
    measured = detected_link(spec(), (_found("pcie_p2p", 20e9), _found("nvlink", 50e9)))
    assert (measured.type, measured.wire_bytes_per_s, measured.basis) == ("given", 20e9, "calibrated")


def test_the_published_schema_accepts_what_the_parser_accepts() -> None:
    patterns = [str(part["pattern"]) for part in interconnect_schema()["anyOf"] if "pattern" in part]  # type: ignore[attr-defined]
    for example in interconnect_schema()["examples"]:  # type: ignore[attr-defined]
        assert parse_interconnect(example, spec()).wire_bytes_per_s > 0
        assert any(re.search(pattern, example) for pattern in patterns)


def test_a_switch_connected_host_without_a_stated_network_has_an_adapter_for_each_card() -> None:
    far = parse_interconnect("", spec_table()["h100-sxm"], cards_per_node=8)
    assert network_of(far).node_bytes_per_s == pytest.approx(8 * 50e9, rel=0.02)
    older = parse_interconnect("", spec_table()["a100-sxm4-80"], cards_per_node=8)
    assert network_of(older).node_bytes_per_s == pytest.approx(8 * 25e9, rel=0.02)
    slotted = parse_interconnect("", spec_table()["rtx4090"], cards_per_node=8)
    assert network_of(slotted).node_bytes_per_s == pytest.approx(12.5e9)


def test_an_unstated_network_may_be_a_slow_one_and_a_stated_one_is_what_it_is() -> None:
    unstated = parse_interconnect("", spec_table()["h100-sxm"], cards_per_node=8)
    worst = slow_host(unstated, 64)
    assert worst is not None
    assert worst.network is not None
    assert worst.network.node_bytes_per_s == pytest.approx(12.5e9)
    assert slow_host(unstated, 8) is None
    assert slow_host(parse_interconnect("NVSwitch + InfiniBand HDR x8", spec_table()["h100-sxm"]), 64) is None


SLOW_WORDS = (
    'PCIe, no NVLink, "older motherboard, slow lanes"',
    "PCIe, slow slots",
    "PCIe without P2P, old motherboard",
)


@pytest.mark.parametrize("text", SLOW_WORDS)
@pytest.mark.parametrize("changes", [{}, GEFORCE])
def test_a_host_that_is_told_to_have_slow_slots_is_one_that_routes_badly(text: str, changes: dict[str, object]) -> None:
    plain, told = (parse_interconnect(words, spec(**changes)) for words in ("PCIe", text))
    assert told == replace(slow_host(plain, 2) or plain, certain=False)
    assert bus_bytes_per_s(told, 2) < bus_bytes_per_s(plain, 2)
    assert not told.certain


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        ("NVSwitch, older motherboard", SXM, "nvswitch"),
        ("NVLink bridge, slow lanes", {}, "nvlink_bridge"),
        ("PCIe + slow 10 Gb/s Ethernet", GEFORCE, "pcie_host"),
        ("PCIe of an old card", GEFORCE, "pcie_host"),
    ],
)
def test_what_is_slow_beside_the_slots_leaves_the_link_as_it_is(
    text: str, changes: dict[str, object], expected: str
) -> None:
    assert parse_interconnect(text, spec(**changes)).type == expected


@pytest.mark.parametrize(
    ("text", "generation", "lanes"),
    [
        ("PCIe 3.0 x4", 3, 4),
        ("PCIe gen3 x8", 3, 8),
        ("pcie4 x8", 4, 8),
        ("PCI-Express 3.0", 3, 16),
        ("PCIe without P2P, 4 lanes", 4, 4),
        ("PCIe 5.0 x16", 4, 16),  # no quicker than the card's own plug
        ("PCIe (no NVLink bridge)", 4, 16),
        ("PCIe 2 cards", 4, 16),
        ("PCIe + InfiniBand HDR x8", 4, 16),  # of the network
    ],
)
def test_the_slot_that_is_told_of_is_the_one_that_is_predicted(text: str, generation: int, lanes: int) -> None:
    card = spec_table()["rtx3090"]
    assert (card.pcie_generation, card.pcie_lane_count) == (4, 16)
    link = parse_interconnect(text, card)
    assert link.pcie_bytes_per_s == link.wire_bytes_per_s == pcie_bytes_per_s(generation, lanes)


def test_a_narrow_slot_never_makes_cards_quicker_together() -> None:
    for key, card in spec_table().items():
        for words in ("PCIe", "PCIe without P2P"):
            rates = [
                bus_bytes_per_s(
                    parse_interconnect(f"{words} 3.0 x{lanes}".replace("P2P 3.0", "P2P, PCIe 3.0"), card), 4
                )
                for lanes in (16, 8, 4, 1)
            ]
            assert rates == sorted(rates, reverse=True), key
            assert rates[-1] < rates[0], key


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", True),
        ("nvlink bridge", True),
        ("12 GB/s", True),
        ("PCIe + 100 Gb/s Ethernet", True),
        ("100 Gb/s Ethernet", True),
        ("0.0000001", False),
        ("a wet string", False),
    ],
)
def test_what_names_a_link_is_known_without_a_card(text: str, *, named: bool) -> None:
    assert names_link(text) is named
    if named:
        parse_interconnect(text, spec())
    else:
        with pytest.raises(InputError):
            parse_interconnect(text, spec())
