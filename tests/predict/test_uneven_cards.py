from __future__ import annotations

import numpy as np
import pytest

from advisor.predict.scaling import ScaledGrid, scale_steps
from advisor.predict.uneven_cards import best_subset, group_of, uneven_reason
from advisor.sentences import say
from tests.predict.scaling_cases import Steps, link, steps, traffic


def _grid(*speeds: float) -> ScaledGrid:
    base = steps(len(speeds), 1)
    factors = np.array(speeds)[:, None]
    slowed = Steps(*(getattr(base, name) * factors for name in Steps.__dataclass_fields__))
    cards = len(speeds)
    return scale_steps(slowed, traffic(1e6), [link()] * cards, [1e12] * cards, (8,), counts=(1, 2, 3))


def test_the_slowest_card_sets_the_pace_and_the_others_wait() -> None:
    group = group_of(_grid(1.0, 2.0), (0, 1), "ddp", 0)
    assert group.cards == (0, 1)
    assert group.step_s > 0.2
    assert group.imbalance_s[1] == 0.0
    assert group.imbalance_s[0] == pytest.approx(0.1, rel=0.1)


def test_a_card_that_slows_the_others_too_much_is_left_out() -> None:
    grid = _grid(1.0, 1.1, 4.0)
    whole, best = group_of(grid, (2, 0, 1), "ddp", 0), best_subset(grid, (2, 0, 1), "ddp", 0)
    assert best.cards == (0, 1)
    reason = uneven_reason(whole, best)
    assert reason is not None
    assert float(reason.numbers["gain_ratio"]) > 1.5
    for language in ("en", "zh"):
        assert "3" in say(reason, language)


def test_alike_cards_are_all_worth_having() -> None:
    grid = _grid(1.0, 1.0, 1.0)
    whole, best = group_of(grid, (0, 1, 2), "ddp", 0), best_subset(grid, (0, 1, 2), "ddp", 0)
    assert len(best.cards) == 3
    assert best.samples_per_s(8) == pytest.approx(8 * best.samples_per_s(1))
    assert uneven_reason(whole, best) is None


def test_counts_that_were_not_scaled_are_not_offered() -> None:
    grid = _grid(1.0, 1.0)
    assert len(best_subset(grid, (0, 1, 0, 1), "ddp", 0).cards) == 3
    with pytest.raises(ValueError, match="not in"):
        group_of(grid, (0, 1, 0, 1), "ddp", 0)
