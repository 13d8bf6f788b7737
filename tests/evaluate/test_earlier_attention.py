"""Attention over five dimensions is predicted as the row's PyTorch computed it: in half before 2.5, in FP32 since."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.core.sentences import Reason
from advisor.evaluate import evaluate_file
from advisor.evaluate.evaluation_record import Evaluation
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.row_predictions import WorkloadReader
from tests.evaluate.test_run_rows import HEADER, ROW, rows_of

FILE = """
import torch
from torch import nn


class Windows(nn.Module):
    def __init__(self, parts):
        super().__init__()
        self.parts, self.mix, self.head = parts, nn.Linear(256, 768), nn.Linear(256, 10)

    def forward(self, tokens):
        query, key, value = self.mix(tokens).unflatten(-1, (3, 8, 32)).unbind(-3)
        if self.parts > 1:
            query, key, value = (one.unflatten(1, (self.parts, -1)) for one in (query, key, value))
        taken = (one.transpose(-2, -3) for one in (query, key, value))
        mixed = nn.functional.scaled_dot_product_attention(*taken).transpose(-2, -3).flatten(-2)
        return self.head(mixed.flatten(1, -2).mean(1))


def build_model(parts):
    return Windows(parts)


def make_batch(batch_size):
    return torch.randn(batch_size, 1024, 256), torch.randint(0, 10, (batch_size,))
"""


def predicted(folder: Path, parts: int, versions: Sequence[str] = ("2.4", "2.5", "")) -> Evaluation:
    (folder / "windows.py").write_text(FILE, encoding="utf-8")
    (folder / "windows.toml").write_text(
        'name = "windows"\n[model]\nsource = "python"\nfile = "windows.py"\n'
        f"arguments = {{ parts = {parts} }}\n[data]\nsamples = 100000\n"
        '[training]\nbatch_size = 256\nprecision = "fp16_amp"\n',
        encoding="utf-8",
    )
    rows = [f"windows,rtx3090,inference,fp16_amp,256,1024,50,none,{torch}" for torch in versions]
    path = folder / "runs.csv"
    path.write_text(
        "\n".join(["workload,gpu_key,mode,precision,batch_per_gpu,seq_len_or_img,ms,optimizer,torch", *rows]) + "\n",
        encoding="utf-8",
    )
    return evaluate_file(path, allow_code=True)


@pytest.mark.parametrize(("parts", "differ"), [(8, True), (1, False)])
def test_only_what_no_fused_kernel_takes_was_in_half_before(tmp_path: Path, parts: int, differ: bool) -> None:
    found = predicted(tmp_path, parts)
    times = []
    for answer in found.answers:
        assert answer.step_s is not None, answer.reason
        assert not isinstance(answer.reason, Reason)
        times.append(answer.step_s.value)
    before, since, unnamed = times
    assert (before < 0.8 * since) is differ
    assert since == pytest.approx(unnamed, rel=0.1)


@pytest.mark.parametrize(
    ("column", "cell", "attention"),
    [
        ("torch", "1.13.1", "eager"),
        ("torch", "2.0.1", "sdpa"),
        ("torch", "", "sdpa"),
        ("torch", "NGC PyTorch 22.10", "eager"),
        ("software_year", "2022", "eager"),
        ("source", "lambda-v1:3090_v1", "eager"),
    ],
)
def test_attention_that_nobody_tells_of_is_by_no_kernel_that_was_not_there_yet(
    tmp_path: Path, column: str, cell: str, attention: str
) -> None:
    assert attention_of(tmp_path, "dit_xl2", column, cell) == attention


@pytest.mark.parametrize(("words", "attention"), [("flash2", "flash"), ("xformers", "sdpa"), ("eager", "eager")])
def test_attention_that_is_told_is_older_libraries_own(tmp_path: Path, words: str, attention: str) -> None:
    assert attention_of(tmp_path, "dit_xl2", "torch,attention", f"1.13.1,{words}") == attention


@pytest.mark.parametrize(("version", "attention"), [("2.0.1", "eager"), ("2.1.2", "sdpa"), ("", "sdpa")])
def test_models_of_transformers_call_fused_attention_since_pytorch_2_1(
    tmp_path: Path, version: str, attention: str
) -> None:
    assert attention_of(tmp_path, "bert_base_sst2", "torch", version) == attention


def attention_of(folder: Path, workload: str, columns: str, cells: str) -> str:
    (row,) = rows_of(folder, f"{HEADER},{columns}", f"{ROW.replace('resnet50', workload)},{cells}")
    asked = WorkloadReader(folder).question(row, spec_table())
    assert isinstance(asked, RowQuestion)
    return asked.workload.training.attention


def test_what_was_taken_of_attention_is_told_where_it_was(tmp_path: Path) -> None:
    then, now = (
        [reason.code for reason in answer.caveats] for answer in predicted(tmp_path, 1, ("1.13.1", "2.4")).answers
    )
    assert then.count("evaluate-attention-of-its-time") == 1
    assert "evaluate-attention-of-its-time" not in now
