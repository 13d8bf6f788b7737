"""Names of cards as tables of published runs write them, with remarks and alternatives."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.core.sentences import Reason, say
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.row_cards import cards_of_row
from advisor.evaluate.row_predictions import WorkloadReader
from tests.evaluate.test_run_rows import HEADER, ROW, rows_of

A100S = {"a100-pcie-40", "a100-pcie-80", "a100-sxm4-40", "a100-sxm4-80"}
V100S = {"v100-pcie-16", "v100-pcie-32", "v100-sxm2-16", "v100-sxm2-32"}


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("rtx3090", {"rtx3090"}),
        ("v100 (16/32GB not stated)", V100S),
        ("a100 (form not stated)", A100S),
        ("a100 40GB (SXM or PCIe not stated; a100-sxm4-40 or a100-pcie-40)", {"a100-pcie-40", "a100-sxm4-40"}),
        ("A100 (80GB)", {"a100-pcie-80", "a100-sxm4-80"}),
        ("v100-sxm2-16 (AWS p3.2xlarge)", {"v100-sxm2-16"}),
        ("mi250 (one GCD)", {"mi250"}),
    ],
)
def test_a_remark_behind_a_card_is_left_out_or_narrows_it(words: str, keys: set[str]) -> None:
    assert set(cards_of_row(words, spec_table())) == keys


def test_a_remark_that_names_a_card_says_which_is_meant() -> None:
    assert cards_of_row("a10 (A10G, AWS)", spec_table()) == ("a10g",)


@pytest.mark.parametrize(
    "words", ["A100 80GB (MIG 3g.40gb)", "a100-sxm4-80 (3g.40gb)", "mi300x (1/8 partition, CPX)", "A100 (half of it)"]
)
def test_a_remark_that_names_a_part_of_a_card_names_none(words: str) -> None:
    assert not cards_of_row(words, spec_table())


@pytest.mark.parametrize("words", ["a100-sxm4-80 (MIG off)", "a100-sxm4-80 (no MIG)"])
def test_a_remark_that_a_card_is_whole_is_left_out(words: str) -> None:
    assert cards_of_row(words, spec_table()) == ("a100-sxm4-80",)


@pytest.mark.parametrize("words", ["RTX 3080 Ti (laptop)", "RTX 3080 Ti 16GB (laptop)"])
def test_a_remark_that_is_part_of_the_name_names_another_card(words: str) -> None:
    assert cards_of_row(words, spec_table()) == ("rtx3080ti-laptop",)


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("v100-sxm2-16 or v100-sxm2-32 (Big Basin V100 NVLink; memory not stated)", {"v100-sxm2-16", "v100-sxm2-32"}),
        ("a100-sxm4-40 or -80 (not stated)", {"a100-sxm4-40", "a100-sxm4-80"}),
        (
            "v100-sxm2-16 or -32 / v100-pcie (paper: V100)",
            {"v100-sxm2-16", "v100-sxm2-32", "v100-pcie-16", "v100-pcie-32"},
        ),
    ],
)
def test_of_alternatives_each_card_is_meant(words: str, keys: set[str]) -> None:
    assert set(cards_of_row(words, spec_table())) == keys


@pytest.mark.parametrize(
    "words", ["rtx3090 (laptop)", "not stated (A100 or V100)", "rtx3090 or nonesuch", "RTX 2060 8GB (printed)", "()"]
)
def test_what_names_no_card_of_the_table_names_none(words: str) -> None:
    assert cards_of_row(words, spec_table()) == ()


@pytest.mark.parametrize(
    ("card", "stated", "count"),
    [("8x A100 80GB", "", 8), ("4 x rtx3090", "4", 4), ("rtx3090", "2", 2), ("rtx3090", "", 1)],
)
def test_as_many_cards_are_predicted_as_the_name_says(tmp_path: Path, card: str, stated: str, count: int) -> None:
    (row,) = rows_of(tmp_path, HEADER + ",n_gpus", f"{ROW.replace('v100-sxm2-16', card)},{stated}")
    asked = WorkloadReader(tmp_path).question(row, spec_table())
    assert isinstance(asked, RowQuestion)
    assert asked.row.layout.count == count


@pytest.mark.parametrize("column", ["n_gpus", "gpu_count"])
def test_a_number_of_cards_that_the_name_and_the_column_tell_differently_is_refused(
    tmp_path: Path, column: str
) -> None:
    (row,) = rows_of(tmp_path, f"{HEADER},{column}", ROW.replace("v100-sxm2-16", "8x A100") + ",4")
    asked = WorkloadReader(tmp_path).question(row, spec_table())
    assert isinstance(asked, Reason)
    assert column in say(asked, "en")
