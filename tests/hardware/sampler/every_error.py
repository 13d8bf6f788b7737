"""Every function of the stub × every error code × 1st and 5th call, in one process that survives them all.

Run as a child by test_every_error.py with LIBRARY, a FOLDER for scenarios and function names; prints one JSON object.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path

import msgspec

from advisor.hardware.machine import Gpu, HostMemory, Reading
from advisor.hardware.sampler.detection import detect_gpus
from advisor.hardware.sampler.nvml import Nvml, NvmlUnavailableError
from advisor.hardware.sampler.readings import GpuObserver
from advisor.hardware.sampler_messages import Event, GpuFound, Noticed
from tests.hardware.test_detect import unexplained

CODES = (*range(1, 31), 999)
HOST = HostMemory(total_bytes=2**34, available_bytes=2**33, cgroup_limit_bytes=None)
BASE = """\
{fault}
dev
name NVIDIA A100-SXM4-80GB
cc 8.0
mem 81920 450 600
migmode 1
mig MIG-11111111-1111-5111-8111-111111111111 4864 7 0
nvlink 2
proc 4242 100
dev
name NVIDIA A100-SXM4-80GB
uuid GPU-aaaaaaaa-0000-4000-8000-000000000001
cc 8.0
mem 81920 450 600
nvlink 2
"""


def look(index_count: int = 2) -> tuple[list[Event], list[Reading]]:
    """One detection and six polls, as the sampler does them."""
    events: list[Event] = []
    try:
        nvml = Nvml()
    except NvmlUnavailableError as unavailable:
        return [Noticed(reason=unavailable.reason)], []
    detect_gpus(nvml, events.append, HOST)
    observers = [GpuObserver(nvml, index) for index in range(index_count)]
    readings = [
        Reading(monotonic_s=float(beat), gpus=tuple(observer.instant(None) for observer in observers))
        for beat in range(6)
    ]
    nvml.close()
    return events, readings


def faults_of(events: list[Event], readings: list[Reading]) -> list[str]:
    """What is wrong with the answer: nothing said, a field without its reason, a line that is no JSON."""
    wrong = []
    gpus: list[Gpu] = [event.gpu for event in events if isinstance(event, GpuFound)]
    if not gpus and not any(isinstance(event, Noticed) for event in events):
        wrong.append("neither a GPU nor a notice")
    wrong += [f"gpu {gpu.index}: no reason for {unexplained(gpu)}" for gpu in gpus if unexplained(gpu)]
    for event in events:
        if msgspec.json.decode(msgspec.json.encode(event), type=type(event)) != event:
            wrong.append("a line that does not come back")
    if any(reading.gpus[0].lost and reading.gpus[0].power_w is not None for reading in readings):
        wrong.append("a lost GPU with figures")
    return wrong


def main() -> None:
    """Try all, print how many and what was wrong."""
    library, folder, *functions = sys.argv[1:]
    stub = ctypes.CDLL(library)
    scenario = Path(folder) / "scenario.txt"
    os.environ["FAKE_NVML"] = str(scenario)
    wrong, number = [], 0
    for function in functions:
        for code in CODES:
            for after in (0, 4):
                scenario.write_text(BASE.format(fault=f"fault {function} {code} {after}"), encoding="ascii")
                stub.fakeNvmlReset()
                problems = faults_of(*look())
                number += 1
                wrong += [f"{function} {code} from call {after + 1}: {problem}" for problem in problems]
    print(json.dumps({"number": number, "wrong": wrong[:50]}))


if __name__ == "__main__":
    main()
