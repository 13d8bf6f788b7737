"""Finds the GPUs that a sentence names, as keys of the spec table; a variant of its own is never its namesake."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from advisor.catalogue.gpu_spec import GpuSpec

_VARIANT = r"(?!\s*-?\s*(?:ti\b|super\b|laptop|mobile|max-?q|d\b|notebook|笔记本|移动))"
_NOT_A_QUANTITY = (
    r"(?!\s*(?:(?:to|->|-->|→|到|至)\s*\d[\d.,]*\s*k?\s*)?(?:images?|img|samples?|tok(?:en)?s?\b|(?:个\s*)?(?:tokens?|词元|step|样本)|seq|sentences?|examples?|it/s|it\b|steps?|ms\b|s\b|sec|%|/|张图|步|样本|毫秒|秒"
    r"|\.\d|epochs?|minutes?|min\b|hours?|rows?|条))"
)
_SUFFIX = r"(?:\s*-?\s*(?:ti|super|laptop|mobile|max-?q|xtx|xt|gre|d|notebook|笔记本|移动版?)(?![a-z0-9]))"
_BEFORE_BARE = r"(?:(?<=(?<!\d)\dx)|(?<=(?<!\d)\d\dx)|(?<![a-z0-9.$-]))(?<!\d,)"
"""Of a card's bare number: a count (`4x4090`), never a picture's other side (`1920x1080`)."""
_UNKNOWN = re.compile(
    rf"(?<![a-z0-9])(?:rtx|gtx|rx|tesla|quadro|titan|geforce|radeon|arc|gt|mx)\s*-?\s*[a-z]{{0,3}}\d{{2,4}}[a-z]*{_SUFFIX}{{0,3}}"
    rf"|{_BEFORE_BARE}(?:[1-9]0[4-9]0|16[56]0){_SUFFIX}{{0,3}}(?![a-z0-9%]){_NOT_A_QUANTITY}"
    r"|(?<![a-z0-9/-])(?:k[248]0|m[46]0|p40?|p6000|a2|a10g|a16|a30|a800|h20|h800|l2|l20|v100s|gb?[bh]200|gb300|b[13]00"
    r"|mi\d{2,3}x?|m[1-5] (?:pro|max|ultra)|apple m[1-5]|tpu(?:[ -]?v\d\w{0,2})?|gaudi[ -]?\d?|jetson \w+"
    r"|(?:ascend|昇腾)[ -]?\d{3}\w?|titan[ -]?(?:v|xp?|z|black))(?![a-z0-9])",
    re.ASCII,
)
_PLACE = re.compile(
    r"(?:\bon\s+(?:an?\s+|one\s+|my\s+|the\s+|a single\s+|\d+\s*x?\s*)?|在\s*)"
    r"([a-z]{1,12}[- ]?\d{3,5}[a-z]{0,5})(?![a-z0-9])",
    re.ASCII,
)
"""Where a card would be named, with a word that looks like one."""
_NO_CARD = re.compile(
    r"(?:cifar|imagenet|coco|voc|wikitext|mnist|sst|squad|batch|size|length|len|seq|fp|bf|tf|int|epoch|img|image|python"
    r"|cuda|torch|version|ubuntu|resnet|densenet|efficientnet|convnext|bert|vit|gpt|llama|unet)",
)


class Mention(NamedTuple):
    """A GPU named in a text: where, and the keys that the words leave open."""

    start: int
    end: int
    keys: tuple[str, ...]


class Cards(NamedTuple):
    """The cards of a text: those of the table, and names of others, which are never taken for one of them."""

    mentions: tuple[Mention, ...]
    unknown: tuple[str, ...]


def find_gpus(text: str, specs: Mapping[str, GpuSpec]) -> Cards:
    """All GPUs that a lower-case text names, in its order; figures beside a name narrow the variant."""
    mentions_by_start: dict[int, Mention] = {}
    taken = [False] * len(text)
    for pattern, keys in _patterns(specs, text):
        for match in pattern.finditer(text):
            if not any(taken[match.start() : match.end()]):
                taken[match.start() : match.end()] = [True] * (match.end() - match.start())
                mentions_by_start[match.start()] = Mention(
                    match.start(), match.end(), _narrowed(keys, text, match, specs)
                )
    unknown = [
        match.group().strip() for match in _UNKNOWN.finditer(text) if not any(taken[match.start() : match.end()])
    ]
    if not unknown and not mentions_by_start:
        places = (match.group(1) for match in _PLACE.finditer(text))
        unknown = [name for name in places if _NO_CARD.match(name) is None]
    return Cards(tuple(mentions_by_start[start] for start in sorted(mentions_by_start)), tuple(dict.fromkeys(unknown)))


def shared_name(specs: Sequence[GpuSpec]) -> str:
    """What the names of a card's variants have in common, where it is not said which is meant: `A100`, `A100 40 GB`."""
    names = [re.findall(r"\d+ GB|\S+", spec.name) for spec in specs]
    same = [word for word in names[0] if all(word in words for words in names)]
    return " ".join(same) or specs[0].name


