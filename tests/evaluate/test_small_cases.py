"""Families told from operators, signs of errors, and workers that die or hang while tracing."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.core.sentences import Reason, message_exists
from advisor.evaluate.row_predictions import family_of
from advisor.evaluate.traces import trace_all, trace_key
from advisor.optable.compiled_table import compile_table
from advisor.optable.op_table import Op
from advisor.workload.workload_file import load_workload
from tests.cost.small_tables import attention, convolution, lstm, matmul, table


@pytest.mark.parametrize(
    ("ops", "family"),
    [
        ((convolution(64), matmul((0.0, 1.0), 8, 8)), "cnn"),
        ((lstm(), matmul((0.0, 1.0), 8, 8)), "rnn"),
        ((matmul((0.0, 64.0), 64, 64), matmul((0.0, 64.0), 64, 64, batch=8)), "transformer"),
        ((matmul((0.0, 64.0), 64, 64), attention("flash")), "transformer"),
        ((matmul((0.0, 64.0), 64, 64),), "mlp"),
        ((), "mlp"),
    ],
)
def test_a_family_is_what_a_model_spends_its_work_on(ops: tuple[Op, ...], family: str) -> None:
    assert family_of(compile_table(table(*ops)), 8) == family


def test_a_worker_that_hangs_or_dies_is_a_reason_and_the_next_model_gets_a_new_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from advisor.evaluate import traces

    workload = load_workload("iris_mlp")
    other = load_workload("iris_mlp", overrides={"attention": "eager"})
    monkeypatch.setattr(traces, "TRACE_LIMIT_S", 0.01)
    monkeypatch.setattr(traces, "_WORKER_COUNT", 1)
    keys = [trace_key(one, "fp32") for one in (workload, other)]
    found = trace_all(dict(zip(keys, (workload, other), strict=True)))
    for key in keys:
        reason = found[key]
        assert isinstance(reason, Reason)
        assert reason.code in ("evaluate-trace-too-long", "evaluate-trace-died")
        assert message_exists(reason.code, "en")
        assert message_exists(reason.code, "zh")


def test_small_tables_are_affine_in_the_batch() -> None:
    columns = compile_table(table(convolution(8))).convolution.at(np.array([[1.0], [3.0]]))
    assert columns.flop[1, 0] == 3 * columns.flop[0, 0]
