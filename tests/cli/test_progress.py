"""What a person who waits reads where there is no terminal."""

from __future__ import annotations

import pytest

from advisor.cli import progress
from advisor.cli.progress import ProgressPrinter
from advisor.measure.events import RunProgress


def test_a_line_that_says_nothing_new_is_not_repeated(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_PLAIN_INTERVAL_S", -1.0)
    with ProgressPrinter("en", quiet=False) as printer:
        for fraction in (0.5, 0.99, 0.99, 0.99):
            printer.show(RunProgress(phase="advice-phase-verify", fraction=fraction, left_s=0.0))
    assert capsys.readouterr().err.splitlines() == [
        " 50 %  Running the advised set-up",
        " 99 %  Running the advised set-up",
    ]
