"""Which words of a claim's text its reading does not depend on: any other in their place would be read alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import msgspec

from advisor.claims.claim import Claim
from advisor.claims.reading.text.unread import figure_spans, reads_alike
from advisor.core.bundled import resource
from advisor.core.input_file import read_toml
from advisor.core.records import Record

_MOST = 100
"""Words that are tried: who writes more of them tells a story, the rest of which is not looked at."""
_MOST_NAMED = 6
_ENGLISH = re.compile(r"(?<![a-z0-9.])[a-z](?:[a-z0-9_.+'-]*[a-z0-9+])?", re.ASCII)
_ENDINGS = ("'s", "s", "es", "ed", "d", "ing", "ly")
_CHINESE = re.compile(r"[\u4e00-\u9fff]+")
_BARE = re.compile(r"(?<![\w.,:/-])(?!(?:19|20)\d\d(?!\d))(?:\d\d+|\d+\.\d+)k?(?![\w.%]|\s?\d+b\b)", re.ASCII)
"""A number without a unit, but a year, and a single digit, which mostly is one of a name or of cards."""
_MEANINGLESS, _MEANINGLESS_CHINESE = "q", "〇"
"""Letters that make no word of a claim."""
_LEAST_CHINESE = 2
"""Characters: a single one between plain words may be a part of these."""
_APART = re.compile(r"[ -]?")
"""What may stand between two words of one phrase."""


class PlainWords(Record, frozen=True, kw_only=True):
    """`resources/plain_words.toml`: groups of words, each separated by blanks."""

    english: dict[str, str]
    chinese: dict[str, str]


class _Span(NamedTuple):
    start: int
    end: int
    instead: str
    """What is tried in its place."""


def unread_words(plain: str, claim: Claim, read: Callable[[str], Claim]) -> tuple[str, ...]:
    """The phrases of a normalised text without which `read` reads the same claim, in their order.

    Words that decide nothing by themselves (`resources/plain_words.toml`) are left out, and so are figures with a
    unit, which are looked at by themselves.
    """
    as_read = msgspec.structs.replace(claim, text=None)
    spans = sorted((*_english(plain), *_chinese(plain), *_numbers(plain)))[:_MOST]
    unread: list[tuple[int, int]] = []
    for span in spans:
        if not reads_alike(_with_another(plain, span), as_read, read):
            continue
        if unread and _APART.fullmatch(plain, unread[-1][1], span.start) is not None:
            unread[-1] = (unread[-1][0], span.end)
        else:
            unread.append((span.start, span.end))
    phrases = dict.fromkeys(plain[start:end] for start, end in unread)
    whole = (phrase for phrase in phrases if phrase.isascii() or len(phrase) >= _LEAST_CHINESE)
    return tuple(whole)[:_MOST_NAMED]


def _with_another(plain: str, span: _Span) -> str:
    """The text with something else in the place of a phrase; of an English word, wherever it stands."""
    word = plain[span.start : span.end]
    if _ENGLISH.fullmatch(word) is None:
        return f"{plain[: span.start]}{span.instead}{plain[span.end :]}"
    return re.sub(rf"(?<![a-z0-9.]){re.escape(word)}(?![a-z0-9])", span.instead, plain)


def _english(plain: str) -> Iterator[_Span]:
    known = _plain_words()[0]
    for match in _ENGLISH.finditer(plain):
        word = match.group()
        stems = (word, *(word.removesuffix(ending) for ending in _ENDINGS))
        if known.isdisjoint((*stems, *(f"{stem}e" for stem in stems[-2:]))):
            yield _Span(*match.span(), _MEANINGLESS * len(word))


def _chinese(plain: str) -> Iterator[_Span]:
    known = _plain_words()[1]
    for run in _CHINESE.finditer(plain):
        # Plain words are as long as they can be: what is left between them may be a word of its own.
        left = known.sub(lambda word: " " * len(word.group()), run.group())
        for other in _CHINESE.finditer(left):
            if len(other.group()) >= _LEAST_CHINESE:
                start = run.start() + other.start()
                yield from (_Span(at, at + 1, _MEANINGLESS_CHINESE) for at in range(start, start + len(other.group())))


def _numbers(plain: str) -> Iterator[_Span]:
    figures = figure_spans(plain)
    for match in _BARE.finditer(plain):
        start, end = match.span()
        if not any(begin < end and start < stop for begin, stop in figures):
            yield _Span(start, end, f"{match.group().removesuffix('k')}7")


@cache
def _plain_words() -> tuple[frozenset[str], re.Pattern[str]]:
    """English words, and a pattern of the Chinese ones."""
    lists = read_toml(resource("plain_words.toml"), PlainWords)
    english, chinese = (
        {word for words in groups.values() for word in words.split()} for groups in (lists.english, lists.chinese)
    )
    longest_first = sorted(chinese, key=len, reverse=True)
    return frozenset(english), re.compile("|".join(re.escape(word) for word in longest_first))
