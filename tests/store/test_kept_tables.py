"""What one run traced is known to the next, as long as nothing that could change it has changed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from advisor.optable.op_table import OpTable
from advisor.optable.saved_tables import saved_tables
from advisor.store import kept_tables
from advisor.store.kept_tables import FOLDER_NAME, KeptTables
from advisor.workload.workload import PythonModel, Workload, with_training
from advisor.workload.workload_file import load_workload

WORKLOAD = load_workload("gpt2_small")


@pytest.fixture(autouse=True)
def _surroundings_looked_at_anew() -> Iterator[None]:
    kept_tables._surroundings.cache_clear()
    yield
    kept_tables._surroundings.cache_clear()


@pytest.fixture(scope="module")
def table() -> OpTable:
    return saved_tables(WORKLOAD)["amp"]


def files(folder: Path) -> list[Path]:
    return sorted((folder / FOLDER_NAME).glob("*"))


def test_a_kept_table_is_found_again_whole(tmp_path: Path, table: OpTable) -> None:
    KeptTables(tmp_path).keep(WORKLOAD, table)
    assert KeptTables(tmp_path).find(WORKLOAD, "amp") == table


def test_another_precision_setting_length_or_assumption_is_another_trace(tmp_path: Path, table: OpTable) -> None:
    kept = KeptTables(tmp_path)
    kept.keep(WORKLOAD, table)
    longer = msgspec.structs.replace(WORKLOAD.data, sequence_length=77)
    others = (
        with_training(WORKLOAD, activation_checkpointing="full"),
        msgspec.structs.replace(WORKLOAD, data=longer),
        msgspec.structs.replace(WORKLOAD, assumed=("data.sequence_length",)),
    )
    assert kept.find(WORKLOAD, "fp32") is None
    assert [kept.find(other, "amp") for other in others] == [None, None, None]
    assert kept.find(with_training(WORKLOAD, batch_size=3, epochs=9.0), "amp") == table


def test_another_package_or_another_program_is_another_trace(
    tmp_path: Path, table: OpTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = KeptTables(tmp_path / "data")
    kept.keep(WORKLOAD, table)
    (tmp_path / "site" / "transformers-99.dist-info").mkdir(parents=True)
    with monkeypatch.context() as changed:
        changed.setattr(sys, "path", [*sys.path, str(tmp_path / "site")])
        kept_tables._surroundings.cache_clear()
        assert kept.find(WORKLOAD, "amp") is None
    with monkeypatch.context() as changed:
        changed.setattr(kept_tables, "_ROOMS", kept_tables._ROOMS[1:])
        kept_tables._surroundings.cache_clear()
        assert kept.find(WORKLOAD, "amp") is None
    kept_tables._surroundings.cache_clear()
    assert kept.find(WORKLOAD, "amp") == table


def test_the_files_that_make_a_table_are_those_of_this_program() -> None:
    sources, packages = list(kept_tables._sources()), set(kept_tables._packages())
    assert sum("trace.py" in source for source in sources) >= 1
    assert sum("operators.toml" in source for source in sources) == 1
    assert any(package.startswith("transformers-") for package in packages)
    assert any(package.startswith("torch-") for package in packages)


def test_a_model_in_a_python_file_is_never_kept(tmp_path: Path, table: OpTable) -> None:
    of_file: Workload = msgspec.structs.replace(WORKLOAD, model=PythonModel(file="model.py"))
    kept = KeptTables(tmp_path)
    kept.keep(of_file, table)
    assert kept.find(of_file, "amp") is None
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\x1f\x8b\x08", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03not deflated"]
)
def test_a_damaged_file_is_no_table_and_the_next_trace_mends_it(tmp_path: Path, table: OpTable, content: bytes) -> None:
    kept = KeptTables(tmp_path)
    kept.keep(WORKLOAD, table)
    [path] = files(tmp_path)
    path.write_bytes(content)
    assert kept.find(WORKLOAD, "amp") is None
    kept.keep(WORKLOAD, table)
    assert kept.find(WORKLOAD, "amp") == table


def test_what_was_used_longest_ago_goes_first(tmp_path: Path, table: OpTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_tables, "_MOST_TABLES", 2)
    kept = KeptTables(tmp_path)
    lengths = [msgspec.structs.replace(WORKLOAD.data, sequence_length=length) for length in (16, 32, 64)]
    first, second, third = (msgspec.structs.replace(WORKLOAD, data=data) for data in lengths)
    for age, workload in ((200, first), (100, second)):
        kept.keep(workload, table)
        os.utime(kept._path(workload, "amp"), (1e9 - age, 1e9 - age))
    assert kept.find(first, "amp") == table  # which was kept first, and is used
    kept.keep(third, table)
    assert [kept.find(workload, "amp") is not None for workload in (first, second, third)] == [True, False, True]


def test_a_folder_that_cannot_be_made_costs_nothing_but_the_trace(tmp_path: Path, table: OpTable) -> None:
    (tmp_path / "data").write_text("a file")
    kept = KeptTables(tmp_path / "data")
    kept.keep(WORKLOAD, table)
    assert kept.find(WORKLOAD, "amp") is None
