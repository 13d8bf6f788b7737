"""Joules of a job: from measured power where it was read, otherwise from board power with its range."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.core.records import Record
from advisor.core.units import Estimate
from advisor.cost.parts import PartKind
from advisor.hardware.machine import Machine
from advisor.measure.measurement import Measurement
from advisor.predict.prediction import Prediction, basis_of
from advisor.recommend.prices import Prices, cost_of

BOARD_POWER_VALUE = 0.8
BOARD_POWER_LOW = 0.45
BOARD_POWER_HIGH = 1.0
"""Share of its board power that a card draws while training: a bound above (the limit holds) and a wide guess below,
because a launch-bound or memory-bound card idles between kernels. A range, not a fit."""

IDLE_SHARE = 0.25
"""Share of the board power that a waiting card still draws."""

_FEWEST_READINGS = 5
_WAITING: tuple[PartKind, ...] = ("host", "loader", "synchronisation", "communication", "imbalance")
"""Parts of a step in which the card waits."""


class PowerDraw(Record, frozen=True, kw_only=True):
    """Watts of one device while it trains, with their range and basis."""

    draw_w: Estimate
    limit_w: float | None
    """Board power or the limit that is set; None: unknown."""


def power_draws(
    machine: Machine, specs: Mapping[str, GpuSpec], measurements: Sequence[Measurement]
) -> dict[str, PowerDraw]:
    """Power by device key: local GPUs by their readings or limit, table cards by board power.

    A CPU's power is that of its packages where their counters could be read, else it is not among the keys.
    """
    draws = {key: _from_board(spec.power_w) for key, spec in specs.items() if spec.power_w is not None}
    read = {measurement.device_key: _measured_power(measurement) for measurement in measurements}
    cpu = read.get("cpu")
    if cpu is not None:
        draws["cpu"] = PowerDraw(draw_w=cpu, limit_w=None)
    for gpu in machine.gpus:
        spec = specs.get(gpu.spec_key or "")
        limit = gpu.power_limit_w or (spec.power_w if spec is not None else None)
        measured = read.get(gpu.key)
        if measured is not None:
            draws[gpu.key] = PowerDraw(draw_w=measured, limit_w=limit)
        elif limit is not None:
            draws[gpu.key] = _from_board(limit)
    return draws


def _from_board(board_w: float) -> PowerDraw:
    draw = Estimate(
        value=board_w * BOARD_POWER_VALUE,
        low=board_w * BOARD_POWER_LOW,
        high=board_w * BOARD_POWER_HIGH,
        basis="specified",
    )
    return PowerDraw(draw_w=draw, limit_w=board_w)


def _measured_power(measurement: Measurement) -> Estimate | None:
    """Median and outer deciles of a processor's packages, or of a GPU while it was busy; None: too few readings."""
    if measurement.device_key == "cpu":
        read = [reading.cpu_power_w for reading in measurement.readings]
    else:
        gpus = (gpu for reading in measurement.readings for gpu in reading.gpus if gpu.key == measurement.device_key)
        read = [gpu.power_w for gpu in gpus if (gpu.utilisation_fraction or 0) > 0]
    watts = sorted(power_w for power_w in read if power_w is not None)
    if len(watts) < _FEWEST_READINGS:
        return None
    tenth = len(watts) // 10
    return Estimate(value=statistics.median(watts), low=watts[tenth], high=watts[-1 - tenth], basis="measured")


def energy_of(prediction: Prediction, draws: Mapping[str, PowerDraw]) -> Estimate | None:
    """Joules of the whole job on all devices of a set-up; None where power or time is unknown.

    For board power the share of the step in which the card waits (host, loader, communication) counts with
    idle power. The range multiplies the ranges of time and power at their outer ends.
    """
    draw = draws.get(prediction.device.key)
    if draw is None or prediction.job_s is None:
        return None
    watts = draw.draw_w
    if watts.basis == "specified" and draw.limit_w is not None:
        idle_w = IDLE_SHARE * draw.limit_w
        busy = _busy_share(prediction)
        value = busy * watts.value + (1 - busy) * idle_w
        watts = msgspec.structs.replace(watts, value=value, low=min(watts.low, value))
    job = prediction.job_s
    return watts.times(job, basis_of(watts.basis, job.basis)).scaled(prediction.count)


def _busy_share(prediction: Prediction) -> float:
    total = sum(part.duration_s for part in prediction.parts)
    return 1.0 - prediction.part_s(*_WAITING) / total if total > 0 else 1.0


def add_energy_and_cost(
    predictions: Sequence[Prediction], draws: Mapping[str, PowerDraw], prices: Prices | None
) -> tuple[Prediction, ...]:
    """The predictions with `energy_j`, `cost` and `currency` filled in where they are known."""
    filled = []
    for prediction in predictions:
        powered = msgspec.structs.replace(prediction, energy_j=energy_of(prediction, draws) or prediction.energy_j)
        cost = cost_of(powered, prices)
        currency = prices.currency if prices is not None and cost is not None else None
        filled.append(msgspec.structs.replace(powered, cost=cost, currency=currency))
    return tuple(filled)
