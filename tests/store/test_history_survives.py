"""A lock, a failing file system or a flipped bit costs at most one entry, never the history and never an advice."""

from __future__ import annotations

import random
import sqlite3
import stat
import sys
from pathlib import Path

import pytest

from advisor.core.sentences import say
from advisor.store import history_store
from advisor.store.history import FILE_NAME, History
from advisor.store.history_store import Store
from advisor.store.kept_calibrations import reusable
from tests.present.fakes import advice


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    with History(tmp_path) as history:
        for number in range(5):
            history.save(advice(workload_name=f"run {number}"))
    return tmp_path


def _set_aside(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if "damaged" in path.name]


def test_a_lock_that_lasts_is_no_damage_and_names_the_file(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_store, "BUSY_TIMEOUT_S", 0.1)
    other = sqlite3.connect(kept / FILE_NAME, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with History(kept) as history:
        assert len(history.runs()) == 5
        history.save(advice())
        (problem,) = history.problems
    assert problem.code == "history-in-memory"
    assert str(kept / FILE_NAME) in say(problem, "en")
    assert _set_aside(kept) == []
    other.execute("ROLLBACK")
    other.close()
    with History(kept) as history:
        assert len(history.runs()) == 5
        assert history.problems == ()


def test_a_reader_waits_for_no_writer(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_store, "BUSY_TIMEOUT_S", 0.1)
    other = sqlite3.connect(kept / FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with History(kept) as history:
        assert len(history.runs()) == 5
        assert history.problems == ()
    other.close()


@pytest.mark.parametrize(
    "code", [sqlite3.SQLITE_IOERR_LOCK, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_FULL]
)
def test_a_file_system_without_locks_sets_nothing_aside(kept: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    def refused(self: Store, path: Path) -> sqlite3.Connection:
        del self, path
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = code
        raise error

    monkeypatch.setattr(Store, "_checked", refused)
    with History(kept) as history:
        assert len(history.runs()) == 5
        assert [problem.code for problem in history.problems] == ["history-in-memory"]
    assert _set_aside(kept) == []


def test_one_flipped_bit_never_raises_and_never_shows_a_wrong_run(kept: Path, tmp_path: Path) -> None:
    whole = (kept / FILE_NAME).read_bytes()
    dice = random.Random(3)
    machine = advice().machine
    # The first page holds the schema, the next ones heads and texts: each place is tried.
    for number, at in enumerate([*range(0, 4096, 17), *dice.sample(range(4096, len(whole)), 120)]):
        folder = tmp_path / f"bit{number}"
        folder.mkdir()
        damaged = bytearray(whole)
        damaged[at] ^= 1 << dice.randrange(8)
        (folder / FILE_NAME).write_bytes(damaged)
        assert reusable(folder, machine) == {}
        with History(folder) as history:
            names = {run.head.workload_name for run in history.runs()}
            assert names <= {f"run {index}" for index in range(5)}
            for run in history.runs():
                found = history.load(run.entry_index)
                assert found is None or found == advice(workload_name=run.head.workload_name)
            assert history.save(advice()) > 0


def test_a_list_reads_no_body(kept: Path) -> None:
    with sqlite3.connect(kept / FILE_NAME) as database:
        query = f"EXPLAIN QUERY PLAN SELECT {history_store._HEAD_COLUMNS} FROM entries WHERE kind = ? ORDER BY id DESC"
        plan = " ".join(row[3] for row in database.execute(query, ("run",)))
    assert "COVERING INDEX heads" in plan
    assert "TEMP B-TREE" not in plan


def test_a_history_of_an_earlier_program_gets_the_index_and_is_read(kept: Path) -> None:
    with sqlite3.connect(kept / FILE_NAME) as database:
        database.execute("DROP INDEX heads")
    with History(kept) as history:
        assert len(history.runs()) == 5
        assert history.problems == ()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps rights in lists of its own")
def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    with History(folder) as history:
        history.save(advice())
    assert stat.S_IMODE((folder / FILE_NAME).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (folder / FILE_NAME).chmod(0o644)
    with History(folder) as history:
        assert len(history.runs()) == 1
    assert stat.S_IMODE((folder / FILE_NAME).stat().st_mode) == 0o600
    (folder / FILE_NAME).write_bytes(b"damaged")
    with History(folder) as history:
        history.save(advice())
    assert stat.S_IMODE((folder / FILE_NAME).stat().st_mode) == 0o600  # the one begun in its place, too
