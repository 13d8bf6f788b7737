"""The program's own predictions from the saved tables of the bundled workloads: no torch, no GPU, no network."""

from __future__ import annotations

from functools import cache

from advisor.hardware.spec_table import spec_table
from advisor.recommend.table_predictor import TablePredictor
from advisor.workload.saved_tables import saved_tables
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine


@cache
def real_predictor() -> TablePredictor:
    return TablePredictor(
        specs=spec_table(), machine=machine(), workload_source=load_workload, table_source=saved_tables
    )
