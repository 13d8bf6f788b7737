"""The pictures of all pages come from one command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

from advisor.gui import screenshots
from advisor.gui.context import PAGE_NAMES
from advisor.store import json_file
from tests.gui import fakes

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from pytestqt.qtbot import QtBot


def test_every_page_is_rendered_at_the_size_that_is_asked_for(qtbot: QtBot, tmp_path: Path) -> None:
    del qtbot
    saved = tmp_path / "advice.json"
    json_file.write(fakes.advice(), saved)
    arguments = [str(tmp_path / "out"), "--advice", str(saved), "--size", "1024x700", "--dark", "--language", "zh"]
    assert screenshots.main(arguments) == 0
    for name in PAGE_NAMES:
        image = QImage(str(tmp_path / "out" / f"{name}_zh_dark_1024x700.png"))
        assert (image.width(), image.height()) == (1024, 700)
        colours = {image.pixel(x, y) for x in range(200, 1024, 7) for y in range(30, 700, 7)}
        assert len(colours) > 10


def test_wrong_use_is_told_with_exit_code_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert screenshots.main([str(tmp_path), "--advice", str(tmp_path / "none.json")]) == 2
    assert "none.json" in capsys.readouterr().err
