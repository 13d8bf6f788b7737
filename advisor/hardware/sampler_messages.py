"""The sampler's letter box: what it may be asked, and the lines it answers with."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from advisor.core.json_lines import decoded
from advisor.core.records import Record, built
from advisor.core.sentences import Reason
from advisor.hardware.machine import Cpu, Gpu, GpuLink, HostMemory, Reading, Software

IntervalS = Annotated[float, Meta(ge=0.01, le=3600)]


class Detect(Record, frozen=True, kw_only=True, tag="detect"):
    """Look once at the whole machine; answered by `HostFound`, `GpuFound`…, `Noticed`…, `Detected`."""

    ask_driver: bool = True
    """False: nothing of NVML is touched."""
    avoid: tuple[str, ...] = ()
    """NVML functions that hung or crashed the driver a moment ago: they are not called."""


class Observe(Record, frozen=True, kw_only=True, tag="observe"):
    """Send a `Read` every `interval_s` from now on; None pauses. May be sent again at any time."""

    interval_s: IntervalS | None
    ask_driver: bool = True


Request = Detect | Observe


class HostFound(Record, frozen=True, kw_only=True, tag="host"):
    """What needs no driver: sent first, so that a hanging driver cannot take it along."""

    cpu: Cpu
    memory: HostMemory
    software: Software
    gpus: tuple[Gpu, ...] = ()
    """AMD, Intel and Apple devices, numbered from 0; NVIDIA's come by `GpuFound`."""


class Asking(Record, frozen=True, kw_only=True, tag="asking"):
    """The call about to be made: the last one before a silence is the one that hung."""

    function: str


class DriverFound(Record, frozen=True, kw_only=True, tag="driver"):
    """NVML came up."""

    version: str | None
    cuda: str | None


class GpuFound(Record, frozen=True, kw_only=True, tag="gpu"):
    """One NVIDIA GPU."""

    gpu: Gpu


class LinksFound(Record, frozen=True, kw_only=True, tag="links"):
    """How the NVIDIA GPUs reach each other."""

    links: tuple[GpuLink, ...]


class Noticed(Record, frozen=True, kw_only=True, tag="notice"):
    """Something missing or wrong on the whole machine."""

    reason: Reason


class Detected(Record, frozen=True, kw_only=True, tag="detected"):
    """Nothing more comes of this detection."""


class Read(Record, frozen=True, kw_only=True, tag="reading"):
    """One instant of every device."""

    reading: Reading


class DriverState(Record, frozen=True, kw_only=True, tag="state"):
    """Why the GPUs cannot be read at the moment; None: they can, or soon will."""

    problem: Reason | None
    opening: bool = False
    """The driver is about to be started, which may take seconds."""


Event = HostFound | Asking | DriverFound | GpuFound | LinksFound | Noticed | Detected | Read | DriverState

_EVENTS: msgspec.json.Decoder[Event] = msgspec.json.Decoder(built(Event))


def sampler_event_of(line: bytes) -> Event | None:
    """The event of a sampler's line; None for a torn line, or one that a driver's library wrote."""
    return decoded(_EVENTS, line)
