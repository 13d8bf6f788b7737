"""PyTorch versions as years of kernels."""

from __future__ import annotations

import pytest

from advisor.catalogue.software import (
    RELEASE_YEARS,
    adapters_as_today,
    flash_generation_of,
    software_year_of,
    turns_layouts,
    upcasts_attention,
)


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("1.7.1", 2020),
        ("1.8.0a0", 2021),
        ("torch 1.13.1 cu117", 2022),
        ("2.0", 2023),
        ("2.1.0+cu121", 2023),
        ("2.4.1", 2024),
        ("2.10.0", 2026),
        ("2.13.0+cu130", 2026),
        ("nightly 2024-12-23", 2024),
        ("not stated", None),
        ("0.4.1", 2020),
        ("flash-attn 2.7.0, torch 2.1.2", 2023),
        ("NVIDIA A100, Ubuntu 22.04, torch 2.4", 2024),
        ("NVIDIA driver 25.06, 2.4.1", 2024),
        ("NGC container on Ubuntu 22.04, PyTorch 2.6", 2025),
        ("NGC PyTorch 22.10 (PyTorch 1.x)", 2022),
        ("nvcr.io/nvidia/pytorch:23.10-py3", 2023),
        ("ngc2012", 2020),
        ("NeMo container 24.07", 2024),
    ],
)
def test_a_version_or_a_date_names_its_year(text: str, year: int | None) -> None:
    assert software_year_of(text) == year


def test_later_releases_never_count_as_earlier_years() -> None:
    assert list(RELEASE_YEARS) == sorted(RELEASE_YEARS)


@pytest.mark.parametrize(
    ("words", "generation"),
    [
        ("flash2", 2),
        ("fa2", 2),
        ("flash_attention_2", 2),
        ("flash-attn 2.3.4", 2),
        ("flash1", 1),
        ("triton flash (script default at that commit; flash possible)", 1),
        ("flash", None),
        ("sdpa (flash2 in torch 2.2)", None),
        ("TE/cuDNN or flash (not stated)", None),
        ("", None),
    ],
)
def test_words_for_attention_name_the_generation_of_its_kernels(words: str, generation: int | None) -> None:
    assert flash_generation_of(words) == generation


@pytest.mark.parametrize(
    ("text", "turns"), [("2.0", False), ("torch 2.0.1+cu118", False), ("2.1", True), ("2.10", True), ("", True)]
)
def test_the_compiler_turns_layouts_since_its_second_release(text: str, turns: bool) -> None:
    assert turns_layouts(text) is turns


@pytest.mark.parametrize(
    ("text", "upcasts"),
    [
        ("2.1", False),
        ("2.4.1+cu124", False),
        ("2.5", True),
        ("2.13", True),
        ("", True),
        ("nightly 2024-09", False),
        ("nightly 2024-11-02", True),
        ("NGC 24.05", False),
        ("NGC 25.01", True),
        ("2023", False),
    ],
)
def test_attention_without_a_fused_kernel_is_in_fp32_since_torch_2_5(text: str, upcasts: bool) -> None:
    assert upcasts_attention(text) is upcasts


@pytest.mark.parametrize(
    ("text", "today"), [("2.0.1", False), ("2.3.1", False), ("2.4.0", True), ("2.11", True), ("", True)]
)
def test_adapters_are_trained_as_today_since_the_libraries_that_came_out_with_pytorch_2_4(
    text: str, today: bool
) -> None:
    assert adapters_as_today(text) is today
