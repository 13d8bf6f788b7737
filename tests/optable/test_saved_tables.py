"""The tables that come with the program are those that a trace gives today, figure by figure."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from advisor.optable.saved_tables import saved_tables
from advisor.worker.trace.trace import subject_of, trace
from advisor.workload.workload_file import bundled_names, load_workload


@pytest.mark.parametrize("name", bundled_names())
def test_a_bundled_workload_comes_with_the_table_of_its_trace(name: str) -> None:
    workload = load_workload(name)
    subject = subject_of(workload, "fp32", allow_code=True)
    fresh = trace(subject, "fp32")
    with_notes = replace(fresh, caveats=(*fresh.caveats, *(subject.notes or ())))
    assert with_notes == saved_tables(workload)["fp32"]
