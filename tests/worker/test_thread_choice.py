"""Which number of threads is taken, from blocks of known length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from advisor.worker.train.device import Block
from advisor.worker.train.thread_choice import fastest_thread_count


class KnownStep:
    """A step of no work."""

    def set_batch_size(self, batch_size: int) -> None:
        assert batch_size == 4

    def __call__(self) -> None:
        pass


class KnownDevice:
    """Answers with a known time for each number of threads that torch is set to."""

    def __init__(self, wall_s: dict[int, float]) -> None:
        self.wall_s = wall_s

    def time_block(self, step: KnownStep, step_count: int) -> Block:
        del step
        wall_s = self.wall_s[torch.get_num_threads()]
        return Block(step_count=step_count, wall_s=wall_s, device_s=None, process_cpu_s=wall_s, started_monotonic_s=0.0)


class Sent(list[Any]):
    """Where samples go."""

    def send(self, event: object) -> None:
        self.append(event)


@pytest.fixture(autouse=True)
def _threads_as_before() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("wall_s", "chosen"),
    [
        ({1: 0.010, 2: 0.006}, 2),
        ({1: 0.006, 2: 0.010}, 1),
        ({1: 0.0100, 2: 0.0098}, 1),  # 2 % are not worth another thread
        ({1: 0.010, 2: 0.006, 4: 0.005}, 4),
        ({1: 0.010, 2: 0.5}, 2),  # long steps: not tried, all threads
    ],
)
def test_more_threads_are_taken_where_they_save_three_per_cent(wall_s: dict[int, float], chosen: int) -> None:
    sent = Sent()
    step, device = KnownStep(), KnownDevice(wall_s)
    taken = fastest_thread_count(step, device, sorted(wall_s), 4, "fp32", sent)  # type: ignore[arg-type]
    assert taken == chosen
    tried = {sample.figures["threads"] for sample in sent}
    assert tried == (set() if max(wall_s.values()) > 0.12 else {float(count) for count in wall_s})
