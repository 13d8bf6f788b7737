"""The two sides of a claim: one number of cards against another, or one card against another, each with its figure."""

from __future__ import annotations

import re
from typing import NamedTuple

from advisor.claims.gpu_names import Mention
from advisor.claims.reading.compared.order_words import denies_order
from advisor.claims.reading.compared.two_speeds import BEFORE, PAIR, ratio_of_set_ups, ratio_of_times, two_speeds
from advisor.claims.reading.numbers.before_after import before_to_after
from advisor.claims.reading.numbers.card_counts import find_counts
from advisor.claims.reading.numbers.number_words import NUMBER, PERCENT, number, search
from advisor.claims.reading.numbers.ratio_words import ABOUT, FOLD, find_efficiency, find_ratio

_COMPARING = (
    r"(?<![-=<>])[<>](?![-=<>])|\b(?:than|over|vs\.?|versus|compared (?:to|with)|against"
    r"|as (?:fast|quick|slow|long) as|relative to|of an?|of the"
    r"|(?:speed|throughput) of|(?:speed|time|throughput) as|beats?"
    r"|out(?:run|perform|pace)s?|ahead of|behind|of what an?|loses to)\b"
)
_COMPARING_CHINESE = (
    r"比|相比|相对|对比|的(?=\s*[\d.两二三四五六七八九十一]+\s*[倍半])|快于|慢于|优于|不如|不及|没有|是|只有"
)
_SO_MANY = (
    r"(?:\b(?:is|are|feels?|equals?|matche?s?|replaces?)\b"
    r"(?: (?:like|basically|easily|probably|maybe|roughly|closer to|more like))*"
    r"|[=:≈~]|抵(?:得上|得过)?|顶(?:得上)?|等于|相当于|是)"
    rf"\s*{ABOUT}(?:{NUMBER}\s*{FOLD}?|(twice|double|two|两)|(three|三)|(four|四))\s*(?:张|块|个)?(?:\s*(?:an?|the|my|one)\b)?"
    r"\s*(?:(?:\d{1,4}|two|three|four|eight|两|三|四|八) ?[x×*张块]? ?)?$"
)
"""What stands between two cards of which one is so many of the other: `a 4090 is twice an A100`, `抵两张 A100`."""
_SHARE_BEFORE = (
    rf"(?<!within )(?<!within about ){PERCENT} of (?:the |an? |my |its )?(?:desktop |regular |normal |plain |full )?"
    r"(?:(?:\d{1,4}|two|three|four|eight) ?[x×]? ?)?$"
)
_SHARE_BEHIND = rf"^\s*的\s*(?:大?约|大概)?\s*{PERCENT}(?!\s*(?:显存|内存|价))"
_IS_ANOTHER = (
    r"^\s*(?:is|are|=|就是|基本上?就?是)(?: (?:basically|just|really|pretty much|essentially|like))*\s*(?:an? |the )?$"
)
"""Between two cards of which the one is called the other: `the L40S is basically a 4090`."""
_SET_BESIDE = r"\band\b|和|跟|与|同"
_CHANGED_TO = r"\bto\b|\bwith\b|->|→|换到|换成|换为|升级到|升级为|改用|改为"
_ONLY_ARROW = r"^\s*(?:\d{1,3} ?gi?b?\s*)?(?:->|-->|=>|→)\s*(?:\d{1,4} ?[x×] ?)?$"
_CHANGED = r"\b(?:from|switch\w*|upgrad\w*|mov\w+|chang\w+|replac\w+)\b|从|由|把|将|换|升级"
_IN_PLACE_OF = r"\b(?:rather than|instead of)\b|而不是"
"""Between two numbers of cards of which the first is what there is now."""
_WAS_BEFORE = r"(?:\b(?:before|previously|formerly|was)|之前|原来|以前|原先)\s*(?:是|用的?是?|:)?\s*(?:the |an? )?$"
"""Right before the card that was used before."""
_ONLY_SET_AGAINST = r"^\s*(?:vs\.?|versus|against|or|/|,|和|跟|与|对比|对|还是)\s*(?:the |an? )?(?:\d{1,4} ?[x×] ?)?$"
"""All that stands between two cards of which neither is the subject: `A100 vs H100: 2x faster`."""
_NAMED_AGAIN = (
    r"(?:[:;,.?!，。；：？]\s*(?:(?:so|and|but|then|here|imo|for me),? )?(?:the |an? |my |our |one |single )*"
    r"|(?:faster|slower|quicker|speed-?up|the speed|throughput|better|ahead) (?:on|with|for) (?:the |an? |my )?)$"
)
"""Before a card that is named again, as that which the figure is told of: `A100 vs H100: the H100 is`."""
_LATTER, _FORMER = r"\bthe latter\b|后者", r"\bthe former\b|前者"
_NEXT_CLAUSE = r"[,;.!?，。；！：]\s*(?:(?:so|and|but|because|since|as|因为|毕竟|而)\b ?)?(?:the |an? |my |our )?$"
_IS_AHEAD = (
    r"^\s*(?:(?:is|are|was|will be|trains?|runs?|finish\w*|does|gets?|gives?)\b|训练|微调|跑|要|能|可以|反而|快|慢|会)"
    r"[^.;。；]*?(?:faster|slower|quicker|sooner|speed|快|慢)(?!er)(?! than)"
)
_OF_EACH_CARD = (
    r"\b(?:per|each)[ -](?:gpu|card)['s]{0,2} (?:throughput|speed|rate|tokens|samples|images)"
    r"|\b(?:throughput|speed|rate) (?:per|of each|a) (?:gpu|card)|每(?:张)?卡的?(?:平均)?(?:吞吐|速度)"
    r"|/ ?s(?:ec)?\s*(?:/|per|on each|each|a) ?(?:gpu|card|device)\b"
)
"""A speed of one of the cards on either side: all of them have it times their number."""
_FROM_TO = r"\bfrom\b[^.;]*\bto\b|->|→|[从由][^.;。；]*[到至]"


