"""Predictions and the calibrations that correct them: parts that add up, ranges, and where they come from."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter

from advisor.catalogue.precisions import Precision
from advisor.catalogue.strategies import PLAIN_EFFORT, STRATEGY_FACTS, Strategy
from advisor.core.records import Record
from advisor.core.sentences import Reason
from advisor.core.units import HALF_RANGE_SIGMAS, Basis, Estimate
from advisor.cost.memory.capacity import usable_bytes
from advisor.cost.parts import MemoryPart, Part, PartKind
from advisor.predict.additions import ADDITIONS, Added


class Device(Record, frozen=True, kw_only=True):
    """A candidate device: `cpu`, a local GPU by UUID, or a row of the spec table."""

    key: str
    """`cpu`; of local GPUs the UUID of the first alike (its NVML index where that is hidden); or a key of the table."""
    name: str
    """What its maker, its driver or the spec table calls it; `CPU` for a nameless processor."""
    spec_key: str | None
    """Row of the spec table that tells its figures; None: a CPU, or a GPU that the table lacks."""
    local: bool
    """Whether it is in the machine that the advice was made on."""


LIKELY_ODDS = 1 / 4
_ADDED: dict[tuple[bool, ...], Added] = {
    flags: tuple(one for one, flag in zip(ADDITIONS, flags, strict=True) if flag)
    for flags in itertools.product((False, True), repeat=len(ADDITIONS))
}


class SetUp(Record, frozen=True, kw_only=True):
    """What tells one set-up from every other: a candidate, a prediction and a recommendation are of one each."""

    device: Device
    """What computes: a CPU or a kind of GPU."""
    count: int
    """How many of the device, over all machines."""
    strategy: Strategy
    """How the devices share the work: `single` one alone, `dp` and `ddp` a whole copy of the model on each
    (torch's DataParallel and DistributedDataParallel), `zero2` ZeRO-2, `fsdp` fully sharded, `fsdp_offload` the
    same with shards in the host's memory, `tp` tensor parallel among at most eight cards of one
    host and fully sharded across such groups, `pp` pipeline parallel."""
    precision: Precision
    """What a step computes in, named as in a workload file."""
    batch_size_per_device: int
    """Samples of one micro-batch on one device."""
    gradient_accumulation_steps: int
    """Micro-batches of one optimizer step; 1: none are accumulated."""
    fused_optimizer_added: bool = False
    """Whether the optimizer steps in torch's fused kernel, which the workload as read does not ask for: without it so
    many of the device hold no step, may run out of memory, or need the host's memory or the model in pieces."""
    checkpointing_added: bool = False
    """Whether full activation checkpointing is switched on, which the workload as read leaves off; as above."""
    chunked_loss_added: bool = False
    """Whether logits and loss are computed in chunks, which the workload as read does not ask for; as above."""

    @property
    def added(self) -> Added:
        """What frees memory and was added to the workload as read; empty: nothing."""
        return _ADDED[self.fused_optimizer_added, self.checkpointing_added, self.chunked_loss_added]

    @property
    def device_and_count(self) -> tuple[str, int]:
        """Key of the device, and how many of it."""
        return (self.device.key, self.count)

    @property
    def set_up(self) -> tuple[object, ...]:
        """All of it as a key, the device by its own."""
        return self.set_up_but()

    def set_up_but(self, *names: str) -> tuple[object, ...]:
        """The same without the fields that are named."""
        return (self.device.key, *_fields_but(names)(self))

    @property
    def effort_rank(self) -> int:
        """How much its strategy asks of code and operator (`StrategyFacts`)."""
        return STRATEGY_FACTS[self.strategy].effort_rank

    def differs_at_most_by(self, other: SetUp, *names: str) -> bool:
        """Whether the two agree in all but the fields that are named."""
        return all(getattr(self, name) == getattr(other, name) for name in SetUp.__struct_fields__ if name not in names)


@lru_cache(maxsize=64)
def _fields_but(names: tuple[str, ...]) -> Callable[[SetUp], tuple[object, ...]]:
    """All of a set-up but its device and what is named; every answer asks that of thousands."""
    kept = [name for name in SetUp.__struct_fields__[1:] if name not in names]
    return attrgetter(*kept)


class Candidate(SetUp, frozen=True, kw_only=True):
    """A set-up to be predicted."""

    gradient_accumulation_steps: int = 1


class SetUpFigures(SetUp, frozen=True, kw_only=True):
    """How long a step and the job take in a set-up, what it needs and what it costs."""

    global_batch_size: int
    """Samples of one optimizer step: of all devices and micro-batches."""
    step_s: Estimate
    """Seconds of one optimizer step: all micro-batches of an accumulation and one synchronisation."""
    samples_per_s: Estimate
    """Samples a second, of all devices together."""
    peak_memory_bytes: Estimate | None
    """Most memory that one device holds at once; None: neither predicted nor measured."""
    job_s: Estimate | None
    """Seconds of the whole job: all its optimizer steps, at `step_s` each; None: not known."""
    cost: Estimate | None = None
    """Of the whole job, in `currency`; None: without prices, or the price or the energy is not known."""
    currency: str | None = None
    """Three capital letters (ISO 4217), as the price file has it; None: no cost is given."""
    efficiency: Estimate | None = None
    """rate(n) / (n * rate(1)) at the same batch a device; None: one device alone."""


class Calibration(Record, frozen=True, kw_only=True):
    """What measurements on one device say about the model's errors there (measured over predicted)."""

    device_key: str
    """The measured device, as in its measurement."""
    spec_key: str | None
    """Its row of the spec table; None: an unknown card."""
    class_factors: dict[str, float]
    """Per operator kind, shrunk towards the published fit."""
    step_factor: float
    """Of the user's own step, after the class factors."""
    step_factor_elsewhere: float
    """What of it is applied to other cards: half of it in the log, nothing where it is large."""
    host_s_per_dispatch: float | None
    """Seconds of this host for one call of an operator, measured; None: not measured."""
    batch_sizes: tuple[int, ...]
    """Batch sizes of the steps that the step factor comes from, per device; empty: none, and the factor is 1."""
    notes: tuple[Reason, ...] = ()
    """What of it does not carry over to other cards, and why."""


class Prediction(SetUpFigures, frozen=True, kw_only=True):
    """One set-up: how long a step and the job take, and whether it fits."""

    parts: tuple[Part, ...]
    """Shares of `step_s`, those of no time left out."""
    memory_parts: tuple[MemoryPart, ...] = ()
    """Shares of `peak_memory_bytes`; empty: not told apart, as where the peak was only measured."""
    memory_capacity_bytes: float | None
    """Nominal memory of one device, or the part of the host's that this process may use; None: not known."""
    fits: bool | None
    """None: unknown, because memory could not be predicted or the capacity is unknown."""
    energy_j: Estimate | None = None
    """Joules of the whole job on all devices; None: the power that they draw or the job's time is not known."""
    measured: bool = False
    """Whether this very set-up was timed here."""
    notes: tuple[Reason, ...] = ()
    """What limits or explains this prediction."""

    @property
    def holds_plainly(self) -> bool:
        """Whether so many cards hold a step by themselves, at most sharded: of unknown memory they may."""
        return self.fits is not False and self.effort_rank <= PLAIN_EFFORT

    @property
    def is_borne_out(self) -> bool:
        """Whether its figures rest on runs of cards of this maker: of AMD's none was fitted."""
        return all(note.code != "predict-outside-maker" for note in self.notes)

    @property
    def usable_memory_bytes(self) -> float | None:
        """What a step can take of a device's memory, which decides whether it fits; None: unknown."""
        capacity = self.memory_capacity_bytes
        return capacity if capacity is None or self.device.key == "cpu" else usable_bytes(capacity)

    @property
    def memory_share(self) -> float | None:
        """Peak of a step against what it can take of a device's memory: above 1 it does not fit; None: unknown."""
        peak, usable = self.peak_memory_bytes, self.usable_memory_bytes
        return peak.value / usable if peak is not None and usable else None

    @property
    def may_run_out(self) -> bool:
        """Whether a step is taken to fit, but the range of its need passes what the device can give."""
        peak, usable = self.peak_memory_bytes, self.usable_memory_bytes
        return self.fits is True and peak is not None and usable is not None and peak.high > usable

    @property
    def odds_of_running_out(self) -> float:
        """How likely a step that is taken to fit runs out of memory all the same: up to a half; 0 where it has room.

        The need's range ends where one case in ten lies beyond; its logarithm is taken as normal above the middle.
        """
        peak, usable = self.peak_memory_bytes, self.usable_memory_bytes
        if not self.may_run_out or peak is None or usable is None:
            return 0.0
        room, spread = math.log(usable / peak.value), math.log(peak.high / peak.value)
        return statistics.NormalDist().cdf(-HALF_RANGE_SIGMAS * room / spread)

    @property
    def likely_runs_out(self) -> bool:
        """Whether more than one in four such steps would run out of memory."""
        return self.odds_of_running_out > LIKELY_ODDS

    def part_s(self, *kinds: PartKind) -> float:
        """Seconds a step that the parts of these kinds take together."""
        return sum(part.duration_s for part in self.parts if part.kind in kinds)

    @property
    def trains(self) -> bool:
        """Whether a step has a backward pass: forward alone is what servers run."""
        return any(part.kind == "backward" for part in self.parts)

    def part_share(self, *kinds: PartKind) -> float:
        """Share of the step that they take."""
        return self.part_s(*kinds) / self.step_s.value


def basis_of(*bases: Basis) -> Basis:
    """The weakest of several bases: a whole is only as good as its worst part."""
    order: tuple[Basis, ...] = ("measured", "calibrated", "specified")
    return max(bases, key=order.index)
