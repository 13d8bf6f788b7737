"""What torch.compile leaves of a step's allocations: fused results never exist, what backward needs is kept."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from advisor.catalogue.precisions import TracePrecision
from advisor.optable.op_table import ALLOCATE, FREE, MemoryTimeline, OpTable
from advisor.worker.trace.subject import Subject, subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.workload import Data, HuggingFaceModel, Training, Workload

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


class Biased(Chain):
    """The chain again behind a product with a bias, which autocast casts last and keeps until forward ends."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(WIDTH))

    def forward(self, inputs: Tensor) -> Tensor:
        hidden = torch.addmm(self.bias, inputs, self.first.weight)
        hidden = torch.tanh(torch.sigmoid(torch.tanh(torch.sigmoid(hidden))))
        result: Tensor = self.second(hidden).sum()
        return result


def traced(model: type[nn.Module], precision: TracePrecision = "fp32") -> OpTable:
    subject = Subject(
        build=model, make_batch=lambda batch: torch.zeros(batch, WIDTH), step=lambda module, inputs: module(inputs)
    )
    return trace(subject, precision)


def kept(timeline: MemoryTimeline, *, compiled: bool) -> float:
    """Tensors of batch x width that are there when backward makes its first result, in units of one in FP32."""
    size1 = timeline.compiled_size1_bytes if compiled else timeline.size1_bytes
    events = list(zip(timeline.kind, timeline.storage, size1, strict=True))
    first = next(n for n in range(timeline.backward_start, len(events)) if events[n][0] == ALLOCATE)
    passed = events[timeline.resident_event_count : first]
    freed = {storage for kind, storage, _ in passed if kind == FREE}
    alive = (size for kind, storage, size in passed if kind == ALLOCATE and storage not in freed)
    return sum(alive) / (4 * WIDTH)


def test_backward_works_a_chain_out_again_from_what_a_product_gave() -> None:
    """Eager keeps the result of each of the four steps; compiled keeps what the chain starts from and its end."""
    timeline = traced(Chain).memory
    assert timeline is not None
    assert round(kept(timeline, compiled=False)) == 4
    assert round(kept(timeline, compiled=True)) <= 2


def test_what_backward_starts_from_outlives_what_autocast_had_cached() -> None:
    """In 16 bits: the inputs, what the first product gave, and what the second one took."""
    timeline = traced(Biased, "amp").memory
    assert timeline is not None
    assert 2 * kept(timeline, compiled=True) == pytest.approx(3, abs=0.1)


@pytest.mark.parametrize(("chunked", "inside"), [(False, True), (True, False)])
def test_a_model_of_transformers_returns_its_loss_unless_that_is_computed_in_chunks(
    *, chunked: bool, inside: bool
) -> None:
    config = {"model_type": "gpt2", "n_embd": 32, "n_layer": 2, "n_head": 2, "vocab_size": 64}
    workload = Workload(
        name="small",
        model=HuggingFaceModel(config=config, task="causal-lm"),
        data=Data(samples=100, sequence_length=16),
        training=Training(precision="fp32", batch_size=2, chunked_loss=chunked),
    )
    timeline = trace(subject_of(workload, "fp32"), "fp32").memory
    assert timeline is not None
    assert timeline.loss_in_model is inside


def test_a_loss_that_is_computed_outside_is_so_too_where_only_the_configuration_names_the_task() -> None:
    config = {
        "model_type": "wav2vec2", "architectures": ["Wav2Vec2ForCTC"], "hidden_size": 32, "num_hidden_layers": 1,
        "num_attention_heads": 2, "intermediate_size": 64, "vocab_size": 32, "num_conv_pos_embedding_groups": 2,
    }  # fmt: skip
    workload = Workload(
        name="sound",
        model=HuggingFaceModel(config=config),
        data=Data(samples=100, sequence_length=4000),
        training=Training(precision="fp32", batch_size=2),
    )
    timeline = trace(subject_of(workload, "fp32"), "fp32").memory
    assert timeline is not None
    assert timeline.loss_in_model is False


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
