"""The history loses nothing that it acknowledged and shows nothing that is wrong."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from advisor.core.errors import OutputError
from advisor.core.moment import utc_text
from advisor.core.sentences import Reason
from advisor.store import json_file
from advisor.store.history import FILE_NAME, History, data_folder, older_than
from tests.present.fakes import advice, calibration, machine, truth


def test_a_saved_run_opens_with_equal_content(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        number = history.save(advice())
    with History(tmp_path) as history:
        assert [run.head.workload_name for run in history.runs()] == ["Synthetic workload"]
        assert history.load(number) == advice()
        assert history.problems == ()


def test_a_deleted_run_is_gone(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        number = history.save(advice())
        history.delete(number)
        assert history.runs() == []
        assert history.load(number) is None


def test_a_calibration_is_reused_only_under_the_same_torch(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        history.keep_calibration(calibration(), machine())
        assert history.calibration("cpu", machine()) == calibration()
        assert history.calibration("cpu", machine(torch="2.14.0")) is None
        assert history.calibration("GPU-1", machine()) is None


def test_the_ledger_tells_how_right_the_program_was_where_nobody_disturbed_it(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        assert history.record() is None
        for actual_s in (0.1, 0.1, 0.2):
            history.append_truth(truth(actual_s))
        others = Reason.of("measure-cpu-shared", foreign_cores=1.5)
        history.append_truth(msgspec.structs.replace(truth(0.9), disturbed=others))
        assert history.ledger()[0].disturbed == others
        record = history.record()
    assert record is not None
    assert record.count == 3
    assert record.inside_fraction == pytest.approx(2 / 3)
    assert record.median_error_fraction == pytest.approx(0)


def test_a_file_cut_anywhere_never_shows_a_wrong_run(tmp_path: Path) -> None:
    with History(tmp_path / "whole") as history:
        for number in range(5):
            history.save(advice(workload_name=f"run {number}"))
    whole = (tmp_path / "whole" / FILE_NAME).read_bytes()
    for number, length in enumerate(random.Random(1).sample(range(len(whole)), 12)):
        folder = tmp_path / f"cut {number}"
        folder.mkdir()
        (folder / FILE_NAME).write_bytes(whole[:length])
        with History(folder) as history:
            for run in history.runs():
                kept = history.load(run.entry_index)
                assert kept is None or kept == advice(workload_name=run.head.workload_name)
            assert history.save(advice()) > 0
            if length:
                assert [reason.code for reason in history.problems] == ["history-damaged"]
        if length:
            assert len(list(folder.glob(f"{FILE_NAME}.damaged-*"))) == 1


def test_flipped_bytes_never_show_a_wrong_run(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    with History(tmp_path / "whole") as history:
        for number in range(5):
            history.save(advice(workload_name=f"run {number}"))
    whole = (tmp_path / "whole" / FILE_NAME).read_bytes()
    dice = random.Random(2)
    for number in range(40):
        folder = tmp_path / f"flip {number}"
        folder.mkdir()
        damaged = bytearray(whole)
        for _ in range(dice.choice((1, 8, 200))):
            damaged[dice.randrange(len(damaged))] ^= 1 << dice.randrange(8)
        (folder / FILE_NAME).write_bytes(bytes(damaged))
        with History(folder) as history:
            for run in history.runs():
                assert run.head.workload_name in {f"run {index}" for index in range(5)}
                kept = history.load(run.entry_index)
                assert kept is None or kept == advice(workload_name=run.head.workload_name)
    record_property("figure", "40 files with 1 to 200 flipped bits, 12 cut ones: no wrong run shown")


def test_a_newer_history_is_left_untouched(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        history.save(advice())
    with sqlite3.connect(tmp_path / FILE_NAME) as database:
        database.execute("PRAGMA user_version = 99")
    before = (tmp_path / FILE_NAME).read_bytes()
    with History(tmp_path) as history:
        history.save(advice())
        assert [reason.code for reason in history.problems] == ["history-newer"]
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_another_programs_database_is_kept_aside(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE_NAME) as database:
        database.execute("CREATE TABLE diary (page TEXT)")
    with History(tmp_path) as history:
        assert [reason.code for reason in history.problems] == ["history-damaged"]
    aside = next(tmp_path.glob(f"{FILE_NAME}.damaged-*"))
    with sqlite3.connect(aside) as database:
        assert database.execute("SELECT name FROM sqlite_master").fetchone() == ("diary",)


def test_without_a_folder_it_runs_in_memory_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    with History(tmp_path / "file") as history:
        number = history.save(advice())
        assert history.load(number) == advice()
        assert [reason.code for reason in history.problems] == ["history-in-memory"]


WRITER = """
import sys
from collections.abc import Callable
from pathlib import Path
from advisor.core.sentences import Reason
from advisor.store.history import History
from tests.present.fakes import advice
with History(Path(sys.argv[1])) as history:
    for number in range(int(sys.argv[3])):
        history.save(advice(workload_name=f"{sys.argv[2]} {number}"))
