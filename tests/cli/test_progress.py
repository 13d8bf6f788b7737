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


@pytest.mark.parametrize(
    ("phase", "detail", "line"),
    [
        ("measure-phase-steps", "16", "Training the model for real · batch 16"),
        ("measure-phase-calibrate", "host_overhead", "Calibrating the device"),
    ],
)
def test_a_batch_size_is_said_as_one_and_names_of_kernels_are_left_to_logs(
    phase: str, detail: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with ProgressPrinter("en", quiet=False) as printer:
        printer.show(RunProgress(phase=phase, fraction=0.25, left_s=9.0, detail=detail))
    assert capsys.readouterr().err == f" 25 %  {line}\n"
