"""On a narrow terminal nothing is cut and no word is broken, in English and in Chinese."""

from __future__ import annotations

import io
import re
import sys

import pytest
from rich.cells import cell_len

from advisor.catalogue.spec_table import spec_table
from advisor.cli import run
from advisor.cli.line_breaks import broken_lines
from advisor.cli.terminal import console_for, print_summary, print_table
from advisor.core.sentences import Language
from advisor.present.one_screen import one_screen
from advisor.present.summary import summarise
from advisor.present.tables import Table
from tests.present.fakes import advice


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """It is looked at, not read by a program."""
        return True

    def lines(self) -> list[str]:
        """What it shows, without colours."""
        return re.sub(r"\x1b\[[0-9;]*m", "", self.getvalue()).splitlines()


@pytest.fixture(params=[60, 80, 100])
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("COLUMNS", str(request.param))
    monkeypatch.setenv("TERM", "xterm")
    return int(request.param)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("whole", [True, False])
def test_an_advice_keeps_to_the_width_and_every_word_of_its_tables_is_whole(
    width: int, language: Language, whole: bool
) -> None:
    terminal = Terminal()
    summary = (summarise if whole else one_screen)(advice(), language)
    print_summary(summary, terminal)
    lines = terminal.lines()
    assert max(map(cell_len, lines)) <= width
    shown = {word.rstrip(",") for line in lines for word in line.split()}
    for table in summary.tables:
        cells = {cell for row in table.rows for cell in row}
        assert {word.rstrip(",") for cell in cells for word in cell.split() if word.isascii()} <= shown


def test_every_card_of_the_list_is_whole_with_its_name_and_its_units(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    assert run(["--list"]) == 0
    lines = terminal.lines()
    assert max(map(cell_len, lines)) <= width
    shown = " ".join(" ".join(lines).split())
    for key, spec in spec_table().items():
        assert key in shown.split()
        assert spec.name.split()[-1] in shown
    assert not re.search(r"FLOP/(?!s)|[GT]B/(?!s)|Bandwidt(?!h)", shown)


def test_a_table_too_wide_even_in_two_lines_names_each_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    terminal = Terminal()
    table = Table(
        title="Cards",
        columns=("Key", "Memory", "Rate", "Bandwidth"),
        rows=(("one", "16.0 GiB", "14.1 TFLOP/s", "900 GB/s"),),
        first_number_index=1,
    )
    print_table(table, console_for(terminal))
    shown = " ".join(" ".join(terminal.lines()).split())
    assert "one Memory 16.0 GiB, Rate 14.1 TFLOP/s, Bandwidth 900 GB/s" in shown


def test_chinese_lines_are_filled_and_never_begin_with_what_closes() -> None:
    text = "DataParallel 由单个进程为全部 8 张卡下发计算（各线程争用同一把解释器锁），每步因此多等待主机。"
    for width in range(12, 60):
        lines = broken_lines(text, width)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert max(map(cell_len, lines)) <= width
        assert not any(line[0] in "，。）" or line[-1] == "（" for line in lines)
        assert all(cell_len(line) > width - cell_len("DataParallel") - 3 for line in lines[:-1])


def test_what_is_longer_than_a_line_is_cut_and_nothing_is_lost() -> None:
    assert broken_lines("a" * 25, 10) == ["a" * 10, "a" * 10, "a" * 5]
    assert broken_lines("", 10) == [""]
    assert broken_lines("one two", 7) == ["one two"]
