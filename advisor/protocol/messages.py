"""The worker's letter box: JSON requests in, JSON events out, one a line.

`python -P -m advisor.worker` answers one request and ends; with `--session` it answers one after the other (torch
is imported once) until `End` or the end of its input. While a request runs, `Warm`, `Stop` and `Pause` steer the
stage under way; without them a stage ends by its own limits.
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from advisor.catalogue.precisions import Precision, TracePrecision
from advisor.core.json_lines import decoded
from advisor.core.records import Record, built
from advisor.core.sentences import Reason, Said, Value
from advisor.optable.op_table import OpTable
from advisor.workload.workload import Workload

StepPart = Literal["copy", "forward", "backward", "optimizer"]
STEP_PARTS: tuple[StepPart, ...] = get_args(StepPart)
"""What a step on a device is timed in."""
MemoryCount = Literal["cuda_allocator", "dispatch_tracked", "resident_set"]
"""Who counted a peak of memory."""


class TraceRequest(Record, frozen=True, kw_only=True, tag="trace"):
    """Trace the workload under fake tensors, once for each precision."""

    workload: Workload
    precisions: tuple[TracePrecision, ...]
    allow_code: bool = False
    checked: bool = True
    """Whether a third pass checks that every figure is affine in the batch size; many traces in a row go without."""
    known_affine: bool = False
    """Whether such a check was passed by the same model, otherwise set up (its adapters, checkpointing, attention):
    then the third pass is left out but where the other two do not allocate alike."""
    known_apart: bool = False
    """Whether the same model, otherwise set up, was seen to go through the samples of a batch one by one."""
    half_fallback: bool = False
    """Whether attention that no fused kernel takes computes in half where its inputs are, as before PyTorch 2.5."""
    packed_inputs_kept: bool = False
    """Whether products by weights of 4 bits keep their inputs until backward, as in bitsandbytes before 0.43.2."""


class ImportRequest(Record, frozen=True, kw_only=True, tag="import"):
    """Import what training this workload needs, and compute nothing: the steps are to find a fresh process."""

    workload: Workload


class MicrobenchmarkRequest(Record, frozen=True, kw_only=True, tag="microbenchmark"):
    """Calibrate one device: matmul, convolution, bandwidth, launch, copy, optimizer, host overhead."""

    device: str
    """`cpu`, `cuda`, `mps` or `xpu`; which GPU is chosen by the environment of the process."""
    budget_s: float
    thread_counts: tuple[int, ...] = (1,)


class MeasureRequest(Record, frozen=True, kw_only=True, tag="measure"):
    """Train the workload for real at several batch sizes on one device."""

    workload: Workload
    device: str
    batch_sizes: tuple[int, ...]
    budget_s: float
    thread_count: int | None = None
    memory_limit_bytes: int | None = None
    layer_limit: int | None = None
    """Build only this many repeated blocks, where a whole step is too long for the budget."""
    allow_code: bool = False
    thread_counts: tuple[int, ...] = ()
    """With `thread_count` None on a CPU: try these at the first batch size and keep the fastest."""
    expected_step_s: dict[int, float] = {}
    """By batch size, where the parent could estimate it; shares out the budget."""
    keep_freed_memory: bool = False
    """Time the steps while the process keeps what they free, as the series `step_keeping_memory`; no answer where the
    C library cannot be told to."""


class LoaderRequest(Record, frozen=True, kw_only=True, tag="loader"):
    """Time passes over the workload's own data set, or over samples that lie in memory; nothing is trained."""

    workload: Workload
    batch_sizes: tuple[int, ...]
    budget_s: float
    allow_code: bool = False


class RanksSettings(Record, frozen=True, kw_only=True):
    """What the ranks of a torch.distributed group are to measure."""

    workload: Workload
    batch_size: int
    """Per rank."""
    budget_s: float = 10.0
    device: str = "cpu"
    """`cpu` (gloo), `cuda` (NCCL) or another backend of torch."""
    thread_count: int = 1
    strategies: tuple[Literal["dp", "ddp"], ...] = ("ddp",)
    allow_code: bool = False


