"""A card is found by the name that people write, and never taken for another one."""

from __future__ import annotations

import pytest

from advisor.catalogue.gpu_words import cards_meant, nearest_keys
from advisor.catalogue.spec_table import spec_table


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("rtx3090", ("rtx3090",)),
        ("RTX3090", ("rtx3090",)),
        ("rtx 4090", ("rtx4090",)),
        ("NVIDIA GeForce RTX 3090", ("rtx3090",)),
        ("NVIDIA A100-SXM4-40GB", ("a100-sxm4-40",)),
        ("A100", ("a100-pcie-40", "a100-pcie-80", "a100-sxm4-40", "a100-sxm4-80")),
        ("a100 80gb", ("a100-pcie-80", "a100-sxm4-80")),
        ("2080ti", ("rtx2080ti",)),
        ("RTX 6000 Ada", ("rtx6000ada",)),
        ("4090 laptop", ("rtx4090-laptop",)),
        ("H100", ("h100-pcie", "h100-sxm", "h100-nvl")),
        ("RTX PRO 6000", ("rtxpro6000bw", "rtxpro6000bw-maxq", "rtxpro6000bw-server")),
        ("A100 80G", ("a100-pcie-80", "a100-sxm4-80")),
        ("T4 16GB", ("t4",)),
        ("RTX 3080 (10 GB", ("rtx3080-10",)),
        ("3080", ("rtx3080-10", "rtx3080-12")),
        ("RTX 3080 12GB", ("rtx3080-12",)),
        ("4090", ("rtx4090",)),
        ("4090D", ("rtx4090d",)),
        ("RTX 4090 D", ("rtx4090d",)),
        ("NVIDIA A10G", ("a10g",)),
        ("a10", ("a10",)),
        ("L40", ("l40",)),
        ("H20", ("h20-sxm",)),
        ("４０９０ 24GB", ("rtx4090",)),
        ("4090 48GB", ("rtx4090-48",)),
        ("RTX 4090-48G", ("rtx4090-48",)),
        ("4090D 48g", ("rtx4090d-48",)),
        ("2080ti-22g", ("rtx2080ti-22",)),
        ("3080 20GB", ("rtx3080-20",)),
        ("4080 Super 32G", ("rtx4080super-32",)),
        ("2080 Ti", ("rtx2080ti",)),
        ("B300", ("b300-sxm",)),
        ("MI355X", ("mi355x",)),
    ],
)
def test_a_card_is_found_by_the_name_that_people_write(words: str, keys: tuple[str, ...]) -> None:
    assert cards_meant(words, spec_table()) == keys


@pytest.mark.parametrize("words", ["3090 laptop", "rtx4900", "80", "rtx6000", "", "l4s", "t4 32gb", "a100 64g", "80g"])
def test_a_name_of_no_row_is_not_taken_for_another_card(words: str) -> None:
    assert cards_meant(words, spec_table()) == ()


def test_the_nearest_keys_are_offered() -> None:
    assert nearest_keys("rtx4900", spec_table())[0] == "rtx4090"
    assert nearest_keys("4900", spec_table())[0] == "rtx4090"
    assert nearest_keys("9030", spec_table())[0] == "rtx3090"


@pytest.mark.parametrize("words", ["昇腾910B", "M3 Max", "tpu v5", "v10", "Jetson Orin"])
def test_a_name_that_is_like_no_other_gets_no_nearest_key(words: str) -> None:
    assert nearest_keys(words, spec_table()) == ()


def test_nobody_who_tells_no_memory_is_offered_a_card_whose_memory_was_replaced() -> None:
    assert not any(spec_table()[key].memory_replaced for key in nearest_keys("rtx4900", spec_table()))


def test_a_machine_is_named_as_its_chip_is() -> None:
    for words in ("DGX Spark", "NVIDIA DGX Spark", "GB10", "gb10 128GB"):
        assert cards_meant(words, spec_table()) == ("dgx-spark",)
    assert nearest_keys("GX10", spec_table()) == ()


def test_a_card_sold_in_china_is_never_its_namesake() -> None:
    assert cards_meant("5090D", spec_table()) == ("rtx5090d",)
    assert cards_meant("RTX 5090 D V2", spec_table()) == ("rtx5090d-v2",)
    assert "rtx5090d" not in cards_meant("5090", spec_table())
