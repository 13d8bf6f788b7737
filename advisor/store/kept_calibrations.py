"""Microbenchmarks of earlier runs, reused while device, driver, torch, power limit and threads stay the same."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from advisor.core.errors import OutputError
from advisor.core.sentences import Reason
from advisor.hardware.machine import Machine
from advisor.measure.measurement import Measurement, RateMeasurement
from advisor.store.history import History

_TRUSTED = frozenset({"stable", "usable"})
_LEAST_TRUSTED_SHARE = 0.8


def reusable(folder: Path | None, machine: Machine) -> dict[str, Measurement]:
    """The kept calibrations of this machine's devices that still hold, by device key; none without a folder."""
    if folder is None:
        return {}
    keys = ["cpu", *(gpu.uuid for gpu in machine.gpus if gpu.uuid is not None)]
    try:
        with History(folder) as history:
            calibrations = {key: history.calibration(key, machine) for key in keys}
    except (OSError, ValueError, sqlite3.Error):  # told when the run is kept; here it costs only the reuse
        return {}
    return {key: kept for key, kept in calibrations.items() if kept is not None and kept.rates}


def keep(
    folder: Path | None, machine: Machine, measurements: Sequence[Measurement], reused: Mapping[str, Measurement]
) -> None:
    """Keep what was calibrated anew and may be trusted; a history that cannot be written costs only the reuse."""
    if folder is None:
        return
    fresh = [item for item in measurements if item.device_key not in reused and trusted(item.rates)]
    if not fresh:
        return
    try:
        with History(folder) as history:
            for item in fresh:
                history.keep_calibration(calibration_of(item), machine)
    except OutputError:
        return


def trusted(rates: Sequence[RateMeasurement]) -> bool:
    """Whether a calibration is good enough to be used again: nearly all of it stable, none of it disturbed."""
    judged = [rate.verdict.kind for rate in rates if rate.verdict.kind != "not_measured"]
    if not judged or {"contended", "throttled"} & set(judged):
        return False
    return sum(kind in _TRUSTED for kind in judged) >= _LEAST_TRUSTED_SHARE * len(judged)


def calibration_of(measurement: Measurement) -> Measurement:
    """The part of a measurement that says something of the device alone."""
    return msgspec.structs.replace(
        measurement,
        workload_name=None,
        steps=(),
        communication=(),
        readings=(),
        caveats=(),
        log_tail="",
        kept_memory=None,
    )


def with_note(measurement: Measurement, reused: Mapping[str, Measurement]) -> Measurement:
    """The measurement, saying since when its calibration holds where that was not made anew."""
    kept = reused.get(measurement.device_key)
    if kept is None:
        return measurement
    note = Reason.of("history-calibration-reused", device=measurement.device_name, date=kept.created_utc[:10])
    return msgspec.structs.replace(measurement, caveats=(*measurement.caveats, note))
