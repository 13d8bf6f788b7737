"""Replays are known by their timeline and by the text of the rules."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.cost.memory import remembered
from advisor.cost.memory.remembered import fingerprint


def test_a_timeline_is_known_by_all_of_its_figures() -> None:
    sizes = np.array([1.0, 2.0])
    assert fingerprint(sizes) == fingerprint(sizes.copy())
    assert fingerprint(sizes) != fingerprint(sizes[::-1])
    assert fingerprint(sizes) != fingerprint(sizes.reshape(1, 2))


def test_without_the_text_of_the_rules_a_timeline_is_known_to_this_process_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes, with_text = np.array([1.0, 2.0]), fingerprint(np.array([1.0, 2.0]))
    monkeypatch.setattr(remembered, "_RULES", ("no such rules.py",))
    alone = fingerprint(sizes)
    assert alone == fingerprint(sizes)
    assert alone != with_text
    monkeypatch.setattr(remembered, "replays", {})
    assert fingerprint(sizes) != alone
