"""Which year's kernels a PyTorch release brought: software generations, by version."""

from __future__ import annotations

import re

RELEASE_YEARS: tuple[tuple[tuple[int, int], int], ...] = (
    ((1, 8), 2021),
    ((1, 10), 2022),
    ((2, 0), 2023),
    ((2, 2), 2024),
    ((2, 6), 2025),
    ((2, 10), 2026),
)
"""First release of a year, by PyTorch's own release notes; 1.10 of October 2021 counts as the year that it served."""
_FIRST_YEAR = 2020
FIRST_AMPERE_YEAR = 2020
"""PyTorch 1.7 with CUDA 11.0 and cuDNN 8.0: the first kernels for Ampere."""
SECOND_FLASH_YEAR = 2024
"""PyTorch 2.2 brought the second generation of flash attention, which its own library has had since July 2023."""
GRADIENTS_FREED_YEAR = 2023
"""From PyTorch 2.0 on `zero_grad` frees the gradients; before, it wrote zeros to each, and backward added to them."""
QUICKER_HOST_YEAR = 2022
"""Hosts that ran PyTorch 1.4 to 1.8 took longer to issue an operator than those that ran 1.10 and later."""
CUDNN_ATTENTION_YEAR = 2024
"""Transformer Engine prefers cuDNN's fused attention on Hopper, as NeMo's manual of 2024 says."""
DEQUANTISING_KERNELS_YEAR = 2024
"""Libraries of GPTQ fine-tuning unpack weights in one kernel; before, with PyTorch's operators."""
_FIRST_TURNING_LAYOUTS = (2, 1), (2023, 10)
"""A release and its month, by which builds and images are called. PyTorch 2.1 brought the compiler's layout
optimisation (pull request 99773 of June 2023); 2.0 leaves convolutions in the layout that they are called with."""
PADDED_PRODUCTS_YEAR = 2024
"""From here on the compiler pads the sides of products (pull request 101915 of May 2023, in PyTorch 2.1 of October)."""
_FIRST_UPCASTING_ATTENTION = (2, 5), (2024, 10)
_FIRST_ADAPTERS_AS_TODAY = (2, 4), (2024, 7)
"""Of July 2024. On the same day came PEFT 0.12, which keeps adapters in FP32 beside weights of 16 bits and not in their
type, and the day before bitsandbytes 0.43.2, whose products by weights of 4 bits keep their inputs no longer."""
_FIRST_FUSED_ATTENTION = (2, 0), (2023, 3)
"""Of March 2023: `scaled_dot_product_attention`. Before, models multiplied, scaled and took the softmax one by one."""
_FIRST_FUSED_BY_TRANSFORMERS = (2, 1), (2023, 12)
"""transformers calls it since 4.36, beside PyTorch 2.1.1 and later only."""
FUSED_ATTENTION_YEAR = 2023
_FLASH_WORDS = re.compile(r"\b(?:flash|fa)[ _-]?(?:att(?:entio)?n[ _-]?)?v?([12])(?!\d)")
_FIRST_FLASH_WORD = "triton"
_CENTURY = 2000
_NAMED_VERSION = re.compile(r"torch[ =_:v-]*([012])\.(\d{1,2})(?!\d)")
_VERSION = re.compile(r"(?<![\d.])([12])\.(\d{1,2})(?![\d])")
_BEFORE_THE_FIRST = re.compile(r"v?0\.[1-4](?:\.\d+)?")
_YEAR = re.compile(r"\b(20[12]\d)\b(?:-(0[1-9]|1[0-2])\b)?")
_CONTAINER = re.compile(
    r"(?:\bngc\b|\bnvcr\b|\bnvidia[ /]pytorch\b|\bcontainer\b)(?:(?!ubuntu).)*?"
    r"(?<![\d.])(1[7-9]|[23]\d)\.(0[1-9]|1[0-2])(?!\d)"
    r"|\bngc ?(1[7-9]|[23]\d)(0[1-9]|1[0-2])\b"
)
"""NVIDIA's images are called by year and month (`NGC PyTorch 22.10`, `nvcr.io/nvidia/pytorch:23.10-py3`, `ngc2012`)."""


def software_year_of(text: str) -> int | None:
    """Year of a PyTorch version, a dated build or an image of NVIDIA's.

    `torch 1.13.1 cu117`, `nightly 2024-12-23`, `NGC PyTorch 22.10`. None where the text names none of them.
    Versions before 1.8 count as 2020.
    """
    release = _release_of(text)
    if release is None:
        dated = _month_of(text)
        return None if dated is None else dated[0]
    return max((year for first, year in RELEASE_YEARS if release >= first), default=_FIRST_YEAR)


def is_before(software_year: int | None, year: int) -> bool:
    """Whether the software is of a year before; None is today's, which is before none."""
    return software_year is not None and software_year < year


def turns_layouts(text: str) -> bool:
    """Whether the compiler of this PyTorch may turn convolutions to channels-last.

    True where neither a version nor a date is named.
    """
    return _is_since(text, _FIRST_TURNING_LAYOUTS)


def fuses_attention(text: str, *, by_transformers: bool = False) -> bool:
    """Whether this PyTorch has fused attention to call, and transformers beside it calls it: since 4.36, from 2.1 on.

    True where neither a version nor a date is named.
    """
    return _is_since(text, _FIRST_FUSED_BY_TRANSFORMERS if by_transformers else _FIRST_FUSED_ATTENTION)


def upcasts_attention(text: str) -> bool:
    """Whether this PyTorch computes half inputs of attention in FP32 where no fused kernel takes them: since 2.5.

    True where neither a version nor a date is named.
    """
    return _is_since(text, _FIRST_UPCASTING_ATTENTION)


def adapters_as_today(text: str) -> bool:
    """Whether PEFT and bitsandbytes of the time of this PyTorch train adapters as they do today: since 2.4.

    True where neither a version nor a date is named.
    """
    return _is_since(text, _FIRST_ADAPTERS_AS_TODAY)


def flash_generation_of(words: str) -> int | None:
    """Generation of the kernels that a run's words for its attention name (`flash2`, `triton flash`); None: of none.

    Triton's are of the first, whatever the year. PyTorch's own (`sdpa`) are those of its release.
    """
    lowered = words.lower()
    if "sdpa" in lowered:
        return None
    if _FIRST_FLASH_WORD in lowered:
        return 1
    named = _FLASH_WORDS.search(lowered)
    return None if named is None else int(named[1])


def _is_since(text: str, first: tuple[tuple[int, int], tuple[int, int]]) -> bool:
    """Whether what is named is that release or a later one, or a build of the month in which it came out or later."""
    first_release, first_month = first
    release, month = _release_of(text), _month_of(text)
    if release is not None:
        return release >= first_release
    return month is None or month >= first_month


def _release_of(text: str) -> tuple[int, int] | None:
    """The version of PyTorch: the one that stands behind its name, else the first."""
    lowered = text.lower()
    if _BEFORE_THE_FIRST.fullmatch(lowered):
        return (0, 0)
    version = _NAMED_VERSION.search(lowered)
    if version is None and _CONTAINER.search(lowered) is None:
        version = _VERSION.search(lowered)
    return None if version is None else (int(version[1]), int(version[2]))


def _month_of(text: str) -> tuple[int, int] | None:
    """Year and month of a dated build or image; the last month of a year that stands alone."""
    image = _CONTAINER.search(text.lower())
    if image is not None:
        return _CENTURY + int(image[1] or image[3]), int(image[2] or image[4])
    dated = _YEAR.search(text)
    return None if dated is None else (int(dated[1]), int(dated[2] or 12))
