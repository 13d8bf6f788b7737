from __future__ import annotations

import time

from advisor.catalogue.spec_table import spec_table
from advisor.catalogue.strategies import STRATEGIES
from advisor.cost.scaling.links import usual_link
from advisor.cost.scaling.scaling import scale_steps
from tests.cost.scaling_cases import steps, traffic

COUNTS = (1, 2, 3, 4, 6, 8, 16, 32, 64, 1024)


MOST_ADDITIONS = 500
"""For each set-up; 250 to 275 were seen on a core that was slow for all of them (12 to 17 us a set-up)."""


def test_a_set_up_costs_no_more_than_so_many_additions_of_the_interpreter() -> None:
    """8 strategies x 10 counts x 12 batches x every card, against a plain loop in turn with it: the best of five."""
    specs = list(spec_table().values())
    grid, load = steps(len(specs), 12), traffic(1.4e9, 400)
    links = [usual_link(spec) for spec in specs]
    ratios = []
    for _ in range(5):
        addition_s = _addition_s()
        begin = time.process_time()
        found = scale_steps(grid, load, links, [1e12] * len(specs), tuple(range(1, 13)), counts=COUNTS)
        ratios.append((time.process_time() - begin) / found.step_s.size / addition_s)
    print(f"{found.step_s.size} set-ups, {min(ratios):.0f} additions each")
    assert found.step_s.shape == (len(STRATEGIES), len(COUNTS), len(specs), 12)
    assert min(ratios) < MOST_ADDITIONS


def _addition_s() -> float:
    """Processor time of one of a million additions in a loop."""
    total, begin = 0, time.process_time()
    for number in range(1_000_000):
        total += number
    return (time.process_time() - begin) / 1_000_000
