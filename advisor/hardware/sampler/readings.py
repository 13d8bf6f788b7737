"""One instant after another of every NVIDIA GPU; a GPU that falls off the bus leaves the others going."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from advisor.hardware.driver_problems import LOST_CODES, NOT_SUPPORTED
from advisor.hardware.machine import GpuReading
from advisor.hardware.sampler.fields import (
    MOST_MEMORY_BYTES,
    celsius,
    count,
    hertz,
    is_unified,
    memory_info,
    text,
    watts,
)
from advisor.hardware.sampler.nvml import NONSENSE, Nvml, NvmlRefusedError

T = TypeVar("T")

_SM_CLOCK = 1
_RETRY_REFUSED_S = 60.0
_RETRY_LOST_S = 30.0


class GpuObserver:
    """One GPU over time. A refused field is asked again only after a minute, a lost GPU after half of one."""

    def __init__(self, nvml: Nvml, index: int) -> None:
        """Look the GPU up at the first `instant`."""
        self._nvml = nvml
        self._index = index
        self._handle: Any = None
        self._uuid: str | None = None
        self._unified = False
        self._lost_until_s: float | None = None
        self._refused_until_s: dict[str, float] = {}

    def instant(self, used_by_host_bytes: int | None) -> GpuReading:
        """The GPU now; None where the driver would not say. `used_by_host_bytes`: RAM in use, for shared memory."""
        if self._lost_until_s is not None and time.monotonic() < self._lost_until_s:
            return self._blank(lost=True)
        self._lost_until_s = None
        if self._handle is None and not self._look_up():
            return self._blank(lost=self._lost_until_s is not None)
        reading = GpuReading(
            uuid=self._uuid,
            index=self._index,
            utilisation_fraction=self._ask("nvmlDeviceGetUtilizationRates", convert=_utilisation),
            memory_used_bytes=used_by_host_bytes if self._unified else self._memory_used(),
            power_w=self._ask("nvmlDeviceGetPowerUsage", convert=watts),
            sm_clock_hz=self._ask("nvmlDeviceGetClockInfo", _SM_CLOCK, convert=hertz),
            temperature_celsius=self._ask("nvmlDeviceGetTemperature", 0, convert=celsius),
            throttle_bits=self._throttle_bits(),
        )
        return self._blank(lost=True) if self._lost_until_s is not None else reading

    def _look_up(self) -> bool:
        try:
            self._handle = self._nvml.handle(self._index)
        except NvmlRefusedError as refusal:
            self._note(refusal)
            return False
        self._uuid = self._ask("nvmlDeviceGetUUID", convert=text)
        self._unified = is_unified(self._ask("nvmlDeviceGetName", convert=text)) and self._memory_hidden()
        return self._lost_until_s is None

    def _memory_hidden(self) -> bool:
        if self._lost_until_s is not None:
            return False
        try:
            memory_info(self._nvml, self._handle)
        except NvmlRefusedError as refusal:
            return refusal.code == NOT_SUPPORTED
        return False

    def _memory_used(self) -> int | None:
        if self._lost_until_s is not None or self._silenced("memory"):
            return None  # a lost GPU has no handle any more
        try:
            total, free, used, reserved = memory_info(self._nvml, self._handle)
        except NvmlRefusedError as refusal:
            self._note(refusal, "memory")
            return None
        # Version 1 of the call counts what the driver reserves as used.
        taken = used if reserved is not None else total - free
        return taken if 0 <= taken <= total <= MOST_MEMORY_BYTES else None

    def _throttle_bits(self) -> int | None:
        for function in ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"):
            bits = self._ask(function, convert=int)
            if bits is not None or self._lost_until_s is not None:
                return bits
        return None

    def _ask(self, function: str, *arguments: Any, convert: Callable[[Any], T]) -> T | None:  # noqa: ANN401
        name = f"{function}{arguments}"
        if self._lost_until_s is not None or self._silenced(name):
            return None
        try:
            return convert(self._nvml.call(function, self._handle, *arguments))
        except NvmlRefusedError as refusal:
            self._note(refusal, name)
        except NONSENSE:
            pass  # a nonsensical value is unknown this time and asked again next time
        return None

    def _silenced(self, name: str) -> bool:
        return time.monotonic() < self._refused_until_s.get(name, 0.0)

    def _note(self, refusal: NvmlRefusedError, name: str | None = None) -> None:
        now_s = time.monotonic()
        if refusal.code in LOST_CODES:
            self._lost_until_s = now_s + _RETRY_LOST_S
            self._handle = None
        elif name is not None:
            self._refused_until_s[name] = now_s + _RETRY_REFUSED_S

    def _blank(self, *, lost: bool) -> GpuReading:
        return GpuReading(uuid=self._uuid, index=self._index, lost=lost)


def _utilisation(rates: Any) -> float:  # noqa: ANN401 - a structure of pynvml
    percent = count(rates.gpu)
    if percent > 100:  # noqa: PLR2004 - per cent
        raise ValueError(percent)
    return percent / 100
