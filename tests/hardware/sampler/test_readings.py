"""A card over time: one that fell off the bus is left alone for half a minute, a refused field for a whole one."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import pytest

from advisor.core.sentences import Reason
from advisor.hardware.driver_problems import GPU_IS_LOST, NO_PERMISSION, NOT_SUPPORTED
from advisor.hardware.sampler import readings
from advisor.hardware.sampler.nvml import NvmlRefusedError
from advisor.hardware.sampler.readings import GpuObserver


class Driver:
    """Has lost its card, or gives a handle and refuses every question."""

    def __init__(self, *, lost: bool) -> None:
        self.lost = lost
        self.asked: Counter[str] = Counter()

    def handle(self, _index: int) -> object:
        self.asked["handle"] += 1
        if self.lost:
            raise NvmlRefusedError(Reason.of("driver-error"), GPU_IS_LOST)
        return object()

    def call(self, function: str, *_: Any, **__: Any) -> object:
        self.asked[function] += 1
        raise NvmlRefusedError(Reason.of("driver-error"), NOT_SUPPORTED)


def observed(monkeypatch: pytest.MonkeyPatch, driver: Any) -> tuple[GpuObserver, list[float]]:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return GpuObserver(driver, 0), now


def test_a_lost_card_is_asked_again_after_half_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver(lost=True)
    observer, now = observed(monkeypatch, driver)
    for passed_s, asked in ((0.0, 1), (1.0, 1), (29.0, 1), (30.0, 2), (59.0, 2)):
        now[0] = 1000.0 + passed_s
        assert observer.instant(None).lost
        assert driver.asked["handle"] == asked, passed_s


def test_a_refused_field_is_asked_again_after_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver(lost=False)
    observer, now = observed(monkeypatch, driver)
    monkeypatch.setattr(readings, "memory_info", lambda *_: (8, 6, 2, 0))
    for passed_s, asked in ((0.0, 1), (59.0, 1), (60.0, 2)):
        now[0] = 1000.0 + passed_s
        reading = observer.instant(None)
        assert (reading.lost, reading.power_w, reading.memory_used_bytes) == (False, None, 2)
        assert driver.asked["nvmlDeviceGetPowerUsage"] == asked, passed_s


class Unified(Driver):
    """A processor with a GPU beside it in one memory, whose driver refuses to tell of the memory by `code`."""

    def __init__(self, code: int) -> None:
        super().__init__(lost=False)
        self.code = code

    def call(self, function: str, *_: Any, **__: Any) -> object:
        if function == "nvmlDeviceGetName":
            return "NVIDIA GB10"
        raise NvmlRefusedError(Reason.of("driver-error"), self.code)

    @staticmethod
    def constant(_name: str) -> int:
        return 2


@pytest.mark.parametrize(("code", "used"), [(NOT_SUPPORTED, 5), (NO_PERMISSION, None)])
def test_only_memory_that_the_driver_does_not_know_is_the_hosts(
    monkeypatch: pytest.MonkeyPatch, code: int, used: int | None
) -> None:
    observer, _ = observed(monkeypatch, Unified(code))
    assert observer.instant(5).memory_used_bytes == used
