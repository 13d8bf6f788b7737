"""What one training step does, operator by operator, affine in the batch size: one trace answers every batch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from advisor.catalogue.precisions import TracePrecision
from advisor.core.records import Record
from advisor.core.sentences import Reason

Affine = tuple[float, float]
"""(c0, c1): the figure at batch size b is c0 + c1 * b."""

OpKind = Literal[
    "elementwise",
    "matmul",
    "convolution",
    "norm",
    "softmax",
    "reduction",
    "copy",
    "embedding",
    "pool",
    "attention",
    "rnn",
    "sort",
    "other",
    "fused",
]
Phase = Literal["forward", "backward"]
ConvolutionPass = Literal["forward", "input_gradient", "weight_gradient"]


class MatmulShape(Record, frozen=True, kw_only=True):
    """GEMM sizes: `batch` products of (m x k) by (k x n)."""

    batch: Affine
    m: Affine
    n: Affine
    k: Affine


class ConvolutionShape(Record, frozen=True, kw_only=True):
    """A convolution as its implicit GEMM, per group."""

    direction: ConvolutionPass
    groups: int
    output_positions: Affine
    """Batch times output pixels."""
    output_channels_per_group: int
    input_channels_per_group: int
    kernel_elements: int
    unit_stride: bool
    transposed: bool
    data_bytes: Affine
    """Input plus output activations."""
    weight_bytes: float


class AttentionShape(Record, frozen=True, kw_only=True):
    """Scaled dot-product attention in one kernel family."""

    implementation: Literal["flash", "efficient", "eager"]
    batch_heads: Affine
    query_length: int
    key_length: int
    head_size: int
    causal: bool


class RnnShape(Record, frozen=True, kw_only=True):
    """A recurrent layer stack as cuDNN runs it."""

    cell: Literal["rnn", "gru", "lstm"]
    steps: int
    batch: Affine
    input_size: int
    hidden_size: int
    layers: int
    directions: int


class Op(Record, frozen=True, kw_only=True):
    """`count` alike calls of one operator; figures are of ONE call."""

    kind: OpKind
    name: str
    phase: Phase
    element_bytes: int
    kernel_count: int
    count: int
    flop: Affine
    read_bytes: Affine
    written_bytes: Affine
    matmul: MatmulShape | None = None
    convolution: ConvolutionShape | None = None
    attention: AttentionShape | None = None
    rnn: RnnShape | None = None
    batch_norm: bool = False


class GradientReady(Record, frozen=True, kw_only=True):
    """A parameter's gradient, in the order in which backward finishes it."""

    element_count: int
    backward_fraction: float
    """Share of backward's work that is done when this gradient is ready."""


ALLOCATE, FREE, CONVOLUTION, GRADIENT = 0, 1, 2, 3
"""Kinds of events of a memory timeline."""


class MemoryTimeline(Record, frozen=True, kw_only=True, cache_hash=True):
    """Allocations of one forward and backward pass in order; sizes in bytes are size0 + size1 * batch.

    kind: 0 allocate, 1 free, 2 convolution (a place where a workspace may live; size is input + output),
    3 gradient of that storage accumulated. The first `resident_event_count` events are parameters, buffers
    and inputs; events before `backward_start` belong to forward.
    """

    kind: tuple[int, ...]
    storage: tuple[int, ...]
    size0_bytes: tuple[float, ...]
    size1_bytes: tuple[float, ...]
    resident_event_count: int
    backward_start: int
    count: tuple[int, ...] = ()
    """How many storages alike, made or freed one after the other, each event stands for: of a long loop only a few
    rounds are traced; empty where each stands for one, and in tables of earlier versions."""
    compiled_size0_bytes: tuple[float, ...] = ()
    """The same where torch.compile leaves results out; empty in tables of earlier versions."""
    compiled_size1_bytes: tuple[float, ...] = ()
    loss_in_model: bool = False
    """Whether the model computes its loss itself and returns its outputs beside it, as transformers' do; False in
    tables of earlier versions."""


class Layer(Record, frozen=True, kw_only=True):
    """One row of the layer table: a module that computes, by its path in the model."""

    path: str
    """Its name in the model, as in `named_modules`; `(step)`: what runs outside of every module."""
    module: str
    """Its class; empty: not a module of the model."""
    parameter_count: int
    """Weights that it holds itself, without those of modules inside it."""
    flop: Affine
    """[c0, c1]: at batch size b its own operators do c0 + c1 * b FLOP, forward only."""
    activation_bytes: Affine
    """[c0, c1]: at batch size b it leaves c0 + c1 * b bytes alive for backward."""


