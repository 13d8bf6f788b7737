"""Calls of unknown work widen the range of a step, the high end most."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from advisor.core.sentences import Reason
from advisor.cost.step_time import StepGrid, predict_steps
from tests.cost.small_tables import CARD, matmul, op, table, training


def step(share: float) -> StepGrid:
    model = table(op("elementwise", (1e6, 4e6)), matmul((0.0, 512.0), 1024, 1024), dispatches=20, input_bytes=6e5)
    numbers: dict[str, float | int | str] = {"operators": "mystery", "share_fraction": share}
    caveats = (Reason(code="trace-unknown-operators", numbers=numbers),) if share else ()
    return predict_steps(replace(model, caveats=caveats), training(), "fp32", [CARD], [8])


def test_calls_of_unknown_work_widen_the_range_and_leave_the_value() -> None:
    known, few, many = step(0.0), step(0.01), step(0.4)
    assert known.total_s == pytest.approx(few.total_s)
    assert few.high_s > known.high_s
    assert few.low_s < known.low_s
    assert many.high_s > 2 * few.high_s


def test_a_step_of_nothing_but_unknown_work_still_has_a_finite_range() -> None:
    assert 1 < float(step(1.0).high_s[0, 0] / step(1.0).total_s[0, 0]) < 1000
