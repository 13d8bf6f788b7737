"""Machines of so many cards each, as the number of all their cards: `2 nodes of 8 H100` are 16."""

from __future__ import annotations

import re

from advisor.claims.reading.number_words import search
from advisor.claims.reading.words import CARD, COUNT, count_of

_NODES = r"(?:nodes?|machines?|servers?|boxes|hosts?|台(?:机器|服务器|机)?|个?节点)"
_CARDS = rf"(?:gpus?\b|cards?\b|张|块|卡|{CARD})"
_EACH = r"[^.;。；]{0,16}?(?:\beach\b|\bper node\b)"
_SO_MANY_NODES = rf"(?<![a-z0-9.-]){COUNT}\s*{_NODES}\s*"
_OF_EACH = (
    rf"{_SO_MANY_NODES}(?:of|x|×|\*|各(?:自|有)?|每台(?:有|都是)?)\s*{COUNT}\s*(?:[x×*] ?)?(?={_CARDS})",
    rf"{_SO_MANY_NODES}(?:,|\(|with)\s*{COUNT}\s*(?:[x×*] ?)?(?={_CARDS}{_EACH})",
    rf"(?<![a-z0-9.-]){COUNT}\s*[x×*]\s*{COUNT}\s*[x×*] ?(?={_CARDS})",
)
"""Two groups: how many machines, and how many cards each of them has. `两机16卡` tells all of them already."""
_ONE = (
    r"\b(?:one|a single|1|single) (?:node|machine|server|box)\b"
    r"|(?:一|单)(?:台(?:机器|服务器|机)?|机|个?节点)(?![\d八四二])"
)


def in_cards(plain: str) -> str:
    """The text with all cards of several machines counted, and those of one machine where that is held against them."""
    for pattern in _OF_EACH:
        match = search(pattern, plain)
        if match is not None:
            nodes, cards = count_of(match[1]), count_of(match[2])
            behind = re.sub(_ONE, f"{cards} gpus", plain[match.end() :], flags=re.ASCII)
            before = re.sub(_ONE, f"{cards} gpus", plain[: match.start()], flags=re.ASCII)
            return f"{before}{nodes * cards} {behind}"
    return plain
