"""A microbenchmark's operators do the work and cause the traffic that its definition says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from advisor.cost.efficiencies import efficiencies
from advisor.cost.operators.device_rates import device_rates
from advisor.predict.calibration import class_factors
from advisor.predict.microbenchmark_ops import operators_of
from tests.cost.small_tables import CARD
from tests.predict.test_calibration import rate

if TYPE_CHECKING:
    from advisor.catalogue.precisions import Precision
    from advisor.optable.op_columns import Families

BATCH, HEADS, LENGTH, HEAD_SIZE = 3, 2, 128, 64
FORWARD_FLOP = 4.0 * BATCH * HEADS * LENGTH**2 * HEAD_SIZE
"""Two products of the scores' size, of two operations each."""


def compiled(kind: str, figures: dict[str, float], precision: Precision = "fp32") -> Families:
    operators = operators_of(rate(kind, figures, 1.0, precision=precision))
    assert operators is not None
    return operators


@pytest.mark.parametrize(("precision", "element_bytes", "flash"), [("fp32", 4, 0), ("fp16", 2, 1)])
def test_attention_reads_its_three_inputs_and_its_backward_two_tensors_more(
    precision: Precision, element_bytes: int, flash: int
) -> None:
    figures = {"batch": BATCH, "heads": HEADS, "length": LENGTH, "flop": 3.5 * FORWARD_FLOP}
    work = compiled("attention", figures, precision).attention.at(np.array(1.0))
    tensor = element_bytes * BATCH * HEADS * LENGTH * HEAD_SIZE
    assert work.backward.ravel().tolist() == [0, 1]
    assert work.read_bytes.ravel().tolist() == [3 * tensor, 5 * tensor]
    assert work.written_bytes.ravel().tolist() == [tensor, 3 * tensor]
    assert work.flop.ravel() == pytest.approx([FORWARD_FLOP, 2.5 * FORWARD_FLOP])
    assert work.head_size.ravel().tolist() == [HEAD_SIZE] * 2
    assert work.flash.ravel().tolist() == [flash] * 2


def test_a_convolution_is_one_forward_pass_and_two_gradients_of_the_same_flop() -> None:
    batch, side, channels, kernel, groups = 2, 16, 64, 3, 4
    flop = 3 * 2.0 * batch * side**2 * channels * channels / groups * kernel**2
    figures = {"batch": batch, "side": side, "channels": channels, "kernel": kernel, "groups": groups, "flop": flop}
    work = compiled("convolution", figures).convolution.at(np.array(1.0))
    data, weights = 4 * batch * side**2 * channels, 4 * channels * channels // groups * kernel**2
    assert work.direction.ravel().tolist() == [0, 1, 2]
    assert work.backward.ravel().tolist() == [0, 1, 1]
    assert work.flop.ravel() == pytest.approx([flop / 3] * 3)
    assert work.read_bytes.ravel().tolist() == [data + weights, data + weights, 2 * data]
    assert work.written_bytes.ravel().tolist() == [data, data, weights]
    assert work.data_bytes.ravel().tolist() == [2 * data] * 3
    assert work.positions.ravel().tolist() == [batch * side**2] * 3
    assert work.kernel_elements.ravel().tolist() == [kernel**2] * 3
    assert work.input_channels.ravel().tolist() == work.output_channels.ravel().tolist() == [channels // groups] * 3


def test_a_sum_reads_two_arrays_for_each_it_writes_and_a_softmax_one() -> None:
    moved = 3.0 * 2**20
    added = compiled("elementwise", {"bytes": moved}).memory.at(np.array(1.0))
    softmax = compiled("reduction", {"bytes": moved}).memory.at(np.array(1.0))
    assert (added.read_bytes.item(), added.written_bytes.item()) == pytest.approx((2 * 2**20, 2**20))
    assert (softmax.read_bytes.item(), softmax.written_bytes.item()) == pytest.approx((moved / 2, moved / 2))


def test_an_optimizer_that_moves_its_bytes_at_the_element_wise_share_of_the_bandwidth_has_no_factor() -> None:
    figures = efficiencies()
    rates = device_rates([CARD], "fp32", figures)
    parameters = 8 * 2.0**24
    expected_s = 80.0 * parameters / (rates.bandwidth_bytes_per_s[0] * figures.fitted.elementwise)
    adamw = rate("optimizer", {"tensors": 8.0, "elements": 2.0**24, "adamw": 1.0}, float(expected_s))
    assert class_factors([adamw], CARD, figures)["optimizer"] == pytest.approx(1.0)


@pytest.mark.parametrize(("precision", "element_bytes"), [("fp32", 4), ("fp16", 2)])
def test_a_product_reads_both_of_its_matrices_and_writes_one(precision: Precision, element_bytes: int) -> None:
    figures = {"m": 512, "n": 1024, "k": 2048, "flop": 2.0 * 512 * 1024 * 2048}
    work = compiled("matmul", figures, precision).matmul.at(np.array(1.0))
    assert work.read_bytes.ravel().tolist() == [element_bytes * (512 * 2048 + 2048 * 1024)]
    assert work.written_bytes.ravel().tolist() == [element_bytes * 512 * 1024]
    assert work.flop.ravel().tolist() == [figures["flop"]]
