"""What one detection and six polls say of every scenario of the stub, in one process.

Run as a child by test_every_scenario.py with LIBRARY; prints one JSON object.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from typing import Any

import msgspec

from advisor.hardware.machine import HostMemory
from advisor.hardware.sampler.detection import detect, detect_gpus
from advisor.hardware.sampler.nvml import Nvml, NvmlUnavailableError
from advisor.hardware.sampler.readings import GpuObserver
from advisor.hardware.sampler_messages import Detect, DriverFound, Event, GpuFound
from tests.fake_nvml.stub import SCENARIOS

HOST = HostMemory(total_bytes=2**34, available_bytes=2**33, cgroup_limit_bytes=None)
LEFT_OUT = {"crash", "hang", "init_hang", "count_hang", "container_lost"}
"""Those that end or stop the process, and the one whose answer depends on where it is asked."""


def look() -> dict[str, Any]:
    """One detection and six polls; in a container, so that no process of this machine is named."""
    events: list[Event] = []
    try:
        nvml = Nvml(container=True)
    except NvmlUnavailableError as unavailable:
        return {"reason": msgspec.to_builtins(unavailable.reason)}
    detect_gpus(nvml, events.append, HOST)
    whole: list[Event] = []
    detect(Detect(), whole.append)
    events += [event for event in whole if isinstance(event, DriverFound)]
    count = sum(isinstance(event, GpuFound) for event in events)
    observers = [GpuObserver(nvml, index) for index in range(count)]
    polls = [[observer.instant(None) for observer in observers] for _ in range(6)]
    nvml.close()
    told = [{type(event).__name__: msgspec.to_builtins(event)} for event in events]
    return {"events": told, "polls": msgspec.to_builtins(polls[::5])}


def main() -> None:
    """Every scenario by its name."""
    stub = ctypes.CDLL(sys.argv[1])
    found = {}
    for path in sorted(SCENARIOS.glob("*.txt")):
        if path.stem not in LEFT_OUT:
            os.environ["FAKE_NVML"] = str(path)
            stub.fakeNvmlReset()
            found[path.stem] = look()
    print(json.dumps(found, indent=0))


if __name__ == "__main__":
    main()