"""


@pytest.mark.parametrize("saves", [25, pytest.param(500, marks=pytest.mark.nightly)])
def test_two_programs_save_at_once_and_lose_nothing(
    tmp_path: Path, saves: int, record_property: Callable[[str, object], None]
) -> None:
    root = str(Path(__file__).resolve().parents[2])
    started = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), name, str(saves)], cwd=root)
        for name in ("first", "second")
    ]
    assert [program.wait(timeout=240) for program in started] == [0, 0]
    with History(tmp_path) as history:
        names = {run.head.workload_name for run in history.runs()}
        assert names == {f"{name} {number}" for name in ("first", "second") for number in range(saves)}
        assert history.problems == ()
    record_property("figure", f"2 × {saves} saves: none lost, none corrupt")


def test_a_head_that_an_older_program_wrote_is_left_out_not_guessed(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        history._store.add("run", msgspec.json.encode({"old": 1}), b"{}", "2020-01-01T00:00:00Z")
        assert history.runs() == []


def test_old_runs_are_counted_before_they_are_deleted_and_calibrations_stay(tmp_path: Path) -> None:
    stamps = (utc_text(days_ago=40), utc_text(days_ago=35), utc_text(days_ago=1))
    with History(tmp_path) as history:
        for stamp in stamps:
            history.save(msgspec.structs.replace(advice(), created_utc=stamp))
        history.keep_calibration(calibration(), machine())
        old = older_than(30, history.runs())
        assert (old.run_count, old.reason.code) == (2, "history-prune-found")
        assert (old.reason.numbers["first"], old.reason.numbers["last"]) == (stamps[0][:10], stamps[1][:10])
        assert history.prune(old.before_utc) == 2
        assert [run.created_utc for run in history.runs()] == [stamps[2]]
        assert history.calibration("cpu", machine()) == calibration()
        none = older_than(30, history.runs())
        assert (none.run_count, none.reason.code) == (0, "history-prune-none")
        assert history.prune(none.before_utc) == 0


def test_an_exported_run_is_the_saved_advice_and_one_that_is_gone_is_refused(tmp_path: Path) -> None:
    with History(None) as history:
        number = history.save(advice())
        history.export(number, tmp_path / "run.json")
        assert json_file.read(tmp_path / "run.json") == advice()
        with pytest.raises(OutputError, match="History entry 7 is damaged or gone"):
            history.export(7, tmp_path / "gone.json")
    assert not (tmp_path / "gone.json").exists()


def test_a_history_that_may_not_be_written_refuses_every_change_in_a_sentence_and_keeps_what_it_has(
    tmp_path: Path,
) -> None:
    with History(tmp_path) as history:
        number = history.save(advice())
        history._store._database.execute("PRAGMA query_only = ON")
        for change in (
            lambda: history.save(advice()),
            lambda: history.delete(number),
            lambda: history.prune("2100-01-01T00:00:00Z"),
            lambda: history.append_truth(truth(0.1)),
        ):
            with pytest.raises(OutputError, match="could not be written"):
                change()
        assert [run.entry_index for run in history.runs()] == [number]


def test_a_history_in_memory_that_refuses_is_named_without_a_path() -> None:
    with History(None) as history:
        history._store._database.execute("PRAGMA query_only = ON")
        with pytest.raises(OutputError) as caught:
            history.save(advice())
    assert caught.value.text.startswith("The history could not be written: ")


def test_a_history_whose_file_cannot_be_read_any_more_is_empty_and_says_so(tmp_path: Path) -> None:
    history = History(tmp_path)
    number = history.save(advice())
    history.close()
    assert history.runs() == []
    assert history.load(number) is None
    assert {reason.code for reason in history.problems} == {"history-in-memory"}
    with History(tmp_path) as again:
        assert again.load(number) == advice(), "nothing was set aside"


def test_the_history_lives_where_it_is_told_to_and_nowhere_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    assert data_folder("chosen") == Path("chosen")
    monkeypatch.setenv("XDG_DATA_HOME", "/own/data")
    nowhere = Path(os.devnull) / "advisor"
    if sys.platform == "linux":
        assert data_folder() == Path("/own/data/advisor")

    def homeless(*_: object, **__: object) -> Path:
        message = "Could not determine home directory."
        raise RuntimeError(message)

    monkeypatch.setattr("platformdirs.user_data_path", homeless)
    assert data_folder() == nowhere
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: Path("~/.local/share/advisor"))
    assert data_folder() == nowhere
