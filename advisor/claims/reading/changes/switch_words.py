"""The words for a lone change and what it brings: switches, a precision, joined changes, bytes saved, bare figures."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.catalogue.precisions import PRECISION_FACTS, Precision
from advisor.claims.claim import ClaimedSwitch
from advisor.claims.reading.changes.change_words import ATTENTIONS, CAUSE, CHECKPOINTING, TUNINGS, WITHOUT, acts, heads
from advisor.claims.reading.changes.held_against import first_named, named_in_order
from advisor.claims.reading.changes.precision_words import PRECISIONS
from advisor.claims.reading.numbers.memory_words import CUT, LESS, MEMORY
from advisor.claims.reading.numbers.number_words import NUMBER, PERCENT, UNIT_BYTES, blanked, number, search
from advisor.claims.reading.numbers.ratio_words import ABOUT

COMPILES = r"\btorch\.?compile\b|\bcompil(?:e|ed|ing)\b(?! ?time)|编译(?!时间|耗时)"
SWITCHES: tuple[tuple[str, ClaimedSwitch], ...] = (
    (r"\bchannels[\s_-]?last\b|\bnhwc\b", "channels_last"),
    (r"\bfused[\s_-]?(?:adam\w*|sgd|optimi[sz]ers?)|融合(?:的)?\s*(?:adam\w*|优化器)", "fused_optimizer"),
    (
        (
            r"\b(?:8[\s-]?bit|int8)[\s_-]*(?:adam\w*|lion|sgd|optimi[sz]ers?)|\b(?:paged_)?adam\w*?[\s_(-]{0,2}8[\s-]?bit\b"
            r"|\badam\w*\s*(?:换成|改成|改为|改用|->|→|to)\s*8[\s-]?(?:bit|位|比特)"
            r"|(?:8|八)\s*(?:位|比特)\s*的?\s*(?:adam\w*|优化器)"
        ),
        "optimizer_8bit",
    ),
)
_HALVES = tuple((pattern, meant) for pattern, meant in PRECISIONS if meant != "fp32")
CHANGES = (
    *((pattern, f"precision {meant}") for pattern, meant in _HALVES),
    *((pattern, meant) for pattern, meant in SWITCHES),
    (COMPILES, "compile"),
    *((pattern, "tuning") for pattern, meant in TUNINGS if meant != "full"),
    *((pattern, "attention") for pattern, meant in ATTENTIONS if meant != "eager"),
    *((pattern, "checkpointing") for pattern, _ in CHECKPOINTING),
)
_ACTS_ON = (
    r"^ on (?:an? |the |my |our |\d{1,4} ?(?:x )?)?[a-z0-9][a-z0-9 -]{1,24}?"
    r" (?:made|makes|gave|gives|brought|brings|is|was|sped|speeds|got|gets|yields|yielded)\b"
    r"|^\s*在[^,.;。，；]{1,20}?上\s*(?:训练)?(?:能|可以?|只|大?约)?(?:快|慢|提速|加速|提升|带来)"
)
"""Behind a change that is the subject, with the cards between: `bf16 on a V100 made BERT 2x faster`."""
_SIZE = r"(\d+(?:\.\d+)?)\s*(gi?b|g)(?![a-z/])"
_SAVED = (
    rf"\b{CUT}\s*(?:about |me |us |you |another )*{ABOUT}{_SIZE}",
    rf"(?:减少|降低|节省|节约|省|下降|少用|少占|少)了?\s*(?:大?约|近)?\s*{_SIZE}",
    rf"\b{CUT}\s*(?:the |its |our |my )*{MEMORY}\s*(?:by )\s*{ABOUT}{_SIZE}",
    rf"{_SIZE}\s*(?:of )?{LESS}(?:\s*{MEMORY})?",
    rf"{_SIZE}\s*(?:of )?{MEMORY}\s*(?:sav\w+|reduction)",
)
_BEHIND = (
    r"(?=\s*(?:$|[.,;!?。，；！]|(?:on|for|with|in|and|boost|speed\w*|here"
    r"|over|vs|versus|compared|against|than|relative)\b|在|的?(?:加速|提速|提升|收益)))"
)
_GIVES = (
    r"(?:\b(?:gave|gives?|brought|brings?|got|gets?|yields?|yielded|adds?|added|made (?:it|us|training)|buys?|worth"
    r"|gain(?:s|ed)?(?: of)?)|=|:|带来了?|有|给了?|获得了?|得到)"
    r"\s*(?:me |us |you )?"
    r"(?:about |another |a |an |maybe |roughly |like |only |just |an extra |around |approximately )*"
)
_BARE = (
    rf"{_GIVES}{ABOUT}\+?{PERCENT}{_BEHIND}",
    rf"(?:^|[\s:])\+{PERCENT}{_BEHIND}",
    (
        rf"(?:\b(?:maybe|perhaps|like|probably|barely|at best|at most|by)|~|大概|也就|最多)\s*{ABOUT}{PERCENT}"
        rf"(?: (?:at best|at most|tops|max))?{_BEHIND}"
    ),
)
_QUANTISED = r"\bint[48]\b(?! ?(?:adam|optimi))"
"""What a figure beside a precision may be of: nothing in it is predicted."""
_UPGRADED = r"(?:\b(?:upgrad|switch|mov|go|chang|replac)\w*\b[^,.;]{0,16}|\bfrom |从\s*|把\s*|将\s*)$"
"""Before what was changed for something else of its kind: `upgrading from PCIe 3`."""
_BARE_OVER = rf"(?<![a-z\d.]){NUMBER}\s*(?:x|×) (?:over|vs\.?|versus|compared (?:to|with)|against)\b"
"""What is so many times another: `bf16 2x over fp32`."""
_BARE_FOLD = rf"(?<![a-z\d.]){NUMBER}\s*(?:x\b|×){_BEHIND}"


def find_switch(plain: str, *, alone: bool) -> ClaimedSwitch | None:
    """What is said to have been switched on or left out; None: nothing.

    `alone`: only where it is the subject, as several cards may be: `4 GPUs with a fused optimizer are 3x as fast`.
    """
    named = named_in_order(SWITCHES, plain)
    if len(named) != 1:
        return None
    start, end = _place(SWITCHES, plain)
    return None if alone and search(CAUSE, plain[:start]) is not None and not acts(plain, end) else named[0][1]


def leaves_out(plain: str) -> bool:
    """Whether a switch is told of as missing: `without channels_last`."""
    return search(WITHOUT, plain[: _place(SWITCHES, plain)[0]]) is not None


def leaves_out_precision(plain: str) -> bool:
    """Whether a precision of fewer bits is told of as missing: `turning off AMP`."""
    return search(WITHOUT, plain[: _place(_HALVES, plain)[0]]) is not None


def find_cause(plain: str, *, alone: bool) -> Precision | None:
    """The one 16-bit precision, or TF32, that is told as what brought a speed-up; None: none is.

    `alone`: only where it is the subject, as several cards may be: `4 GPUs are 3x as fast with AMP`.
    """
    named = named_in_order(_HALVES, plain)
    if (
        len(named) != 1
        or search(_QUANTISED, plain) is not None
        or first_named(PRECISIONS, plain) != named[0][1]
        or _names_fp32(plain)
    ):
        return None
    return named[0][1] if _brings(plain, *_place(_HALVES, plain), alone=alone) else None


def _brings(plain: str, start: int, end: int, *, alone: bool) -> bool:
    """Whether what stands between two places is told as what brought something."""
    caused = search(CAUSE, plain[:start]) is not None
    acting = acts(plain, end) or search(_ACTS_ON, plain[end:]) is not None or heads(plain, start, end)
    return acting and not caused if alone else caused or acting


def _place(words: Sequence[tuple[str, str]], plain: str) -> tuple[int, int]:
    """Where the first of a table's words stands, from and to; at the end where none does."""
    matches = (match for pattern, _ in words if (match := search(pattern, plain)) is not None)
    return next((match.span() for match in matches), (len(plain), len(plain)))


