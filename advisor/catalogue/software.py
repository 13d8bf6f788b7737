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
_FIRST_TURNING_LAYOUTS = (2, 1)
"""PyTorch 2.1 brought the compiler's layout optimisation (pull request 99773 of June 2023); 2.0 leaves convolutions in
the layout that they are called with."""
PADDED_PRODUCTS_YEAR = 2024
"""From here on the compiler pads the sides of products (pull request 101915 of May 2023, in PyTorch 2.1 of October)."""
_FIRST_UPCASTING_ATTENTION = (2, 5)
_FIRST_ADAPTERS_AS_TODAY = (2, 4)
"""Of July 2024. On the same day came PEFT 0.12, which keeps adapters in FP32 beside weights of 16 bits and not in their
type, and the day before bitsandbytes 0.43.2, whose products by weights of 4 bits keep their inputs no longer."""
_FLASH_WORDS = re.compile(r"\b(?:flash|fa)[ _-]?(?:att(?:entio)?n[ _-]?)?v?([12])(?!\d)")
_FIRST_FLASH_WORD = "triton"
_VERSION = re.compile(r"(?<![\d.])([12])\.(\d{1,2})(?![\d])")
_YEAR = re.compile(r"\b(20[12]\d)\b")


def software_year_of(text: str) -> int | None:
    """Year of a PyTorch version (`2.1.0`, `torch 1.13.1 cu117`) or of a dated build (`nightly 2024-12-23`).

    None where the text names neither. Versions before 1.8 count as 2020.
    """
    release = _release_of(text)
    if release is None:
        dated = _YEAR.search(text)
        return None if dated is None else int(dated[1])
    return max((year for first, year in RELEASE_YEARS if release >= first), default=_FIRST_YEAR)


def is_before(software_year: int | None, year: int) -> bool:
    """Whether the software is of a year before; None is today's, which is before none."""
    return software_year is not None and software_year < year


def turns_layouts(text: str) -> bool:
    """Whether the compiler of this PyTorch may turn convolutions to channels-last; True where no version is named."""
    release = _release_of(text)
    return release is None or release >= _FIRST_TURNING_LAYOUTS


def upcasts_attention(text: str) -> bool:
    """Whether this PyTorch computes half inputs of attention in FP32 where no fused kernel takes them: since 2.5.

    True where no version is named.
    """
    release = _release_of(text)
    return release is None or release >= _FIRST_UPCASTING_ATTENTION


def adapters_as_today(text: str) -> bool:
    """Whether PEFT and bitsandbytes of the time of this PyTorch train adapters as they do today: since 2.4.

    True where no version is named.
    """
    release = _release_of(text)
    return release is None or release >= _FIRST_ADAPTERS_AS_TODAY


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


def _release_of(text: str) -> tuple[int, int] | None:
    version = _VERSION.search(text)
    return None if version is None else (int(version[1]), int(version[2]))
