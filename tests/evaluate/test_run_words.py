"""Optimizers and precisions in the words of tables of published runs, with the remarks that stand behind them."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.core.sentences import say
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.row_predictions import WorkloadReader
from tests.evaluate.test_run_rows import HEADER, ROW, rows_of


@pytest.mark.parametrize(
    ("cell", "optimizer", "fused"),
    [
        ("adamw", "adamw", False),
        ("AdamW_fused", "adamw", True),
        ("adamw fused", "adamw", True),
        ("adam (fused)", "adam", True),
        ("adamw (apex fused)", "adamw", True),
        ("distributed fused adam", "adam", True),
        ("decoupled_adamw (composer, not fused), grad clip 1.0", "adamw", False),
        ("adamw_torch (HF default, foreach)", "adamw", False),
        ("sgd with momentum", "sgd_momentum", False),
        ("sgd_momentum (nesterov)", "sgd_momentum", False),
        ("SGD (momentum 0.9)", "sgd_momentum", False),
        ("sgd+momentum", "sgd_momentum", False),
        ("SGD with Nesterov", "sgd_momentum", False),
        ("sgd (momentum=0)", "sgd", False),
        ("sgd without momentum", "sgd", False),
        ("torch.optim.AdamW", "adamw", False),
        ("FusedAdam", "adam", True),
        ("none (no optimizer step in the timed region)", "none", False),
        ("fused LAMB", "lamb", False),
    ],
)
def test_an_optimizer_is_read_with_what_is_said_beside_its_name(
    tmp_path: Path, cell: str, optimizer: str, fused: bool
) -> None:
    (row,) = rows_of(tmp_path, HEADER + ",optimizer", f'{ROW},"{cell}"')
    assert row.problem is None
    assert (row.optimizer, row.fused_optimizer) == (optimizer, fused)


@pytest.mark.parametrize(
    "cell", ["rmsprop", "bnb PagedAdamW", "adamw_8bit", "lamb/adam", "sgd fused in backward", "adamw + EMA"]
)
def test_an_optimizer_that_keeps_other_states_is_refused_with_those_that_are_known(tmp_path: Path, cell: str) -> None:
    (row,) = rows_of(tmp_path, HEADER + ",optimizer", f"{ROW},{cell}")
    assert row.problem is not None
    assert "adafactor" in say(row.problem, "en")


@pytest.mark.parametrize(
    ("cell", "meant"),
    [
        ("bf16_amp (composer DEFAULT)", "bf16_amp"),
        ("tf32 (fp32 with allow_tf32=True)", "tf32"),
        ("fp32 (use_fp16 default False)", "fp32"),
        ("fp32 (no TF32)", "fp32"),
        ("fp32 (cuDNN conv TF32 on by default, matmul TF32 off)", "default"),
        ("fp32 (default; matmul TF32 off, cuDNN TF32 on)", "default"),
        ("bf16 (true)", "bf16_true"),
        ("fp32 (TF32 on)", "tf32"),
        ("fp16 (pure half)", "fp16_true"),
        ("fp16 (half)", "fp16_true"),
        ('fp16 (model loaded in float16; ""with float16"")', "fp16_true"),
        ("bf16 (pure: weights and input bf16)", "bf16_true"),
        ("bf16 (FSDP2 mp: param bf16, reduce fp32; fp32 master)", "bf16"),
        ("fp16 autocast (as the script does)", "fp16_amp"),
        ("bf16 (autocast)", "bf16_amp"),
        ("mixed fp16", "fp16_amp"),
        ("pure bf16", "bf16_true"),
        ("fp8 (TransformerEngine) + bf16", "fp8"),
        ("fp8 rowwise + bf16", "fp8"),
    ],
)
def test_a_precision_is_read_with_a_remark_that_leaves_it_or_says_which_is_meant(
    tmp_path: Path, cell: str, meant: str
) -> None:
    (row,) = rows_of(tmp_path, HEADER, ROW.replace("amp-fp16", f'"{cell}"'))
    assert row.problem is None
    assert row.precision == meant


@pytest.mark.parametrize(
    "cell",
    [
        "bf16 (composer PURE)",
        "fp16 (float16; AMP or pure half not stated)",
        "fp16 (half or AMP)",
        "bf16 (frozen base)",
        "fp32 (TF32 setting open)",
        "bf16 + nf4",
        "fp16_amp or fp32",
        "fp8 or bf16",
    ],
)
def test_a_precision_whose_remark_may_make_it_another_is_refused(tmp_path: Path, cell: str) -> None:
    (row,) = rows_of(tmp_path, HEADER, ROW.replace("amp-fp16", cell))
    assert row.problem is not None
    assert row.problem.numbers["column"] == "precision"


@pytest.mark.parametrize(
    ("cell", "recipe"),
    [
        ("fp8", None),
        ("fp8 rowwise", "rowwise"),
        ("fp8 tensorwise + bf16", "tensorwise"),
        ("fp8 (amp_fp8, TransformerEngine) + bf16", "transformer_engine"),
        ("bf16", None),
    ],
)
def test_how_fp8_is_scaled_is_read_where_the_precision_says_it(tmp_path: Path, cell: str, recipe: str | None) -> None:
    (row,) = rows_of(tmp_path, HEADER, ROW.replace("amp-fp16", f'"{cell}"'))
    assert row.problem is None
    asked = WorkloadReader(tmp_path).question(row, spec_table())
    assert isinstance(asked, RowQuestion)
    assert asked.workload.training.fp8_recipe == recipe
