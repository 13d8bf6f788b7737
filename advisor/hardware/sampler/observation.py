"""Readings at a steady pace; an idle observation lets go of the driver so that a hybrid GPU may sleep."""

from __future__ import annotations

import time
from collections.abc import Callable

from msgspec.structs import replace

from advisor.core.sentences import Reason
from advisor.hardware.driver_problems import driver_problem
from advisor.hardware.sampler.host import HostObserver, is_container
from advisor.hardware.sampler.nvml import MAX_GPUS, Nvml, NvmlRefusedError, NvmlUnavailableError
from advisor.hardware.sampler.pci import nvidia_presence
from advisor.hardware.sampler.readings import GpuObserver
from advisor.hardware.sampler_messages import DriverState, Event, Observe, Read

_RELEASE_AFTER_S = 30.0
_RETRY_DRIVER_S = 60.0
_RETRY_ASLEEP_S = 2.0


class Observation:
    """Takes a `Reading` whenever it is due and sends it; tells when the GPUs become unreadable and why."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        """Paused until `change` names an interval."""
        self._emit = emit
        self._interval_s: float | None = None
        self._ask_driver = True
        self._due_s = 0.0
        self._paused_since_s = time.monotonic()
        self._host = HostObserver()
        self._nvml: Nvml | None = None
        self._gpus: list[GpuObserver] = []
        self._retry_s = 0.0
        self._problem: Reason | None = None

    def change(self, request: Observe) -> None:
        """Take up another pace (None: pause); the next reading is due at once."""
        if request.interval_s is None and self._interval_s is not None:
            self._paused_since_s = time.monotonic()
        self._interval_s = request.interval_s
        self._ask_driver = request.ask_driver
        self._due_s = time.monotonic()

    def seconds_to_next(self) -> float | None:
        """Seconds until `take` has something to do; None: never, by itself."""
        if self._interval_s is not None:
            return max(0.0, self._due_s - time.monotonic())
        return None if self._nvml is None else max(0.0, self._paused_since_s + _RELEASE_AFTER_S - time.monotonic())

    def take(self) -> None:
        """Send the reading that is due, or let go of the driver after a long pause."""
        if self._interval_s is None:
            self.close()
            return
        host = self._host.instant()
        # A missed beat is skipped, not made up for.
        self._due_s = max(self._due_s + self._interval_s, host.monotonic_s)
        gpus = tuple(observer.instant(host.memory_used_bytes) for observer in self._gpus)
        self._emit(Read(reading=replace(host, gpus=gpus, driver_responding=self._ask_driver)))
        if self._ask_driver:
            self._open_driver(host.monotonic_s)  # after the host's reading: it may take seconds

    def close(self) -> None:
        """Shut NVML down; the next reading opens it again."""
        if self._nvml is not None:
            self._nvml.close()
        self._nvml, self._gpus, self._retry_s = None, [], 0.0

    def _open_driver(self, now_s: float) -> None:
        if self._nvml is not None or now_s < self._retry_s:
            return
        presence = nvidia_presence()
        if presence.device_count and presence.asleep_count == presence.device_count:
            self._retry_s = now_s + _RETRY_ASLEEP_S
            self._tell(Reason.of("driver-gpu-asleep"))
            return
        self._retry_s = now_s + _RETRY_DRIVER_S
        self._emit(DriverState(problem=self._problem, opening=True))
        try:
            nvml = Nvml(container=is_container())
        except NvmlUnavailableError as unavailable:
            self._tell(unavailable.reason)
            return
        # Opened: from here on an answer is due as in any poll, or the host's readings would wait as for a start.
        self._emit(DriverState(problem=None))
        try:
            number = min(int(nvml.call("nvmlDeviceGetCount")), MAX_GPUS)
        except NvmlRefusedError as refusal:
            nvml.close()
            self._tell(refusal.reason if refusal.code is None else driver_problem(refusal.code))
            return
        self._nvml = nvml
        self._gpus = [GpuObserver(nvml, index) for index in range(number)]
        self._tell(None if number else Reason.of("driver-no-gpus"))

    def _tell(self, problem: Reason | None) -> None:
        self._problem = problem
        self._emit(DriverState(problem=problem))
