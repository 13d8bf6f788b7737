"""The words for a change of the length of texts: from how many tokens to how many, or how many times as long."""

from __future__ import annotations

import itertools
import re
from typing import NamedTuple

from advisor.claims.reading.changes.batch_words import LARGEST_SIZE, grown_by
from advisor.claims.reading.numbers.number_words import A_SECOND, LENGTH_WORDS, TOKENS, search

_WORDS = (
    rf"(?:{'|'.join(LENGTH_WORDS)}|\b(?:context|ctx|sequence|cut-?off)(?:[ _-]?(?:len(?:gth)?|size|window))?"
    r"|上下文(?:长度)?|\bmax_?tokens)"
)
_BEHIND = rf"[ -]?(?:(?:tokens?|tok|context|ctx|long)\b|上下文|词元|的?(?:序列)?长度)(?!{A_SECOND})"
_SAYS = r"\s*(?:(?:of|=|:|is|为|是)\s*)?"
_STATED = re.compile(
    rf"(?:(?P<before>{_WORDS}){_SAYS})?(?<![\w.])(?<![a-z]-)(?P<size>\d{{1,7}})(?P<k> ?k(?![a-z]))?"
    rf"(?![\w.]|:\d| ?[%x×倍])(?P<behind>{_BEHIND})?",
    re.ASCII,
)
"""A number, with the words for a length that may stand before and behind it."""
_TO = (
    r"\s*(?:->|-->|=>|→|\bto\b|(?:增加|提高|提升|增大|加大|加长|拉长|扩大|拉|[增加升改调变换提扩涨])?[到至成为])"
    r"\s*(?:a |an )?"
)
_OVER = (
    r"(?:\b(?:instead of|rather than|over|vs\.?|versus|compared (?:to|with)|than)\b|而不是|代替|相比于?|比)"
    r"\s*(?:(?:at|with|for|on|in|a|an|the) )*$"
)
_HEADS = rf"{_WORDS}[^.;,，。；\d]{{0,24}}$"
"""Before two numbers that a word for lengths stands before: `sequence length from 512 to 1024`."""
_FARTHEST = 60
"""Characters between two lengths that are held against each other."""
_A_LENGTH = (
    r"(?:(?:the |your |my |our )?(?:max(?:imum)? )?(?:sequence|context|text|prompt|input)s?"
    r"(?: (?:length|size|window))?|(?:序列|上下文|文本)?长度|上下文)"
)
_GREW = (
    rf"\b(?P<grew>doubl|tripl|quadrupl)(?:e[sd]?|ing)\s+{_A_LENGTH}(?![a-z])",
    rf"{_A_LENGTH}\s*(?:is |was |got |has been )?(?P<been>doubl|tripl|quadrupl)ed",
    rf"{_A_LENGTH}\s*(?P<chinese>翻倍|加倍|翻一番|(?:翻|增加|扩大|提高)了?(?P<once>一倍))",
    rf"\b(?P<twice>twice) (?:the |as long an? ){_A_LENGTH}(?![a-z])",
    rf"(?<![\d.])(?P<times>\d{{1,3}}) ?(?:x|×|times) (?:the |longer |as long )?{_A_LENGTH}(?![a-z])",
)
_OF_TOKENS = (
    rf"\b{TOKENS}(?:{A_SECOND}|[ -](?:throughput|rate))|\btps\b|(?:词元|token)\s*(?:吞吐|速度)"
    r"|每秒[^,，。;；]{0,8}(?:token|词元)"
)
_OF_STEPS = (
    r"\b(?:steps?|iterations?|iters?|its?/s|epochs?|s/it|time|samples?|sequences?/s)\b"
    r"|每步|每个?(?:step|epoch|样本)|每轮|时间|耗时|用时"
)


class LengthChange(NamedTuple):
    """Tokens of a text after and before a change, or how many times as long it became, and the text without them."""

    after: int | None
    before: int | None
    ratio: float | None
    without: str


def find_length_change(plain: str) -> LengthChange | None:
    """By how much texts grew or shrank; None: nothing is said of that."""
    numbers = list(_STATED.finditer(plain))
    for one, other in itertools.combinations(numbers, 2):
        sizes = _size(one), _size(other)
        if sizes[0] == sizes[1] or not all(1 < size <= LARGEST_SIZE for size in sizes):
            continue
        if (before_first := _joined(plain, one, other)) is not None:
            after, before = reversed(sizes) if before_first else sizes
            return LengthChange(after, before, None, _without(plain, one, other))
    growth = grown_by(_GREW, plain)
    return None if growth is None else LengthChange(None, None, growth.ratio, growth.without)


def _joined(plain: str, one: re.Match[str], other: re.Match[str]) -> bool | None:
    """Whether the first of two lengths is that before a change; None: they are not held against each other."""
    between, told = plain[one.end() : other.start()], (_is_told(one), _is_told(other))
    if len(between) > _FARTHEST or search(r"[.;。；](?!\d)", between) is not None:
        return None
    if re.fullmatch(_TO, between, re.ASCII) is not None:
        return True if any(told) or search(_HEADS, plain[: one.start()]) is not None else None
    over = search(_OVER, between)
    if over is None:
        return None
    return False if all(told) or (any(told) and not between[: over.start()].strip()) else None


def stated_lengths(plain: str) -> LengthChange | None:
    """Two lengths that nothing joins, each maybe with a speed of its own: the second is taken for the later one."""
    pair = compared_lengths(plain) if find_length_change(plain) is None else None
    return None if pair is None else LengthChange(*pair, None, plain)


def compared_lengths(plain: str) -> tuple[int, int] | None:
    """Two lengths that stand each by its own word, the later one first: `seq 512: 90 ms, seq 1024: 190 ms`."""
    changed = find_length_change(plain)
    if changed is not None:
        return (changed.after, changed.before) if changed.after and changed.before else None
    told = [_size(match) for match in _STATED.finditer(plain) if _is_told(match)]
    lengths = list(dict.fromkeys(told))
    return (lengths[1], lengths[0]) if len(lengths) == 2 else None  # noqa: PLR2004 - a pair


def says_of_tokens(plain: str) -> bool | None:
    """Whether a ratio is told of tokens a second, or of steps and samples; None: neither is said."""
    if search(_OF_TOKENS, plain) is not None:
        return True
    return False if search(_OF_STEPS, plain) is not None else None


def _is_told(match: re.Match[str]) -> bool:
    return match["before"] is not None or match["behind"] is not None


def _size(match: re.Match[str]) -> int:
    return int(match["size"]) * (1024 if match["k"] is not None else 1)


def _without(plain: str, *lengths: re.Match[str]) -> str:
    """The text without the lengths and their words, all else in its place."""
    for length in lengths:
        plain = f"{plain[: length.start()]}{' ' * len(length.group())}{plain[length.end() :]}"
    return plain
