"""How many loader workers keep up with a device."""

from __future__ import annotations

import pytest

from advisor.catalogue.loading import keeping_workers


@pytest.mark.parametrize(
    ("samples_per_s", "made_per_s", "workers"), [(100.0, 50.0, 2), (101.0, 50.0, 3), (1.0, 50.0, 1), (0.0, 50.0, 1)]
)
def test_workers_together_make_at_least_what_the_device_takes(
    samples_per_s: float, made_per_s: float, workers: int
) -> None:
    assert keeping_workers(samples_per_s, made_per_s) == workers
