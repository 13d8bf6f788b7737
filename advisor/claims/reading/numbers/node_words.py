"""Machines of so many cards each, as the number of all their cards: `2 nodes of 8 H100` are 16."""

from __future__ import annotations

import re

from advisor.claims.reading.numbers.card_counts import CARD, COUNT, count_of
from advisor.claims.reading.numbers.number_words import search

_NODES = r"(?:nodes?|machines?|servers?|boxes|hosts?|台(?:机器|服务器|机)?|个?节点)"
_CARDS = rf"(?:gpus?\b|cards?\b|张|块|卡|{CARD})"
_EACH = r"[^.;。；]{0,16}?(?:\beach\b|\bper node\b)"
_SO_MANY_NODES = rf"(?<![a-z0-9.-]){COUNT}\s*{_NODES}\s*"
_OF_EACH = (
    rf"{_SO_MANY_NODES}(?:of|x|×|\*|各(?:自|有)?|每台(?:有|都是)?)\s*{COUNT}\s*(?:[x×*] ?)?(?={_CARDS})",
    rf"{_SO_MANY_NODES}(?:,|\(|with)\s*{COUNT}\s*(?:[x×*] ?)?(?={_CARDS}{_EACH})",
    rf"(?<![a-z0-9.-]){COUNT}\s*台\s*{COUNT}\s*(?=[张块]?卡)",
    rf"(?<![a-z0-9.-]){COUNT}\s*[x×*]\s*{COUNT}\s*[x×*] ?(?={_CARDS})",
)
"""Two groups: how many machines, and how many cards each of them has. `两机16卡` tells all of them already."""
_EACH_HAS = rf"(?<![a-z0-9.-]){COUNT}\s*[x×*]? ?(?={_CARDS}{_EACH}|{_CARDS}\s*(?:a|per) (?:node|machine|server))"
_ONE = (
    r"\b(?:one|a single|1|single) (?:node|machine|server|box)\b"
    r"|(?:一|单)(?:台(?:机器|服务器|机)?|机|个?节点)(?![\d八四二])"
)


_ADDED = (
    rf"\b(?:add(?:ing|ed)|going to|with) (?:a |an |another |the |my )?(?:second|2nd|extra|additional) {_NODES}"
    rf"|\b(?:add(?:ing|ed)) another {_NODES}|(?:再?[加增]加?了?)(?:第二|一)台(?:机器|服务器|机)?"
)
_HAS = rf"(?<![a-z0-9.-]){COUNT}\s*[x×*]? ?(?={_CARDS})"


def in_cards(plain: str) -> str:
    """The text with all cards of several machines counted, and those of one machine where that is held against them."""
    for pattern in _OF_EACH:
        match = search(pattern, plain)
        if match is not None:
            nodes, cards = count_of(match[1]), count_of(match[2])
            if nodes == 1 and (apart := _told_apart(plain)) != plain:
                return apart
            behind = re.sub(_ONE, f"{cards} gpus", plain[match.end() :], flags=re.ASCII)
            before = re.sub(_ONE, f"{cards} gpus", plain[: match.start()], flags=re.ASCII)
            return f"{before}{nodes * cards} {behind}"
    added, has = search(_ADDED, plain), search(_HAS, plain)
    if added is not None and has is not None:
        cards = count_of(has[1])
        return f"{plain[: added.start()]}{2 * cards} gpus instead of {cards} gpus {plain[added.end() :]}"
    return _told_apart(plain)


def _told_apart(plain: str) -> str:
    """The same where what each machine has stands elsewhere: `2 nodes are slower than one (8x A100 each)`."""
    several, each = search(_SO_MANY_NODES, plain), search(_EACH_HAS, plain)
    if several is None or each is None or count_of(several[1]) == 1 or several.start() >= each.start():
        return plain
    nodes, cards = count_of(several[1]), count_of(each[1])
    text = f"{plain[: each.start()]}{plain[each.end() :]}"
    text = f"{text[: several.start()]}{nodes * cards} gpus {text[several.end() :]}"
    return re.sub(_ONE, f"{cards} gpus", text, flags=re.ASCII)


def compares_nodes(plain: str) -> str | None:
    """The words for several machines that are held against one where it is not said how many cards each has."""
    several = search(_SO_MANY_NODES, plain)
    told = several is not None and count_of(several[1]) > 1 and search(_ONE, plain) is not None
    return several.group().strip() if several is not None and told else None
