"""Mixtures of experts: their grouped products are counted, and operators of unknown work are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from advisor.core.sentences import Names, say
from advisor.optable.op_table import OpTable, at
from advisor.optable.saved_tables import saved_tables
from advisor.worker.trace.ops.grouped import grouped_product
from advisor.worker.trace.ops.op_names import unknown_operators
from advisor.worker.trace.ops.raw_op import Call
from advisor.worker.trace.subject import Subject, subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.workload_file import bundled_names, load_workload

LENGTH, BATCH, LAYERS = 32, 3, 2
COMMON = {
    "vocab_size": 500, "hidden_size": 64, "num_hidden_layers": LAYERS, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16, "num_experts_per_tok": 2, "max_position_embeddings": 256,
}  # fmt: skip
MIXTRAL = {
    **COMMON, "model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "intermediate_size": 96,
    "num_local_experts": 4,
}  # fmt: skip
QWEN = {
    **COMMON, "model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "intermediate_size": 128,
    "moe_intermediate_size": 96, "num_experts": 8, "decoder_sparse_step": 1,
}  # fmt: skip


def traced(tmp_path: Path, config: dict[str, object]) -> OpTable:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    workload = load_workload(path, overrides={"sequence_length": LENGTH, "batch_size": BATCH, "precision": "fp32"})
    return trace(subject_of(workload, "fp32"), "fp32")


@pytest.mark.parametrize("config", [MIXTRAL, QWEN], ids=["mixtral", "qwen3_moe"])
def test_each_token_pays_for_the_experts_that_it_goes_to(tmp_path: Path, config: dict[str, object]) -> None:
    table = traced(tmp_path, config)
    experts = [op for op in table.ops if "grouped_mm" in op.name]
    rows = BATCH * LENGTH * 2
    once = 2 * rows * (64 * 2 * 96 + 96 * 64) * LAYERS
    assert sum(op.count * at(op.flop, BATCH) for op in experts if op.phase == "forward") == pytest.approx(once)
    assert sum(op.count * at(op.flop, BATCH) for op in experts if op.phase == "backward") == pytest.approx(2 * once)
    assert {op.kind for op in experts} == {"matmul"}
    assert not [caveat for caveat in table.caveats if caveat.code == "trace-unknown-operators"]


@pytest.mark.parametrize(
    ("left", "right", "out"),
    [
        ((96, 64), (4, 64, 32), (96, 32)),
        ((64, 96), (96, 32), (4, 64, 32)),
        ((4, 64, 32), (32, 96), (64, 96)),
        ((4, 24, 64), (4, 64, 32), (4, 24, 32)),
    ],
)
def test_a_grouped_product_counts_each_row_once(
    left: tuple[int, ...], right: tuple[int, ...], out: tuple[int, ...]
) -> None:
    tensors = [torch.empty(shape) for shape in (left, right)]
    op = grouped_product(Call("_grouped_mm", "matmul", tensors, {}, torch.empty(out)))[0]
    assert op.figures[0] == pytest.approx(2 * 96 * 64 * 32)
    assert op.kernel_count == 1


@torch.library.custom_op("advisor_tests::mystery", mutates_args=())
def mystery(x: Tensor) -> Tensor:
    """Anything: a trace sees the name alone."""
    copied: Tensor = x.clone()
    return copied


@mystery.register_fake
def _(x: Tensor) -> Tensor:
    made: Tensor = torch.empty_like(x)
    return made


class Mysterious(nn.Module):
    """A model with one operator that nobody else knows."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.linear(mystery(x))
        return out


def test_an_operator_of_unknown_work_is_named_with_its_share_of_the_calls() -> None:
    subject = Subject(
        build=Mysterious,
        make_batch=lambda size: (torch.zeros(size, 8),),
        step=lambda model, batch: model(*batch).sum(),
        mode="training",
        attention="sdpa",
    )
    table = trace(subject, "fp32")
    caveat = next(one for one in table.caveats if one.code == "trace-unknown-operators")
    assert caveat.numbers["operators"] == Names(names=("mystery",))
    assert 0 < caveat.figure("share_fraction") < 0.5
    for language in ("en", "zh"):
        assert "mystery" in say(caveat, language)


@pytest.mark.parametrize("name", bundled_names())
def test_every_operator_of_the_bundled_workloads_is_known(name: str) -> None:
    for table in saved_tables(load_workload(name)).values():
        assert unknown_operators(table.ops) is None


def test_a_mixture_in_a_users_file_is_traced_under_autocast_as_its_configuration_is(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        f"""
import torch
from transformers import MixtralConfig, MixtralForCausalLM

def build_model():
    return MixtralForCausalLM(MixtralConfig(**{ {key: MIXTRAL[key] for key in MIXTRAL if key != "model_type"} }))

def make_batch(batch_size, length):
    tokens = torch.randint(0, 500, (batch_size, length))
    return {{"input_ids": tokens, "labels": tokens}}
""",
        encoding="utf-8",
    )
    sizes = {"sequence_length": LENGTH, "batch_size": BATCH, "precision": "bf16_amp"}
    workload = load_workload(tmp_path / "net.py", overrides=sizes)
    table = trace(subject_of(workload, "amp", allow_code=True), "amp")
    experts = [op for op in table.ops if "grouped_mm" in op.name and op.phase == "forward"]
    rows = BATCH * LENGTH * 2
    once = 2 * rows * (64 * 2 * 96 + 96 * 64) * LAYERS
    assert sum(op.count * at(op.flop, BATCH) for op in experts) == pytest.approx(once)