class CheckpointFigures(Record, frozen=True, kw_only=True):
    """What activation checkpointing of the repeated blocks would change, as counted in forward."""

    block_count: int
    kept_bytes: Affine
    """Activations that all blocks together keep for backward."""
    largest_block_bytes: Affine
    """Of the block that keeps most: they live again while it is recomputed."""
    block_input_bytes: Affine
    """Inputs of all blocks together: they are kept instead."""
    recomputed_flop: Affine
    """Forward of all blocks, run a second time."""


class CompiledPass(Record, frozen=True, kw_only=True):
    """What torch.compile makes of the operators that wait for memory; products, convolutions and attention stay."""

    ops: tuple[Op, ...]
    """Kind `fused`, or the operators that no compiler fuses; they stand in place of all that have no shape figures."""
    dispatch_count: dict[Phase, int]
    """Kernels that the host launches, the library's included."""


class OpTable(Record, frozen=True, kw_only=True):
    """One step of a model at one sequence length or image size and one trace precision."""

    schema_version: int = 1
    precision: TracePrecision
    ops: tuple[Op, ...]
    parameter_count: int
    trainable_parameter_count: int
    parameter_tensor_count: int
    parameter_bytes: float
    trainable_parameter_bytes: float
    gradient_bytes: float
    trainable_tensor_bytes: tuple[float, ...]
    """Bytes of each trainable parameter, in model order."""
    trainable_tensor_shapes: tuple[tuple[int, ...], ...] = ()
    """Shapes in the same order; empty where they are unknown."""
    block_parameter_bytes: tuple[float, ...] = ()
    """Parameters of each repeated block (the units that full sharding gathers), in model order; empty: none found."""
    buffer_bytes: float
    input_bytes: Affine
    """What the loader copies to the device each step."""
    dispatch_count: dict[Phase, int]
    """Calls that the host issues, views included: the host-bound floor counts these."""
    sample_dispatch_count: dict[Phase, int] = {}
    """Further ones for each sample, of a model that goes through the samples of a batch one by one."""
    synchronisation_count: int
    """Points inside forward and backward where the host waits for the device."""
    sample_synchronisation_count: int = 0
    """Further ones for each sample, likewise."""
    gradients_ready: tuple[GradientReady, ...]
    memory: MemoryTimeline | None
    """None when the event streams of two batch sizes differ; then `caveats` says so."""
    layers: tuple[Layer, ...] = ()
    checkpoint: CheckpointFigures | None = None
    """None where no repeated blocks were found, or where they are checkpointed already."""
    compiled: CompiledPass | None = None
    """None in tables of earlier versions and of models that are known by totals alone."""
    norms_single_values: bool = False
    """Whether a batch norm sees one value of each channel at a batch of one sample, which torch refuses to train."""
    differentiates_twice: bool = False
    """Whether the loss holds gradients (`create_graph=True`), which torch.compile cannot differentiate again."""
    samples_in_lists: bool = False
    """Whether a step takes more tensors at a larger batch: DataParallel cuts every tensor along its first side, and a
    picture's is its channels."""
    caveats: tuple[Reason, ...] = ()


def through(batches: tuple[int, int], low: float, high: float) -> Affine:
    """The line through a figure at the lower and at the higher of two batch sizes."""
    slope = (high - low) / (batches[1] - batches[0])
    return (low - slope * batches[0], slope)


def at(affine: Affine, batch_size: float) -> float:
    """The figure at a batch size."""
    return affine[0] + affine[1] * batch_size


_UNEVEN = frozenset({"trace-not-affine", "trace-memory-streams-differ"})


def grows_evenly(table: OpTable) -> bool:
    """Whether figures and memory at a third batch came out of the table, where that was looked at."""
    return _UNEVEN.isdisjoint(caveat.code for caveat in table.caveats)


def sizes_follow_values(table: OpTable) -> bool:
    """Whether a real pass told what the model keeps; under torch.compile a graph breaks at each such size."""
    return any(caveat.code == "trace-sizes-by-values" for caveat in table.caveats)


LONG_LOOP = "trace-long-loop"
"""Said of a model with a loop of many rounds in Python."""


def has_long_loop(table: OpTable) -> bool:
    """Whether a pass goes through many rounds of a loop in Python, each of which torch.compile takes for itself."""
    return any(caveat.code == LONG_LOOP for caveat in table.caveats)


def come_in_lists(tables: Iterable[OpTable]) -> bool:
    """Whether samples come in lists, which DataParallel does not share out."""
    return any(table.samples_in_lists for table in tables)


def least_batch(tables: Iterable[OpTable], mode: str) -> int:
    """Samples a device that a step needs at least: two where torch refuses to train on one."""
    return 2 if mode != "inference" and any(table.norms_single_values for table in tables) else 1


def step_flop(table: OpTable, batch_size: float) -> float:
    """Floating-point operations of one forward and backward pass."""
    return sum(op.count * at(op.flop, batch_size) for op in table.ops)
