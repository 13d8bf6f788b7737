"""Adds what a step waits for its data loader, where that was timed, to the steps of a device."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from advisor.cost.loading import loading_of, waiting_s
from advisor.predict.device_steps import DeviceSteps
from advisor.predict.prediction import Device
from advisor.predict.sources import Sources


def with_loader(steps: DeviceSteps, device: Device, batch_sizes: Sequence[int], sources: Sources) -> DeviceSteps:
    """The steps of one device with the loader's part; as they are where no pass of the loader was timed."""
    on_cpu = device.key == "cpu"
    machine = sources.machine if device.local else None
    cores = None if machine is None else machine.cpu.usable_core_count
    loading = loading_of(sources.loader, sources.workload.data.loader_workers, core_count=cores, on_cpu=on_cpu)
    if loading is None:
        return steps
    shared = (_thread_count(sources), cores) if on_cpu and cores else None
    batches = np.asarray(batch_sizes, dtype=np.float64)[None, :]
    waits_s = waiting_s(loading, batches, steps.total_s, shared_cores=shared)
    return dataclasses.replace(
        steps,
        loader_s=waits_s,
        low_s=steps.low_s + waiting_s(loading, batches, steps.low_s, "low", shared_cores=shared),
        high_s=steps.high_s + waiting_s(loading, batches, steps.high_s, "high", shared_cores=shared),
    )


def _thread_count(sources: Sources) -> int:
    """Threads that the processor's own steps were timed with."""
    measurement = sources.measurements.get("cpu")
    counts = [step.thread_count for step in measurement.steps if step.thread_count] if measurement is not None else []
    return counts[0] if counts else 1