def nearest_cards(name: str, specs: Mapping[str, GpuSpec]) -> tuple[str, ...]:
    """Names of the table that are spelled most like an unknown one, the likest first; at most three."""
    by_alias = {alias: spec.name for key, spec in specs.items() for alias in (*sorted(_family(key)), spec.name.lower())}
    digits, lettered = re.findall(r"\d+", name), re.search(r"[a-z]", name) is not None

    def likeness(alias: str) -> float:
        whole = SequenceMatcher(None, name, alias).ratio()
        numbers = re.findall(r"\d+", alias)
        if not digits or not numbers or (_is_of_four(digits[0]) != _is_of_four(numbers[0])):
            return whole
        return whole + SequenceMatcher(None, digits[0], numbers[0]).ratio()

    # A bare `3080 Ti` is how some call an RTX card: nothing that a `B100` is like.
    named = (alias for alias in by_alias if not (lettered and alias[0].isdigit()))
    ordered = sorted(named, key=lambda alias: (-likeness(alias), alias))
    close = [by_alias[alias] for alias in ordered if likeness(alias) >= _LIKE_ENOUGH]
    return tuple(dict.fromkeys(close))[:3]


_LIKE_ENOUGH = 1.0
"""Of 2: as much in the whole name as in its number."""


def _is_of_four(digits: str) -> bool:
    """Whether a card's number is of a series of four digits, as `1660` is: nothing that an `A10` is like."""
    return len(digits) >= 4  # noqa: PLR2004 - digits


def _patterns(specs: Mapping[str, GpuSpec], text: str) -> list[tuple[re.Pattern[str], tuple[str, ...]]]:
    """Aliases whose letters and digits are in a text, longest first: key, name, and the family with all its rows.

    Compiling the patterns of every alias would take longer than all the rest of reading a claim.
    """
    aliases: dict[str, list[str]] = {}
    for key, spec in specs.items():
        for alias in {key.lower(), spec.name.lower(), *(name.lower() for name in spec.nvml_names), *_family(key)}:
            aliases.setdefault(alias, []).append(key)
    possible = (alias for alias in aliases if all(piece in text for piece in _pieces(alias)))
    ordered = sorted(possible, key=lambda alias: (-len(alias), alias))
    return [(_pattern(alias), tuple(aliases[alias])) for alias in ordered]


_NAMED_IN_FULL = ("-laptop", "-maxq")
"""Variants that nobody means by the plain number of a card."""


def _family(key: str) -> set[str]:
    if key.endswith(_NAMED_IN_FULL):
        return set()
    first = key.split("-", maxsplit=1)[0]
    family = {first}
    for brand in ("rtx", "qrtx", "titan"):
        if first.startswith(brand) and first != brand:
            family.add(f"{brand} {first.removeprefix(brand)}")
            if brand == "rtx" and first.removeprefix(brand)[:4].isdigit() and len(first) > len("rtx") + 3:
                family.add(first.removeprefix(brand))
    if first.startswith("gtx"):
        family |= {f"gtx {first.removeprefix('gtx')}", first.removeprefix("gtx")}
    if first.startswith("rx"):
        family.add(first.removeprefix("rx"))
    if first.startswith("qrtx"):
        family.add(f"quadro rtx {first.removeprefix('qrtx')}")
    return family


def _pieces(alias: str) -> list[str]:
    return re.findall(r"ti(?=super)|[a-z]+|\d+", alias)  # `4070 Ti Super` is written apart


def _pattern(alias: str) -> re.Pattern[str]:
    body = r"[\s_-]*".join(re.escape(piece) for piece in _pieces(alias))
    bare = alias[0].isdigit()
    before = r"(?:(?<=\dx)|(?<![a-z0-9.]))" if not bare else _BEFORE_BARE
    brand = r"(?:(?:nvidia|geforce|tesla|rtx|amd|radeon|instinct)[\s-]*){0,4}"
    after = r"s?(?![a-z0-9]|[ -]?bits?\b)" + _VARIANT + (_NOT_A_QUANTITY if bare else "")
    return re.compile(before + brand + body + after, re.ASCII)


def _narrowed(keys: tuple[str, ...], text: str, match: re.Match[str], specs: Mapping[str, GpuSpec]) -> tuple[str, ...]:
    """The variants that agree with `pcie`, `sxm` and a memory size named just behind the card."""
    behind = text[match.end() : match.end() + 24]
    link = re.match(r"[\s(,-]*(?:\d+\s*g(?:i?b)?[\s,-]*)?(pcie|sxm)", behind)
    size = re.match(r"[\s(,-]*(?:(?:pcie|sxm)\d?[\s,-]*)?(\d{1,3})\s*g(?:i?b)?(?![a-z/])", behind)
    narrowed = keys
    if link is not None:
        narrowed = tuple(key for key in narrowed if link.group(1) in key) or narrowed
    if size is not None:
        wanted = int(size.group(1)) * 2.0**30
        narrowed = tuple(key for key in narrowed if specs[key].memory_bytes == wanted) or narrowed
    if len(narrowed) == 1:
        return narrowed
    # A memory that a workshop put in is always told with the card.
    return tuple(key for key in narrowed if not specs[key].memory_replaced)
