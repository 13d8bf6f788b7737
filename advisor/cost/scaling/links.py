"""How the cards of one job reach each other: from words, a spec row, a detected machine or a measurement."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import replace

from advisor.catalogue.gpu_spec import GpuSpec, is_consumer
from advisor.catalogue.links import CARDS_PER_HOST, PAIR, in_told_slot, slot_bytes_per_s
from advisor.catalogue.networks import NETWORK_WORDS, Network, network_in
from advisor.core.errors import InputError
from advisor.core.file_fault import shown_value
from advisor.core.records import Record
from advisor.core.sentences import Names, SaidError
from advisor.core.units import Basis
from advisor.cost.scaling.scaling_figures import ScalingFigures, scaling_figures
from advisor.hardware.machine import GpuLink

LinkType = Literal[
    "nvswitch",
    "nvlink_mesh",
    "fabric_mesh",
    "nvlink_bridge",
    "pcie_p2p",
    "pcie_host",
    "virtual_machine",
    "given",
    "shared_memory",
]

WORDS = (
    "NVSwitch",
    "NVLink hybrid-cube-mesh",
    "NVLink bridge",
    "NVLink bridge (pairs)",
    "Infinity Fabric",
    "PCIe P2P",
    "PCIe (no NVLink bridge)",
    "PCIe or NVLink bridge",
    "PCIe without P2P",
    "virtual machine",
)


class SizedTime(Record, frozen=True, kw_only=True):
    """What one collective of a size took."""

    message_bytes: Annotated[float, Meta(gt=0)]
    duration_s: Annotated[float, Meta(gt=0)]


class Link(Record, frozen=True, kw_only=True):
    """One kind of connection between the cards of a job; rates are one way and per card."""

    type: LinkType
    wire_bytes_per_s: Annotated[float, Meta(gt=0)]
    """What the wires would carry: the card's NVLink, its PCIe slot; of `fabric_mesh` those between two cards; for
    `given` the bus rate itself."""
    pcie_bytes_per_s: Annotated[float, Meta(gt=0)]
    """The slot, over which gradients also reach the host and unbridged cards reach each other."""
    peer_to_peer: bool
    """Whether cards that share no NVLink may write into each other's memory over PCIe."""
    peers_across_sockets: bool = True
    """Whether peers below different processors write to each other; else what crosses goes through host memory."""
    several_pairs: bool = False
    """Bridges join pairs of more cards than two: a job on two of them may get two that share none."""
    certain: bool = True
    """False: the words leave open which link it was, or the spec row does not tell."""
    cards_per_node_count: Annotated[int, Meta(ge=1)] | None = None
    """None: as many as one host holds (16)."""
    network: Network | None = None
    """Between hosts; None: not stated."""
    measured_rank_count: int | None = None
    measured: tuple[SizedTime, ...] = ()
    """All-reduces by size that were timed here over `measured_rank_count` ranks."""
    basis: Basis = "specified"

    @property
    def node_size_count(self) -> int:
        """Cards that share one host."""
        return self.cards_per_node_count or CARDS_PER_HOST


def _reaches_peers(spec: GpuSpec) -> bool:
    """Peer-to-peer over PCIe; where the row does not tell, consumer cards have none, others do."""
    return not is_consumer(spec) if spec.peer_to_peer is None else spec.peer_to_peer


_LAST_WITHOUT_PEERS_ACROSS_SOCKETS = 3
"""PCI Express generation of hosts that have Intel's processors; 4.0 came with AMD's, and later hosts of Intel's are
counted with them (assumed). Across Intel's NCCL sends through host memory; across AMD's peers wrote to each other
wherever they stood, until 2024 (NCCL's `ncclTopoCheckP2p`)."""


def _link(spec: GpuSpec, kind: LinkType, *, certain: bool = True) -> Link:
    pcie, generation = slot_bytes_per_s(spec), spec.pcie_generation
    wires = dict.fromkeys(("nvswitch", "nvlink_mesh", "nvlink_bridge"), spec.nvlink_bytes_per_s)
    wire = spec.mesh_bytes_per_s if kind == "fabric_mesh" else wires.get(kind)
    return Link(
        type=kind,
        wire_bytes_per_s=wire or pcie,
        pcie_bytes_per_s=pcie,
        peer_to_peer=_reaches_peers(spec),
        peers_across_sockets=generation is None or generation > _LAST_WITHOUT_PEERS_ACROSS_SOCKETS,
        certain=certain,
    )


_IN_SLOTS: frozenset[LinkType] = frozenset({"pcie_p2p", "pcie_host"})


def _pcie(spec: GpuSpec, *, certain: bool = True) -> Link:
    kind: LinkType = "pcie_p2p" if _reaches_peers(spec) else "pcie_host"
    return _link(spec, kind, certain=certain and spec.peer_to_peer is not None)


