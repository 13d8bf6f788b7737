"""Attention over five dimensions is predicted as the row's PyTorch computed it: in half before 2.5, in FP32 since."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.core.sentences import Reason
from advisor.evaluate import evaluate_file
from advisor.evaluate.evaluation_record import Evaluation

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


def predicted(folder: Path, parts: int) -> Evaluation:
    (folder / "windows.py").write_text(FILE, encoding="utf-8")
    (folder / "windows.toml").write_text(
        'name = "windows"\n[model]\nsource = "python"\nfile = "windows.py"\n'
        f"arguments = {{ parts = {parts} }}\n[data]\nsamples = 100000\n"
        '[training]\nbatch_size = 256\nprecision = "fp16_amp"\n',
        encoding="utf-8",
    )
    rows = [f"windows,rtx3090,inference,fp16_amp,256,1024,50,none,{torch}" for torch in ("2.4", "2.5", "")]
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