class Sides(NamedTuple):
    """What is compared: how many times as fast the subject is, cards and numbers of either side; None: not said."""

    ratio: float | None
    card_count: int | None
    reference_count: int
    subject: tuple[str, ...]
    reference: tuple[str, ...]
    compared: bool
    """Whether two cards, where two are named, are compared."""


def find_sides(plain: str, mentions: tuple[Mention, ...]) -> Sides:
    """Who is compared with whom, and by how much."""
    named = find_counts(plain, [(mention.start, mention.end) for mention in mentions])
    cards = _different(mentions if len({mention.keys for mention in mentions}) <= PAIR else _told_of(plain, mentions))
    if len(cards) == PAIR:
        return _cards(plain, cards, named, mentions)
    counts = _distinct(named)
    subject = cards[0].keys if cards else ()
    count = max((value for _, value in counts), default=None)
    reference_count = min(value for _, value in counts) if len(counts) == PAIR else 1
    figures = two_speeds(plain)
    ratio = None
    if len(counts) == PAIR and len(figures) == PAIR:
        beside = next((value for place, value in counts if 0 <= figures[0][0] - place <= _NEAR), counts[0][1])
        fewer_first = beside < max(value for _, value in counts)
        joined, between = before_to_after(plain), plain[counts[0][0] : counts[1][0]]
        if joined is not None and search(_IN_PLACE_OF, between) is not None:
            ratio = 1 / joined if fewer_first else joined
        else:
            ratio = figures[1][1] / figures[0][1] if fewer_first else figures[0][1] / figures[1][1]
    elif len(figures) == PAIR and (count or 1) > 1 and search(BEFORE, plain):
        ratio = _beside_count(figures, counts[-1][0])
    if ratio is None and len(counts) < PAIR and len(figures) == PAIR:
        ratio = ratio_of_set_ups(plain, figures) or ratio_of_times(plain, figures)
    if ratio is None:
        ratio = _ratio_of_counts(plain, counts)
    if ratio is None and len(counts) < PAIR and len(figures) == PAIR and search(_FROM_TO, plain):
        ratio = figures[1][1] / figures[0][1]
    efficiency = find_efficiency(plain) if count is not None and count > reference_count else None
    if efficiency is not None and count is not None:
        ratio = efficiency * count / reference_count
    if ratio is not None and count is not None and len(counts) == PAIR and search(_OF_EACH_CARD, plain) is not None:
        ratio *= count / reference_count
    return Sides(ratio, count, reference_count, subject, (), compared=False)


