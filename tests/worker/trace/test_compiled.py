"""What torch.compile leaves of a step's allocations: fused results never exist, what backward needs is kept."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from advisor.cost.memory.replay import Stream
from advisor.optable.op_table import ALLOCATE, MemoryTimeline, OpTable
from advisor.worker.trace.step_pass import Subject
from advisor.worker.trace.trace import trace

WIDTH, BATCH = 512, 8


class Chain(nn.Module):
    """A product, four element-wise steps and another product."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(WIDTH, WIDTH, bias=False)
        self.second = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, inputs: Tensor) -> Tensor:
        hidden = self.first(inputs)
        hidden = torch.tanh(torch.sigmoid(torch.tanh(torch.sigmoid(hidden))))
        result: Tensor = self.second(hidden).sum()
        return result


class Twice(nn.Module):
    """Two products with nothing element-wise between."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(WIDTH, WIDTH, bias=False)
        self.second = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, inputs: Tensor) -> Tensor:
        result: Tensor = self.second(self.first(inputs)).sum()
        return result


def traced(model: type[nn.Module]) -> OpTable:
    subject = Subject(
        build=model, make_batch=lambda batch: torch.zeros(batch, WIDTH), step=lambda module, inputs: module(inputs)
    )
    return trace(subject, "fp32")


def kept(timeline: MemoryTimeline, *, compiled: bool) -> float:
    """Tensors of batch x width that forward keeps for backward, in units of one."""
    stream = Stream(timeline)
    size1 = np.array(timeline.compiled_size1_bytes if compiled else timeline.size1_bytes)
    chosen = np.isin(stream.storage_list, stream.kept_storages()) & (stream.kinds == ALLOCATE)
    chosen[: stream.resident_count] = False
    return float(size1[chosen].sum()) / (4 * WIDTH)


def test_backward_works_a_chain_out_again_from_what_a_product_gave() -> None:
    """Eager keeps the result of each of the four steps; compiled keeps what the chain starts from and its end."""
    timeline = traced(Chain).memory
    assert timeline is not None
    assert round(kept(timeline, compiled=False)) == 4
    assert round(kept(timeline, compiled=True)) <= 2


def test_what_products_keep_stays_when_compiled() -> None:
    timeline = traced(Twice).memory
    assert timeline is not None
    assert round(kept(timeline, compiled=True)) == round(kept(timeline, compiled=False)) == 1


def test_no_compiled_step_gives_weights_or_inputs_another_size() -> None:
    timeline = traced(Chain).memory
    assert timeline is not None
    resident = slice(timeline.resident_event_count)
    assert timeline.compiled_size0_bytes[resident] == timeline.size0_bytes[resident]
    assert timeline.compiled_size1_bytes[resident] == timeline.size1_bytes[resident]
