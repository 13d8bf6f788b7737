"""What `--verify` says where it cannot run."""

from __future__ import annotations

import argparse
import contextlib
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from advisor.advice import verification
from advisor.cli.verifying import verify_command
from advisor.core.drive import drive
from advisor.core.sentences import SaidError, error_text
from tests.gui import fakes


def test_why_nothing_was_verified_is_said_in_the_readers_language(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refusal = SaidError.of("command-no-prices", None)

    def refuses(*_: object, **__: object) -> None:
        raise refusal

    monkeypatch.setattr(verification, "verify", refuses)
    arguments = argparse.Namespace(quiet=True, verify=1.0, allow_code=False, no_history=True)
    assert verify_command(fakes.advice(), arguments, "zh", threading.Event()) == refusal.exit_code
    assert error_text(refusal, "zh")[0] in capsys.readouterr().err


@pytest.mark.parametrize(("steps", "refused"), [(3, True), (4, False)])
def test_a_time_of_the_warm_up_alone_verifies_nothing(
    monkeypatch: pytest.MonkeyPatch, *, steps: int, refused: bool
) -> None:
    line = f'{{"steps": {steps}, "step_s": 0.5, "low_s": 0.5, "high_s": 0.5}}'
    lines = iter([line, None])
    rank = SimpleNamespace(log="", next_line=lambda _: next(lines), close=lambda: None)
    monkeypatch.setattr(verification, "_start", lambda *_: rank)
    monkeypatch.setattr(verification, "_rank_count", lambda _: 1)
    chosen = fakes.advice().recommendation
    assert chosen is not None
    run = verification._run(Path("train.py"), chosen, 1.0, threading.Event())
    with pytest.raises(verification.VerificationError, match="warm-up") if refused else contextlib.nullcontext():
        drive(run)