def _distinct(counts: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """The first place of each number of cards."""
    first: dict[int, int] = {}
    for place, count in counts:
        first.setdefault(count, place)
    return sorted((place, count) for count, place in first.items())


def _told_of(plain: str, mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """Of three cards or more, the two in that part of the text which alone tells how many times; else all."""
    for part in re.finditer(r"[^:;。；]+", plain):
        own = tuple(mention for mention in mentions if part.start() <= mention.start < part.end())
        if len({mention.keys for mention in own}) == PAIR and find_ratio(part.group()) is not None:
            return own
    return mentions


def _different(mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
    if not mentions:
        return ()
    first = mentions[0]
    other = next((mention for mention in mentions[1:] if mention.keys != first.keys), None)
    return (first,) if other is None else (first, other)


def _beside_count(figures: list[tuple[int, float]], place: int) -> float:
    """The speed beside a number of cards over the other one: `before it took 3 hours, with 2 GPUs 52 minutes`."""
    near = next((figure for figure in figures if figure[0] > place), figures[-1])
    far = figures[0] if near is figures[1] else figures[1]
    return near[1] / far[1]


def _ratio_of_counts(plain: str, counts: list[tuple[int, int]]) -> float | None:
    """The ratio in words, of more cards over fewer: `1 GPU is 2x slower than 4` is 2."""
    ratio = find_ratio(plain)
    if ratio is None or len(counts) != PAIR or counts[0][1] > counts[1][1]:
        return ratio
    between = plain[counts[0][0] : counts[1][0]]
    return 1 / ratio if search(r"\bthan\b|\bas (?:fast|quick|slow|long) as\b|比", between) and ratio > 0 else ratio


def _told_again(plain: str, cards: tuple[Mention, ...], mentions: tuple[Mention, ...]) -> tuple[str, ...] | None:
    """Which of two cards is named again, as that which the figure is told of; None: neither is."""
    for words, named in ((_LATTER, 1), (_FORMER, 0)):
        if search(words, plain) is not None:
            return cards[named].keys
    places = [place for place, mention in enumerate(mentions) if mention in cards]
    for place in range(places[1] + 1, len(mentions)):
        again = mentions[place]
        if search(_NAMED_AGAIN, plain[mentions[place - 1].end : again.start]) is not None:
            return next((card.keys for card in cards if card.keys == again.keys), None)
    return None


def leaves_order_open(plain: str, mentions: tuple[Mention, ...]) -> bool:
    """Whether two cards are only set against each other, and it is not said of which the figure is told."""
    cards = _different(mentions)
    if len(cards) != PAIR or _told_again(plain, cards, mentions) is not None:
        return False
    between, behind = plain[cards[0].end : cards[1].start], plain[cards[1].end :]
    told_behind = find_ratio(behind) is not None and find_ratio(plain[: cards[1].start]) is None
    return told_behind and search(_ONLY_SET_AGAINST, between) is not None


def _share_of_card(plain: str, keys: tuple[str, ...], mentions: tuple[Mention, ...]) -> float | None:
    """The share of another card's speed that is told beside its name: `70 % of an A100`, `只有 A100 的七成`."""
    for mention in mentions:
        if mention.keys == keys:
            match = search(_SHARE_BEFORE, plain[: mention.start]) or search(_SHARE_BEHIND, plain[mention.end :])
            if match is not None:
                return number(match[1], match[2]) / 100 or None
    return None


def _cards(
    plain: str,
    cards: tuple[Mention, ...],
    counts: tuple[tuple[int, int], ...],
    mentions: tuple[Mention, ...],
) -> Sides:
    first, other = cards
    between = plain[first.end : other.start]
    so_many = search(_SO_MANY, between)
    if so_many is not None:
        figure, scale, *words = so_many.groups()
        many = number(figure, scale) if figure else next(place for place, word in enumerate(words, start=2) if word)
        place = first.end + max(so_many.start(group) for group in range(1, len(so_many.groups()) + 1))
        beside = tuple(told for told in counts if told[0] != place)  # `6x V100` are not six of them
        count, other_count = _own_counts(cards, beside) if beside else (None, 1)
        return Sides(float(many), count, other_count, first.keys, other.keys, compared=True)
    share = _share_of_card(plain, other.keys, mentions)
    of_first = _share_of_card(plain, first.keys, mentions) if share is None and len(mentions) > PAIR else None
    if of_first is not None:
        first, other, share = other, first, of_first
    ratio = share if share is not None else find_ratio(plain, alike=not denies_order(plain))
    count, other_count = _own_counts((first, other), counts)
    figures = two_speeds(plain)
    parted = len(figures) == PAIR and figures[1][0] > first.start  # two that stand before both cards are of neither
    if ratio is None and parted:
        ratio = figures[0][1] / figures[1][1]
        turned, compared, ratio = ratio < 1, True, max(ratio, 1 / ratio)
    else:
        again = _told_again(plain, (first, other), mentions) or _told_apart(plain, first, other)
        turned = again == other.keys if again is not None else _is_of_second(plain, first, other)
        together = ratio is not None and _stand_beside(plain, first, other)
        compared = (
            any((again, turned, share, together)) or search(rf"{_COMPARING}|{_COMPARING_CHINESE}", between) is not None
        )
    if turned:
        return Sides(ratio, other_count, count, other.keys, first.keys, compared)
    return Sides(ratio, count, other_count, first.keys, other.keys, compared)


def _told_apart(plain: str, first: Mention, other: Mention) -> tuple[str, ...] | None:
    """The second card, where a clause of its own tells how much faster it is: `skip the T4, a 3090 is 5x faster`."""
    between, behind = plain[first.end : other.start], plain[other.end :]
    apart = search(_NEXT_CLAUSE, between) is not None and find_ratio(plain[: other.start]) is None
    return other.keys if apart and search(_IS_AHEAD, behind) is not None and find_ratio(behind) is not None else None


def _stand_beside(plain: str, first: Mention, other: Mention) -> bool:
    """Whether two cards are named together, or the second as the one before: a ratio is then told of the first."""
    between = plain[first.end : other.start]
    beside = search(_SET_BESIDE, between) or search(_IS_ANOTHER, between) or search(_WAS_BEFORE, plain[: other.start])
    return beside is not None


def _is_of_second(plain: str, first: Mention, other: Mention) -> bool:
    """Whether a figure is told of the card that is named second, since the first was changed to it."""
    if search(_WAS_BEFORE, plain[: other.start]) is not None:
        return False
    between = plain[first.end : other.start]
    changed = search(_CHANGED_TO, between) is not None and search(_CHANGED, plain[: other.start]) is not None
    named_after = (
        search(r"^\s*to\s*(?:an? )?$", between) is not None and search(_CHANGED, plain[other.end :]) is not None
    )
    return changed or named_after or search(_ONLY_ARROW, between) is not None


def _own_counts(cards: tuple[Mention, ...], counts: tuple[tuple[int, int], ...]) -> tuple[int, int]:
    """How many of either card: the number beside its name; one that stands beside neither is that of both."""
    beside = [
        next((value for place, value in counts if card.start - _NEAR <= place <= card.end + _NEAR // 2), None)
        for card in cards
    ]
    both = max((value for _, value in counts), default=1) if beside == [None, None] else 1
    return beside[0] or both, beside[1] or both


_NEAR = 6
"""Characters between a number and the card that it counts: `2 × RTX`, `两块`."""
