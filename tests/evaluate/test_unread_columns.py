"""Columns called as settings of a workload file: kept, not read, and told where they say otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.core.sentences import say
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.row_predictions import WorkloadReader
from advisor.evaluate.unread_columns import told_of_unread
from tests.evaluate.test_run_rows import HEADER, ROW, rows_of


def told(folder: Path, columns: str, cells: str) -> str:
    (row,) = rows_of(folder, f"{HEADER},{columns}", f"{ROW},{cells}")
    question = WorkloadReader(folder).question(row, spec_table())
    assert isinstance(question, RowQuestion)
    return " ".join(say(reason, "en") for reason in told_of_unread(question))


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("trainable", "lora"),
        ("lora_rank", "16"),
        ("chunked_loss", "yes"),
        ("clip_gradient_norm", "1.0"),
        ("quantization", "nf4"),
        ("optimizer_bits", "8"),
        ("weights_bits", "4 (nf4)"),
    ],
)
def test_a_setting_that_is_not_what_was_predicted_is_told(tmp_path: Path, column: str, cell: str) -> None:
    assert f"`{column}`" in told(tmp_path, column, cell)


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("trainable", "all"),
        ("lora_rank", ""),
        ("chunked_loss", "False"),
        ("quantization", "none"),
        ("offload", "none"),
        ("optimizer_bits", "32"),
        ("optimizer_bits", "not stated"),
        ("colour", "green"),
        ("optimizer", "adam"),
    ],
)
def test_what_was_predicted_and_what_is_no_setting_is_not_told(tmp_path: Path, column: str, cell: str) -> None:
    assert told(tmp_path, column, cell) == ""


def test_several_are_told_in_one_sentence(tmp_path: Path) -> None:
    assert told(tmp_path, "trainable,lora_rank", "lora,8").count("`") == 4


@pytest.mark.parametrize(
    ("column", "cell", "setting"),
    [
        ("optimizer", "adamw (torchao 8-bit)", "optimizer_bits = 8"),
        ("optimizer", "adamw (CPU offload)", 'offload = "optimizer"'),
        ("parallel", "fsdp (CPU offload)", 'offload = "parameters"'),
        ("optimizer", "adamw (no CPU offload)", None),
        ("optimizer", "adamw (foreach)", None),
        ("parallel", "fsdp (without offload)", None),
    ],
)
def test_a_setting_in_a_remark_is_told_with_where_to_write_it(
    tmp_path: Path, column: str, cell: str, setting: str | None
) -> None:
    said = told(tmp_path, column, cell)
    assert said == "" if setting is None else setting in said