def usual_link(spec: GpuSpec) -> Link:
    """The link that hosts with this card usually have: its switch, its mesh, else PCIe without bridges."""
    linked = spec.nvlink_bytes_per_s is not None
    if linked and spec.nvswitch:
        return _link(spec, "nvswitch")
    if spec.mesh_bytes_per_s is not None or (linked and not spec.nvlink_pairs_only):
        return _mesh(spec)
    return _pcie(spec)


_RATE_PATTERN = r"^\s*(\d{1,6}(?:\.\d{1,6})?)\s*(?:([gGmMtT])[bB]/?[pP]?[sS])?\s*$"


_LEAST_RATE, _MOST_RATE = 1e6, 1e14
"""Bytes a second: a slow Ethernet, and beyond what any switch gives a card."""


def _given_rate(text: str) -> float | None:
    match = re.fullmatch(_RATE_PATTERN, text, re.IGNORECASE)
    if match is None:
        return None
    return float(match[1]) * {"m": 1e6, "g": 1e9, "t": 1e12}[(match[2] or "g").lower()]


def _nvlink(spec: GpuSpec) -> Link:
    """NVLink of a kind that is not stated: what hosts with this card have; a slot card has bridges or nothing."""
    if not spec.nvlink_pairs_only:
        return usual_link(spec)
    return _link(spec, "nvlink_bridge") if spec.nvlink_bytes_per_s else _pcie(spec, certain=False)


def _mesh(spec: GpuSpec) -> Link:
    """A mesh that joins the cards of a host directly: of the card's own kind, else NVLink's."""
    if spec.mesh_bytes_per_s is not None:
        return _link(spec, "fabric_mesh")
    return _link(spec, "nvlink_mesh", certain=spec.nvlink_bytes_per_s is not None)


def _nvlink_pairs(spec: GpuSpec) -> Link:
    """Bridges of several pairs, unless a card has none."""
    link = _nvlink(spec)
    return replace(link, several_pairs=link.type == "nvlink_bridge")


def _bridged_or_pcie(spec: GpuSpec) -> Link:
    """Source silent: who sells pairs of cards that take a bridge mostly sells the bridge too; others have PCIe."""
    kind: LinkType = "nvlink_bridge" if spec.nvlink_pairs_only else _pcie(spec).type
    return _link(spec, kind, certain=False)


_WORDS: tuple[tuple[str, Callable[[GpuSpec], Link]], ...] = (
    (r"virtual|\bvm\b|cloud", lambda spec: _link(spec, "virtual_machine")),
    (r"nv ?switch", lambda spec: _link(spec, "nvswitch", certain=spec.nvlink_bytes_per_s is not None)),
    (r"infinity|xgmi", lambda spec: replace(usual_link(spec), certain=spec.mesh_bytes_per_s is not None)),
    (r"mesh|cube", _mesh),
    (r"does not say|pcie or nvlink|unknown", _bridged_or_pcie),
    (r"(no|without) (p2p|peer)|through (the )?host|host.?staged|\bshm\b", lambda spec: _link(spec, "pcie_host")),
    (r"(no|without) (a |any )?(nvlink|bridge)|(nvlink|bridge) (is |was )?(disabled|off|not used|not installed)", _pcie),
    (r"pairs", _nvlink_pairs),
    (r"bridge|pair", _nvlink),
    (r"p2p|peer", lambda spec: _link(spec, "pcie_p2p")),
    (r"nvlink", _nvlink),
    (r"\b(single|one|same) (node|host)\b", usual_link),
    (r"pci|\bphb\b|\bpix\b|\bpxb\b|\bsys\b|\bnode\b", _pcie),
)
"""Words, most telling first: the first that occurs decides (`nvidia-smi topo -m` abbreviations included)."""


def parse_interconnect(text: str, spec: GpuSpec, *, cards_per_node: int | None = None) -> Link:
    """The link that `text` describes for a card.

    `text` is a bus rate one way (`12`, `12 GB/s`, `900 MB/s`), words as in published runs (`NVLink3/NVSwitch`,
    `NVLink2 hybrid-cube-mesh`, `NVLink bridge (pairs)`, `PCIe (no NVLink bridge)`, `PCIe without P2P`,
    `virtual machine, NVLink not visible`), either followed by the network between hosts
    (`NVSwitch + InfiniBand HDR x8`, `PCIe + 100 Gb/s Ethernet`, `RoCE 25 Gb/s`). Empty: the card's usual link.

    Raises InputError for words that name no link.
    """
    network, before = network_in(text)
    link = _inside((before.rstrip(" +,;/&") if network is not None else text).strip(), spec)
    if link is None:
        raise SaidError.of("command-no-link", given=shown_value(text), names=Names(names=WORDS))
    link = _in_slots(link, text if network is None else before, spec)
    several = link.several_pairs and cards_per_node != PAIR
    return replace(link, cards_per_node_count=cards_per_node, network=network, several_pairs=several)