class RanksRequest(RanksSettings, frozen=True, kw_only=True, tag="ranks"):
    """Measure communication and a real data-parallel step as one rank of a torch.distributed group.

    Which rank, how many and where they meet stand in the environment, as torchrun sets it.
    """

    report_folder: str
    rendezvous: str = "env://"
    """Where the ranks meet: the address in the environment, or a file of this host."""


Request = TraceRequest | ImportRequest | MicrobenchmarkRequest | MeasureRequest | LoaderRequest | RanksRequest


class Warm(Record, frozen=True, kw_only=True, tag="warm"):
    """The stage has warmed up: samples made from now on count."""

    stage: int


class Stop(Record, frozen=True, kw_only=True, tag="stop"):
    """The stage has said enough, and why."""

    stage: int
    reason: str


class Pause(Record, frozen=True, kw_only=True, tag="pause"):
    """Let the device cool before the next block."""

    wait_s: float


class End(Record, frozen=True, kw_only=True, tag="end"):
    """No further request comes: finish the one under way and end."""


Control = Warm | Stop | Pause | End


class Progress(Record, frozen=True, kw_only=True, tag="progress"):
    """How far a phase is; `phase` is a message id of the sentence catalogue."""

    phase: str
    fraction: float
    detail: str = ""


class Environment(Record, frozen=True, kw_only=True, tag="environment"):
    """Versions and settings of the process that measures."""

    torch: str
    """Version of PyTorch."""
    torch_cuda: str | None
    """CUDA that it was built for; None: built without CUDA."""
    arch_list: tuple[str, ...]
    """GPU architectures that it was built for (`sm_90`…); empty: none can be used."""
    device_name: str | None
    """The measured GPU as PyTorch names it; None: not a CUDA device."""
    device_uuid: str | None
    """The measured GPU's UUID (`GPU-…`); None: not a CUDA device, or PyTorch tells none."""
    thread_count: int
    """Threads that PyTorch computes with on the processor."""
    accelerators: tuple[str, ...] = ()
    """Every accelerator that PyTorch sees, as `cuda:0` and its name."""
    settings: dict[str, str] = {}
    """Settings of PyTorch and environment variables that bear on speed, by their names, each as text."""


class OfSeries(Record, frozen=True, kw_only=True):
    """Which series of samples an event is of."""

    series: str
    """`step`, `step_keeping_memory`, or the name of a microbenchmark (`matmul`, `memory`…)."""
    batch_size: int | None
    """Samples a step on this device; None: a microbenchmark."""
    precision: Precision
    """What was computed in."""


class StageStarted(OfSeries, frozen=True, kw_only=True, tag="stage_started"):
    """A series of samples begins; controls name it by `stage`, which no other stage of its process has."""

    stage: int
    budget_s: float
    """Of warm-up and samples together."""
    figures: dict[str, float] = {}


KEEPING_SERIES = "step_keeping_memory"
"""Steps of a process that keeps what it frees."""


class Sample(OfSeries, frozen=True, kw_only=True, tag="sample"):
    """One block of `step_count` steps (or kernel calls), sent as soon as it is made."""

    step_count: int
    """Steps, or calls of the kernel, that were timed as one."""
    wall_s: float
    """Of one step."""
    device_s: float | None
    """Of one step by device events; None on a CPU."""
    started_monotonic_s: float
    """When the block began, on the monotonic clock of the readings."""
    warm_up: bool
    """Whether it was made while warming up, so that it is left out of the summary."""
    process_cpu_s: float | None = None
    """Processor time of the whole process, of one step, over all threads; None: not told."""
    system_cpu_s: float | None = None
    """The part of it that the system took, for page faults above all; None where it is not told apart."""
    parts_s: dict[StepPart, float] = {}
    """Seconds of one step by its part; empty where they were not timed apart."""
    figures: dict[str, float] = {}
    """Sizes of a microbenchmark (m, n, k, bytes) or its work (flop)."""
    stage: int | None = None
    """Number of the series of samples within its process; None: a long step before its series."""

    @property
    def timed_s(self) -> float:
        """One step by the device's own events, where it has them."""
        return self.wall_s if self.device_s is None else self.device_s