def lone_precision(plain: str) -> Precision | None:
    """The only precision that is named, where it is held in 16 bits or fewer; None: another, several or none."""
    named = named_in_order(PRECISIONS, plain)
    alone = named[0][1] if len(named) == 1 else None
    return alone if alone is not None and PRECISION_FACTS[alone].compute_bytes < _WHOLE_BYTES else None


_WHOLE_BYTES = 4


def _names_fp32(plain: str) -> bool:
    return any(meant == "fp32" for _, meant in named_in_order(PRECISIONS, plain))


def acts_compiled(plain: str, *, alone: bool) -> bool:
    """Whether it is compiling that is said to have brought something; `alone`: as the subject."""
    match = search(COMPILES, plain)
    return match is not None and _brings(plain, *match.span(), alone=alone)


def find_saved_bytes(plain: str) -> tuple[float, str] | None:
    """The memory that a change is said to save, and the text without these words; None: nothing is said of that."""
    for pattern in _SAVED:
        match = search(pattern, plain)
        if match is not None:
            figure, unit = match.groups()[-2:]
            return float(figure) * UNIT_BYTES[unit], blanked(plain, pattern)
    return None


def leads(plain: str, words: str, place: int) -> bool:
    """Whether words stand before a place, and not as a circumstance: `gradient accumulation gave 20 % on 8 A100`."""
    start = plain.find(words)
    changes = search(_UPGRADED, plain[: max(start, 0)]) is not None
    return 0 <= start < place and (changes or search(CAUSE, plain[:start]) is None)


def names_change(plain: str) -> bool:
    """Whether anything is named that may have been changed on the same cards."""
    return any(search(pattern, plain) is not None for pattern, _ in CHANGES)


def find_bare_gain(plain: str) -> float | None:
    """What a change is said to bring where no word says of what: `gave 20 %`, `made it 2x`; None: nothing."""
    for pattern in _BARE:
        match = search(pattern, plain)
        if match is not None:
            return 1 + number(match.group(1), match.group(2)) / 100
    fold = search(_BARE_FOLD, plain) or search(_BARE_OVER, plain)
    return number(fold.group(1), fold.group(2)) or None if fold is not None else None
