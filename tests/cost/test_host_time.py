from __future__ import annotations

import numpy as np
import pytest

from advisor.cost.host_time import joined_seconds, slower_host_factor


@pytest.mark.parametrize("host_over_device", [0.1, 0.4, 1.0, 3.0])
@pytest.mark.parametrize("slowness", [0.5, 1.0, 4.0])
def test_what_waits_for_a_host_tells_what_a_slower_one_would_make_of_the_step(
    host_over_device: float, slowness: float
) -> None:
    device = np.array([[1.0]])
    step, slower = (joined_seconds(device, host_over_device * factor) for factor in (1.0, slowness))
    found = slower_host_factor((step - device) / step, slowness)
    assert found.item() == pytest.approx((slower / step).item(), rel=1e-3)


def test_a_step_that_waits_for_its_host_alone_takes_as_long_as_that_and_one_that_never_does_stays() -> None:
    found = slower_host_factor(np.array([[1.0, 0.0]]), 4.0)
    assert found[0] == pytest.approx([4.0, 1.0], rel=1e-3)