class Memory(Record, frozen=True, kw_only=True, tag="memory"):
    """Peak memory of one step at a batch size, over what the process held before the model."""

    batch_size: int
    """Samples of the step, on one device."""
    precision: Precision
    """What the step computed in."""
    peak_allocated_bytes: int
    """Most that tensors, or for `resident_set` the process, took at once."""
    peak_reserved_bytes: int | None = None
    """Most that torch's allocator held of the card at once; None: on a CPU, which has none."""
    how: MemoryCount
    """`cuda_allocator`: by torch's allocator of the card; `dispatch_tracked`: by the tensors alive at each operator;
    `resident_set`: by what the operating system counts for the process."""


class LoaderPass(Record, frozen=True, kw_only=True, tag="loader_pass"):
    """One pass of the data loader at a batch size; times are of one batch."""

    batch_size: int
    """Samples a batch."""
    worker_count: int
    """0: the training process itself loads."""
    made_s: float
    """From one batch to the next where nothing is done with them: median of the blocks."""
    low_s: float
    """First quartile of the blocks, seconds a batch."""
    high_s: float
    """Third quartile of the blocks, seconds a batch."""
    ready_s: float
    """To take a batch that lies ready; without workers none does, so it is `made_s`."""
    own_data: bool = False
    """Whether the samples are those of the model file's `make_dataset`."""


class Traced(Record, frozen=True, kw_only=True, tag="traced"):
    """A finished trace."""

    table: OpTable
    samples_apart: bool = False
    """Whether the model was seen to go through the samples of a batch one by one."""


class StageEnded(OfSeries, frozen=True, kw_only=True, tag="stage_ended"):
    """Why a series of samples ended: `settled`, `noise_settled`, `cap`, `out_of_memory`, `too_long`."""

    reason: str
    stage: int | None = None


_TOLD_CHARACTERS = 300


class Failed(Record, frozen=True, kw_only=True, tag="failed"):
    """The worker met an exception; `text` is what it said itself."""

    exception: str
    text: str
    traceback: str
    world_fault: bool = False
    reason: Reason | None = None
    """What is wrong and what helps, where it is known; None for a bug of ours."""

    def reason_or(self, unknown: str, **numbers: Value) -> Reason:
        """The sentence of what is known, else `unknown` with the exception's text; `numbers` come to its arguments."""
        if self.reason is None:
            return Reason.of(unknown, text=Said(text=self.text[:_TOLD_CHARACTERS]), **numbers)
        return Reason(code=self.reason.code, numbers={**self.reason.numbers, **numbers})


RankFindingKind = Literal["peer_values", "peer_copy", "all_reduce", "memory_copy", "single_step", "ddp_step", "dp_step"]


class RankFinding(Record, frozen=True, kw_only=True, tag="rank_finding"):
    """What one rank measured; times are of one collective or of one optimizer step."""

    rank: int
    rank_count: int
    kind: RankFindingKind
    message_bytes: int | None = None
    batch_size: int | None = None
    accumulation_steps: int | None = None
    samples_s: tuple[float, ...] = ()
    values_correct: bool | None = None
    optimizer_s: float | None = None
    """Median of the update within a step."""
    cpu_share_fraction: float | None = None
    """Processor time over wall time while one thread computed; below 1 others were on its core."""


class RankReport(Record, frozen=True, kw_only=True):
    """What a rank sends to the others: JSON as bytes, never a pickled object."""

    schema_version: int
    advisor_version: str
    rank: int
    rank_count: int
    findings: tuple[RankFinding, ...] = ()


class Answered(Record, frozen=True, kw_only=True, tag="answered"):
    """A request of a session is done (after a `Failed`, if it failed); the next one may come."""

    request: str


class Finished(Record, frozen=True, kw_only=True, tag="finished"):
    """The last line of a worker that ended well."""


WorkerEvent = (
    Progress
    | Environment
    | StageStarted
    | Sample
    | Memory
    | LoaderPass
    | Traced
    | StageEnded
    | Failed
    | RankFinding
    | Answered
    | Finished
)

_EVENTS: msgspec.json.Decoder[WorkerEvent] = msgspec.json.Decoder(built(WorkerEvent))


def worker_event_of(line: bytes) -> WorkerEvent | None:
    """The event of a worker's line; None for a torn line of a killed worker, or one that a model's code wrote."""
    return decoded(_EVENTS, line)
