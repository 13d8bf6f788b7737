"""The recorded accuracy comes with the program, by groups; a missing or damaged file says how it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from advisor.core.errors import InputError
from advisor.predict import accuracy_record as module
from advisor.predict.accuracy_record import accuracy_record

if TYPE_CHECKING:
    from pathlib import Path


def test_the_errors_of_all_runs_are_known_with_card_and_with_model_left_out() -> None:
    for held_out in ("gpu", "model"):
        score = accuracy_record().score(held_out)
        assert score is not None
        assert score.run_count > 100
        assert 0 < score.median_error_fraction < score.mean_error_fraction < 1
    assert accuracy_record().score("gpu", "precision", "of nobody") is None


@pytest.mark.parametrize(("content", "words"), [(None, "cannot be read"), (b"source = 3", "does not hold the figures")])
def test_a_missing_or_damaged_record_names_the_command_that_makes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / "accuracy.toml").write_bytes(content)
    monkeypatch.setattr(module, "resource", tmp_path.joinpath)
    with pytest.raises(InputError, match=words) as refused:
        accuracy_record.__wrapped__()
    assert "write_accuracy_docs" in refused.value.remedy
