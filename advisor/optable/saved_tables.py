"""Operator tables that need no trace, instant and there where torch is not: saved with the program, or of totals."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from advisor.catalogue.precisions import TracePrecision
from advisor.core.bundled import resource
from advisor.optable.op_table import OpTable
from advisor.optable.totals import table_from_numbers
from advisor.workload.workload import NumbersModel, Workload, traced_as
from advisor.workload.workload_file import bundled_names, load_workload

_MAX_BYTES = 64 * 1024 * 1024


def known_tables(workload: Workload, wanted: Iterable[TracePrecision]) -> dict[TracePrecision, OpTable]:
    """What needs no trace: all that is wanted of a model's totals; of a bundled workload, all that is saved."""
    if isinstance(workload.model, NumbersModel):
        return {precision: table_from_numbers(workload.model, precision) for precision in wanted}
    return saved_tables(workload)


def saved_tables(workload: Workload) -> dict[TracePrecision, OpTable]:
    """The saved tables of a bundled workload; empty for any other, or where a setting changes its operators."""
    try:
        import lzma
    except ImportError:  # a Python that was built without it: the workload is traced instead
        return {}
    for name in bundled_names():
        path = resource("tables") / f"{name}.json.xz"
        if path.is_file() and traced_as(workload) == traced_as(load_workload(name)):
            with lzma.open(path) as stream:
                tables = msgspec.json.decode(stream.read(_MAX_BYTES), type=tuple[OpTable, ...])
            return {table.precision: table for table in tables}
    return {}
