from __future__ import annotations

import numpy as np
import pytest

from advisor.cost.scaling.scaling import ScaledGrid, scale_steps
from advisor.cost.scaling.uneven_cards import group_of
from advisor.cost.step_parts import StepParts
from tests.cost.scaling_cases import link, steps, traffic


def _grid(*speeds: float) -> ScaledGrid:
    base = steps(len(speeds), 1)
    factors = np.array(speeds)[:, None]
    slowed = StepParts(**{name: getattr(base, name) * factors for name in StepParts.__dataclass_fields__})
    cards = len(speeds)
    return scale_steps(slowed, traffic(1e6), [link()] * cards, [1e12] * cards, (8,), counts=(1, 2, 3))


def test_the_slowest_card_sets_the_pace_and_the_others_wait() -> None:
    group = group_of(_grid(1.0, 2.0), (0, 1), "ddp", 0)
    assert group.cards == (0, 1)
    assert group.step_s > 0.2
    assert group.imbalance_s[1] == 0.0
    assert group.imbalance_s[0] == pytest.approx(0.1, rel=0.1)


def test_alike_cards_wait_for_nobody() -> None:
    group = group_of(_grid(1.0, 1.0, 1.0), (0, 1, 2), "ddp", 0)
    assert group.imbalance_s == (0.0, 0.0, 0.0)
    assert group.samples_per_s(8) == pytest.approx(8 * group.samples_per_s(1))


def test_counts_that_were_not_scaled_are_not_answered() -> None:
    with pytest.raises(ValueError, match="not in"):
        group_of(_grid(1.0, 1.0), (0, 1, 0, 1), "ddp", 0)
