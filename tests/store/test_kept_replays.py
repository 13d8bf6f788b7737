"""What one run replayed is known to the next, whatever lies in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.cost.memory import remembered
from advisor.store.kept_replays import FILE_NAME, kept_replays


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.cost.memory.remembered.replays", {})
    monkeypatch.setattr("advisor.store.kept_replays.replays", remembered.replays)


def answer(value: float) -> float:
    return remembered.remembered(b"timeline", ("needed", 8), lambda: value)


def test_a_question_is_replayed_once_and_known_to_the_next_run(tmp_path: Path) -> None:
    with kept_replays(str(tmp_path)):
        assert answer(5.0) == 5.0
        assert answer(6.0) == 5.0
    remembered.replays.clear()
    with kept_replays(str(tmp_path)):
        assert answer(7.0) == 5.0


def test_other_questions_are_not_mistaken_for_it() -> None:
    assert answer(5.0) == 5.0
    assert remembered.remembered(b"timeline", ("survives", 8), lambda: 0.0) == 0.0
    assert remembered.remembered(b"another", ("needed", 8), lambda: 9.0) == 9.0


@pytest.mark.parametrize("text", [b"", b"{", b'{"a": "b"}', b"[1]"])
def test_a_file_that_is_not_one_costs_only_the_time(tmp_path: Path, text: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(text)
    with kept_replays(str(tmp_path)):
        assert answer(5.0) == 5.0


def test_without_a_folder_nothing_is_written(tmp_path: Path) -> None:
    with kept_replays(None):
        assert answer(5.0) == 5.0
    assert list(tmp_path.iterdir()) == []


def test_a_program_without_its_sources_remembers_for_no_longer_than_it_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    with_sources = remembered._rules()
    monkeypatch.setattr(remembered, "_RULES", ("nowhere.py",))
    without = remembered._rules()
    assert without != with_sources
    monkeypatch.setattr(remembered, "replays", {})
    assert remembered._rules() != without
