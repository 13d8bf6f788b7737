"""The machine, once: starts the sampler, survives what its driver does to it, and puts the pieces together."""

from __future__ import annotations

import time

import msgspec
from msgspec.structs import replace

from advisor.core.child_process import ChildProcess, wait_until
from advisor.core.core_waits import waited_for_core_s
from advisor.core.sentences import Reason
from advisor.hardware.machine import Gpu, GpuLink, Machine
from advisor.hardware.notices import machine_notices
from advisor.hardware.sampler_messages import (
    Asking,
    Detect,
    Detected,
    DriverFound,
    Event,
    GpuFound,
    HostFound,
    LinksFound,
    Noticed,
    sampler_event_of,
)
from advisor.hardware.visible_devices import hidden_indices

SAMPLER = "advisor.hardware.sampler"
_HOST_DEADLINE_S = 30.0
"""Without a driver nothing can hang: whoever takes long here is a machine under load."""
SAMPLER_LIMIT_BYTES = 2**30
"""Of memory: it holds some tens of MB, whatever a driver's library does inside it."""

_CALL_DEADLINE_S = 2.0
_MAX_ATTEMPTS = 4
_CORE_WAITS_S, _LEAST_WAIT_S = 60.0, 0.05
"""What a look may wait for a core beyond a deadline, and less than which is no reason to wait on."""


class SamplerBrokenError(RuntimeError):
    """The sampler cannot look even at the processor: a bug of ours, with its log."""


class _Attempt:
    """The pieces that one run of the sampler sent, and the call it was in when it stopped sending."""

    def __init__(self) -> None:
        self.host: HostFound | None = None
        self.driver: DriverFound | None = None
        self.gpus: list[Gpu] = []
        self.links: tuple[GpuLink, ...] = ()
        self.notices: list[Reason] = []
        self.asking: Asking | None = None
        self.complete = False
        self.hung = False
        self.log = ""

    def take(self, event: Event) -> None:
        """Keep one piece."""
        match event:
            case HostFound():
                self.host = event
            case Asking():
                self.asking = event
            case DriverFound():
                self.driver = event
            case GpuFound():
                self.gpus.append(event.gpu)
            case LinksFound():
                self.links = event.links
            case Noticed():
                self.notices.append(event.reason)
            case Detected():
                self.complete = True


def detect_machine(*, timeout_s: float = 10.0) -> Machine:
    """What this machine is. A driver that hangs or crashes costs its fields, never the answer.

    `timeout_s` bounds the driver's start, from the moment it is asked; later calls get 2 s each. A call that hung or
    crashed is not made again: the sampler is restarted without it, up to three times, then without the driver. Where
    the look ends before the driver is asked, as on a machine that is too busy, that no GPU is known is told.
    Raises SamplerBrokenError when not even the processor could be looked at.
    """
    avoid: list[str] = []
    notices: list[Reason] = []
    attempt = _run(Detect(), timeout_s)
    while not attempt.complete and attempt.asking is not None and len(avoid) + 1 < _MAX_ATTEMPTS:
        avoid.append(attempt.asking.function)
        code = "driver-call-hung" if attempt.hung else "driver-call-crashed"
        notices.append(Reason.of(code, function=attempt.asking.function))
        if attempt.asking.function == "nvmlInit":
            break
        attempt = _run(Detect(avoid=tuple(avoid)), timeout_s)
    if not attempt.complete:
        if attempt.asking is None:
            notices.append(Reason.of("driver-not-asked"))
        elif attempt.asking.function == "nvmlInit":
            notices = [Reason.of("driver-not-responding" if attempt.hung else "driver-crashed")]
        attempt = attempt if attempt.host is not None else _run(Detect(ask_driver=False), timeout_s)
    return _assemble(attempt, notices)


def _run(request: Detect, timeout_s: float) -> _Attempt:
    """One run of the sampler, ended at its `Detected`, its death, or a silence that is too long."""
    attempt = _Attempt()
    child = ChildProcess(SAMPLER, memory_limit_bytes=SAMPLER_LIMIT_BYTES)
    try:
        child.send(msgspec.json.encode(request))
        start_s = time.monotonic() + max(timeout_s, _HOST_DEADLINE_S)
        while not attempt.complete:
            answered, asked = attempt.driver is not None, attempt.asking is not None
            line = _next_line(child, _CALL_DEADLINE_S if answered else wait_until(start_s))
            if line is None:
                break
            event = sampler_event_of(line)
            if event is None:  # whoever writes into this pipe has lost his senses: as if it had crashed
                break
            attempt.take(event)
            if attempt.asking is not None and not asked:
                start_s = time.monotonic() + timeout_s
    except TimeoutError:
        attempt.hung = True
    finally:
        child.close()
        attempt.log = child.log
    return attempt


def _next_line(child: ChildProcess, timeout_s: float) -> bytes | None:
    """As the child's own; what it waited for a core is given to it once more: on a busy machine no driver hangs by it.

    Raises TimeoutError at the deadline so put off.
    """
    pid, given_s = child.process.pid, 0.0
    waited_s = waited_for_core_s(pid)
    while True:
        try:
            return child.next_line(timeout_s)
        except TimeoutError:
            before_s, waited_s = waited_s, waited_for_core_s(pid)
            timeout_s = min(waited_s - before_s, _CORE_WAITS_S - given_s)
            given_s += timeout_s
            if timeout_s < _LEAST_WAIT_S:
                raise


def _assemble(attempt: _Attempt, notices: list[Reason]) -> Machine:
    if attempt.host is None:
        message = f"the sampler ended without an answer: {attempt.log[-2000:]}"
        raise SamplerBrokenError(message)
    hidden, ambiguous = hidden_indices(attempt.gpus)
    nvidia = [replace(gpu, hidden_from_cuda=gpu.index in hidden) for gpu in attempt.gpus]
    others = [replace(gpu, index=place) for place, gpu in enumerate(attempt.host.gpus, start=len(nvidia))]
    software = attempt.host.software
    if attempt.driver is not None:
        software = replace(software, driver=attempt.driver.version, cuda_driver=attempt.driver.cuda)
    gpus = tuple(_with_spec([*nvidia, *others]))
    machine = Machine(
        cpu=attempt.host.cpu,
        memory=attempt.host.memory,
        gpus=gpus,
        links=attempt.links,
        software=software,
        notices=(*notices, *attempt.notices),
    )
    return replace(machine, notices=machine.notices + machine_notices(machine, ambiguous=ambiguous))


def _with_spec(gpus: list[Gpu]) -> list[Gpu]:
    if not gpus:
        return gpus
    from advisor.catalogue.spec_table import spec_for, spec_table  # read only where there is a GPU to look up

    table = spec_table()
    specs = [spec_for(gpu.name, gpu.memory_total_bytes, table) for gpu in gpus]
    return [replace(gpu, spec_key=None if spec is None else spec.key) for gpu, spec in zip(gpus, specs, strict=True)]
