"""What was measured: raw samples first, then their summary, verdict and caveats."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from advisor.catalogue.precisions import Precision
from advisor.core.records import Record
from advisor.core.sentences import Reason
from advisor.hardware.machine import Reading
from advisor.protocol.messages import Environment, LoaderPass, Memory, Sample, StepPart

VerdictKind = Literal["stable", "usable", "unstable", "throttled", "contended", "not_measured"]
DOUBTED: frozenset[VerdictKind] = frozenset({"unstable", "throttled", "contended"})
"""Of a series that was disturbed or varies too much to rank by."""


class Summary(Record, frozen=True, kw_only=True):
    """A series in robust figures: never the best, never the mean."""

    median_s: float
    """Median of the series, seconds a step or call."""
    low_s: float
    """Lower end of the order-statistic 95 % interval of the median; below six samples the extremes, which
    cover less."""
    high_s: float
    """Upper end of that interval."""
    mad_s: float
    """Median absolute deviation from the median, not scaled."""
    first_quartile_s: float
    """A quarter of the samples lie below."""
    third_quartile_s: float
    """A quarter of the samples lie above."""
    sample_count: int
    """Samples that count: warm-up and throttled ones left out."""
    duration_s: float
    """What these samples took together."""
    stop_reason: str
    """Why the series ended: `settled` (interval narrow, no drift), `noise_settled` (more samples would not narrow it),
    `cap` (budget or sample limit), `too_long`, `out_of_memory`, `interrupted`…"""
    drift_ratio: float | None
    """Median of the last third over that of the first third."""


class Verdict(Record, frozen=True, kw_only=True):
    """How far a series may be trusted; unstable, throttled and contended ones never rank."""

    kind: VerdictKind
    """`stable`: narrow interval and no drift; `usable`: good enough to rank; `unstable`: it varies or drifts too much;
    `throttled`: the device slowed itself throughout; `contended`: others used it; `not_measured`: no figure."""
    half_width_fraction: float | None = None
    """Larger arm of the median's 95 % interval over the median; None: no sample counts."""
    reason: Reason | None = None
    """Why it is no better; None: nothing is held against it."""


class StepMeasurement(Record, frozen=True, kw_only=True):
    """The user's model at one batch size on one device."""

    batch_size: int
    """Samples a step on this device."""
    precision: Precision
    """What the step computed in."""
    thread_count: int | None
    """Threads that computed on the processor; None: not told, as on a GPU."""
    layer_limit: int | None
    """Repeated blocks that were built, where the whole model was too long for the budget; None: all."""
    samples: tuple[Sample, ...]
    """All of them, warm-up included and marked."""
    summary: Summary | None
    """Wall-clock times of a whole step; None: no sample was made, or all were throttled."""
    device_summary: Summary | None
    """By device events; None on a CPU."""
    parts_s: dict[StepPart, float]
    """Medians of the split; they need not add up to the whole, which was timed apart."""
    memory: Memory | None
    """Peak of one step; None: not measured."""
    verdict: Verdict
    """How far its times may be trusted."""
    caveats: tuple[Reason, ...] = ()
    """What a reader must know of this series."""
    full_layer_count: int | None = None
    """Blocks of the whole model where `layer_limit` of them were built."""


class RateMeasurement(Record, frozen=True, kw_only=True):
    """One microbenchmark: a rate at a size."""

    kind: str
    """`matmul convolution attention elementwise reduction host_to_device device_to_host launch
    synchronise optimizer host_overhead all_reduce`."""
    precision: Precision
    """What the kernel computed in."""
    figures: dict[str, float]
    """Its size (`m`, `k`, `n`, `tensors`, `elements`, `threads`…) and its work a call (`flop`, `bytes`), by name."""
    samples: tuple[Sample, ...]
    """All blocks of calls, warm-up included and marked."""
    summary: Summary | None
    """Seconds a call, by device events where there are any; None: no sample counts."""
    verdict: Verdict
    """How far its times may be trusted."""


class CommunicationMeasurement(Record, frozen=True, kw_only=True):
    """One collective or data-parallel step over `rank_count` ranks."""

    kind: Literal["all_reduce", "peer_copy", "ddp_step", "dp_step", "single_step", "memory_copy", "peer_values"]
    """`all_reduce`; `peer_copy`: a message to the next rank while one comes in; `peer_values`: whether a message
    arrives intact; `memory_copy`: within a device's memory; `single_step`: each rank trains alone; `ddp_step`,
    `dp_step`: a step by DistributedDataParallel or DataParallel."""
    rank_count: int
    """Ranks that took part; of `dp_step` the cards."""
    message_bytes: int | None
    """Bytes that each rank sends, reduces or copies; None: a step."""
    accumulation_steps: int | None
    """Backward passes before each optimizer step; None: no step."""
    batch_size: int | None = None
    """Per rank; None for collectives."""
    samples_s: tuple[float, ...]
    """Seconds of each repeat, of the slowest rank; of a step, mean of its block; empty: only values were checked."""
    median_s: float
    """Median of `samples_s`; 0 where there are none."""
    bus_bytes_per_s: float | None
    """For n ranks 2 (n - 1) / n times the message over the median for an all-reduce, the message over it for a copy;
    None: no message or no time."""
    values_correct: bool | None
    """Whether all values arrived as they had to; None: not checked."""
    optimizer_s: float | None = None
    """The update's share of a step, where it was timed apart."""
    contended: bool = False
    """More threads than cores, or others were on them: the times say little about an idle machine."""
    ranks_heard_count: int | None = None
    """Ranks whose times are in here; fewer than `rank_count` where some were lost."""


class Measurement(Record, frozen=True, kw_only=True):
    """One device measured once."""

    device_key: str
    """`cpu`, or the UUID of a GPU."""
    device_name: str
    """The device as the machine's record names it."""
    created_utc: str
    """When it was put together, ISO 8601 in UTC."""
    workload_name: str | None
    """The workload whose steps were timed; None: a calibration alone."""
    environment: Environment | None
    """Of the process that measured; None: it ended before it told, or ranks alone measured."""
    steps: tuple[StepMeasurement, ...] = ()
    """One for each batch size, precision and part of the model that was tried, failed ones too."""
    rates: tuple[RateMeasurement, ...] = ()
    """The device's calibration by microbenchmarks, an earlier one that still holds included."""
    communication: tuple[CommunicationMeasurement, ...] = ()
    """What a group of ranks measured; empty where none ran."""
    readings: tuple[Reading, ...] = ()
    """Instants of the machine while it was measured, in order of time."""
    loader: tuple[LoaderPass, ...] = ()
    """Passes of the data loader on this machine's processor; empty where another device's worker made them."""
    verdict: Verdict
    """The weakest of its steps, else of its rates."""
    caveats: tuple[Reason, ...] = ()
    """What a reader must know of the whole measurement."""
    log_tail: str = ""
    """The end of what the measuring processes wrote, at most 4000 characters from one device's worker."""
    kept_memory: StepMeasurement | None = None
    """A step of `steps` once more, while the process kept what it freed; None where that promised nothing."""


def has_timed_steps(measurements: Iterable[Measurement]) -> bool:
    """Whether a step of any of them was timed."""
    return any(step.summary is not None for measurement in measurements for step in measurement.steps)


def timed_loader(measurements: Iterable[Measurement]) -> tuple[LoaderPass, ...]:
    """The passes of the job's data loader that were timed here; empty: none was."""
    return next((measurement.loader for measurement in measurements if measurement.loader), ())
