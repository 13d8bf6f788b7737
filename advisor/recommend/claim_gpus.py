"""Finds the GPUs that a sentence names, as keys of the spec table; a variant of its own is never its namesake."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from advisor.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from advisor.hardware.gpu_spec import GpuSpec

_VARIANT = r"(?!\s*-?\s*(?:ti\b|super\b|laptop|mobile|max-?q|d\b|notebook|笔记本|移动))"
_NOT_A_QUANTITY = (
    r"(?!\s*(?:images?|img|samples?|tokens?|seq|sentences?|examples?|it/s|it\b|steps?|ms\b|s\b|sec|%|/|张图|步|样本|毫秒|秒"
    r"|\.\d|epochs?|minutes?|min\b|hours?|rows?|条))"
)
_UNKNOWN = re.compile(
    r"(?<![a-z0-9])(?:(?:rtx|gtx|rx|tesla|quadro|titan|geforce|radeon|arc|gt)\s*-?\s*[a-z]{0,3}\d{2,4}[a-z]*"
    r"(?:\s*-?\s*(?:ti|super|laptop|mobile|max-?q|xt|xtx|d)\b)*|(?:k80|m40|m60|p4|p40|h20|h800|a800|gh200|gb200)(?![a-z0-9]))",
    re.ASCII,
)


class Mention(NamedTuple):
    """A GPU named in a text: where, and the keys that the words leave open."""

    start: int
    end: int
    keys: tuple[str, ...]


def find_gpus(text: str, specs: Mapping[str, GpuSpec]) -> tuple[Mention, ...]:
    """All GPUs that a lower-case text names, in the order of the text; figures beside the name narrow the variant.

    Raises InputError for a card that is named and not in the table.
    """
    found: dict[int, Mention] = {}
    taken = [False] * len(text)
    for pattern, keys in _patterns(specs):
        for match in pattern.finditer(text):
            if not any(taken[match.start() : match.end()]):
                taken[match.start() : match.end()] = [True] * (match.end() - match.start())
                found[match.start()] = Mention(match.start(), match.end(), _narrowed(keys, text, match, specs))
    for match in _UNKNOWN.finditer(text):
        if not any(taken[match.start() : match.end()]) and not _is_named(match, found.values()):
            raise InputError(
                f"The claim names {match.group().strip()!r}, which is not in the spec table.",
                "See `advisor --list`, or describe the card with --gpu-file and name it by its key in --claim-file.",
            )
    return tuple(found[start] for start in sorted(found))


def _is_named(match: re.Match[str], mentions: Iterable[Mention]) -> bool:
    """Whether the words of an unknown card are but the brand in front of one that was found."""
    return any(match.start() < mention.end and mention.start < match.end() for mention in mentions if not mention.keys)


def _patterns(specs: Mapping[str, GpuSpec]) -> list[tuple[re.Pattern[str], tuple[str, ...]]]:
    """Aliases, longest first: key, name, and the family (`a100`, `3090`) with all its rows."""
    aliases: dict[str, list[str]] = {}
    for key, spec in specs.items():
        for alias in {key.lower(), spec.name.lower(), *(name.lower() for name in spec.nvml_names), *_family(key)}:
            aliases.setdefault(alias, []).append(key)
    ordered = sorted(aliases, key=lambda alias: (-len(alias), alias))
    return [(_pattern(alias), tuple(aliases[alias])) for alias in ordered]


def _family(key: str) -> set[str]:
    first = key.split("-", maxsplit=1)[0]
    family = {first}
    for brand in ("rtx", "qrtx", "titan"):
        if first.startswith(brand) and first != brand:
            family.add(f"{brand} {first.removeprefix(brand)}")
            if brand == "rtx" and first.removeprefix(brand)[:4].isdigit() and len(first) > len("rtx") + 3:
                family.add(first.removeprefix(brand))
    if first.startswith("qrtx"):
        family.add(f"quadro rtx {first.removeprefix('qrtx')}")
    return family


def _pattern(alias: str) -> re.Pattern[str]:
    pieces = re.findall(r"[a-z]+|\d+", alias)
    body = r"[\s_-]*".join(re.escape(piece) for piece in pieces)
    bare = alias[0].isdigit()
    before = r"(?:(?<=\dx)|(?<![a-z0-9.,]))" if not bare else r"(?<![a-z0-9.,$-])"
    brand = r"(?:(?:nvidia|geforce|tesla|rtx|amd|radeon|instinct)[\s-]*)*"
    after = r"s?(?![a-z0-9])" + _VARIANT + (_NOT_A_QUANTITY if bare else "")
    return re.compile(before + brand + body + after, re.ASCII)


def _narrowed(keys: tuple[str, ...], text: str, match: re.Match[str], specs: Mapping[str, GpuSpec]) -> tuple[str, ...]:
    """The variants that agree with `pcie`, `sxm` and a memory size named just behind the card."""
    behind = text[match.end() : match.end() + 24]
    link = re.match(r"[\s(,-]*(?:\d+\s*gi?b[\s,-]*)?(pcie|sxm)", behind)
    size = re.match(r"[\s(,-]*(?:(?:pcie|sxm)\d?[\s,-]*)?(\d{1,3})\s*(?:gi?b|g显存)", behind)
    narrowed = keys
    if link is not None:
        narrowed = tuple(key for key in narrowed if link.group(1) in key) or narrowed
    if size is not None:
        wanted = int(size.group(1)) * 2.0**30
        narrowed = tuple(key for key in narrowed if specs[key].memory_bytes == wanted) or narrowed
    return narrowed
