"""A claim's text as it is read: normalised, and refused where its figures are such as no claim can hold."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.claims.claim import Claim
from advisor.claims.reading.changes.batch_words import LARGEST_SIZE, SIZE_DIGITS
from advisor.claims.reading.numbers.number_words import NO_WHOLE_SIZE, NOT_ONE_NUMBER, WHOLE_SIZE, search, spelled_out
from advisor.claims.reading.text.corrected import Denied, find_denied, with_units
from advisor.claims.reading.text.usual_words import in_usual_words
from advisor.claims.refusals import refusal

MAX_CHARACTERS = 2000
_LONG_NUMBER = re.compile(r"[0-9]{25}")
"""Patterns that begin with digits try each of them: a run without end would cost its square."""
_BELOW_ZERO = re.compile(
    r"(?<![^ (])0(?:\.0{1,24})? ?(?:ms|images?|samples?|x|times)\b"
    r"|(?<![^ (])(?<!h )(?<!hour )(?<!hours )(?<!min )(?<!minute )(?<!minutes )(?<!and )"
    r"0(?:\.0{1,24})? ?(?:s|sec|seconds?|min|minutes?|h|hours?)\b"
    r"|(?<![^ (])-\d{1,24}(?:\.\d{1,24})? ?(?:ms|s|sec|seconds?|min|minutes?|h|hours?|images?|samples?|x|times)\b"
    r"|(?<![^ (])(?:-\d{1,24}(?:\.\d{1,24})?|0(?:\.0{1,24})?) ?(?:%|percent\b)"
)
"""A figure of zero or below; a dash between two figures or words has no blank before it and none is read as a minus."""
_NO_CARDS = re.compile(r"(?:^|(?<=[ (]))(?:0|-\d{1,4}) ?(?:x ?)?(?:gpus?\b|cards?\b|显卡|卡|张)")
_NONE_OF = re.compile(r"(?:^|(?<=[ (]))(?:0|-\d{1,4}) ?(?:[x×*] ?|张)?$")
"""No card, or fewer, before the name of one; a bullet has a blank behind it."""
_DOUBLE = r"\bfp[\s-]?64\b|\bfloat64\b|\bdouble[\s-]precision\b|双精度"
_RTX = r"(?<![a-z0-9.])(?:geforce\s*)?(?:rtx\s*)?([2-5]0[5-9]0(?:\s*ti)?)"
_LAPTOP_BEHIND = re.compile(rf"{_RTX}\s*(?:laptop|笔记本(?:电脑)?|移动版)(?![a-z])", re.ASCII)
_LAPTOP_BEFORE = re.compile(rf"(?:\blaptop\s*|笔记本(?:电脑)?(?:上的?|的)?\s*|移动版\s*){_RTX}(?![a-z0-9])", re.ASCII)
"""A laptop's card is one of its own, whichever side the word stands on and with or without its brand."""
_NEGATED = re.compile(r"\b(is|are|was|were|does|do|did|has|have|had|would|could|should|wo|ca)n ?['’`´]?t\b", re.ASCII)
"""Typed in a hurry or in print: `doesnt`, `isn’t`."""
_PARTS = re.compile(r"(?<=\d{4})，(?=\d)|(?<=\d)，(?=\d)(?!\d{3}(?!\d| ?[万亿]))")
"""A Chinese comma between two figures parts them, but for one that may join groups of three digits (`1，400`)."""


_PLURAL = re.compile(r"(?<![A-Za-z0-9])([Vv]100)s(?![A-Za-z0-9])")
"""Several of a card, of which another one's name differs by a capital alone: `8 V100s` are no `V100S`."""
_UNSUPPORTED = re.compile(
    r"(?:不支持|没有原生|\b(?:does(?:n't| not)|do(?:n't| not)|cannot|can't) (?:support|have|do)|\blacks?|\bhas no)\s*"
    r"(?:bf16|bfloat16|fp16|fp8|tf32|amp)(?: support)?",
    re.ASCII,
)
"""What a card is said to lack: the training was in something else."""


def checked(text: str, specs: Mapping[str, GpuSpec]) -> str:
    """The normalised text, whose figures are such as can be read. Raises InputError."""
    if len(text) > MAX_CHARACTERS:
        raise refusal("claim-too-long", Claim(), specs, length=len(text), most=MAX_CHARACTERS)
    plain = _UNSUPPORTED.sub(" ", spelled_out(normalised(text)))
    if len(plain) > 2 * MAX_CHARACTERS or _LONG_NUMBER.search(plain) is not None:
        raise refusal("claim-number-beyond", Claim(), specs)
    if _BELOW_ZERO.search(plain) is not None or _NO_CARDS.search(plain) is not None:
        raise refusal("claim-number-negative", Claim(), specs)
    if search(_DOUBLE, plain) is not None:
        raise refusal("claim-double-precision", Claim(), specs)
    if (odd := search(NOT_ONE_NUMBER, plain) or search(NO_WHOLE_SIZE, plain)) is not None:
        raise refusal("claim-number-form", Claim(), specs, figure=odd.group())
    sizes = [size[1] for size in re.finditer(WHOLE_SIZE, plain, re.ASCII)]
    if any(len(digits) > SIZE_DIGITS or int(digits) > LARGEST_SIZE for digits in sizes):
        raise refusal("claim-number-beyond", Claim(), specs)
    if any(int(digits) == 0 for digits in sizes):
        raise refusal("claim-number-negative", Claim(), specs)
    return plain


def says_none(before: str) -> bool:
    """Whether no card, or fewer, is counted right before the name of one."""
    return _NONE_OF.search(before) is not None


def normalised(text: str) -> str:
    """The text as `_alike` has it, without figures that it denies for another, and with units that it tells once."""
    plain = _alike(text)
    denied = find_denied(plain)
    return with_units(plain if denied is None else denied.without)


def _alike(text: str) -> str:
    """Lower case, full-width forms narrowed, digit groups joined, spreads (`± 2`) left out, blanks and dashes alike."""
    plain = unicodedata.normalize("NFKC", _PLURAL.sub(r"\1", _PARTS.sub(", ", text))).lower()
    plain = re.sub(r"(?<![a-z\d])(?<!\D-)\d{1,3}(?:,\d{3})+(?!\d)", lambda match: match[0].replace(",", ""), plain)
    plain = re.sub(r"单(?:张)?卡的?(?=(?:平均)?(?:吞吐|速度|性能|算力|利用率|mfu))", "每卡", plain)
    plain = re.sub(r"(?<=\d) ?(?:±|\+/?-) ?\d+(?:\.\d+)? ?%?", "", plain)
    plain = re.sub(r"[‐‑‒–—−]", "-", plain)
    plain = re.sub(r"(?<=\d) ?gigs?\b", " gb", plain)
    plain = in_usual_words(plain)
    plain = _NEGATED.sub(r"\1n't", plain)
    plain = _LAPTOP_BEFORE.sub(r"rtx \1 laptop ", _LAPTOP_BEHIND.sub(r"rtx \1 laptop ", plain))
    return re.sub(r"\s+", " ", plain).strip()


def corrected(text: str) -> Denied | None:
    """A figure that a text denies, or had hoped for, beside the one that it claims; None: none is."""
    return find_denied(_alike(text))
