"""Re-ranking for the Compare page: the full grid within 50 ms on a quiet machine."""

from __future__ import annotations

import time

import msgspec

from advisor.catalogue.precisions import Precision
from advisor.catalogue.strategies import Strategy
from advisor.predict.prediction import Candidate, Device, Prediction
from advisor.recommend.ranking import rank_for_compare
from tests.recommend.fakes import SPECS, TRANSFORMER, predict, workload

PRECISIONS: tuple[Precision, ...] = ("fp32", "tf32", "fp16_amp")
STRATEGIES: tuple[Strategy, ...] = ("single", "dp", "ddp")
BATCHES = tuple(2**power for power in range(12))


def full_grid() -> list[Prediction]:
    """39 cards, 4 counts, 3 strategies, 12 batch sizes, 3 precisions."""
    work, spec = workload(), SPECS["rtx3090"]
    grid = []
    for precision in PRECISIONS:
        for batch in BATCHES:
            for count in (1, 2, 4, 8):
                for strategy in STRATEGIES:
                    device = Device(key=spec.key, name=spec.name, spec_key=spec.key, local=False)
                    one = Candidate(
                        device=device, count=count, strategy=strategy, precision=precision, batch_size_per_device=batch
                    )
                    made = predict(one, TRANSFORMER, work)
                    grid += [
                        msgspec.structs.replace(
                            made,
                            device=Device(key=f"card-{index}", name=f"Card {index}", spec_key=None, local=False),
                            job_s=made.step_s.scaled(1 + index / 7),
                        )
                        for index in range(39)
                    ]
    return grid


def test_the_compare_page_is_ranked_again_in_a_small_part_of_its_time() -> None:
    grid = full_grid()
    seconds = []
    for precision in PRECISIONS:
        for count in (1, 4):
            start = time.perf_counter()
            rows = rank_for_compare(grid, precision, 64, count)
            seconds.append(time.perf_counter() - start)
            assert len(rows) == 39
    print(f"{len(grid)} predictions ranked in {1e3 * sorted(seconds)[len(seconds) // 2]:.1f} ms (median)")
    plain = time.perf_counter()
    for _ in range(20):
        sum(1 for one in grid if one.precision == "fp32" and one.count == 4)
    scan_s = (time.perf_counter() - plain) / 20
    assert min(seconds) < 20 * scan_s
