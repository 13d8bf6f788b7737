"""Reads a claim from a sentence in English or Chinese: card, count, model, batch, length, precision, time or ratio."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from advisor.errors import InputError
from advisor.recommend.claim import Claim
from advisor.recommend.claim_figures import Figures, find_figures, search
from advisor.recommend.claim_gpus import find_gpus
from advisor.recommend.claim_words import find_count, find_model, find_precision, find_strategy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.hardware.gpu_spec import GpuSpec
    from advisor.recommend.claim_gpus import Mention

MAX_CHARACTERS = 2000
_LARGEST, _DIGITS = 1_000_000, 12
_SAYS = r"(?:\s*(?:of|=|:|is|为|是))?\s*"
_BATCH = (
    rf"\bbatch(?:[ _-]?size)?{_SAYS}(\d+)(?!\s*(?:gpus?|cards?))",
    rf"\bbs{_SAYS}(\d+)",
    rf"批(?:大小|量|次)(?:大小)?{_SAYS}(\d+)",
    r"(\d+)\s*(?:samples?|images?|sequences?)?\s*(?:a|per|/)\s*(?:batch|card|gpu)\b",
)
_LENGTH = (
    rf"\b(?:(?:seq(?:uence)?|max)[ _-]?)?len(?:gth)?{_SAYS}(\d+)",
    rf"(?:序列长度?|长度){_SAYS}(\d+)",
    r"(\d+)[\s-]*tokens?\b(?!\s*(?:/|per|a)\s*s)",
)
_IMAGE = (
    rf"\b(?:image[ _-]?size|resolution|img){_SAYS}(\d{{2,5}})",
    rf"(?:分辨率|图像大小|图像尺寸){_SAYS}(\d{{2,5}})",
    r"(\d{2,5})\s*[x×]\s*\d{2,5}(?!\s*(?:gpu|card))",
)
_COMPARING = r"\b(?:than|over|vs\.?|versus|compared (?:to|with)|against|as fast as|relative to)\b"
_COMPARING_CHINESE = r"比|相比|相对|对比|的(?=\s*[\d.两二三四五六七八九十]+\s*倍)|快于|是"


def parse_claim(text: str, specs: Mapping[str, GpuSpec]) -> Claim:
    """The claim that a sentence makes.

    Raises InputError when it holds neither a time nor a ratio, names a card that the table lacks, or is too long.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"The claim has {len(text)} characters.", f"Shorten it to {MAX_CHARACTERS}.")
    plain = normalised(text)
    figures = find_figures(plain)
    if not figures:
        raise InputError(
            "The claim names no time, rate or ratio that could be checked.",
            'Say it like "ResNet-50 at 800 images/s on one V100" or "2 GPUs made it 1.8 times faster".',
        )
    mentions = find_gpus(plain, specs)
    subject, reference = _sides(plain, mentions)
    return _claim(text, plain, figures, subject, reference)


def _claim(text: str, plain: str, figures: Figures, subject: tuple[str, ...], reference: tuple[str, ...]) -> Claim:
    length = _number_of(_LENGTH, plain)
    return Claim(
        text=text,
        gpus=subject,
        count=find_count(plain),
        reference_gpus=reference,
        workload=find_model(plain),
        mode="inference" if search(r"\binference\b|推理|推断|\bforward (?:pass )?only\b", plain) else "training",
        strategy=find_strategy(plain),
        precision=find_precision(plain),
        batch_size=_number_of(_BATCH, plain),
        sequence_length=length,
        image_size=_number_of(_IMAGE, plain),
        channels_last=True if search(r"channels[ _-]?last|\bnhwc\b", plain) else None,
        compile=True if search(r"torch\.?compile|\bcompiled\b|编译", plain) else None,
        step_s=figures.step_s,
        samples_per_s=_rate(figures, length),
        epoch_s=figures.epoch_s,
        job_s=figures.job_s,
        speed_up_ratio=figures.speed_up_ratio,
    )


def normalised(text: str) -> str:
    """Lower case, full-width forms narrowed, digit groups joined, every kind of blank and dash alike."""
    plain = unicodedata.normalize("NFKC", text).lower()
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", plain)
    plain = re.sub(r"[‐‑‒–—−]", "-", plain)
    return re.sub(r"\s+", " ", plain).strip()


def _number_of(patterns: tuple[str, ...], plain: str) -> int | None:
    """The first number that one of the patterns finds; None: none, or one beyond the claim type's range."""
    match = next((found for pattern in patterns if (found := search(pattern, plain)) is not None), None)
    number = int(match.group(1)[:_DIGITS]) if match is not None else 0
    return number if 1 <= number <= _LARGEST else None


def _rate(figures: Figures, length: int | None) -> float | None:
    if figures.tokens_per_s is not None:
        if length is None:
            raise InputError(
                "The claim is in tokens a second and names no sequence length.", 'Add it: "… at length 1024".'
            )
        return figures.tokens_per_s / length
    return figures.samples_per_s


def _sides(plain: str, mentions: tuple[Mention, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The card that is spoken of, and the one it is compared with; empty where none is named."""
    if not mentions:
        return (), ()
    first = mentions[0]
    other = next((mention for mention in mentions[1:] if mention.keys != first.keys), None)
    if other is None:
        return first.keys, ()
    between = plain[first.end : other.start]
    if search(_COMPARING, between) or search(_COMPARING_CHINESE, between):
        return first.keys, other.keys
    raise InputError(
        "The claim names two cards without comparing them.",
        'Say "an RTX 4090 is 2 times as fast as an A100", or check one card at a time.',
    )
