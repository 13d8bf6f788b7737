"""What a change takes or saves of a card's memory, as a share or a ratio, in both languages."""

from __future__ import annotations

from collections.abc import Callable

from advisor.claims.reading.numbers.number_words import NUMBER, PERCENT, blanked, number, search, share_of
from advisor.claims.reading.numbers.ratio_words import ABOUT, FOLD

MEMORY = (
    r"(?:(?:the |its |my |our |your |as much |of |gpu |peak |video |activation |device )*(?:memory|vram)"
    r"(?: (?:use|usage|consumption|footprint|need))?"
    r"|(?:激活(?:值)?的?)?显存(?:占用|用量|需求|消耗)?|(?:激活(?:值)?的?)?内存(?:占用)?)"
)
_PART = (
    r"(?:optimi[sz]ers?(?:'s)?(?: states?)?|gradients?|weights?|parameters?|states?)\s+(?:memory|vram)\b"
    r"|memory (?:of|for) (?:the )?(?:optimi[sz]er|gradients?|weights?|states?)"
    r"|(?:优化器(?:状态)?|梯度|权重|参数|状态)的?(?:显存|内存)"
)
_WORDS = {
    "half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4, "fourth": 1 / 4, "fifth": 1 / 5, "eighth": 1 / 8, "tenth": 1 / 10,
    "二": 1 / 2, "三": 1 / 3, "四": 1 / 4, "五": 1 / 5, "八": 1 / 8, "十": 1 / 10,
}  # fmt: skip
_ENGLISH_SHARE = r"(half|(?:a |one[\s-])(?:third|quarter|fourth|fifth|eighth|tenth))"
_CHINESE_SHARE = r"([二三四五八十]分之一)"
LESS = r"(?:less|lower|smaller|fewer)"
_IS = r"(?:\bis|\bwas|只需要?|只有|仅为?|是)[^.;。；\d]{0,10}?"
CUT = (
    r"(?:cuts?|reduc\w+|lower\w*|decreas\w+|shrink\w*|shrank|sav\w+|drop\w*|falls?|fell|free[sd]?(?: up)?"
    r"|减少|降低|节省|省|下降|少用?|降(?![到至]))"
)
_SIZE = r"(\d+(?:\.\d+)?)\s*(gi?b?|mi?b?)(?![a-z])"
_FROM_TO = (
    rf"{_SIZE}\s*(?:of {MEMORY}\s*)?"
    rf"(?:(?:down |up )?to|->|→|[降涨升增]?到|[降涨升增]至|增加到|instead of)\s*{ABOUT}{_SIZE}"
)
_PAIR = rf"{MEMORY}[^.;。；\d]{{0,24}}?(?:from|从|由)?\s*{_FROM_TO}|{_FROM_TO}[^.;。；\d]{{0,12}}?{MEMORY}"
_TO = (
    rf"\b(?:needs?|uses?|takes?|with|in|to|at|only|about)\s*{ABOUT}{_ENGLISH_SHARE}\s*{MEMORY}",
    rf"{MEMORY}[^.;。；\d]{{0,16}}?(?:to|到|至|为|剩)\s*(?:原来的?|之前的?|以前的?|原先的?)?\s*{ABOUT}(?:{_ENGLISH_SHARE}|{_CHINESE_SHARE})",
    rf"{_CHINESE_SHARE}的?{MEMORY}",
    rf"{MEMORY}[^.;。；\d]{{0,16}}?{_IS}(?:{_ENGLISH_SHARE}|{_CHINESE_SHARE})",
)
"""What is left, as a share in words."""
_HALVED = (
    rf"\bhal(?:v(?:e|es|ed|ing)|f(?:s|es))\s*{MEMORY}|{MEMORY}[^.;。；\d]{{0,16}}?(?:halved|in half|by half|减半)"
    rf"|(?:一半|减半)的?{MEMORY}|{MEMORY}[^.;。；\d]{{0,8}}?(?:{CUT}了?|[到至为剩])\s*(?:(?:原来|之前|以前|原先)的?)?一半"
    rf"|{CUT}了?一半的?{MEMORY}|\bhalf {MEMORY}"
    rf"|{MEMORY}[^.;。；\d]{{0,8}}?{_IS}一半"
)
_FOLDED_WORDS = r"(doubl|twice|tripl|three times|quadrupl|four times)\w*"
_FOLDED = (
    rf"\b{_FOLDED_WORDS}\s*(?:as much )?{MEMORY}",
    rf"{MEMORY}[^.;。；\d]{{0,12}}?{_FOLDED_WORDS}",
    rf"{MEMORY}[^.;。；\d]{{0,12}}?(翻倍|翻一番|翻了?一倍)",
)
_FOLDS = {"d": 2.0, "tw": 2.0, "th": 3.0, "tr": 3.0, "q": 4.0, "f": 4.0, "翻": 2.0}
_LEFT = (
    rf"{PERCENT}\s*(?:of |的\s*){MEMORY}",
    rf"{MEMORY}[^.;。；\d]{{0,16}}?(?:to|到|至|为|剩)\s*(?:原来的?|之前的?|以前的?|原先的?)?\s*{ABOUT}{PERCENT}",
    rf"{MEMORY}[^.;。；\d]{{0,16}}?{_IS}{PERCENT}(?! ?{LESS})",
)
_SAVED = (
    rf"{PERCENT}\s*{LESS}\s*{MEMORY}",
    rf"{CUT}[a-z]*\s*(?:了|by|up to )?\s*{ABOUT}{PERCENT}\s*(?:of |in |的\s*)?{MEMORY}",
    rf"{MEMORY}[^.;。；\d]{{0,16}}?{CUT}[a-z]*\s*(?:了|by)?\s*{ABOUT}{PERCENT}",
    rf"{CUT}[a-z]*\s*{MEMORY}\s*(?:by|了)?\s*{ABOUT}{PERCENT}",
    rf"{PERCENT}\s*(?:{MEMORY}\s*(?:saving|reduction)s?)",
)
_FOLD_LESS = (
    rf"{CUT}[a-z]*\s*(?:了|by|up to )?\s*{ABOUT}{NUMBER}\s*(?:{FOLD}|倍)\s*的?(?:of )?(?:the |its )?{MEMORY}",
    rf"{MEMORY}[^.;。；\d]{{0,16}}?{CUT}了?\s*(?:约|近)?{NUMBER}\s*倍",
    rf"{NUMBER}\s*{FOLD}\s*{LESS}\s*{MEMORY}",
    rf"{CUT}[a-z]*\s*{MEMORY}\s*(?:by )?(?:a factor of )?{ABOUT}{NUMBER}\s*{FOLD}?(?!\s*(?:%|percent|g|m))",
    rf"{MEMORY}[^.;。；\d]{{0,16}}?{CUT}[a-z]*\s*(?:by )?(?:a factor of )?{ABOUT}{NUMBER}\s*{FOLD}",
)
_MORE = (rf"{PERCENT}\s*more\s*{MEMORY}",)
_FOLD_MORE = (rf"{NUMBER}\s*{FOLD}\s*(?:more\s*)?{MEMORY}", rf"{NUMBER}\s*倍的?{MEMORY}")


