"""Old runs are deleted after a yes alone, and nothing else is."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from advisor.cli import run
from advisor.store.history import FILE_NAME, History
from tests.present.fakes import advice, calibration, machine


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two old runs, one of today, a calibration."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    today = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    folder = tmp_path / "advisor"
    with History(folder) as history:
        for stamp in ("2020-01-01T00:00:00Z", "2021-06-01T00:00:00Z", today):
            history.save(msgspec.structs.replace(advice(), created_utc=stamp))
        history.keep_calibration(calibration(), machine())
    return folder


def _years(folder: Path) -> list[str]:
    with History(folder) as history:
        assert history.problems == ()
        return [entry.created_utc[:4] for entry in history.runs()]


def test_without_a_yes_nothing_is_deleted(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--prune-history", "90", "--language", "en"]) == 2
    assert "--yes" in capsys.readouterr().err
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _question: "")
    assert run(["--prune-history", "90", "--language", "en"]) == 0
    told = capsys.readouterr().out
    assert "2 runs are older: of 2020-01-01 to 2021-06-01." in told
    assert "Nothing was deleted." in told
    assert len(_years(kept)) == 3


def test_a_yes_deletes_what_is_older_and_leaves_the_rest(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (kept / FILE_NAME).stat().st_size
    assert run(["--prune-history", "90", "--yes", "--language", "en"]) == 0
    assert "2 runs were deleted." in capsys.readouterr().out
    assert _years(kept) == [str(datetime.now(UTC).year)]
    assert (kept / FILE_NAME).stat().st_size < before
    with History(kept) as history:
        assert history.calibration("cpu", machine()) == calibration()


def test_an_answer_at_the_terminal_is_a_yes(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _question: "y")
    days = (datetime.now(UTC) - datetime(2021, 1, 1, tzinfo=UTC)) // timedelta(days=1)
    assert run(["--prune-history", str(days), "--language", "zh"]) == 0
    assert "已删除 1 次运行" in capsys.readouterr().out
    assert len(_years(kept)) == 2


@pytest.mark.parametrize("days", ["0", "-3", "x"])
def test_an_age_that_is_none_is_refused(kept: Path, days: str) -> None:
    assert run(["--prune-history", days, "--yes"]) == 2
    assert len(_years(kept)) == 3


def test_where_nothing_is_old_that_is_said(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--prune-history", "36500", "--language", "en"]) == 0
    assert "older than 36,500 days" in capsys.readouterr().out
    assert len(_years(kept)) == 3
