"""A step that is faster than FP32 can be on its card was in TF32, where the card has it; any other is as described."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.core.sentences import Reason
from advisor.evaluate.faster_than_peak import as_precise_as_it_ran, told_of_the_impossible
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.row_predictions import WorkloadReader
from advisor.evaluate.silent_descriptions import understood
from advisor.optable.op_table import OpTable
from tests.accuracy.tables import load_table
from tests.evaluate.test_run_rows import rows_of

HEADER = "workload,gpu_key,mode,precision,batch_per_gpu,seq_len_or_img,ms,n_gpus,gradient_accumulation"
ROW = "resnet50,a100-sxm4-40,training,fp32,64,224,20,,"
"""64 images take 64 x 24.3 GFLOP in both passes: 80 ms at 19.5 TFLOP/s, 61 where Winograd spares what it can."""


def asked(folder: Path, cells: str) -> tuple[RowQuestion, OpTable]:
    (row,) = rows_of(folder, HEADER, cells)
    question = WorkloadReader(folder).question(row, spec_table())
    assert isinstance(question, RowQuestion)
    table = load_table("resnet50_v1_5", 224, "fp32", "training")
    return as_precise_as_it_ran(question, table), table


@pytest.mark.parametrize(
    ("cells", "precision"),
    [
        (ROW, "tf32"),
        (ROW.replace("a100-sxm4-40", "A100"), "tf32"),
        (ROW.replace(",20,", ",65,"), "fp32"),
        (ROW.replace(",20,", ",0.5,"), "fp32"),
        (ROW.replace("a100-sxm4-40", "v100-sxm2-16"), "fp32"),
        (ROW.replace("fp32", "default"), "default"),
        (ROW.replace("fp32", "fp16_amp"), "fp16_amp"),
        (ROW.replace(",20,,", ",80,,4"), "tf32"),
        (ROW.replace(",20,,", ",20,8,"), "tf32"),
    ],
)
def test_only_what_fp32_cannot_do_and_tf32_can_was_in_tf32(tmp_path: Path, cells: str, precision: str) -> None:
    question, _ = asked(tmp_path, cells)
    assert question.workload.training.precision == precision
    told = "evaluate-ran-in-tf32" in [reason.code for reason in understood(question)]
    assert told is ((precision == "tf32") is ("fp32" in cells) and precision == "tf32")


def test_a_card_that_may_be_several_is_left_where_one_of_them_can(tmp_path: Path) -> None:
    cells = ROW.replace("a100-sxm4-40", "rtx4090 or a100-sxm4-40").replace(",20,", ",15,")
    question, _ = asked(tmp_path, cells)
    assert question.workload.training.precision == "fp32"


def test_a_trace_that_failed_tells_nothing(tmp_path: Path) -> None:
    question, _ = asked(tmp_path, ROW.replace(",20,", ",65,"))
    assert as_precise_as_it_ran(question, Reason.of("evaluate-trace-died", workload="resnet50")) == question


@pytest.mark.parametrize(
    ("milliseconds", "told"),
    [("0.02", True), ("20", False), ("65", False)],
)
def test_a_time_that_no_card_of_its_name_can_reach_is_told(tmp_path: Path, milliseconds: str, told: bool) -> None:
    question, table = asked(tmp_path, ROW.replace(",20,", f",{milliseconds},"))
    codes = [reason.code for reason in told_of_the_impossible(question, table)]
    assert codes == (["evaluate-faster-than-possible"] if told else [])
