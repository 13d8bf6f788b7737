"""The words for a batch size, and for how much larger a batch became than before, in both languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from advisor.claims.reading.numbers.number_words import (
    BATCH_WORDS,
    OTHER_BATCH_WORDS,
    SAYS,
    blanked,
    search,
    search_each,
)

LARGEST_SIZE, SIZE_DIGITS = 1_000_000, 12
_OF_ANOTHER = (
    r"(?![\d.]*\s*(?:gpus?|cards?|x\b|times\b|倍|%|(?:images?|imgs?|samples?|seqs?|tok\w*|its?|张|条)\s*(?:/|per|每)))"
)
"""A number behind the word that is of something else: `twice the batch is 3 times as fast`."""
BATCH = (
    rf"{BATCH_WORDS}{SAYS}(\d+){_OF_ANOTHER}",
    *(rf"{words}{SAYS}(\d+){_OF_ANOTHER}" for words in OTHER_BATCH_WORDS),
    r"(\d+)\s*(?:samples?|images?|sequences?)?\s*(?:a|per|/)\s*(?:batch|card|gpu)\b",
)
_OF_ALL_CARDS = (
    r"(?:\b(?:global|total|overall|effective|aggregate|combined)[ -](?:train(?:ing)? )?"
    r"|(?:全局|总的?|有效|等效|合计)\s*)$"
)
_ANY_BATCH = rf"(?:{'|'.join((BATCH_WORDS, *OTHER_BATCH_WORDS))})"
_INSTEAD = rf"{BATCH[0]}\s*(?:instead of|rather than|over|vs\.?|versus|而不是|代替)\s*(\d+){_OF_ANOTHER}"
_RAISED_TO = r"(?:增加|提高|提升|增大|加大|调大|扩大|[增加升改调变换提扩涨])?[到至]"
_RAISED = rf"(?:{_RAISED_TO}|(?:增加|提高|增大|加大|调大)为|[改调变换][为成])"
_CHANGED = (
    r"\bfrom\s+(?:a\s+)?batch(?:[ _-]?size)?(?: of)? ?(\d+) to (?:a )?(?:batch(?:[ _-]?size)?(?: of)? ?)?(\d+)",
    r"\bbatch(?:[ _-]?size)? from (\d+) to (\d+)",
    rf"{_ANY_BATCH}{SAYS}(\d+) ?(?:->|-->|=>|→|to) ?(?:{_ANY_BATCH}{SAYS})?(\d+){_OF_ANOTHER}",
    rf"{_ANY_BATCH} ?[从由]? ?(\d+) ?{_RAISED} ?(\d+)",
)
"""Before and after, where a change of the batch size is told."""
_FROM_ANY = (
    rf"(?:\bfrom\b|从|由)[^.;。；]{{0,24}}?{BATCH[0]}[^.;。；]{{0,40}}?(?:\bto\b|->|→|[换改升提增加变调]?[到成为])"
    rf"[^.;。；]{{0,24}}?{BATCH[0]}"
)
"""The same where something else was changed, too: `from batch 32 fp32 to batch 128 amp`."""
_GROWS = (
    rf"\b(?:increas|enlarg|rais)(?:e[sd]?|ing)\s+(?:the |your |my )?{BATCH_WORDS}|\b(?:larger|bigger)\s+{BATCH_WORDS}"
    rf"|{_ANY_BATCH}\s*(?:增大|加大|变大)"
)
"""A batch that is larger than another one, by how much is not said."""
_FOLD_WORDS = {
    "doubl": 2.0,
    "tripl": 3.0,
    "quadrupl": 4.0,
    "twice": 2.0,
    "翻倍": 2.0,
    "加倍": 2.0,
    "翻一番": 2.0,
    "一倍": 2.0,
}
_CHINESE_FOLD = r"(?P<chinese>翻倍|加倍|翻一番|(?:翻|扩大|增大|增加|提高)了?(?P<once>一倍))了?"
_GREW = (
    rf"\b(?P<grew>doubl|tripl|quadrupl)(?:e[sd]?|ing)\s+(?:the |your |my |our )?{BATCH_WORDS}",
    rf"{_ANY_BATCH}\s*(?:is |was |got |has been )?(?P<been>doubl|tripl|quadrupl)ed",
    rf"{_ANY_BATCH}\s*{_CHINESE_FOLD}",
    rf"\b(?P<twice>twice) (?:the |as large a |as big a ){BATCH_WORDS}",
    rf"(?<![\d.])(?P<times>\d{{1,3}}) ?(?:x|×|times) (?:the |as large a |as big a |larger |bigger ){BATCH_WORDS}",
    rf"{_ANY_BATCH}\s*(?:扩大|增大|增加|提高|变)(?:到|至|为|成)(?:原来的?)?\s*(?P<fold>\d{{1,3}})\s*倍",
    rf"{_ANY_BATCH}\s*(?:也|就|还)?(?:可以|可|能够?)?(?:开|加|做)?(?:翻|扩大|增大|加大|大)了?(?:到)?\s*(?P<by>\d{{1,3}})\s*倍",
    rf"{_ANY_BATCH}\s*(?:can|could|may) be (?P<can>\d{{1,3}}) ?(?:x|×|times) (?:as )?(?:larger?|bigg?(?:er)?)\b",
)
"""A batch that is so many times as large as another one, neither of which is said."""


class Growth(NamedTuple):
    """How many times as large a batch became, and the text without the words for it: they are no speed-up."""

    ratio: float
    without: str


def find_growth(plain: str) -> Growth | None:
    """By how much a batch grew whose sizes are not told; None: nothing is said of that."""
    return grown_by(_GREW, plain) if compared_batches(plain) is None else None


def grown_by(patterns: Sequence[str], plain: str) -> Growth | None:
    """How many times as large something became by the first of these patterns that is found, whose groups tell it."""
    for pattern in patterns:
        match = search(pattern, plain)
        if match is not None:
            word = next(group for name, group in match.groupdict().items() if group is not None and name != "once")
            ratio = float(word) if word.isdigit() else _FOLD_WORDS[match.groupdict().get("once") or word]
            return Growth(ratio, blanked(plain, pattern)) if ratio > 1 else None
    return None


def shared_batch(batch: int, plain: str, cards: int) -> int:
    """What each card gets of a batch that is told of all of them: `global batch 256`."""
    words = search(rf"{_ANY_BATCH}(?={SAYS}{batch}(?!\d))", plain)
    of_all = words is not None and search(_OF_ALL_CARDS, plain[: words.start()]) is not None
    return max(1, round(batch / cards)) if of_all else batch


def other_batch(plain: str, batch: int) -> str | None:
    """The words for a batch size that is told beside the one that was read; None: no other is."""
    told = (match for pattern in BATCH[:2] for match in re.finditer(pattern, plain, re.ASCII))
    return next((match.group().strip() for match in told if int(match.group(1)[:SIZE_DIGITS]) != batch), None)


def says_larger(plain: str) -> bool:
    """Whether a larger batch is told of, and not how much larger."""
    return search(_GROWS, plain) is not None


def compared_batches(plain: str) -> tuple[int, int] | None:
    """Two batch sizes that are held against each other: `batch 64 is 1.3 times as fast as batch 32`."""
    words = next((pattern for pattern in BATCH[:2] if search(pattern, plain) is not None), BATCH[0])
    batches = [int(match.group(1)[:SIZE_DIGITS]) for match in re.finditer(words, plain, re.ASCII)]
    changed = search_each((*_CHANGED, _FROM_ANY), plain)
    if changed is not None:
        batches = [int(digits[:SIZE_DIGITS]) for digits in reversed(changed.groups())]
    elif (instead := search(_INSTEAD, plain)) is not None:
        batches = [int(digits[:SIZE_DIGITS]) for digits in instead.groups()]
    distinct = list(dict.fromkeys(batches))
    if len(batches) == 3 and len(distinct) == 2:  # noqa: PLR2004 - a pair, one again: what is named again is the later
        batches = distinct if batches[2] == batches[0] else distinct[::-1]
    if len(batches) != 2 or batches[0] == batches[1] or not all(1 <= size <= LARGEST_SIZE for size in batches):  # noqa: PLR2004 - a pair
        return None
    return batches[0], batches[1]
