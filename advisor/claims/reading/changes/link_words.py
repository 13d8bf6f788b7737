"""The words of a claim for what joins its cards, as `--interconnect` takes them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from advisor.claims.claim import WITH_NVLINK, WITHOUT_NVLINK
from advisor.claims.reading.changes.change_words import CAUSE, acts
from advisor.claims.reading.numbers.number_words import search

_DENIED = r"(?:\b(?:without|no|w/o|lacks?|lacking)\s*(?:an? |any |the )?|(?:没有|没|无|不带|不用)\s*)"
_NVLINK = r"nv[\s-]?link|nv[\s-]?switch"
_LINK = re.compile(
    rf"(?P<denied>{_DENIED})?(?P<nvlink>{_NVLINK})(?P<off>\s*(?:disabled|off)\b)?"
    r"|(?<!/)\bpcie(?! ?(?:gen ?)?\d?(?:\.\d)? ?x ?(?:1|2|4|8)\b)(?:\s?(?:gen\s?)?[345](?:\.0)?)?(?!\w)",
    re.ASCII,
)
"""A slot of fewer lanes than a card takes is another link than its usual one."""
_BRIDGE = r"(?:[\s-]?bridges?|\s?桥)?"
_SET_AGAINST = r"\b(?:than|vs\.?|versus|over|against|instead of|compared (?:to|with))\b|比|相比|相对"
_PCIE_FIRST = rf"\bpcie\b[^.;]{{0,60}}?(?:{_SET_AGAINST})[^.;,]{{0,16}}?(?:{_NVLINK})"
_ADDED = (
    r"(?:\b(?:add(?:ed|ing)?|install(?:ed|ing)?|bought|buying|plugg(?:ed|ing) in)|加了?|装了?|插了?|上了?)"
    r"\s*(?:an? |the )?$"
)
_IMPROVED = (
    r"^(?: on [^.;,]{2,28}?)?\s*(?:improv\w+|boost\w+|increas\w+|rais\w+|help\w*|bought|buys|lift\w*|speed\w*|sped"
    r"|g[ai]ves?|brings?|brought|ma[dk]es?|gets?|got)\b"
    r"|^\s*(?:之后|以后|后|能|可以?|只)?\s*(?:快|提升|提高|加速|提速|让|使|带来)"
)
_REMOVED = (
    r"(?:\b(?:disabl(?:ing|ed)|turn(?:ing|ed) off|remov(?:ing|ed)|losing|lost|unplugg(?:ing|ed))"
    r"|关掉|关闭|关了|禁用|拔掉|去掉)了?\s*(?:the )?$"
)
_ASKED = r"\b(?:would|if|with or without|whether)\b|如果|要是|有没有"
"""Before a link that is only thought of."""


def find_link_change(plain: str) -> tuple[str, str] | None:
    """What joins the cards after and before, where NVLink is what brought something, or is held against its lack.

    None: it only stands beside, as in `2x 3090 with NVLink give 1.9x`, which is said of two cards against one.
    """
    if search(_PCIE_FIRST, plain) is not None:
        return WITHOUT_NVLINK, WITH_NVLINK
    first = search(rf"(?P<denied>{_DENIED})?(?:{_NVLINK}){_BRIDGE}(?P<off>\s*(?:disabled|off)\b)?", plain)
    if first is None:
        return None
    denied = first["denied"] is not None or first["off"] is not None
    against = search(_SET_AGAINST, plain[first.end() :])
    rest = plain[first.end() + against.end() :] if against is not None else ""
    other = search(rf"^[^.;,]{{0,24}}?(?:(?P<none>{_DENIED.rstrip()}|\bpcie\b)|(?P<with>\bwith\b|{_NVLINK}))", rest)
    if other is not None and (other["none"] is not None) != denied:
        return (WITHOUT_NVLINK, WITH_NVLINK) if denied else (WITH_NVLINK, WITHOUT_NVLINK)
    before, behind = plain[: first.start()], plain[first.end() :]
    if search(_REMOVED, before) is not None:
        return WITHOUT_NVLINK, WITH_NVLINK
    added = search(_ADDED, before) is not None
    subject = search(CAUSE, before) is None and (acts(plain, first.end()) or search(_IMPROVED, behind) is not None)
    if denied or not (added or subject):
        return None
    return WITH_NVLINK, WITHOUT_NVLINK


def find_interconnect(plain: str, cards: Sequence[tuple[int, int]]) -> str | None:
    """What joins the cards of a normalised text; None: nothing is said, or two different things are.

    `cards` are the places where a card is named, from and to: `A100 PCIe` is one of them.
    """
    told: list[str] = []
    for match in _LINK.finditer(plain):
        if any(start < match.end() and match.start() < end for start, end in cards):
            continue
        if search(_ASKED, plain[max(0, match.start() - 24) : match.start()]) is not None:
            continue
        denied = match["denied"] is not None or match["off"] is not None
        told.append(WITHOUT_NVLINK if denied else WITH_NVLINK if match["nvlink"] else "PCIe")
    kinds = set(told)
    return max(kinds, key=len) if len(kinds) == 1 or kinds == {WITHOUT_NVLINK, "PCIe"} else None
