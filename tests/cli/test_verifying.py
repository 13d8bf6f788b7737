"""What `--verify` says where it cannot run."""

from __future__ import annotations

import argparse
import threading

import pytest

from advisor.advice import verification
from advisor.cli.verifying import verify_command
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
