"""Of layers that are alike only a few are traced, and the table is the one that tracing all of them gives."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import Any

import pytest
import torch
from msgspec.structs import replace
from torch import nn

from advisor.catalogue.precisions import TRACE_PRECISIONS
from advisor.optable.op_table import FREE, CompiledPass, MemoryTimeline, OpTable, at
from advisor.worker.trace.fake_model import build_fake
from advisor.worker.trace.layer_runs import layer_runs, shortened
from advisor.worker.trace.step_pass import Pass, Passes
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.worker.trace.values.known import Fakes
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload

LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 9,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 320,
    "architectures": ["LlamaForCausalLM"],
}
MIXTRAL = {**LLAMA, "model_type": "mixtral", "num_local_experts": 4, "architectures": ["MixtralForCausalLM"]}
QWEN = {**LLAMA, "model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"]}
BERT = {
    "model_type": "bert",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 8,
    "num_attention_heads": 4,
    "vocab_size": 320,
    "architectures": ["BertForMaskedLM"],
}
T5 = {
    "model_type": "t5",
    "d_model": 64,
    "d_ff": 128,
    "num_layers": 8,
    "num_heads": 4,
    "d_kv": 16,
    "vocab_size": 320,
    "architectures": ["T5ForConditionalGeneration"],
}
GEMMA = {**LLAMA, "model_type": "gemma2", "head_dim": 16, "num_hidden_layers": 16, "sliding_window": 16}
GEMMA["architectures"] = ["Gemma2ForCausalLM"]
RESNET = {
    "model_type": "resnet",
    "depths": [2, 2, 14, 2],
    "hidden_sizes": [32, 64, 64, 128],
    "embedding_size": 16,
    "layer_type": "bottleneck",
    "architectures": ["ResNetForImageClassification"],
}
ZAMBA = {
    **LLAMA,
    "model_type": "zamba",
    "num_hidden_layers": 8,
    "num_key_value_heads": 4,
    "attn_layer_period": 1,
    "attn_layer_offset": 0,
    "mamba_d_state": 4,
    "mamba_dt_rank": 4,
    "architectures": ["ZambaForCausalLM"],
}
"""Every layer has a part that is one for all of them."""


def small(config: dict[str, Any], **training: Any) -> Workload:
    data = {"image_size": 64} if config is RESNET else {"sequence_length": 8 if config is ZAMBA else 48}
    return load_workload(
        {
            "name": "small",
            "model": {"source": "huggingface", "config": dict(config)},
            "data": {"samples": 1000, **data},
            "training": {"precision": "bf16_amp", "batch_size": 2, **training},
        }
    )


def model_of(config: dict[str, Any]) -> nn.Module:
    with torch.device("meta"):
        return subject_of(small(config), "fp32").build()


def traced(workload: Workload, *, alike: bool) -> OpTable:
    precision = TRACE_PRECISIONS[workload.training.precision]
    return trace(subject_of(workload, precision)._replace(alike_layers=alike), precision)


def in_any_order(memory: MemoryTimeline) -> list[tuple[float, ...]]:
    """The events; what dies in one go sorted, since in which order that happens is chance."""
    events = zip(memory.kind, memory.storage, memory.size0_bytes, memory.size1_bytes, strict=True)
    ordered: list[tuple[float, ...]] = []
    for frees, members in groupby(events, key=lambda event: event[0] == FREE):
        together = list(members)
        ordered += sorted(together) if frees else together
    return ordered


def moved_bytes(compiled: CompiledPass) -> float:
    return sum(op.count * (at(op.read_bytes, 8) + at(op.written_bytes, 8)) for op in compiled.ops)


def assert_same(one: OpTable, other: OpTable) -> None:
    assert one.memory is not None
    assert other.memory is not None
    assert in_any_order(one.memory) == in_any_order(other.memory)
    assert one.memory.backward_start == other.memory.backward_start
    assert one == replace(other, memory=one.memory, compiled=one.compiled)
    assert one.compiled is not None
    assert other.compiled is not None
    assert one.compiled.dispatch_count == other.compiled.dispatch_count
    # One kernel that writes something for each of the layers counts those that ran: T5's bias of positions.
    assert moved_bytes(one.compiled) == pytest.approx(moved_bytes(other.compiled), rel=0.01)


@pytest.mark.parametrize(
    ("config", "training"),
    [
        (LLAMA, {}),
        (LLAMA, {"precision": "bf16_true", "activation_checkpointing": "full", "chunked_loss": True}),
        (LLAMA, {"activation_checkpointing": "selective"}),
        (LLAMA, {"trainable": "lora", "lora_targets": "all_linear", "quantization": "nf4"}),
        (LLAMA, {"precision": "fp8"}),
        (LLAMA, {"trainable": "head"}),
        (LLAMA, {"mode": "inference"}),
        (QWEN, {"precision": "fp32"}),
        (MIXTRAL, {}),
        (BERT, {}),
        (T5, {}),
        (GEMMA, {}),
        (RESNET, {"channels_last": True}),
        (ZAMBA, {}),
        (ZAMBA, {"precision": "fp32", "activation_checkpointing": "full"}),
    ],
    ids=lambda value: value.get("model_type", " ".join(map(str, value.values()))),
)
def test_the_table_is_that_of_all_layers(config: dict[str, Any], training: dict[str, Any]) -> None:
    workload = small(config, **training)
    assert_same(traced(workload, alike=False), traced(workload, alike=True))


def test_where_layers_share_parameters_one_more_runs_than_where_none_does() -> None:
    (run,) = layer_runs(model_of(ZAMBA))
    (apart,) = layer_runs(model_of(LLAMA))
    assert (run.kept_count, apart.kept_count) == (5, 4)
    assert len(run.copied_groups) == run.group_count - 5


def test_layers_before_the_first_group_may_share_its_parameters_and_no_layers_own_ones() -> None:
    common = nn.Linear(8, 8)
    model = nn.Module()
    layers = [Layer(4 if place == 0 else 8) for place in range(9)]
    for layer in layers:
        layer.common = common
    model.layers = nn.ModuleList(layers)
    (run,) = layer_runs(model)
    assert (run.start, run.group_count, run.tail_count) == (1, 8, 3)
    layers[0].further = layers[5].inner
    assert layer_runs(model) == ()


def test_layers_of_which_only_some_share_parameters_stand_for_themselves() -> None:
    model = model_of(LLAMA)
    assert layer_runs(model)
    layers = model.get_submodule("model.layers")
    first, second = (layers.get_submodule(f"{place}.self_attn") for place in (3, 4))
    second.q_proj = first.q_proj
    assert layer_runs(model) == ()


@pytest.mark.parametrize(("config", "few"), [(LLAMA, 4), (ZAMBA, 7)], ids=["llama", "zamba"])
def test_fewer_layers_run_and_the_model_is_whole_again_afterwards(
    monkeypatch: pytest.MonkeyPatch, config: dict[str, Any], few: int
) -> None:
    tried: list[int] = []
    original = Passes._at

    def counted(passes: Passes, batch_size: int, runs: Any) -> Any:
        with shortened(runs):
            tried.append(len(passes.model.get_submodule("model.layers")))  # type: ignore[arg-type]
        return original(passes, batch_size, runs)

    monkeypatch.setattr(Passes, "_at", counted)
    table = traced(small(config), alike=True)
    assert set(tried) == {few}
    places = {layer.path.split(".")[2] for layer in table.layers if layer.path.startswith("model.layers.")}
    assert len(places) == config["num_hidden_layers"]
    tried.clear()
    traced(small({**config, "num_hidden_layers": 5}), alike=True)
    assert set(tried) == {5}


@pytest.mark.parametrize("config", [LLAMA, MIXTRAL, T5, RESNET], ids=lambda config: str(config["model_type"]))
def test_a_pass_asked_for_its_operators_alone_has_the_totals_of_a_whole_one(config: dict[str, Any]) -> None:
    subject = subject_of(small(config), "fp32")
    mode = Fakes()
    passes = Passes(subject, "fp32", mode, build_fake(subject.build, mode))
    whole, operators = passes.at(8), passes.at(8, operators_only=True)
    assert len(operators.recorder.ops) < len(whole.recorder.ops), "only a few layers run"
    assert totals(operators) == totals(whole)
    assert len(operators.recorder.tracker.kinds) < len(whole.recorder.tracker.kinds)


def totals(traced: Pass) -> Counter[tuple[str, str]]:
    counted: Counter[tuple[str, str]] = Counter()
    for phase, _path, op in traced.recorder.ops:
        for place, figure in enumerate(op.figures[:3]):
            counted[f"{phase} {op.name}", ("flop", "read", "written")[place]] += op.times * int(figure)
    return counted


class Layer(nn.Module):
    def __init__(self, width: int, scale: float = 1.0) -> None:
        super().__init__()
        self.scale = scale
        self.inner = nn.Linear(8, width)
        self.outer = nn.Linear(width, 8)


def test_layers_that_differ_in_size_or_setting_stand_for_themselves() -> None:
    def runs(*layers: Layer) -> list[tuple[int, int, int]]:
        model = nn.Module()
        model.layers = nn.ModuleList(layers)
        return [(run.start, run.period, run.group_count) for run in layer_runs(model)]

    assert runs(*(Layer(8) for _ in range(8))) == [(0, 1, 8)]
    assert runs(Layer(4), *(Layer(8) for _ in range(8))) == [(1, 1, 8)]
    assert runs(*(Layer(8 + 4 * (place % 2)) for place in range(16))) == [(0, 2, 8)]
    assert runs(*(Layer(8, scale=place / 8) for place in range(8))) == []
    assert runs(*(Layer(8) for _ in range(5))) == []
    shared = Layer(8)
    assert runs(*(shared for _ in range(8))) == []


class Counting(nn.Module):
    """A loop that knows how many layers there are, and one of them twice as much work."""

    def __init__(self, *, uneven: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(nn.Linear(8, 8), nn.ReLU()) for _ in range(8))
        self.uneven = uneven

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        for place in range(8 if not self.uneven else len(self.layers)):
            inputs = self.layers[place](inputs)
            if self.uneven and place == 2:
                inputs = inputs * 2 + 1
        return inputs


@pytest.mark.parametrize("uneven", [False, True])
def test_a_model_that_counts_its_layers_is_traced_whole(*, uneven: bool) -> None:
    subject = subject_of(small(LLAMA), "fp32")._replace(
        build=lambda: Counting(uneven=uneven),
        make_batch=lambda batch_size: torch.randn(batch_size, 8),
        step=lambda module, batch: module(batch).sum(),
    )
    assert_same(trace(subject._replace(alike_layers=False), "fp32"), trace(subject, "fp32"))


class Numbered(nn.Module):
    """Looks at the numbers of its layers: in a list of places, or as it counts them."""

    def __init__(self, *, listed: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(nn.Linear(8, 8), nn.ReLU()) for _ in range(12))
        self.extra = nn.Linear(8, 8)
        self.wide_block_indexes = [3, 7, 11] if listed else []

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        given = inputs
        for place, layer in enumerate(self.layers):
            inputs = layer(inputs)
            if place in self.wide_block_indexes or (not self.wide_block_indexes and place < 3):
                inputs = inputs + self.extra(given)
        return inputs


@pytest.mark.parametrize("listed", [False, True])
def test_layers_that_are_treated_by_their_number_are_traced_whole(*, listed: bool) -> None:
    subject = subject_of(small(LLAMA), "fp32")._replace(
        build=lambda: Numbered(listed=listed),
        make_batch=lambda batch_size: torch.randn(batch_size, 8),
        step=lambda module, batch: module(batch).sum(),
    )
    whole = trace(subject._replace(alike_layers=False), "fp32")
    assert sum(op.count for op in whole.ops if op.name == "addmm" and op.phase == "forward") == 12 + 3
    assert_same(whole, trace(subject, "fp32"))


def test_layers_whose_numbers_a_list_has_are_unlike_the_others() -> None:
    model = Numbered(listed=True)
    model.wide_block_indexes = [2]
    assert layer_runs(model)[0].start == 3
    model.wide_block_indexes = [12]  # no place of theirs
    assert layer_runs(model)[0].start == 0
