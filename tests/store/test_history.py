"""The history loses nothing that it acknowledged and shows nothing that is wrong."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from advisor.core.sentences import Reason
from advisor.store.history import FILE_NAME, History, Truth
from tests.present.fakes import advice, calibration, estimate, machine


def truth(actual_s: float) -> Truth:
    return Truth(
        created_utc="2026-11-21T08:00:00Z",
        workload_name="w",
        device_name="d",
        count=1,
        strategy="single",
        precision="fp32",
        batch_size_per_device=8,
        gradient_accumulation_steps=1,
        predicted_step_s=estimate(0.1),
        actual_step_s=actual_s,
        actual_low_s=actual_s,
        actual_high_s=actual_s,
    )


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