_SLOW = r"\b(slow|few|older|old)\b[^,;+]{0,20}\b(lanes?|slots?|pcie?|bus|(mother)?board|host)\b"
"""Words for a host whose slots are told to be slow, without a figure."""


def in_slow_host(link: Link, figures: ScalingFigures | None = None) -> Link:
    """The same cards in a host that routes badly between its slots; others too if it is told that theirs does."""
    worst = (figures or scaling_figures()).assumed.slow_host_bytes_per_s
    return replace(link, type="given", wire_bytes_per_s=worst, peer_to_peer=False)


def _in_slots(link: Link, text: str, spec: GpuSpec) -> Link:
    """The link with cards in the slots that are told of."""
    told = None if link.type == "given" else in_told_slot(spec, text)
    if told is None:
        return link
    slot = slot_bytes_per_s(told)
    wire = slot if link.wire_bytes_per_s == link.pcie_bytes_per_s else link.wire_bytes_per_s
    return replace(link, pcie_bytes_per_s=slot, wire_bytes_per_s=wire)


def names_link(text: str) -> bool:
    """Whether `parse_interconnect` understands it, of whichever card."""
    network, before = network_in(text)
    words = (before.rstrip(" +,;/&") if network is not None else text).strip()
    rate = _given_rate(words)
    if rate is not None:
        return _LEAST_RATE <= rate <= _MOST_RATE
    return not words or _maker(words) is not None


def _maker(text: str) -> Callable[[GpuSpec], Link] | None:
    return next((make for pattern, make in _WORDS if re.search(pattern, text.lower())), None)


def _inside(text: str, spec: GpuSpec) -> Link | None:
    if not text:
        return usual_link(spec)
    rate = _given_rate(text)
    if rate is None:
        words, make = text.lower(), _maker(text)
        link = None if make is None else make(spec)
        slow = link is not None and link.type in _IN_SLOTS and re.search(_SLOW, words) is not None
        return replace(in_slow_host(link), certain=False) if link is not None and slow else link
    return replace(_link(spec, "given"), wire_bytes_per_s=rate) if _LEAST_RATE <= rate <= _MOST_RATE else None


def card_in_slot(spec: GpuSpec, interconnect: str) -> GpuSpec:
    """The card in the slot that the words of an interconnect tell of; unchanged where they tell of none."""
    network, before = network_in(interconnect)
    return in_told_slot(spec, interconnect if network is None else before) or spec


def interconnect_or_usual(text: str | None, spec: GpuSpec) -> Link:
    """`parse_interconnect`, but words that are not understood give the card's usual link, marked uncertain."""
    try:
        return parse_interconnect(text or "", spec)
    except InputError:
        return replace(usual_link(spec), certain=False)


def detected_link(spec: GpuSpec, links: tuple[GpuLink, ...]) -> Link:
    """The weakest link between a machine's cards as detection found it, its measured rate where there is one."""
    order = ("nvswitch", "nvlink", "pcie_p2p", "pcie_host")
    of_the_order = [link for link in links if link.kind in order]
    if not of_the_order:
        return usual_link(spec)
    weakest = max(of_the_order, key=lambda link: order.index(link.kind))
    kinds: dict[str, LinkType] = {
        "nvswitch": "nvswitch",
        "nvlink": "nvlink_bridge" if spec.nvlink_pairs_only else "nvlink_mesh",
        "pcie_p2p": "pcie_p2p",
        "pcie_host": "pcie_host",
    }
    best = _link(spec, kinds[weakest.kind])
    rates = [link.bandwidth_bytes_per_s for link in of_the_order if link.bandwidth_bytes_per_s]
    if len(rates) < len(of_the_order):
        return best
    return replace(best, type="given", wire_bytes_per_s=min(rates), basis="calibrated")


def interconnect_schema() -> dict[str, object]:
    """JSON Schema of the interconnect text that `--interconnect` and evaluation files take."""
    words = "|".join(pattern for pattern, _ in _WORDS)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Interconnect",
        "description": (
            "How the cards of a job reach each other: an all-reduce bus rate one way (a number in GB/s, or with a "
            "unit), or words; a network between hosts may follow after '+'. Empty: the card's usual link."
        ),
        "type": "string",
        "maxLength": 200,
        "anyOf": [
            {"title": "usual link", "const": ""},
            {"title": "bus rate", "pattern": _RATE_PATTERN},
            {"title": "words", "pattern": f"(?i){words}"},
            {"title": "network", "pattern": f"(?i){NETWORK_WORDS}"},
        ],
        "examples": [
            "NVLink3/NVSwitch",
            "NVLink2 hybrid-cube-mesh",
            "NVLink bridge",
            "NVLink bridge (pairs)",
            "Infinity Fabric",
            "PCIe (no NVLink bridge)",
            "PCIe without P2P",
            "virtual machine, NVLink not visible",
            "12 GB/s",
            "NVSwitch + InfiniBand HDR x8",
            "PCIe + 100 Gb/s Ethernet",
        ],
    }
