"""What optimizers move and keep, against counts made by hand."""

from __future__ import annotations

from typing import Literal

import pytest
from msgspec.structs import replace

from advisor.catalogue.optimizers import Optimizer
from advisor.catalogue.precisions import Precision
from advisor.cost.memory.need import tensor_bytes
from advisor.cost.memory.states import optimizer_memory
from advisor.cost.optimizer_cost import optimizer_cost
from advisor.optable.op_table import OpTable
from advisor.workload.workload import Training
from tests.cost.small_tables import table

COUNT = 1_000_000.0
TRAINED = replace(table(), trainable_tensor_bytes=(4e5,) * 10, parameter_bytes=4e6, gradient_bytes=4e6)
"""A million FP32 parameters in ten tensors."""


def _moved(optimizer: Optimizer, *, fused: bool = False, **changes: object) -> float:
    training = Training(precision="fp32", batch_size=8, optimizer=optimizer, fused_optimizer=fused, **changes)  # type: ignore[arg-type]
    return optimizer_cost(training, "fp32", COUNT, 10).moved_bytes / COUNT


@pytest.mark.parametrize("optimizer", ["adam", "adamw"])
def test_fused_adam_moves_little_more_than_seven_passes(optimizer: Optimizer) -> None:
    """Weight, gradient and two moments in, weight and two moments out, four bytes each: 28."""
    assert 28 <= _moved(optimizer, fused=True) <= 28 * 1.3
    assert _moved(optimizer) == 80, "eight kernels that follow one another read and write twenty times"


def test_lamb_moves_more_than_fused_adam_and_less_than_adam_as_a_chain() -> None:
    assert _moved("adamw", fused=True) + 8 < _moved("lamb") < _moved("adamw")


def test_momentum_costs_a_state_to_read_and_write() -> None:
    assert _moved("sgd_momentum", fused=True) - _moved("sgd", fused=True) >= 8
    assert _moved("sgd_momentum", fused=True) >= 20


def test_clipping_reads_gradients_twice_and_writes_them_once() -> None:
    assert _moved("sgd", clip_gradient_norm=1.0) - _moved("sgd") == 12


@pytest.mark.parametrize(
    ("optimizer", "numbers_kept"), [("adamw", 2), ("adam", 2), ("lamb", 2), ("sgd_momentum", 1), ("sgd", 0)]
)
def test_an_optimizer_keeps_as_many_numbers_a_parameter_as_its_algorithm_has(
    optimizer: Optimizer, numbers_kept: int
) -> None:
    training = Training(precision="fp32", batch_size=8, optimizer=optimizer)
    states = optimizer_memory(TRAINED, training, "fp32").states
    assert sum(states) == numbers_kept * 4 * COUNT
    assert len(states) == numbers_kept * 10


@pytest.mark.parametrize(
    ("precision", "bits", "bytes_a_number"), [("bf16_amp", 16, 2), ("bf16_amp", None, 4), ("bf16_true", None, 4)]
)
def test_adapters_in_bf16_under_autocast_have_states_as_narrow_as_they_are(
    precision: Precision, bits: Literal[16] | None, bytes_a_number: int
) -> None:
    training = Training(precision=precision, batch_size=8, optimizer="adamw", trainable="lora", adapter_bits=bits)
    adapters = replace(TRAINED, trainable_tensor_bytes=(bytes_a_number * 1e5,) * 10)
    assert sum(optimizer_memory(adapters, training, precision).states) == 2 * bytes_a_number * COUNT


def test_the_root_of_the_second_moment_is_a_copy_of_all_parameters_unless_fused_or_looped() -> None:
    def temporaries(*, fused: bool = False, looped: bool = False) -> float:
        training = Training(precision="fp32", batch_size=8, optimizer="adamw", fused_optimizer=fused)
        return sum(optimizer_memory(TRAINED, training, "fp32", looped=looped).temporaries)

    assert temporaries() == 4 * COUNT
    assert temporaries(fused=True) == 0
    assert temporaries(looped=True) == 2 * 4e5


def test_a_table_without_timeline_needs_at_least_weights_gradients_and_states() -> None:
    training = Training(precision="fp32", batch_size=8, optimizer="sgd_momentum")
    bare: OpTable = replace(TRAINED, memory=None, buffer_bytes=0.0)
    assert tensor_bytes(bare, training, "fp32", 8, looped=True) == 3 * 4 * COUNT
    assert tensor_bytes(bare, replace(training, mode="inference"), "fp32", 8, looped=True) == 4 * COUNT


def test_pure_half_weights_move_half_of_every_stream_and_eight_bit_moments_one_byte_each() -> None:
    training = Training(precision="bf16_true", batch_size=8, optimizer="adamw", fused_optimizer=True)
    assert optimizer_cost(training, "bf16_true", COUNT, 10).moved_bytes == pytest.approx(
        _moved("adamw", fused=True) * COUNT / 2
    )
    eight_bit = replace(training, optimizer_bits=8)
    kept = optimizer_cost(eight_bit, "bf16_true", COUNT, 10).moved_bytes / COUNT
    assert kept == pytest.approx(_moved("adamw", fused=True) / 2 - 4)


@pytest.mark.parametrize("bits", [32, 8])
def test_copies_in_16_bits_beside_whole_adapters_are_stepped_at_their_own_width(bits: Literal[8, 32]) -> None:
    """A million numbers of each: the one moves what FP32 moves, the other what pure BF16 does."""
    lora = Training(
        precision="bf16_true", batch_size=8, optimizer="adamw", fused_optimizer=True, trainable="lora",
        optimizer_bits=bits,
    )  # fmt: skip
    pure = replace(lora, trainable="all")

    def moved(training: Training, count: float, stored_bytes: float | None = None) -> float:
        return optimizer_cost(training, "bf16_true", count, 2, stored_bytes=stored_bytes).moved_bytes

    apart = moved(lora, COUNT) + moved(pure, COUNT)
    assert moved(lora, 2 * COUNT, stored_bytes=4 * COUNT + 2 * COUNT) == pytest.approx(apart)
    assert moved(lora, COUNT, stored_bytes=4 * COUNT) == moved(lora, COUNT)
