"""The measured part of the facts: this machine's devices, with kept rates, and its alike GPUs together."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from pathlib import Path

from advisor.advice.request import AdviceRequest
from advisor.catalogue.precisions import TracePrecision
from advisor.hardware.machine import Machine
from advisor.measure.events import RunnerEvent
from advisor.measure.measurement import Measurement
from advisor.measure.plan import make_plan
from advisor.measure.rank_outcome import with_group
from advisor.measure.ranks import RanksPlan, measure_local_ranks
from advisor.measure.runner import run_measurements
from advisor.optable.op_table import OpTable
from advisor.recommend.candidates import local_device, local_gpu_groups
from advisor.store import kept_calibrations


def measured(
    request: AdviceRequest,
    machine: Machine,
    wanted: Sequence[TracePrecision],
    tables: dict[TracePrecision, OpTable],
    cancelled: threading.Event,
) -> Generator[RunnerEvent, None, tuple[Measurement, ...]]:
    """Measure what was asked for; traces that `tables` lacks of those `wanted` are added to it on the way."""
    plan = make_plan(
        request.workload,
        machine,
        budget_s=request.budget_s,
        devices=request.devices,
        allow_code=request.allow_code,
    )
    missing = tuple(precision for precision in wanted if precision not in tables)
    folder = None if request.data_folder is None else Path(request.data_folder)
    reused = kept_calibrations.reusable(folder, machine)
    measurements = yield from run_measurements(
        plan,
        machine,
        cancelled=cancelled,
        tables=tables,
        trace=missing,
        known_rates={key: kept.rates for key, kept in reused.items()},
    )
    kept_calibrations.keep(folder, machine, measurements, reused)
    noted = tuple(kept_calibrations.with_note(item, reused) for item in measurements)
    return (yield from _with_ranks(request, machine, noted, cancelled))


def _with_ranks(
    request: AdviceRequest, machine: Machine, measurements: tuple[Measurement, ...], cancelled: threading.Event
) -> Generator[RunnerEvent, None, tuple[Measurement, ...]]:
    """Where alike GPUs stand together, time their link and a real data-parallel step on ranks of our own."""
    group = max(local_gpu_groups(machine), key=len, default=())
    if len(group) < 2 or request.devices == ("cpu",) or cancelled.is_set():  # noqa: PLR2004 - one card has no link
        return measurements
    plan = RanksPlan(
        workload=request.workload,
        batch_size=request.workload.training.batch_size,
        budget_s=max(5.0, request.budget_s / 3),
        device="cuda",
        strategies=("dp", "ddp"),
        allow_code=request.allow_code,
        usable_core_count=machine.cpu.usable_core_count,
    )
    outcome = yield from measure_local_ranks(plan, len(group), cancelled=cancelled)
    return tuple(
        with_group(measurement, outcome) if measurement.device_key == local_device(group[0]).key else measurement
        for measurement in measurements
    )
