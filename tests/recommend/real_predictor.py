"""The program's own predictions from the saved tables of the bundled workloads: no torch, no GPU, no network."""

from __future__ import annotations

from functools import cache

import msgspec

from advisor.catalogue.precisions import TracePrecision
from advisor.catalogue.spec_table import spec_table
from advisor.claims.predictor import Predictor
from advisor.optable.op_table import OpTable
from advisor.optable.saved_tables import saved_tables
from advisor.workload.workload import Workload, with_training
from advisor.workload.workload_file import bundled_names, load_workload
from tests.recommend.fakes import machine


@cache
def real_predictor() -> Predictor:
    return Predictor(spec_table(), tables_of_any_mode, machine(), solves_memory=False)


def tables_of_any_mode(workload: Workload) -> dict[TracePrecision, OpTable]:
    """The saved tables; the layout does not change the operators, and inference is their forward half."""
    bundled = next(one.training for name in bundled_names() if (one := load_workload(name)).model == workload.model)
    settings = {"mode": bundled.mode, "channels_last": bundled.channels_last, "compile": bundled.compile}
    tables = saved_tables(with_training(workload, **settings))
    if workload.training.mode != "inference":
        return tables
    return {
        precision: msgspec.structs.replace(table, ops=tuple(op for op in table.ops if op.phase == "forward"))
        for precision, table in tables.items()
    }