def find_memory_ratio(plain: str) -> tuple[float, str] | None:
    """Memory after a change over that before, and the text without these words; None: nothing is said of memory.

    `half the memory` is 0.5, `60 % less` 0.4, `3x less` a third, `from 40 GB to 10 GB` a quarter.
    """
    for patterns, ratio in _READERS:
        for pattern in patterns:
            match = search(pattern, plain)
            if match is not None:
                memory_ratio = ratio(tuple(group for group in match.groups() if group is not None), match.group())
                return (memory_ratio, blanked(plain, pattern)) if memory_ratio is not None else None
    return None


def says_part(plain: str) -> bool:
    """Whether a part of the memory is spoken of, such as the optimizer's: what is predicted is the whole."""
    return search(_PART, plain) is not None


def _sizes(groups: tuple[str, ...], words: str) -> float | None:
    first, unit, second, other = groups[:4]
    first_gb, second_gb = (
        float(size) * (1.0 if kind[0] == "g" else 1e-3) for size, kind in ((first, unit), (second, other))
    )
    before, after = (second_gb, first_gb) if "instead of" in words else (first_gb, second_gb)
    return after / before if before > 0 and after > 0 else None


def _share(groups: tuple[str, ...], _: str) -> float:
    word = groups[0]
    return _WORDS[word[0]] if word[0] in _WORDS else _WORDS[word.replace("-", " ").split()[-1]]


def _percent(groups: tuple[str, ...]) -> float:
    return share_of((groups[0], groups[1] if len(groups) > 1 else None, None))


def _fold(groups: tuple[str, ...]) -> float:
    return number(groups[0], groups[1] if len(groups) > 1 else None)


_READERS: tuple[tuple[tuple[str, ...], Callable[[tuple[str, ...], str], float | None]], ...] = (
    ((_PAIR,), _sizes),
    (_TO, _share),
    ((_HALVED,), lambda *_: 0.5),
    (_SAVED, lambda groups, _: 1 - _percent(groups)),
    (_LEFT, lambda groups, _: _percent(groups)),
    (_MORE, lambda groups, _: 1 + _percent(groups)),
    (_FOLD_LESS, lambda groups, _: 1 / _fold(groups) if _fold(groups) else None),
    (_FOLDED, lambda groups, _: next(fold for word, fold in _FOLDS.items() if groups[0].startswith(word))),
    (_FOLD_MORE, lambda groups, _: _fold(groups)),
)
