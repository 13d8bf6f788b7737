"""The tables that come with the program are those that a trace gives today, figure by figure."""

from __future__ import annotations

import sys
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

import pytest
from msgspec.structs import replace

from advisor.measure.traces import Traces
from advisor.optable.op_table import step_flop
from advisor.optable.saved_tables import saved_tables, saved_workloads
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.workload import NumbersModel, Workload
from advisor.workload.workload_file import load_workload
from tools import save_tables

_TESTED = (Path(__file__).parents[2] / "constraints.txt").read_text(encoding="utf-8").splitlines()
NUMBERS = NumbersModel(parameters=83, flop_per_sample=500, activation_bytes_per_sample=100)


@pytest.mark.parametrize(
    "workload", [one.workload for one in saved_workloads()], ids=[one.name for one in saved_workloads()]
)
def test_a_bundled_workload_comes_with_the_table_of_its_trace(workload: Workload) -> None:
    subject = subject_of(workload, "fp32", allow_code=True)
    fresh = trace(subject, "fp32")
    with_notes = replace(fresh, caveats=(*fresh.caveats, *(subject.notes or ())))
    saved = saved_tables(workload)["fp32"]
    if "torch==" + version("torch").partition("+")[0] in _TESTED:
        assert with_notes == saved
    # Another torch may take a view more apart, or skip one; the work is the model's own.
    assert step_flop(fresh, 8) == pytest.approx(step_flop(saved, 8), rel=1e-3)
    assert fresh.parameter_count == saved.parameter_count


def test_a_workload_of_ones_own_and_a_setting_that_changes_operators_have_no_saved_table() -> None:
    assert saved_tables(replace(load_workload("iris_mlp"), name="mine", model=NUMBERS)) == {}
    assert saved_tables(load_workload("bert_base_sst2", overrides={"attention": "eager"})) == {}


def test_the_tool_that_saves_tables_traces_them_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    workload = load_workload("iris_mlp")
    saved = saved_tables(workload)
    monkeypatch.setattr("advisor.optable.saved_tables._saved_file", lambda _workload: pytest.fail("a saved table"))
    with closing(Traces(allow_code=True)) as traces:
        fresh = save_tables.traced(workload, traces)
    assert {table.precision for table in fresh} == set(saved)


def test_a_python_without_lzma_has_no_saved_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lzma", None)
    assert saved_tables(load_workload("iris_mlp")) == {}
