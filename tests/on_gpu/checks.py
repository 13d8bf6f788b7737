"""What must hold of a recording: on the card while it is made, and of the kept file for ever."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.spec_table import spec_table
from advisor.hardware.machine import Gpu, Reading
from tests.on_gpu.recording import Happening, RateSeen, Recording, SmiCard, StepSeen, gpu_key

_AGREES = 0.02
"""How far two tools may differ on one figure."""
_LEAST_OF_PEAK = 1.0 / 3.0
_MOST_OF_PEAK = 1.03
"""A product above the data sheet's peak is a fault of ours; clocks above the nominal boost are worth 3 %."""
_LARGE_PRODUCT = 4096
_LARGE_COUNT = 1 << 26
_LONG_STEP_S = 0.005
"""From here on a step's events and the wall clock must agree: what the host adds is small."""
_EVENTS_AGREE = 0.15
_EXPECTED_FIELDS = (
    "memory_total_bytes", "memory_free_bytes", "compute_capability", "sm_clock_hz", "sm_clock_max_hz",
    "memory_clock_hz", "power_w", "power_limit_w", "temperature_celsius", "pcie_generation", "pcie_width",
    "nvlink_count", "compute_mode", "mig_enabled",
)  # fmt: skip
_TRUSTED_SHARE = 0.6
"""Steps that wait for their host vary with it: of 66 on an idle H200 in a virtual machine 44 could be ranked."""


def problems_of(recording: Recording) -> list[str]:
    """Everything that is wrong with it."""
    found = []
    for gpu in recording.machine.gpus:
        found += field_problems(gpu)
    found += smi_problems(recording.machine.gpus, recording.machine.software.driver, recording.smi)
    found += reading_problems(recording.readings)
    card = gpu_key(recording)
    found += rate_problems(recording.rates, None if card is None else spec_table()[card])
    total = max((gpu.memory_total_bytes or 0 for gpu in recording.machine.gpus), default=0)
    for step in recording.steps:
        found += step_problems(step, total or None)
    found += trust_problems(recording.steps)
    for happening in recording.happenings:
        found += happening_problems(happening)
    return found


def field_problems(gpu: Gpu) -> list[str]:
    """A field is told, or refused with a reason: never absent without a word."""
    refused = {refusal.field for refusal in gpu.refusals}
    return [
        f"{gpu.name}: {field} is neither told nor refused"
        for field in _EXPECTED_FIELDS
        if getattr(gpu, field) is None and field not in refused
    ]


def smi_problems(gpus: Iterable[Gpu], driver: str | None, cards: Iterable[SmiCard]) -> list[str]:
    """Our fields against those of `nvidia-smi`, card by card; a temperature moves, by ten degrees at most."""
    ours = {gpu.uuid: gpu for gpu in gpus}
    found = []
    for card in cards:
        gpu = ours.get(card.uuid)
        if gpu is None:
            found.append(f"nvidia-smi shows {card.uuid}, the sampler does not")
            continue
        pairs = {
            "memory_total_bytes": (gpu.memory_total_bytes, card.memory_total_bytes),
            "power_limit_w": (gpu.power_limit_w, card.power_limit_w),
            "sm_clock_max_hz": (gpu.sm_clock_max_hz, card.sm_clock_max_hz),
            "pcie_width": (gpu.pcie_width, card.pcie_width),
        }
        if gpu.name != card.name:
            found.append(f"name: {gpu.name!r}, nvidia-smi says {card.name!r}")
        if driver != card.driver:
            found.append(f"driver: {driver!r}, nvidia-smi says {card.driver!r}")
        for field, (own, theirs) in pairs.items():
            if own is not None and theirs is not None and abs(own - theirs) > _AGREES * theirs:
                found.append(f"{field}: {own:g}, nvidia-smi says {theirs:g}")
        near = (gpu.temperature_celsius, card.temperature_celsius)
        if near[0] is not None and near[1] is not None and abs(near[0] - near[1]) > 10.0:
            found.append(f"temperature_celsius: {near[0]:g}, nvidia-smi says {near[1]:g}")
    return found


