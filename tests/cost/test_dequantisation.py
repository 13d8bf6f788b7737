from __future__ import annotations

import dataclasses

import pytest

from advisor.catalogue.software import DEQUANTISING_KERNELS_YEAR
from advisor.cost.operators.dequantisation import OperatorChain, operator_chain
from advisor.optable.compiled_table import CompiledTable, compile_table
from advisor.optable.unpacked_weights import UnpackedWeights
from tests.cost.small_tables import matmul, table, training

WEIGHTS = 7e9


def packed() -> CompiledTable:
    """Every weight is unpacked once in forward, and twice in backward: run again, and for its gradient."""
    found = UnpackedWeights(
        forward_calls=224, forward_weights=WEIGHTS, backward_calls=448, backward_weights=2.0 * WEIGHTS
    )
    return dataclasses.replace(compile_table(table(matmul((0.0, 512.0), 1024, 1024))), unpacked=found)


@pytest.mark.parametrize("year", [None, DEQUANTISING_KERNELS_YEAR])
def test_software_that_has_the_kernel_adds_nothing_to_the_trace(year: int | None) -> None:
    assert operator_chain(packed(), training(), year) == OperatorChain()


def test_before_it_each_weight_that_forward_needs_moves_through_five_operators() -> None:
    chain = operator_chain(packed(), training(activation_checkpointing="full"), DEQUANTISING_KERNELS_YEAR - 1)
    kernel = 2.52 * WEIGHTS
    assert chain.forward_bytes == pytest.approx(16.5 * WEIGHTS - kernel)
    # Of backward's two, the one that runs forward again goes through the chain; the other finds its weights kept.
    assert chain.backward_bytes == pytest.approx(16.5 * WEIGHTS - 2.0 * kernel)
    assert chain.forward_dispatches == 224 * 13.0
    assert chain.backward_dispatches == 448 * 0.5 * 14.0 - 448


def test_without_checkpointing_backward_unpacks_nothing() -> None:
    chain = operator_chain(packed(), training(), DEQUANTISING_KERNELS_YEAR - 1)
    assert chain.backward_bytes == pytest.approx(-2.0 * 2.52 * WEIGHTS)
    assert chain.backward_dispatches == -448.0
