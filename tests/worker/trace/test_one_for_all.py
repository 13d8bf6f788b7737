"""Work that is done many times alike runs once, and the table is the one that all of them give."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from advisor.optable.op_table import OpTable
from advisor.worker.models.alike_rounds import standing_for
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import trace
from advisor.workload.workload import Quantization
from tests.worker.trace.looped import assert_same
from tests.worker.trace.test_trace_of_narrow_layers import LAYERS, MIXTRAL, traced

WIDTH, TIMES = 64, 12


class MadeAnew(nn.Module):
    """Makes its weights over and over, letting each go before the next, and multiplies by the last."""

    packed: Tensor

    def __init__(self, *, one_for_all: bool) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.register_buffer("packed", torch.zeros(WIDTH, WIDTH, dtype=torch.float16))
        self.one_for_all = one_for_all

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.first(x)
        made = self.packed.float().exp()
        if self.one_for_all:
            with standing_for(TIMES):
                del made
                made = self.packed.float().exp()
        else:
            for _ in range(TIMES):
                del made
                made = self.packed.float().exp()
        outputs: Tensor = self.second(hidden @ made)
        return outputs


def table(*, one_for_all: bool) -> OpTable:
    subject = Subject(
        lambda: MadeAnew(one_for_all=one_for_all),
        lambda batch: torch.zeros(batch, WIDTH),
        lambda model, x: model(x).square().mean(),
    )
    return trace(subject, "fp32")


def test_what_stands_for_several_times_is_counted_as_often() -> None:
    assert_same(table(one_for_all=True), table(one_for_all=False))


@pytest.mark.parametrize("scheme", ["nf4", "gptq"])
def test_packed_experts_are_counted_each_and_their_memory_is_written_down_as_that_of_two(scheme: Quantization) -> None:
    few, many = (
        traced({**MIXTRAL, "num_local_experts": count}, trainable="lora", quantization=scheme) for count in (8, 64)
    )
    made = [sum(op.count for op in table.ops if op.name.startswith("dequantise_")) for table in (few, many)]
    stacks, kernels = 2 * 2 * LAYERS, 2 if scheme == "nf4" else 1  # forward and backward
    assert made[1] - made[0] == stacks * kernels * (64 - 8)
    assert few.memory is not None
    assert many.memory is not None
    assert len(many.memory.kind) == len(few.memory.kind)
