"""A model file that gives 16 bits to what does not take them is told which type the trace stands for, and a remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.catalogue.precisions import TracePrecision
from advisor.core.sentences import SaidError, say
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.workload_file import load_workload

MODEL = """
import torch
class Net(torch.nn.Linear):
    def forward(self, x): return torch.fft.irfft(torch.fft.rfft(super().forward(x)GIVEN))[:, :2]
def build_model(): return Net(12, 12)
def make_batch(batch_size): return torch.randn(batch_size, 12), torch.zeros(batch_size).long()
"""


@pytest.mark.parametrize("precision", ["amp", "half"])
def test_what_takes_no_16_bits_is_told_for_every_such_precision(tmp_path: Path, precision: TracePrecision) -> None:
    file = tmp_path / "net.py"
    file.write_text(MODEL.replace("GIVEN", ""), "utf-8")
    workload = load_workload(str(file))
    with pytest.raises(SaidError) as caught:
        trace(subject_of(workload, precision, allow_code=True), precision)
    assert caught.value.statement.code == "worker-file-step-failed-half"
    for language in ("en", "zh"):
        assert all(word in say(caught.value.statement, language) for word in ("BF16", "`x.float()`", "Half`"))
    assert trace(subject_of(workload, "fp32", allow_code=True), "fp32").ops


def test_the_remedy_that_is_told_helps(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text(MODEL.replace("GIVEN", ".float()"), "utf-8")
    assert trace(subject_of(load_workload(str(file)), "amp", allow_code=True), "amp").ops
