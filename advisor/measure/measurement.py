"""What was measured: raw samples first, then their summary, verdict and caveats."""

from __future__ import annotations

from typing import Literal

from advisor.catalogue.precisions import Precision
from advisor.core.records import Record
from advisor.core.sentences import Reason
from advisor.hardware.machine import Reading
from advisor.protocol.messages import Environment, LoaderPass, Memory, Sample, StepPart

VerdictKind = Literal["stable", "usable", "unstable", "throttled", "contended", "not_measured"]


class Summary(Record, frozen=True, kw_only=True):
    """A series in robust figures: never the best, never the mean."""

    median_s: float
    low_s: float
    """Order-statistic 95 % interval of the median."""
    high_s: float
    mad_s: float
    first_quartile_s: float
    third_quartile_s: float
    sample_count: int
    duration_s: float
    stop_reason: str
    drift_ratio: float | None
    """Median of the last third over that of the first third."""


class Verdict(Record, frozen=True, kw_only=True):
    """How far a series may be trusted; unstable, throttled and contended ones never rank."""

    kind: VerdictKind
    half_width_fraction: float | None = None
    reason: Reason | None = None


class StepMeasurement(Record, frozen=True, kw_only=True):
    """The user's model at one batch size on one device."""

    batch_size: int
    precision: Precision
    thread_count: int | None
    layer_limit: int | None
    samples: tuple[Sample, ...]
    """All of them, warm-up included and marked."""
    summary: Summary | None
    device_summary: Summary | None
    """By device events; None on a CPU."""
    parts_s: dict[StepPart, float]
    """Medians of the split; they need not add up to the whole, which was timed apart."""
    memory: Memory | None
    verdict: Verdict
    caveats: tuple[Reason, ...] = ()
    full_layer_count: int | None = None
    """Blocks of the whole model where `layer_limit` of them were built."""


class RateMeasurement(Record, frozen=True, kw_only=True):
    """One microbenchmark: a rate at a size."""

    kind: str
    """`matmul convolution attention elementwise reduction host_to_device device_to_host launch
    synchronise optimizer host_overhead all_reduce`."""
    precision: Precision
    figures: dict[str, float]
    samples: tuple[Sample, ...]
    summary: Summary | None
    verdict: Verdict


class CommunicationMeasurement(Record, frozen=True, kw_only=True):
    """One collective or data-parallel step over `rank_count` ranks."""

    kind: Literal["all_reduce", "peer_copy", "ddp_step", "dp_step", "single_step", "memory_copy", "peer_values"]
    rank_count: int
    message_bytes: int | None
    accumulation_steps: int | None
    batch_size: int | None = None
    """Per rank; None for collectives."""
    samples_s: tuple[float, ...]
    median_s: float
    bus_bytes_per_s: float | None
    values_correct: bool | None
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
    created_utc: str
    workload_name: str | None
    environment: Environment | None
    steps: tuple[StepMeasurement, ...] = ()
    rates: tuple[RateMeasurement, ...] = ()
    communication: tuple[CommunicationMeasurement, ...] = ()
    readings: tuple[Reading, ...] = ()
    loader: tuple[LoaderPass, ...] = ()
    """Passes of the data loader on this machine's processor; empty where another device's worker made them."""
    verdict: Verdict
    caveats: tuple[Reason, ...] = ()
    log_tail: str = ""
    kept_memory: StepMeasurement | None = None
    """A step of `steps` once more, while the process kept what it freed; None where that promised nothing."""
