"""Networks between hosts: from words such as `InfiniBand HDR x8` or `25 Gb/s RoCE` to a rate a host."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from msgspec import Meta

from advisor.core.records import Record

NetworkType = Literal["infiniband", "roce", "ethernet"]

_GENERATIONS_BIT_PER_S = {"sdr": 8e9, "ddr": 16e9, "qdr": 32e9, "fdr": 54e9, "edr": 100e9, "hdr": 200e9, "ndr": 400e9}
"""InfiniBand 4x data rates (InfiniBand Trade Association's roadmap, after line coding)."""

_DEFAULT_BIT_PER_S: dict[NetworkType, float] = {"infiniband": 200e9, "roce": 100e9, "ethernet": 10e9}

NETWORK_WORDS = (
    r"infiniband|\brdma\b|\bib\b|\bsdr\b|\bddr\b|\bqdr\b|\bfdr\b|\bedr\b|\bhdr\b|\bndr\b"
    r"|roce|ethernet|\bgbe\b|\d\s*gbe|\btcp\b"
)
_PATTERN = re.compile(NETWORK_WORDS, re.IGNORECASE)
_ADAPTERS_BEFORE = re.compile(
    r"(?:\d{1,2}\s*[x×]\s*)?(?:\d+(?:\.\d+)?\s*(?:gb(?:it)?(?:/s)?|gbps)\s*)?(?:\d+\s*)?$", re.IGNORECASE
)
"""Number and rate of adapters, written before the network's name: `8 x 200 Gb/s InfiniBand`."""


_PER_CARD = re.compile(r"\b(?:per|each|a)\s+(?:gpu|card|device)\b", re.IGNORECASE)


class Network(Record, frozen=True, kw_only=True):
    """What joins the hosts; the rate is one way and of a whole host (all its adapters)."""

    type: NetworkType
    node_bytes_per_s: Annotated[float, Meta(gt=0)]
    per_card: bool = False
    """The rate is that of one card's own adapter: a host has as many as cards."""

    def of_host(self, card_count: int) -> Network:
        """The same network of a host with `card_count` cards, its rate that of all adapters."""
        if not self.per_card:
            return self
        return Network(type=self.type, node_bytes_per_s=self.node_bytes_per_s * card_count)


def _type_of(words: str) -> NetworkType:
    if "roce" in words or ("rdma" in words and "infiniband" not in words):
        return "roce"
    if re.search(r"ethernet|gbe|tcp", words):
        return "ethernet"
    return "infiniband"


def network_in(text: str) -> tuple[Network | None, str]:
    """The network that a text names, or None, and what stands before its words.

    Rates are bits a second of one adapter (`Gb/s`, `Gb`, `Gbit/s`, `GbE`) or bytes (`GB/s`), times the number of
    adapters a host (`x8`, `8x`) or of its cards (`per GPU`). A name without a rate: InfiniBand HDR, RoCE 100 Gb/s,
    Ethernet 10 Gb/s. RDMA of a kind that is not named counts as RoCE.
    """
    rate = _PATTERN.search(text)
    if rate is None:
        return None, text
    before = _ADAPTERS_BEFORE.search(text, 0, rate.start())
    start = rate.start() if before is None else before.start()
    tail = text[start:]
    kind = _type_of(text[rate.start() :].lower())
    network = Network(
        type=kind,
        node_bytes_per_s=_adapter_bytes_per_s(tail, kind) * _adapter_count(tail),
        per_card=_PER_CARD.search(tail) is not None,
    )
    return network, text[:start]


def _adapter_bytes_per_s(words: str, kind: NetworkType) -> float:
    rate = re.search(r"(\d+(?:\.\d+)?)\s*(gb(?:it)?/s|gbps|gbe|GB/s|[gG]b(?:it)?\b)", words) or re.search(
        r"(\d+(?:\.\d+)?)\s*(g(?:b|bit)/s|gbps|gbe|gigabit)", words, re.IGNORECASE
    )
    if rate is not None and float(rate[1]) > 0:
        return float(rate[1]) * (1e9 if rate[2].startswith("GB/") else 1e9 / 8)
    for generation, bits in _GENERATIONS_BIT_PER_S.items():
        if re.search(rf"\b{generation}\b", words, re.IGNORECASE):
            return bits / 8
    return _DEFAULT_BIT_PER_S[kind] / 8


def _adapter_count(words: str) -> int:
    count = re.search(r"[x×]\s*(\d{1,2})\b", words) or re.search(r"\b(\d{1,2})\s*[x×]", words)
    return max(1, int(count[1])) if count is not None else 1
