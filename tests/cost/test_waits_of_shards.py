"""Sharding shares out a card's optimizer, not what its host issues: no step is quicker than its host makes it."""

from __future__ import annotations

import pytest

from advisor.catalogue.strategies import Strategy
from advisor.cost.scaling.cell import Setting
from advisor.cost.scaling.scaling import ScaledGrid, scale_steps
from advisor.cost.scaling.scaling_figures import scaling_figures
from advisor.cost.scaling.traffic import Traffic
from tests.cost.scaling_cases import link, steps, traffic

UNIT_S = scaling_figures().assumed.sharded_unit_s
SHARDED: tuple[Strategy, ...] = ("zero2", "fsdp")


def grid(load: Traffic, step_s: float, issue_s: float, *, rounds: int = 1) -> ScaledGrid:
    setting = Setting(host_steps_s=(issue_s,), accumulation_steps=rounds)
    return scale_steps(
        steps(step_s=step_s), load, [link(type="nvswitch", wire_bytes_per_s=250e9)], [2e12], (8,),
        counts=(1, 4, 8), setting=setting,
    )  # fmt: skip


def part(found: ScaledGrid, strategy: Strategy, count: int) -> tuple[float, float]:
    """The whole step, and what of it waits for the host."""
    place = (*found.index(strategy, count), 0, 0)
    return float(found.step_s[place]), float(found.parts_s["host_s"][place])


@pytest.mark.parametrize("strategy", SHARDED)
@pytest.mark.parametrize("rounds", [1, 4])
def test_a_shared_optimizer_leaves_the_host_as_much_to_issue(strategy: Strategy, rounds: int) -> None:
    found = grid(traffic(4e6), 0.1, 0.099, rounds=rounds)
    step_s, waits_s = part(found, strategy, 8)
    assert step_s >= 0.099 * rounds
    assert waits_s > 0


@pytest.mark.parametrize("strategy", SHARDED)
def test_a_short_step_waits_for_the_host_to_gather_each_block(strategy: Strategy) -> None:
    found = grid(traffic(4e6, block_count=12), 1e-3, 1e-4)
    assert part(found, strategy, 4)[0] >= 13 * 2 * UNIT_S
    alone = grid(traffic(4e6, block_count=12, backward=False), 1e-3, 1e-4)
    assert 13 * UNIT_S <= part(alone, strategy, 4)[0] < 13 * 2 * UNIT_S


def test_a_long_step_hides_all_that_its_host_does() -> None:
    step_s, waits_s = part(grid(traffic(4e9, block_count=80), 5.0, 0.1), "fsdp", 8)
    assert waits_s < 0.001 * step_s


def test_whole_copies_and_a_card_alone_gather_nothing() -> None:
    found = grid(traffic(4e6, block_count=12), 1e-3, 1e-4)
    assert part(found, "ddp", 4)[0] < 13 * UNIT_S
    assert part(found, "single", 1)[0] < 13 * UNIT_S
