"""Operators sorted into families and merged: what they do stays the same, one call after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from msgspec.structs import replace

from advisor.core.sentences import Reason
from advisor.optable.compiled_table import CompiledTable, compile_table
from advisor.optable.op_columns import concatenated
from advisor.optable.op_table import CompiledPass, Op, OpTable
from tests.cost.small_tables import attention, convolution, fixed, lstm, matmul, op, table

if TYPE_CHECKING:
    from advisor.optable.op_columns import AffineWork, Work

OPS = (
    matmul((0.0, 64.0), 32, 16),
    matmul((0.0, 64.0), 32, 16, phase="backward"),
    convolution(8),
    attention("flash"),
    attention("efficient"),
    attention("eager"),
    lstm(),
    op("elementwise", (1e6, 4e3)),
)


def families(compiled: CompiledTable) -> dict[str, AffineWork[Work]]:
    return {name: getattr(compiled, name) for name in ("memory", "matmul", "convolution", "attention", "rnn")}


def test_each_operator_goes_to_the_family_of_its_shape_and_without_one_counts_by_its_traffic() -> None:
    counts = {name: work.count for name, work in families(compile_table(table(*OPS))).items()}
    assert counts == {"memory": 2, "matmul": 2, "convolution": 1, "attention": 2, "rnn": 1}


def test_work_and_traffic_add_up_to_those_of_the_operators_at_every_batch() -> None:
    compiled = families(compile_table(table(*OPS, *OPS)))
    batches = np.array([[1.0], [8.0]])
    for name in ("flop", "read_bytes", "written_bytes"):
        added = sum((getattr(work.at(batches), name) * work.constant.call_count).sum(-1) for work in compiled.values())
        each = [getattr(one, name) for one in OPS]
        assert added == pytest.approx([2 * sum(fixed + batch * slope for fixed, slope in each) for batch in (1, 8)])


def test_operators_that_are_alike_become_one_row_that_is_called_more_often() -> None:
    work = compile_table(table(OPS[0], OPS[0], replace(OPS[0], count=3))).matmul
    assert work.count == 1
    assert work.constant.call_count == [5.0]


def test_tables_in_one_go_are_the_one_behind_the_other() -> None:
    first, second = (compile_table(table(matmul((0.0, rows), 32, 16))).matmul.slope for rows in (64.0, 128.0))
    assert concatenated((first, second)).m.tolist() == [64.0, 128.0]


def test_columns_tell_sixteen_bit_work_and_all_that_is_moved() -> None:
    work = compile_table(table(op("copy", (100.0, 0.0), element_bytes=2), op("copy", (60.0, 0.0)))).memory.constant
    assert work.half.tolist() == [True, False]
    assert work.moved_bytes.tolist() == [100.0, 60.0]


@pytest.mark.parametrize(("read_bytes", "twice"), [(3e6, 1.0), (1e6, 0.0)])
def test_a_batch_norm_is_one_only_where_it_reads_its_input_twice(read_bytes: float, twice: float) -> None:
    norm = replace(op("norm", (0.0, 0.0)), batch_norm=True, read_bytes=fixed(read_bytes), written_bytes=fixed(1e6))
    assert compile_table(table(norm)).memory.constant.batch_norm == [twice]


def test_without_a_compiled_pass_nothing_is_known_of_it() -> None:
    plain = compile_table(table(*OPS))
    assert (plain.fused, plain.unknown_call_fraction) == (None, 0.0)


def test_a_compiled_pass_stands_in_the_place_of_the_memory_bound_operators() -> None:
    passed = CompiledPass(ops=(op("fused", (1e6, 0.0)),), dispatch_count={"forward": 3})
    compiled = compile_table(replace(table(*OPS), compiled=passed))
    assert compiled.fused is not None
    assert (compiled.fused.count, compiled.in_pass(fused=True)[0]) == (1, compiled.fused)
    assert compiled.in_pass(fused=False)[0] is compiled.memory


def test_the_share_of_calls_of_unknown_work_is_taken_from_the_caveat() -> None:
    caveats = (Reason.of("trace-cpu-only"), Reason.of("trace-unknown-operators", operators="x", share_fraction=0.25))
    assert compile_table(replace(table(*OPS), caveats=caveats)).unknown_call_fraction == 0.25


def narrowing() -> Op:
    made = convolution(256)
    assert made.convolution is not None
    return replace(made, convolution=replace(made.convolution, output_channels_per_group=128))


def inferred(*ops: Op, operators: int = 10) -> OpTable:
    return replace(table(*ops), dispatch_count={"forward": operators})


@pytest.mark.parametrize(
    ("asked", "turned"),
    [
        (table(matmul((0.0, 1.0), 8, 8), dispatches=10), False),
        (table(convolution(128), dispatches=10), True),
        (table(convolution(128), dispatches=150), False),
        (table(convolution(64), dispatches=10), False),
        (table(convolution(64), convolution(128), dispatches=10), True),
        (table(convolution(128), convolution(128, groups=4), dispatches=10), False),
        (table(convolution(128, groups=128), dispatches=10), True),
        (table(narrowing(), dispatches=10), False),
        (inferred(narrowing()), True),
        (inferred(convolution(128, groups=4)), False),
        (inferred(convolution(256), convolution(128, groups=4)), True),
    ],
)
def test_the_compilers_own_rule_decides_from_the_shapes_whether_convolutions_are_turned(
    asked: OpTable, *, turned: bool
) -> None:
    assert compile_table(asked).turned_by_compiler is turned


def test_a_table_is_compiled_once_and_never_answers_for_one_that_is_alike_but_for_a_figure() -> None:
    tables = [table(matmul((0.0, 64.0), 32, width)) for width in range(8, 8 + 40)]  # more than are remembered
    first = [compile_table(one) for one in tables]
    assert compile_table(tables[-1]) is first[-1]
    for one, compiled in zip(tables, [compile_table(one) for one in tables], strict=True):
        assert compiled.table is one
