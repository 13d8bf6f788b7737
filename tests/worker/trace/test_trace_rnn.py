from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from advisor.catalogue.precisions import TracePrecision
from advisor.optable.op_table import ALLOCATE, FREE, MemoryTimeline, OpTable
from advisor.worker.trace.ops.rnn import RNN_OUTPUTS, RnnSizes, workspace_bytes
from advisor.worker.trace.subject import DeviceRules, Subject
from advisor.worker.trace.trace import trace

LSTM, GRU = 2, 3
FP32_BYTES = 4
PRINTED = RnnSizes(mode=LSTM, steps=1000, batch=25, input_size=123, hidden_size=320, layers=4, directions=1)


@pytest.mark.parametrize(
    ("mode", "reserve", "workspace"), [(LSTM, 736_000_000, 17_730_560), (GRU, 864_000_000, 13_169_920)]
)
def test_the_sizes_are_those_that_cudnn_has_printed(mode: int, reserve: int, workspace: int) -> None:
    sizes = PRINTED._replace(mode=mode)
    assert sizes.reserve_elements * FP32_BYTES == reserve
    assert sizes.workspace_elements * FP32_BYTES == workspace


STACKS = st.builds(
    RnnSizes,
    mode=st.integers(0, 3),
    steps=st.integers(1, 200),
    batch=st.integers(1, 64),
    input_size=st.integers(1, 300),
    hidden_size=st.integers(1, 300),
    layers=st.integers(1, 5),
    directions=st.integers(1, 2),
)


@given(STACKS)
def test_the_reserve_holds_each_steps_gates_and_grows_with_the_batch_and_the_length(sizes: RnnSizes) -> None:
    gates = {LSTM: 4, GRU: 3}.get(sizes.mode, 1)
    width = sizes.batch * sizes.hidden_size * sizes.directions
    assert sizes.reserve_elements >= gates * sizes.layers * sizes.steps * width
    assert sizes._replace(batch=2 * sizes.batch).reserve_elements == 2 * sizes.reserve_elements
    assert sizes._replace(steps=3 * sizes.steps).reserve_elements == 3 * sizes.reserve_elements


@given(STACKS)
def test_the_workspace_holds_the_weights_and_does_not_depend_on_the_length(sizes: RnnSizes) -> None:
    module = {LSTM: nn.LSTM, GRU: nn.GRU}.get(sizes.mode, nn.RNN)
    with torch.device("meta"):
        stack = module(
            sizes.input_size, sizes.hidden_size, sizes.layers, bias=False, bidirectional=sizes.directions == 2
        )
    weights = sum(parameter.numel() for parameter in stack.parameters())
    assert sizes.workspace_elements > weights
    assert sizes._replace(steps=sizes.steps + 1).workspace_elements == sizes.workspace_elements
    assert sizes._replace(batch=sizes.batch + 1).workspace_elements > sizes.workspace_elements


@pytest.mark.parametrize("batch_first", [False, True])
def test_a_call_reserves_its_stack_in_training_and_nothing_in_inference(batch_first: bool) -> None:
    sizes = RnnSizes(mode=LSTM, steps=7, batch=3, input_size=5, hidden_size=4, layers=2, directions=1)
    shape = (3, 7, 5) if batch_first else (7, 3, 5)
    inputs, hidden = torch.zeros(shape, dtype=torch.float16), torch.zeros(2, 3, 4, dtype=torch.float16)
    for train, expected in ((True, 2 * sizes.reserve_elements), (False, 0)):
        args: tuple[Any, ...] = (
            inputs,
            [],
            4,
            None,
            hidden,
            hidden,
            LSTM,
            4,
            0,
            2,
            batch_first,
            0.0,
            train,
            False,
            [],
            None,
        )
        reserve = RNN_OUTPUTS["_cudnn_rnn"](*args)[3]
        assert reserve.nbytes == expected
        assert workspace_bytes("_cudnn_rnn", args) == 2 * sizes.workspace_elements


def test_backward_takes_the_same_workspace_as_forward() -> None:
    inputs, hidden = torch.zeros(7, 3, 5), torch.zeros(2, 3, 4)
    mode: tuple[Any, ...] = (GRU, 4, 0, 2, False, 0.0, True, True, [], None)
    forward: tuple[Any, ...] = (inputs, [], 4, None, hidden, None, *mode)
    backward: tuple[Any, ...] = (inputs, [], 4, None, hidden, None, None, None, None, None, *mode, None, [True] * 4)
    assert workspace_bytes("_cudnn_rnn_backward", backward) == workspace_bytes("_cudnn_rnn", forward)


class Stack(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stack = nn.LSTM(64, 96, num_layers=2, batch_first=True)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.stack(inputs)[0]
        return result


def timeline(rules: DeviceRules) -> MemoryTimeline:
    subject = Subject(
        build=Stack,
        make_batch=lambda batch: torch.zeros(batch, 30, 64),
        step=lambda module, batch: module(batch).sum(),
        device_rules=rules,
    )
    found = trace(subject, "fp32").memory
    assert found is not None
    return found


def test_a_trace_for_cuda_holds_the_reserve_and_takes_the_workspace_twice() -> None:
    found = timeline("cuda")
    sizes = RnnSizes(mode=LSTM, steps=30, batch=1, input_size=64, hidden_size=96, layers=2, directions=1)
    reserves = [slope for kind, slope in zip(found.kind, found.size1_bytes, strict=True) if kind == ALLOCATE]
    assert reserves.count(sizes.reserve_elements * FP32_BYTES) == 1
    rest = sizes._replace(batch=0).workspace_elements * FP32_BYTES
    each = sizes.workspace_elements * FP32_BYTES - rest
    places = list(zip(found.kind, found.size0_bytes, found.size1_bytes, strict=True))
    assert places.count((ALLOCATE, rest, each)) == places.count((FREE, rest, each)) == 2


def test_a_trace_for_the_processor_knows_neither() -> None:
    sizes = RnnSizes(mode=LSTM, steps=30, batch=1, input_size=64, hidden_size=96, layers=2, directions=1)
    assert sizes.reserve_elements * FP32_BYTES not in timeline("cpu").size1_bytes


class Steps(nn.Module):
    """One cell, word after word."""

    def __init__(self, *, bias: bool) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(8, 16, bias=bias)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        hidden = cell = words.new_zeros(len(words), 16)
        for place in range(words.shape[1]):
            hidden, cell = self.cell(words[:, place], (hidden, cell))
        return hidden.sum()


@pytest.mark.parametrize("precision", ["fp32", "amp"])
def test_a_cell_is_two_products_and_one_fused_kernel(precision: TracePrecision) -> None:
    def traced(*, bias: bool) -> OpTable:
        subject = Subject(
            build=lambda: Steps(bias=bias),
            make_batch=lambda batch: torch.randn(batch, 5, 8),
            step=lambda model, batch: model(batch),
        )
        return trace(subject, precision)

    fused = traced(bias=True)
    counts = {name: sum(op.count for op in fused.ops if op.name == name) for name in ("_thnn_fused_lstm_cell", "tanh")}
    assert counts == {"_thnn_fused_lstm_cell": 5, "tanh": 0}
    assert sum(op.count for op in fused.ops if op.name == "_thnn_fused_lstm_cell_backward_impl") == 5
    assert sum(op.count for op in fused.ops if op.kind == "matmul" and op.phase == "forward") == 10
    assert "trace-unknown-operators" not in {caveat.code for caveat in fused.caveats}
    assert any(op.name == "tanh" for op in traced(bias=False).ops)
