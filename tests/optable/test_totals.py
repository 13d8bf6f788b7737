"""A table made from totals adds up to them, in every precision."""

from __future__ import annotations

import pytest

from advisor.catalogue.precisions import TracePrecision
from advisor.core.sentences import message_exists, say
from advisor.optable.op_table import at, step_flop
from advisor.optable.totals import table_from_numbers
from advisor.workload.workload import NumbersModel

BERT = NumbersModel(parameters=110e6, flop_per_sample=1.4e11, activation_bytes_per_sample=2.1e8)
TINY = NumbersModel(parameters=83, flop_per_sample=500, activation_bytes_per_sample=100)
HUGE = NumbersModel(parameters=1e12, flop_per_sample=1e18, activation_bytes_per_sample=1e12)
PRECISIONS: tuple[TracePrecision, ...] = ("fp32", "amp", "half")


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("model", [BERT, TINY, HUGE])
def test_work_and_parameters_add_up(model: NumbersModel, precision: TracePrecision) -> None:
    table = table_from_numbers(model, precision)
    assert step_flop(table, 7) == pytest.approx(7 * model.flop_per_sample, rel=1e-9)
    assert table.parameter_count == round(model.parameters)
    assert sum(ready.element_count for ready in table.gradients_ready) == table.parameter_count
    assert sum(table.trainable_tensor_bytes) == pytest.approx(table.parameter_bytes)
    assert table.gradients_ready[-1].backward_fraction == 1


@pytest.mark.parametrize("model", [BERT, TINY, HUGE])
def test_forward_is_a_third_and_each_product_has_nearly_the_flop_of_its_shape(model: NumbersModel) -> None:
    table = table_from_numbers(model, "fp32")
    forward = sum(op.count * at(op.flop, 3) for op in table.ops if op.phase == "forward")
    assert forward == pytest.approx(step_flop(table, 3) / 3)
    for op in table.ops:
        if op.matmul is not None:
            shape = [at(side, 3) for side in (op.matmul.batch, op.matmul.m, op.matmul.n, op.matmul.k)]
            assert 2 * shape[0] * shape[1] * shape[2] * shape[3] == pytest.approx(at(op.flop, 3), rel=0.03)


@pytest.mark.parametrize("model", [BERT, HUGE])
def test_no_side_of_a_product_is_one_that_tensor_cores_do_not_take(model: NumbersModel) -> None:
    """Totals say nothing of odd sizes, and real layers seldom have one: none may halve a card's rate."""
    shapes = [op.matmul for op in table_from_numbers(model, "half").ops if op.matmul is not None]
    assert len(shapes) == 3
    for shape in shapes:
        assert [at(side, 1) % 8 for side in (shape.m, shape.n, shape.k)] == [0, 0, 0]


@pytest.mark.parametrize("precision", PRECISIONS)
def test_the_timeline_frees_all_but_weights_and_gradients(precision: TracePrecision) -> None:
    table = table_from_numbers(BERT, precision)
    timeline = table.memory
    assert timeline is not None
    live: dict[int, float] = {}
    peak = 0.0
    gradients: set[int] = set()
    events = zip(timeline.kind, timeline.storage, timeline.size0_bytes, timeline.size1_bytes, strict=True)
    for kind, storage, fixed, each in events:
        if kind == 0:
            assert storage not in live
            live[storage] = fixed + 4 * each
        elif kind == 1:
            del live[storage]
        else:
            gradients.add(storage)
        peak = max(peak, sum(live.values()))
    weights = table.parameter_bytes
    assert sum(live.values()) == pytest.approx(weights + table.gradient_bytes)
    assert len(gradients) == timeline.resident_event_count
    assert peak >= weights + 4 * BERT.activation_bytes_per_sample


def test_kept_activations_follow_the_batch() -> None:
    timeline = table_from_numbers(BERT, "fp32").memory
    assert timeline is not None
    kept = sum(timeline.size1_bytes[timeline.resident_event_count : timeline.backward_start])
    assert kept == pytest.approx(BERT.activation_bytes_per_sample)


def test_what_totals_cannot_tell_is_said_in_both_languages() -> None:
    (caveat,) = table_from_numbers(BERT, "fp32").caveats
    assert message_exists(caveat.code, "en")
    assert message_exists(caveat.code, "zh")
    assert "totals" in say(caveat, "en")