def reading_problems(readings: Iterable[Reading]) -> list[str]:
    """Readings while the card works show a card that works."""
    kept = [one for one in readings if one.gpus]
    if not kept:
        return []
    found = []
    if not all(one.driver_responding for one in kept):
        found.append("the driver fell silent while the card worked")
    busy = [gpu.utilisation_fraction for one in kept for gpu in one.gpus if gpu.utilisation_fraction is not None]
    if busy and max(busy) < 0.5:
        found.append(f"the busiest reading of a card at work is {max(busy):.0%}")
    if any(not 0.0 <= fraction <= 1.0 for fraction in busy):
        found.append("a utilisation lies outside 0 to 1")
    return found


def rate_problems(rates: Iterable[RateSeen], spec: GpuSpec | None) -> list[str]:
    """Large products and long arrays against the data sheet: above its peak or under a third of it is a failure."""
    if spec is None:
        return []
    found = []
    for rate in rates:
        peak, unit, work = _peak(rate, spec)
        if peak is None:
            continue
        reached = work / rate.median_s / peak
        if not _LEAST_OF_PEAK <= reached <= _MOST_OF_PEAK:
            found.append(f"{rate.kind} in {rate.precision}: {reached:.0%} of the data sheet's {peak:.3g} {unit}")
    return found


def _peak(rate: RateSeen, spec: GpuSpec) -> tuple[float | None, str, float]:
    figures = rate.figures
    if rate.kind == "matmul" and min(figures.get(side, 0.0) for side in ("m", "k", "n")) >= _LARGE_PRODUCT:
        peaks = {
            "fp32": spec.fp32_flop_per_s,
            "tf32": spec.tf32_flop_per_s,
            "fp16": spec.fp16_flop_per_s,
            "bf16": spec.bf16_flop_per_s,
        }
        return peaks.get(rate.precision), "FLOP/s", figures["flop"]
    if rate.kind == "elementwise" and figures.get("count", 0.0) >= _LARGE_COUNT:
        return spec.memory_bandwidth_bytes_per_s, "B/s", figures["bytes"]
    return None, "", 0.0


def step_problems(step: StepSeen, memory_total_bytes: int | None) -> list[str]:
    """Events against the wall clock, and the allocator's peaks against each other and the card."""
    name = f"{step.workload} {step.precision} batch {step.batch_size} {step.change}".rstrip()
    found = []
    if step.verdict == "not_measured" or step.median_s is None:
        return [f"{name}: not measured"]
    if len(step.device_s) != len(step.wall_s):
        found.append(f"{name}: {len(step.device_s)} event times for {len(step.wall_s)} blocks")
    elif step.wall_s:
        wall_s, device_s = statistics.median(step.wall_s), statistics.median(step.device_s)
        if device_s > wall_s * (1.0 + _AGREES):
            found.append(f"{name}: events say {device_s:.3g} s, the clock only {wall_s:.3g} s")
        block_s = wall_s * statistics.median(step.step_counts)
        if block_s > _LONG_STEP_S and device_s < wall_s * (1.0 - _EVENTS_AGREE):
            found.append(f"{name}: events say {device_s:.3g} s, the clock {wall_s:.3g} s")
    allocated, reserved = step.peak_allocated_bytes, step.peak_reserved_bytes
    if step.no_peak is not None:
        return found
    if allocated is None or reserved is None:
        found.append(f"{name}: the allocator told no peak")
    elif not 0 < allocated <= reserved:
        found.append(f"{name}: {allocated} bytes allocated of {reserved} reserved")
    elif memory_total_bytes is not None and reserved > memory_total_bytes:
        found.append(f"{name}: {reserved} bytes reserved of a card with {memory_total_bytes}")
    return found


def trust_problems(steps: Iterable[StepSeen]) -> list[str]:
    """An idle card gives steps that may be ranked, but for a few."""
    verdicts = [step.verdict for step in steps]
    trusted = sum(verdict in {"stable", "usable"} for verdict in verdicts)
    if verdicts and trusted < _TRUSTED_SHARE * len(verdicts):
        return [f"only {trusted} of {len(verdicts)} steps may be ranked"]
    return []


def happening_problems(happening: Happening) -> list[str]:
    """Each happening states facts that must be true, by their names: `ok_…`."""
    wrong = [name for name, value in happening.facts.items() if name.startswith("ok_") and value is not True]
    return [f"{happening.name}: {name} is not so" for name in wrong]
