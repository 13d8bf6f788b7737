"""Two ratios of one sentence, each with what it is told of: `2x the 3090 and 1.3x the A100`, each as its own text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from advisor.claims.gpu_names import Cards
from advisor.claims.reading.changes.precision_words import PRECISIONS
from advisor.claims.reading.models.other_models import model_places
from advisor.claims.reading.numbers.card_counts import find_counts
from advisor.claims.reading.numbers.number_words import search
from advisor.claims.reading.text.corrected import ratio_figures

_JOINT = (
    r"^[^\d.;。；]{0,12}?(?:,|;|/|，|；|、|\band\b|\bbut\b|\bwhile\b|\bwhereas\b|\bvs\.?\b|和|而|但)"
    r"[^\d.。]{0,28}$"
)
_OF = r"^ ?(?:as )?(?:faster|slower|quicker|fast|slow|quick|more|less|[快慢])"
_LINK = r"\bnv-?link\b|\bpcie\b|\binfiniband\b|\bethernet\b"
_PAIR = 2


class Part(NamedTuple):
    """One of two ratios: its words, and the sentence as it would be with it alone."""

    words: str
    text: str


class _Span(NamedTuple):
    start: int
    end: int


def separate_ratios(plain: str, cards: Cards) -> tuple[Part, ...]:
    """The two ratios that are told of two things of one kind; none: there are not two, or of one thing."""
    figures = [_Span(*span) for span in ratio_figures(plain)]
    if len(figures) != _PAIR:
        return ()
    for things in _things(plain, cards):
        first, other = (_around(figure, thing) for figure, thing in zip(figures, things, strict=True))
        joint = search(_JOINT, plain[first.end : other.start]) if first.end <= other.start else None
        ordered = (figures[0].start < things[0].start) == (figures[1].start < things[1].start)
        if joint is not None and ordered:
            head, tail = plain[: first.start], plain[other.end :]
            words = (plain[first.start : first.end], plain[other.start : other.end])
            shared = any(first.start < card.start and card.end < first.end for card in cards.mentions)
            second = _in_place(plain, figures, things) if shared and things[0].end == first.end else words[1]
            return Part(words[0], f"{head}{words[0]}{tail}"), Part(words[1], f"{head}{second}{tail}")
    return ()


def _in_place(plain: str, figures: Sequence[_Span], things: Sequence[_Span]) -> str:
    """The first ratio's words with the second's figure and thing in their places: `2x a 3090 on BERT, 3x on ViT`."""
    one, other = (_whole(plain, figure) for figure in figures)
    between = plain[one.end : things[0].start]
    return f"{plain[other.start : other.end]}{between}{plain[things[1].start : things[1].end]}"


def _whole(plain: str, figure: _Span) -> _Span:
    """A figure with the word for what it is of."""
    match = search(_OF, plain[figure.end :])
    return figure if match is None else figure._replace(end=figure.end + match.end())


def _around(figure: _Span, thing: _Span) -> _Span:
    return _Span(min(figure.start, thing.start), max(figure.end, thing.end))


def _things(plain: str, cards: Cards) -> Iterator[tuple[_Span, _Span]]:
    """Pairs of things that two ratios may be told of: the cards beside a first one, counts, precisions, models."""
    first_places = {card.keys: _Span(card.start, card.end) for card in reversed(cards.mentions)}
    unknown = [_Span(place, place + len(name)) for name in cards.unknown if (place := plain.find(name)) >= 0]
    named = sorted((*first_places.values(), *unknown))
    if len(named) == _PAIR + 1:
        yield named[1], named[2]
    spans = [(card.start, card.end) for card in cards.mentions]
    counts = {count: place for place, count in reversed(find_counts(plain, spans)) if count > 1}
    if len(counts) == _PAIR:
        one, other = sorted(counts.values())
        yield _Span(one, _end_of_count(plain, one)), _Span(other, _end_of_count(plain, other))
    links = [match.span() for match in re.finditer(_LINK, plain, re.ASCII)]
    for places in (model_places(plain), precision_places(plain), links):
        if len(places) == _PAIR:
            yield _Span(*places[0]), _Span(*places[1])


def _end_of_count(plain: str, start: int) -> int:
    """Behind a number of cards and the word for these."""
    match = search(r"^\w+(?:\s*(?:[x×*]\s*)?(?:gpus?|cards?|张|块|卡|显卡)+\b)?", plain[start:])
    return start + (match.end() if match is not None else 1)


def precision_places(plain: str) -> list[tuple[int, int]]:
    """Where each precision is named, once each, in the text's order."""
    found: list[tuple[int, int]] = []
    for pattern, _ in PRECISIONS:
        match = search(pattern, plain)
        if match is not None and not any(start < match.end() and match.start() < end for start, end in found):
            found.append(match.span())
    return sorted(found)
