"""Runs a plan device by device: an ordinary generator of events, whose value is what was measured."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Generator, Mapping

from msgspec.structs import replace

from advisor.catalogue.precisions import TracePrecision
from advisor.core.sentences import Reason
from advisor.hardware.machine import Machine, Reading
from advisor.hardware.monitor import Monitor
from advisor.measure.device_run import DeviceRun
from advisor.measure.events import DeviceEnded, RunnerEvent
from advisor.measure.measurement import Measurement, RateMeasurement
from advisor.measure.plan import Plan
from advisor.optable.op_table import OpTable

_READINGS_BEFORE = 21
"""Of the last device's run, that tell what the next one is used for by others."""
_START_ALLOWANCE_S = 5.0
"""Importing torch does not count against the first device's budget, up to this long."""


def run_measurements(  # noqa: PLR0913 - what a run may be given
    plan: Plan,
    machine: Machine,
    *,
    cancelled: threading.Event | None = None,
    tables: dict[TracePrecision, OpTable] | None = None,
    trace: tuple[TracePrecision, ...] = (),
    known_rates: Mapping[str, tuple[RateMeasurement, ...]] | None = None,
) -> Generator[RunnerEvent, None, tuple[Measurement, ...]]:
    """Measure every device of the plan in turn; one that fails ends alone, with a caveat and its samples kept.

    `tables`: traces that are known already; they choose batch sizes, and those asked for by `trace` are made by
    the first device's worker before it measures and added to this dictionary. Cancelled: what was
    measured so far is returned, devices not reached are `not_measured`. The monitor runs from start to end.
    `known_rates`: earlier calibrations by device key that still hold (`collection.calibration_key`); these devices
    are not calibrated again and spend that time on the model's steps.
    """
    cancelled = cancelled or threading.Event()
    traced: dict[TracePrecision, OpTable] = {} if tables is None else tables
    measurements: list[Measurement] = []
    before: deque[Reading] = deque(maxlen=_READINGS_BEFORE)
    allowance_s = _START_ALLOWANCE_S
    done_s, whole_s = 0.0, max(1e-9, sum(device.budget_s for device in plan.devices))
    with Monitor() as monitor:
        for device in plan.devices:
            earlier = (known_rates or {}).get(device.key, ())
            planned = replace(device, calibration_s=0.0) if earlier else device
            if cancelled.is_set() and device.skipped is None:
                planned = replace(planned, skipped=Reason.of("measure-cancelled"))
            deadline_s = time.monotonic() + planned.budget_s + allowance_s
            run = DeviceRun(plan, planned, machine, monitor, deadline_s, traced, trace=trace, cancelled=cancelled)
            run.share = (done_s / whole_s, device.budget_s / whole_s)
            done_s += device.budget_s
            run.collection.before.extend(before)
            run.collection.known_rates = earlier
            for event in run.run():
                if isinstance(event, Reading):
                    before.append(event)
                if isinstance(event, DeviceEnded):
                    measurements.append(event.measurement)
                yield event
            allowance_s = 0.0 if planned.skipped is None else allowance_s
    return tuple(measurements)
