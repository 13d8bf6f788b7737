"""The words of a claim for what joins its cards, as `--interconnect` takes them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from advisor.claims.reading.number_words import search

_DENIED = r"(?:\b(?:without|no|w/o|lacks?|lacking)\s*(?:an? |any |the )?|(?:没有|没|无|不带|不用)\s*)"
_NVLINK = r"nv[\s-]?link|nv[\s-]?switch"
_LINK = re.compile(
    rf"(?P<denied>{_DENIED})?(?P<nvlink>{_NVLINK})(?P<off>\s*(?:disabled|off)\b)?"
    r"|(?<!/)\bpcie(?! ?(?:gen ?)?\d?(?:\.\d)? ?x ?(?:1|2|4|8)\b)(?:\s?(?:gen\s?)?[345](?:\.0)?)?(?!\w)",
    re.ASCII,
)
"""A slot of fewer lanes than a card takes is another link than its usual one."""
_ASKED = r"\b(?:would|if|with or without|whether)\b|如果|要是|有没有"
"""Before a link that is only thought of."""


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
        told.append("without NVLink" if denied else "NVLink" if match["nvlink"] else "PCIe")
    kinds = set(told)
    return max(kinds, key=len) if len(kinds) == 1 or kinds == {"without NVLink", "PCIe"} else None
