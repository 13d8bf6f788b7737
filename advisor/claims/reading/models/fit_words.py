"""Whether a model is said to fit a card, or to be trainable on it at all, in both languages."""

from __future__ import annotations

import re
from collections.abc import Mapping

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.claims.reading.models.size_words import LORA
from advisor.claims.reading.numbers.number_words import search, search_each

_FITS = r"\bfits?\b|\bfitting\b|放得下|装得下|装得进|放得进|能放进|能装进|[可能](?:以)?[放装]下"
_FITS_NOT = (
    r"(?:\b(?:not|never|cannot)|n't) (?!only |just )(?:[a-z]+ ){0,2}fit(?:s|ting)?\b|\bout of memory\b"
    r"|\boom(?:s|ed|ing|'d|'s)?\b|too (?:large|big) for\b"
    r"|\bno way\b[^.;]{0,60}\bfits?\b"
    r"|放不下|装不下|塞不下|塞不进|放不进|装不进|爆显存"
)


def says_fits(plain: str) -> bool | None:
    """Whether a model is said to fit a card, or not to; None: neither is said.

    What another set-up does in a part of its own, without a figure, decides nothing beside what does fit:
    `ZeRO-2 on 8 A100 can train a 7B, plain DDP ran out of memory`.
    """
    if (without := search(_FITS_NOT, plain)) is not None:
        parts = re.split(r"[,;.。，；](?!\d)|\b(?:but|while|whereas)\b|但|而", plain)
        beside = next((part for part in parts if without.group() in part), plain)
        others = plain.replace(beside, " ")
        holds = search(rf"{_FITS}|\bcan (?:train|fine-?tune|run)\b|能训", others) is not None
        return holds and search(r"\d", beside) is None
    return True if search(_FITS, plain) else None


_MEMORY = (
    (
        r"(\d{1,3})\s*(?:gi?b|g)\s*(?:of )?"
        r"(?:gpus?|(?:graphics )?cards?|vram|memory|的?显卡|的?显存|的?(?:[单一][张块]?)?卡)"
    ),
    r"\b(?:fits?|runs?|train\w*|fine-?tun\w*)[^.,;]{0,40}?\b(?:in|into|on|within|under)\s+(?:an?\s+|one\s+)?(\d{1,3})\s*(?:gi?b|g)\b",
    (
        r"(?<![\w.])(\d{1,3})\s*(?:gi?b|g)\s*(?:is|are|would be|should be|就|完全|根本|都|也|肯定|应该)?\s*"
        r"(?:\w+ )?(?:enough|plenty|sufficient|too little|not enough|isn't enough|不?够|足够)"
    ),
    r"(?:显存|vram)\s*(?:of |为|是|=)?\s*(\d{1,3})\s*(?:gi?b|g)\b",
)
_CANNOT = (
    r"\b(?:cannot|can't|can ?not|impossible|not (?:possible|enough)|isn't enough|too small)\b"
    r"|不能|无法|不可能|不够|(?:训练?|微调|跑|练|带|撑|玩)不(?:了|动|起|住)"
)
_DOES = r"(?:runs?|trains?|work|load|handle|do|full|fine-?\s?tun\w*|pre-?train\w*|q?lora)\b"
_DENIES = (
    rf"(?:n't|\bnot|\bnever|\bno way(?: to)?|\bno chance(?: of| to)?|\bcannot) (?:[a-z]+ ){{0,3}}?{_DOES}"
    r"|\bnot (?:doable|feasible)\b|别想|不行|没戏|没法"
)
_NEGATES = r"n't\b|\bnot\b(?! (?:only|just))|\bnever\b|\bno (?:way|chance|hope)\b"
"""Words that leave open whether a training is said to be possible, where none of those above stands by."""
_CAN = r"\bcan\b|\bpossible\b|\benough\b|\bsuffic\w+|\bruns?\b|能|可以|足够|够用|跑得?[动了起]"
_TRAINS = rf"{LORA}|\btrain\w*|\bfine-?\s?tun\w*|\bpre-?train\w*|训练|微调|全参|\binference\b|推理"


def says_possible(plain: str, *, sized: bool) -> bool | None:
    """Whether a training is said to be possible on a card, or not to; None: neither.

    Of a model whose size is named (`sized`), words for training beside a card say so too: `70B LoRA on one 4090`.
    """
    if search(rf"{_CANNOT}|{_DENIES}", plain) is not None:
        return False
    if search(_NEGATES, plain) is not None:
        return None
    said = search(_CAN, plain) is not None or (sized and search(_TRAINS, plain) is not None)
    return True if said else None


def cards_of_memory(plain: str, specs: Mapping[str, GpuSpec]) -> tuple[str, ...]:
    """Every card of the memory that stands for one (`a 24 GB card`); none where none is named."""
    match = search_each(_MEMORY, plain)
    if match is None:
        return ()
    return tuple(key for key, spec in specs.items() if spec.memory_bytes == int(match.group(1)) * 2.0**30)
