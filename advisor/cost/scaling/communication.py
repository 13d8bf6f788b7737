"""What a collective over n cards costs, by message size, link and algorithm: latency plus bytes over a bus rate."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import msgspec
import numpy as np

from advisor.catalogue.links import PAIR, USUAL_CARDS_PER_HOST
from advisor.catalogue.networks import Network
from advisor.cost.scaling.links import Link, SizedTime, in_slow_host
from advisor.cost.scaling.scaling_figures import ScalingFigures, scaling_figures
from advisor.optable.op_columns import Floats

_DIRECT = frozenset({"nvswitch", "nvlink_mesh", "fabric_mesh", "nvlink_bridge", "pcie_p2p"})
_ADAPTERS_PER_CARD = {"nvswitch": 1.0, "nvlink_mesh": 0.5, "fabric_mesh": 1.0}
"""In hosts sold for many of them: DGX-1 has four for eight cards, DGX A100 and H100 and boards of MI300X eight."""


def bus_bytes_per_s(link: Link, count: int, figures: ScalingFigures | None = None) -> float:
    """Bus rate of `count` cards of one host in an all-reduce: 2 (n-1)/n times the message over its duration.

    NVLink: a share of the card's links; V100 mesh: links of the rings that `count` cards can form; a mesh that joins
    each two cards: the links to the others (published of eight and of two MI300X, 313 and 48 GB/s: 0.70 and 0.74 of
    them, https://github.com/stas00/ml-engineering, network/README.md); bridges serve
    pairs, beyond which every second hop crosses PCIe, and of several pairs the first two cards may share none. PCIe
    falls once the ring crosses from socket to socket: to what goes through host memory where peers don't reach across.
    """
    figures = figures or scaling_figures()
    fitted = figures.fitted
    if link.type in {"given", "shared_memory"}:
        return link.wire_bytes_per_s
    if link.type == "virtual_machine":
        return fitted.virtual_bytes_per_s
    if link.type == "nvswitch" or _share_a_bridge(link, count):
        return fitted.nvlink_fraction * link.wire_bytes_per_s
    if link.type == "nvlink_mesh":
        return fitted.nvlink_fraction * _mesh_bytes_per_s(link, count, figures)
    if link.type == "fabric_mesh":
        return fitted.nvlink_fraction * link.wire_bytes_per_s * (max(PAIR, min(count, USUAL_CARDS_PER_HOST)) - 1)
    return _slots_bytes_per_s(link, count, figures)


def _slots_bytes_per_s(link: Link, count: int, figures: ScalingFigures) -> float:
    fitted = figures.fitted
    through_host = fitted.host_bytes_per_s * math.pow(max(1.0, count / 2), -fitted.host_contention_exponent)
    sockets = max(1.0, count / figures.assumed.socket_card_count)
    peers = link.pcie_bytes_per_s * math.pow(sockets, -fitted.socket_contention_exponent)
    slots = fitted.pcie_fraction * peers
    if _between_sockets_by_host(link, count, figures):  # its two hops alone cross, so that nothing contends there
        return min(fitted.host_bytes_per_s, slots)
    bridged = link.type == "nvlink_bridge"
    if bridged and count > PAIR:
        return peers * fitted.bridged_ring_ratio if link.peer_to_peer else through_host * math.sqrt(2.0)
    return slots if link.type == "pcie_p2p" or (bridged and link.peer_to_peer) else min(through_host, slots)


def _share_a_bridge(link: Link, count: int) -> bool:
    """Whether the cards of the job that stand in one host surely share one bridge."""
    inside = min(count, link.node_size_count)
    return link.type == "nvlink_bridge" and inside <= PAIR and not link.several_pairs


def _between_sockets_by_host(link: Link, count: int, figures: ScalingFigures) -> bool:
    """Whether a ring of peers has to go through host memory where it crosses from one processor to the other."""
    slots = link.type == "pcie_p2p" or (link.type == "nvlink_bridge" and link.peer_to_peer)
    inside = min(count, link.node_size_count)
    return slots and not link.peers_across_sockets and inside > figures.assumed.socket_card_count


def _mesh_bytes_per_s(link: Link, count: int, figures: ScalingFigures) -> float:
    meshes = sorted((int(cards), links) for cards, links in figures.assumed.mesh_link_counts.items())
    links = float(np.interp(count, [cards for cards, _ in meshes], [links for _, links in meshes]))
    return min(links * figures.assumed.mesh_link_bytes_per_s, link.wire_bytes_per_s)


def overlap_loss(link: Link, count: int, figures: ScalingFigures | None = None) -> float:
    """Compute time lost a second of communication that runs beside it (0: free, 1: nothing is gained by overlap)."""
    figures = figures or scaling_figures()
    fitted = figures.fitted
    if link.type == "shared_memory":
        return 1.0
    bridged_alone = link.type == "nvlink_bridge" and not link.peer_to_peer and not _share_a_bridge(link, count)
    host = bridged_alone or _between_sockets_by_host(link, count, figures)
    direct = (link.type in _DIRECT and not host) or (link.type == "given" and link.peer_to_peer)
    return min(1.0, fitted.direct_overlap_loss_fraction if direct else fitted.host_overlap_loss_fraction)


@cache
def slowest_of(count: int) -> float:
    """Expected largest of `count` standard normal deviates (Blom 1958): 0 for one, 0.6 for two, 3.2 for 1,024."""
    return 0.0 if count <= 1 else statistics.NormalDist().inv_cdf((count - 0.375) / (count + 0.25))


def straggling_fraction(link: Link, count: int, figures: ScalingFigures) -> float:
    """Share of a step lost to the slowest card (input pipelines, clocks) and to the slowest of several hosts."""
    hosts = -(-count // link.node_size_count)
    cards, between = figures.fitted.straggler_fraction, figures.assumed.host_straggler_fraction
    return cards * slowest_of(count) + between * slowest_of(hosts)


def slow_host(link: Link, count: int, figures: ScalingFigures | None = None) -> Link | None:
    """The same cards in a host that routes badly between its slots; None where no traffic crosses the host.

    No spec row tells which host does, so ranges reach down to one, and to a slow network where a job leaves its host
    over one that nobody stated. A measured link is what it is, and a pair that certainly has its bridge does not need
    the host.
    """
    if link.network is None and count > link.node_size_count:
        slow = (figures or scaling_figures()).assumed.unstated_node_bytes_per_s
        link = msgspec.structs.replace(link, network=Network(type="roce", node_bytes_per_s=slow))
        return _slow_inside(link, count, figures) or link
    return _slow_inside(link, count, figures)


def quick_pair(link: Link, count: int) -> Link | None:
    """The same two cards where they share their bridge; None where they surely do, or share none."""
    if link.type != "nvlink_bridge" or count != PAIR or not link.several_pairs:
        return None
    return msgspec.structs.replace(link, several_pairs=False)


def _slow_inside(link: Link, count: int, figures: ScalingFigures | None) -> Link | None:
    bridged = link.certain and _share_a_bridge(link, count)
    crosses = link.type in {"pcie_p2p", "pcie_host", "nvlink_bridge"} and not bridged
    if count <= 1 or link.basis != "specified" or not crosses:
        return None
    return in_slow_host(link, figures)


@dataclass(frozen=True, kw_only=True)
class Costs:
    """Ring and tree of an all-reduce over `count` cards: seconds a byte and seconds a call; measured sizes first."""

    count: int
    ring_s_per_byte: float
    ring_s: float
    tree_s_per_byte: float
    tree_s: float
    measured: tuple[SizedTime, ...] = ()
    busy_share: float = 1.0
    """Of the time that bytes take, what they would take inside one host: a card that waits for a network moves no more
    through its memory for that, and loses no more compute."""

    def all_reduce_s(self, message_bytes: Floats) -> Floats:
        """Seconds for messages of `message_bytes` (any shape) by the faster of both."""
        if self.measured:
            return _interpolated(self.measured, message_bytes)
        ring = self.ring_s + self.ring_s_per_byte * message_bytes
        tree = self.tree_s + self.tree_s_per_byte * message_bytes
        return np.asarray(np.minimum(ring, tree))

    def half_s(self, message_bytes: Floats) -> Floats:
        """Reduce-scatter or all-gather of `message_bytes` in total: half of a ring all-reduce."""
        if self.measured:
            return _interpolated(self.measured, message_bytes) / 2
        return (self.ring_s + self.ring_s_per_byte * message_bytes) / 2

    def broadcast_s(self, message_bytes: Floats) -> Floats:
        """Broadcast from one card: a pipelined ring carries the message once, n/(2(n-1)) of an all-reduce."""
        if self.count <= 1:
            return np.zeros_like(message_bytes)
        share = self.count / (2 * (self.count - 1))
        return min(self.ring_s, self.tree_s) / 2 + self.ring_s_per_byte * share * message_bytes


def _interpolated(measured: Sequence[SizedTime], message_bytes: Floats) -> Floats:
    """Between measured sizes linear in bytes, beyond the largest at its rate, below the smallest its time."""
    points = sorted((point.message_bytes, point.duration_s) for point in measured)
    sizes, times = (np.array(column) for column in zip(*points, strict=True))
    inside = np.interp(message_bytes, sizes, times)
    return np.asarray(np.where(message_bytes > sizes[-1], times[-1] * message_bytes / sizes[-1], inside))


def costs(link: Link, count: int, figures: ScalingFigures | None = None) -> Costs:
    """Costs of collectives over `count` cards, within one host or over several.

    Across hosts the levels are pipelined (reduce-scatter inside, all-reduce between, all-gather inside), so the
    slower one rules: 2 (n-1)/n over the bus inside, 2 (N-1)/N over a host's adapters between N hosts.
    """
    figures = figures or scaling_figures()
    assumed = figures.assumed
    if count <= 1:
        return Costs(count=count, ring_s_per_byte=0.0, ring_s=0.0, tree_s_per_byte=0.0, tree_s=0.0)
    inside = min(count, link.node_size_count)
    nodes = -(-count // link.node_size_count)
    rate = bus_bytes_per_s(link, max(inside, 2), figures)
    hop = _hop_s(link, figures)
    as_in_one_host = 2 * (count - 1) / count / rate
    per_byte = as_in_one_host if inside > 1 else 0.0
    ring_latency = 2 * (count - 1) * hop
    tree_latency = 2 * math.log2(inside) * hop
    if nodes > 1:
        between, network_hop = _between(link, figures)
        per_byte = max(per_byte, 2 * (nodes - 1) / nodes / between)
        ring_latency = 2 * (count - nodes) * hop + 2 * nodes * network_hop
        tree_latency += 2 * math.log2(nodes) * network_hop
    matches = link.measured_rank_count == count
    return Costs(
        count=count,
        ring_s_per_byte=per_byte,
        ring_s=assumed.bucket_s + ring_latency,
        tree_s_per_byte=per_byte / assumed.tree_fraction,
        tree_s=assumed.bucket_s + tree_latency,
        measured=link.measured if matches else (),
        busy_share=min(1.0, as_in_one_host / per_byte),
    )


def group_costs(link: Link, job_count: int, count: int, stride: int, figures: ScalingFigures) -> Costs:
    """Collectives of `count` of a job's cards that stand `stride` apart: others of their host share its adapters."""
    host = link.node_size_count
    inside = max(1, min(count, host // max(1, stride)))
    network = network_of(link, figures)
    sharing = max(1.0, min(host, job_count) / inside)
    network = msgspec.structs.replace(network, node_bytes_per_s=network.node_bytes_per_s / sharing)
    return costs(msgspec.structs.replace(link, cards_per_node_count=inside, network=network), count, figures)


def network_of(link: Link, figures: ScalingFigures | None = None) -> Network:
    """The network between hosts: as stated, else what hosts with such a link usually have."""
    assumed = (figures or scaling_figures()).assumed
    if link.network is not None:
        return link.network.of_host(link.node_size_count)
    if link.type not in _ADAPTERS_PER_CARD:
        return Network(type="roce", node_bytes_per_s=assumed.unstated_node_bytes_per_s)
    adapters = max(1.0, _ADAPTERS_PER_CARD[link.type] * link.node_size_count)
    rate = assumed.adapter_slot_fraction * link.pcie_bytes_per_s
    return Network(type="roce", node_bytes_per_s=rate * adapters)


def _hop_s(link: Link, figures: ScalingFigures) -> float:
    assumed = figures.assumed
    if link.type in {"nvswitch", "nvlink_mesh", "fabric_mesh", "nvlink_bridge"}:
        return assumed.nvlink_hop_s
    return assumed.pcie_hop_s if link.type in {"pcie_p2p", "given"} else assumed.host_hop_s


def _between(link: Link, figures: ScalingFigures) -> tuple[float, float]:
    """Rate of one host's adapters and delay of one hop between hosts."""
    assumed, network = figures.assumed, network_of(link, figures)
    share, hop = {
        "infiniband": (assumed.infiniband_fraction, assumed.infiniband_hop_s),
        "roce": (assumed.roce_fraction, assumed.roce_hop_s),
        "ethernet": (assumed.ethernet_fraction, assumed.ethernet_hop_s),
    }[network.type]
    return share * network.node_bytes_per_s, hop
