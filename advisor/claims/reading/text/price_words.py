"""What cards cost, told beside how fast they are: a price is none of the claim's figures, and is not judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.claims.gpu_names import find_gpus
from advisor.claims.reading.numbers.card_counts import CARD
from advisor.claims.reading.numbers.number_words import NUMBER, PERCENT, search

_SO_MUCH = (
    r"(?:(?:only |just |about |around |roughly |almost |nearly |more than |over )*"
    rf"(?:{PERCENT}|{NUMBER}\s*(?:x|×|times|倍)|twice|double|triple|half|a third|a quarter|two times|three times"
    r"|两倍|三倍|一半|翻倍))"
)
_MONEY = (
    rf"(?:[$€£¥]\s*{NUMBER}|{NUMBER}\s*(?:dollars?|bucks|usd|euros?|eur|cents?|块钱|块(?=一|每|/|$|[,.;，。；])"
    r"|元|美元|刀)(?![a-z]))"
)
_A_TIME = r"(?:\s*(?:/|per|an?|each|每|一)\s*(?:个)?(?:h|hr|hour|card|gpu|month|小时|张|块|月))?"
_AS_MUCH = (
    r"(?: (?:as much|more|less|the (?:price|cost|money)|as expensive|money|extra))*(?: (?:an?|per) (?:hour|card|gpu))?"
    r"(?: (?:to (?:rent|buy|run)|in the cloud|on [a-z]+))?"
)
_PRICES = (
    (
        r"\b(?:costs?|costing|priced(?: at)?|rents? for|goes for|sells? for)(?: (?:me|us|you|about|around|at))*"
        rf" {_SO_MUCH}{_AS_MUCH}"
    ),
    rf"(?:\b(?:is|are|was|at|for) )?{_SO_MUCH} (?:as |more |less )?(?:expensive|cheap(?:er)?|pric(?:ey|ier))\b",
    rf"(?:\b(?:is|are|at|for|has) )?{_SO_MUCH} (?:of )?the (?:price|cost|money)\b",
    rf"的?(?:价格|价钱|售价|租金|费用|成本)[^,，。;；]{{0,20}}?{_SO_MUCH}",
    rf"(?:贵|便宜)了?\s*(?:大?约|近|将近)?{_SO_MUCH}",
    rf"{_SO_MUCH}的?(?:价格|价钱|售价|租金|成本)",
    (
        r"(?:\b(?:costs?|costing|for|at|is|paid|pay(?:ing)?|rents? for|rented at) |每小时\s*|租金\s*|花了?\s*|只要\s*)?"
        rf"\(?{_MONEY}{_A_TIME}\)?"
    ),
)
"""So many times the price, or an amount of money."""
_OVER = r"^\s*(?:as|than|of)\b"


class Price(NamedTuple):
    """The words of a price, and the text without them."""

    words: str
    without: str


def find_price(plain: str, specs: Mapping[str, GpuSpec]) -> Price | None:
    """The first price of a text; None: none is told.

    So many times a price is one of two cards: what costs so much of the time, as checkpointing does, is none.
    """
    for pattern in _PRICES:
        match = search(pattern, plain)
        if match is not None and (pattern == _PRICES[-1] or _names_two_cards(plain, specs)):
            behind = plain[match.end() :]
            over = search(_OVER, behind)
            joined = f"than{behind[over.end() :]}" if over is not None else behind
            card = search(CARD, match.group())
            beside = "" if card is None else f"比{card.group()}"
            without = f"{plain[: match.start()]}{beside} {joined}"
            return Price(match.group().strip(" ()"), without.replace("  ", " "))
    return None


def _names_two_cards(plain: str, specs: Mapping[str, GpuSpec]) -> bool:
    return len({card.keys for card in find_gpus(plain, specs).mentions}) > 1
