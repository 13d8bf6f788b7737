"""Steps on a device whose own rates are known, in part or not at all."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.cost.measured_step import measured_step
from advisor.cost.operators.measured_rates import Curve, MeasuredRates, passes_seconds
from tests.cost.small_tables import matmul, op, table, training

MODEL = table(matmul((0.0, 64.0), 256, 256), op("norm", (0.0, 1e6), phase="backward"), dispatches=20)
COMPUTE = {("matmul", "fp32"): Curve(np.array([1e6]), np.array([1e11]))}
MEMORY = {("elementwise", "fp32"): Curve(np.array([1e6]), np.array([1e10]))}


def test_without_a_rate_of_the_optimizer_its_part_is_nothing_and_the_others_stay() -> None:
    rates = MeasuredRates(compute=COMPUTE, memory=MEMORY, call_s=1e-5)
    here = measured_step(MODEL, training(), rates, [1, 8], "fp32", on_cpu=True)
    timed = MeasuredRates(compute=COMPUTE, memory=MEMORY, call_s=1e-5, optimizer_bytes_per_s=1e10)
    there = measured_step(MODEL, training(optimizer="adamw"), timed, [1, 8], "fp32", on_cpu=True)
    assert not here.optimizer_s.any()
    assert there.optimizer_s.all()
    assert here.forward_s == pytest.approx(there.forward_s)


def test_an_operator_without_any_curve_is_named() -> None:
    rates = MeasuredRates(compute=COMPUTE, call_s=1e-5)
    assert not rates.complete
    with pytest.raises(KeyError, match="no rate of elementwise or elementwise"):
        passes_seconds(MODEL, rates, np.array([1.0]), "fp32")


def test_a_card_waits_for_every_read_of_the_loss_and_a_processor_for_none() -> None:
    rates = MeasuredRates(compute=COMPUTE, memory=MEMORY, call_s=1e-5, synchronise_s=2e-5)
    card, processor = (
        measured_step(MODEL, training(read_loss_every=1), rates, [1, 8], "fp32", on_cpu=on_cpu)
        for on_cpu in (False, True)
    )
    assert card.synchronisation_s[0] == pytest.approx([2e-5, 2e-5])
    assert not processor.synchronisation_s.any()
