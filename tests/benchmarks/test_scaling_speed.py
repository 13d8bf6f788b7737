from __future__ import annotations

import time

from advisor.catalogue.spec_table import spec_table
from advisor.catalogue.strategies import STRATEGIES
from advisor.cost.scaling.links import usual_link
from advisor.cost.scaling.scaling import scale_steps
from tests.cost.scaling_cases import steps, traffic

COUNTS = (1, 2, 3, 4, 6, 8, 16, 32, 64, 1024)


def test_the_whole_grid_costs_less_than_a_blink() -> None:
    """8 strategies x 10 counts x 12 batches x every card, the best of five: at most 8 us of processor time a set-up."""
    specs = list(spec_table().values())
    grid, load = steps(len(specs), 12), traffic(1.4e9, 400)
    links = [usual_link(spec) for spec in specs]
    seconds = []
    for _ in range(5):
        begin = time.process_time()
        found = scale_steps(grid, load, links, [1e12] * len(specs), tuple(range(1, 13)), counts=COUNTS)
        seconds.append(time.process_time() - begin)
    print(f"{found.step_s.size} set-ups in {1e3 * min(seconds):.0f} ms")
    assert found.step_s.shape == (len(STRATEGIES), len(COUNTS), len(specs), 12)
    assert min(seconds) < 8e-6 * found.step_s.size
