"""What a run tells while it goes on: the worker's events, device readings, and where the run is."""

from __future__ import annotations

from advisor.core.child_process import ExitKind
from advisor.core.records import Record
from advisor.hardware.machine import Reading
from advisor.measure.measurement import Measurement
from advisor.protocol.messages import WorkerEvent


class RunProgress(Record, frozen=True, kw_only=True, tag="run_progress"):
    """How far the whole run is; `phase` is a message id (`measure-phase-…`), `detail` a kernel or a batch size."""

    phase: str
    fraction: float
    left_s: float
    """Time left by the plan; a run that settles early ends sooner."""
    device_key: str | None = None
    detail: str = ""


class DeviceStarted(Record, frozen=True, kw_only=True, tag="device_started"):
    """The worker of a device starts; all worker events until `DeviceEnded` are about this device."""

    device_key: str
    device_name: str
    started_monotonic_s: float


class PhaseStarted(Record, frozen=True, kw_only=True, tag="phase_started"):
    """A phase begins, for shading the plots: it lasts until the next one or the device's end."""

    device_key: str
    phase: str
    detail: str
    started_monotonic_s: float


class DeviceEnded(Record, frozen=True, kw_only=True, tag="device_ended"):
    """A device is done: how its worker ended, and everything that was measured on it."""

    device_key: str
    exit_kind: ExitKind
    ended_monotonic_s: float
    measurement: Measurement


RunnerEvent = WorkerEvent | Reading | RunProgress | DeviceStarted | PhaseStarted | DeviceEnded
