"""Every row of the catalogue holds what the algorithm's own arithmetic says."""

from __future__ import annotations

from typing import get_args

import pytest

from advisor.catalogue.gpu_spec import GpuSpec, is_consumer
from advisor.catalogue.optimizers import FUSED_OPTIMIZERS, OPTIMIZER_FACTS, Optimizer
from advisor.catalogue.precisions import PRECISION_FACTS, PRECISIONS, Precision
from advisor.catalogue.spec_table import spec_table
from advisor.catalogue.strategies import STRATEGIES, STRATEGY_FACTS, Strategy


def test_every_name_has_a_row() -> None:
    assert tuple(OPTIMIZER_FACTS) == get_args(Optimizer)
    assert get_args(Precision) == PRECISIONS
    assert get_args(Strategy) == STRATEGIES


@pytest.mark.parametrize(("name", "states"), [("adam", 2), ("adamw", 2), ("lamb", 2), ("sgd_momentum", 1), ("sgd", 0)])
def test_an_optimizer_reads_and_writes_each_state_and_reads_the_gradient(name: Optimizer, states: int) -> None:
    facts = OPTIMIZER_FACTS[name]
    assert facts.state_count == states
    norms = 2 if name == "lamb" else 0  # the norms of weight and update are read before the update is scaled
    # weight: read and written; gradient: read; each state: read and written
    assert facts.least_bytes == 4 * (2 + 1 + 2 * states + norms)


@pytest.mark.parametrize("name", [name for name in OPTIMIZER_FACTS if name != "none"])
def test_no_implementation_moves_less_than_the_algorithm_needs(name: Optimizer) -> None:
    facts = OPTIMIZER_FACTS[name]
    assert facts.least_bytes <= facts.fused_bytes <= facts.looped_bytes


@pytest.mark.parametrize(
    ("name", "fused_streams", "looped_streams", "kernels"),
    [("adamw", 9, 20, 8), ("sgd", 4, 6, 2), ("sgd_momentum", 6, 11, 4), ("lamb", 18, 18, 6), ("adafactor", 16, 16, 20)],
)
def test_an_implementation_moves_whole_streams_of_four_bytes_in_as_many_kernels_as_were_counted(
    name: Optimizer, fused_streams: int, looped_streams: int, kernels: int
) -> None:
    facts = OPTIMIZER_FACTS[name]
    assert (facts.fused_bytes, facts.looped_bytes) == (4 * fused_streams, 4 * looped_streams)
    assert facts.kernel_count == kernels


def test_fusing_spares_most_of_adams_traffic() -> None:
    # The chain of kernels writes and reads again what the fused one keeps in registers.
    facts = OPTIMIZER_FACTS["adamw"]
    assert 2.0 <= facts.looped_bytes / facts.fused_bytes <= 3.0
    assert facts.fused_bytes < 1.5 * facts.least_bytes
    assert set(FUSED_OPTIMIZERS) == {"adamw", "adam", "sgd", "sgd_momentum"}


def test_only_weights_in_half_have_master_copies_and_only_fp16_autocast_scales_its_loss() -> None:
    assert [name for name in PRECISIONS if PRECISION_FACTS[name].master_copies] == ["fp16", "bf16"]
    assert [name for name in PRECISIONS if PRECISION_FACTS[name].scales_gradients] == ["fp16_amp"]
    assert [name for name in PRECISIONS if PRECISION_FACTS[name].compute_bytes == 4] == ["fp32", "default", "tf32"]


def test_replicas_hold_the_whole_model_and_shards_do_not() -> None:
    assert [name for name in STRATEGIES if not STRATEGY_FACTS[name].shards] == ["single", "dp", "ddp"]
    assert [name for name in STRATEGIES if "parameters" in STRATEGY_FACTS[name].sharded] == [
        "fsdp", "fsdp_offload", "tp", "pp",
    ]  # fmt: skip
    assert [name for name in STRATEGIES if STRATEGY_FACTS[name].one_process] == ["single", "dp"]


@pytest.mark.parametrize(
    ("name", "consumer"),
    [
        ("GeForce RTX 3090", True), ("RTX 4090", True), ("NVIDIA TITAN RTX", True), ("RTX A6000", False),
        ("RTX 6000 Ada Generation", False), ("Tesla V100 PCIe 16 GB", False), ("Quadro RTX 8000", False),
    ],
)  # fmt: skip
def test_a_consumer_card_is_told_by_its_name(name: str, *, consumer: bool) -> None:
    assert is_consumer(GpuSpec(key="x", name=name, source="s", checked="2025-12")) is consumer


@pytest.mark.parametrize(
    ("name", "half_format", "weight_bytes", "state_bytes", "compute_bytes", "scales"),
    [
        ("fp32", None, 4, 4, 4, False),
        ("tf32", None, 4, 4, 4, False),
        ("fp16_amp", "fp16", 4, 4, 2, True),
        ("bf16_amp", "bf16", 4, 4, 2, False),
        ("fp16", "fp16", 2, 4, 2, False),
        ("bf16_true", "bf16", 2, 2, 2, False),
        ("fp8", "bf16", 4, 4, 2, False),
    ],
)
def test_a_precision_stores_computes_and_scales_as_its_name_says(
    name: Precision, half_format: str | None, weight_bytes: int, state_bytes: int, compute_bytes: int, *, scales: bool
) -> None:
    facts = PRECISION_FACTS[name]
    assert (facts.half_format, facts.scales_gradients) == (half_format, scales)
    assert (facts.weight_bytes, facts.state_bytes, facts.compute_bytes) == (weight_bytes, state_bytes, compute_bytes)


def test_only_pure_half_training_keeps_no_copies_in_full_precision() -> None:
    kept = {name for name, facts in PRECISION_FACTS.items() if facts.master_copies}
    assert kept == {"fp16", "bf16", "fp16_cast", "bf16_cast", "fp8_cast"}


def test_cards_since_capability_8_9_multiply_fp8_at_twice_their_half_rate() -> None:
    cards = spec_table()
    assert cards["h100-sxm"].fp8_flop_per_s == 2 * (cards["h100-sxm"].fp16_flop_per_s or 0)
    assert cards["a100-sxm4-80"].fp8_flop_per_s is None
    assert cards["mi300x"].fp8_flop_per_s is None
