"""The words for how much memory a model needs: in bytes, or in its weights."""

from __future__ import annotations

from advisor.claims.reading.numbers.number_words import NUMBER, UNIT_BYTES, number, search, search_each

_BEYOND = r"(?:(?:way |far |much |well |a lot )?(?:more than|over|above)|远?超过?|不止)"
_ABOUT = (
    rf"(?:{_BEYOND}|at least|at most|about|around|roughly|approximately|only|just|up to|~"
    r"|至少|最多|大?约|大概|只|仅)?"
)
_NEEDS = (
    r"(?:\b(?:need|require|take|use|consume|want|occup|took)(?:y|s|d|ed|ies|ied)?\b"
    r"|\b(?:hits?|reach(?:es|ed)?|peak(?:s|ed|ing)?(?: memory)?(?: is| was| of)?(?: at)?)\b"
    r"|需要?|占用?|吃|消耗|峰值(?:显存)?|要|用)了?"
    rf"\s*[:：为是]?\s*{_ABOUT}\s*{_ABOUT}\s*{NUMBER}\s*"
)
_SHOWN = (
    r"(?:\b(?:peak|max(?:imum)?) (?:gpu )?(?:memory|vram)"
    r"|\b(?:memory|vram) (?:usage|use|footprint|consumption|peak)|显存(?:占用|峰值))"
    rf"[^.;。；]{{1,80}}?(?:[:：]|\bis\b|\bwas\b|是|为)\s*{_ABOUT}\s*{NUMBER}\s*"
)
"""What a monitor showed: the set-up stands between the word and the size."""
_NOT_HELD = (
    r"(?!\s*/|\s*(?:of )?(?:the )?"
    r"(?:host|cpu|system|disk|ram|swap|gpus?\b(?! (?:memory|v?ram))|cards?\b|内存|磁盘|硬盘|的?(?:显)?卡))"
)
"""Behind a size that is a rate, of other memory, or a card's."""
_SIZE = rf"(gi?b|g|ti?b)(?![a-z0-9]){_NOT_HELD}"
_BYTES = (rf"{_NEEDS}{_SIZE}", rf"{_SHOWN}{_SIZE}")
_TIMES = (
    rf"{_NEEDS}(?:x|×|times)\s*(?:of )?(?:its|the|their)?\s*(?:own )?(?:model(?:'s)? )?(?:weights?|size|parameters?)",
    rf"{_NEEDS}倍(?:的|于)?(?:模型)?(?:权重|参数|大小)",
    rf"(?:权重|参数|模型大小)的\s*{NUMBER}\s*倍",
)
_WEIGHT_BYTES = 2
"""As models are published: what `8 times its weights` counts in."""


def find_needed_bytes(plain: str) -> float | None:
    """The memory that a model is said to need (`needs 80 GB`); None: nothing is said of it."""
    needed = search_each(_BYTES, plain)
    return None if needed is None else number(needed.group(1), needed.group(2)) * UNIT_BYTES[needed.group(3)]


def needs_more(plain: str) -> bool:
    """Whether more than the memory that is told is said to be needed."""
    needed = search_each(_BYTES, plain)
    return needed is not None and search(_BEYOND, needed.group()) is not None


def find_needed_times(plain: str, parameters: float | None) -> float | None:
    """The same in bytes where it is told in weights (`8x its weights`)."""
    times = search_each(_TIMES, plain)
    if times is None or parameters is None:
        return None
    return number(times.group(1), times.group(2)) * _WEIGHT_BYTES * parameters
