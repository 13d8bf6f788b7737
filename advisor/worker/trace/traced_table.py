"""The operator table that passes at several batch sizes give together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from advisor.core.sentences import Reason
from advisor.optable.op_table import LONG_LOOP, GradientReady, OpTable, Phase, at, through
from advisor.worker.trace.affine import (
    TOLERATED_ERROR_FRACTION,
    StreamsDiffer,
    TracedOp,
    affine_figures,
    check_same_stream,
    deviation,
    folded,
    merged_ops,
)
from advisor.worker.trace.compiled import compiled_pass, with_compiled_sizes
from advisor.worker.trace.fusion import fused_groups
from advisor.worker.trace.layers import block_parameter_bytes, checkpoint_figures, layer_table, weight_count
from advisor.worker.trace.ops.op_names import unknown_operators
from advisor.worker.trace.ops.raw_op import size_bytes
from advisor.worker.trace.recorder import Recorder
from advisor.worker.trace.step_pass import Pass, Passes
from advisor.worker.trace.subject import LARGEST_TIMES
from advisor.worker.trace.timelines import allocated_alike, memory_timeline


def table_of(passes: Passes, *, checked: bool) -> OpTable:
    """Two passes make the table; `checked`: a third at another batch size checks it. Raises StreamsDiffer.

    Of a subject that is known to be affine only the memory is checked, and that where the two do not allocate alike.
    """
    first, second, loops = _two(passes)
    batches = passes.batches
    checked_batch = LARGEST_TIMES * batches[0]
    figures = affine_figures(first.recorder.ops, second.recorder.ops, batches, by_values=passes.by_values)
    caveats: list[Reason] = [Reason(code="trace-loops-over-samples")] if loops else []
    if second.longest_loop:
        caveats.append(Reason.of(LONG_LOOP, count=second.longest_loop))
    low_sizes = allocated_alike(first.recorder.tracker, second.recorder.tracker)

    def third_pass() -> Pass:
        return passes.at(checked_batch, operators_only=bool(low_sizes))

    third = third_pass() if checked and not passes.subject.known_affine else None
    error = 0.0 if third is None else deviation(figures, second.recorder.ops, third.recorder.ops, checked_batch)
    if error > TOLERATED_ERROR_FRACTION:
        third = third_pass()  # steady now, where it had filled a cache at its first time
        error = deviation(figures, second.recorder.ops, third.recorder.ops, checked_batch)
    if error > TOLERATED_ERROR_FRACTION:
        caveats.append(Reason.of("trace-not-affine", error_fraction=error, batch=checked_batch))
    ops = merged_ops(second.recorder.ops, figures)
    unknown = unknown_operators(ops)
    caveats += [unknown] if unknown is not None else []

    def further() -> tuple[int, Pass]:
        return checked_batch, third or third_pass()

    memory = memory_timeline(
        first, second, low_sizes, batches, further if checked else None, by_values=passes.by_values
    )
    flows = first.recorder.flow, second.recorder.flow
    fused = [] if loops else fused_groups(flows[1].kernels)
    if isinstance(memory, Reason):
        caveats.append(memory)
    elif not loops:
        memory = replace(
            with_compiled_sizes(memory, flows, fused, batches),
            loss_in_model=passes.subject.loss_in_model,
        )
    model, recorder = passes.model, second.recorder
    layers = layer_table(model, (first, second), figures, batches)
    parameters = list(model.parameters())
    trained = [p for p in parameters if p.requires_grad]
    return OpTable(
        precision=passes.precision,
        ops=ops,
        parameter_count=weight_count(model),
        trainable_parameter_count=sum(p.numel() for p in trained),
        parameter_tensor_count=len(parameters),
        parameter_bytes=float(sum(size_bytes(p) for p in parameters)),
        trainable_parameter_bytes=float(sum(size_bytes(p) for p in trained)),
        gradient_bytes=float(sum(size_bytes(p) for p in trained)),
        trainable_tensor_bytes=tuple(float(size_bytes(p)) for p in trained),
        trainable_tensor_shapes=tuple(tuple(p.shape) for p in trained),
        block_parameter_bytes=block_parameter_bytes(model),
        buffer_bytes=float(sum(size_bytes(b) for b in model.buffers())),
        input_bytes=through(batches, first.input_bytes, second.input_bytes),
        compiled=None if loops else compiled_pass(flows, fused, batches),
        **_host_counts((first, second), batches, packed=passes.subject.attention == "flash"),
        gradients_ready=_gradients(recorder),
        memory=None if isinstance(memory, Reason) else memory,
        layers=layers,
        checkpoint=checkpoint_figures(model, (first, second), layers, batches),
        differentiates_twice=recorder.differentiates_twice,
        norms_single_values=_norms_single_values(first.recorder.ops, second.recorder.ops, batches),
        samples_in_lists=first.input_count != second.input_count,
        caveats=tuple(caveats),
    )


def _host_counts(passes: tuple[Pass, Pass], batches: tuple[int, int], *, packed: bool) -> dict[str, Any]:
    """Calls and waits of the host: those of every batch, and those of each sample that is gone through by itself.

    `packed`: by kernels that take the samples of a batch together.
    """
    low, high = (passes[0].recorder, passes[1].recorder)
    phases: tuple[Phase, ...] = ("forward", "backward")
    fixed: dict[Phase, int] = {}
    each: dict[Phase, int] = {}
    for phase in phases:
        fixed[phase], each[phase] = _by_sample(low.dispatch_count[phase], high.dispatch_count[phase], batches)
    waits, waits_each = _by_sample(low.synchronisation_count, high.synchronisation_count, batches)
    if packed:
        fixed, waits = {phase: fixed[phase] + each[phase] for phase in phases}, waits + waits_each
    grows = not packed and any((*each.values(), waits_each))
    return {
        "dispatch_count": fixed,
        "synchronisation_count": waits,
        "sample_dispatch_count": each if grows else {},
        "sample_synchronisation_count": waits_each if grows else 0,
    }


def _by_sample(low: int, high: int, batches: tuple[int, int]) -> tuple[int, int]:
    """What there is at any batch size, and what each sample adds; what does not grow so is that of the larger batch."""
    each = (high - low) // (batches[1] - batches[0])
    fixed = high - each * batches[1]
    return (fixed, each) if each > 0 and fixed >= 0 else (high, 0)


def _norms_single_values(first: Sequence[TracedOp], second: Sequence[TracedOp], batches: tuple[int, int]) -> bool:
    """Whether some batch norm would see one value of each channel at a batch of one sample.

    Rows that are no samples (points of a cloud, both views of an image) count: values are told by two batch sizes.
    """
    values = {
        through(batches, low[2].channel_values, high[2].channel_values)
        for low, high in zip(first, second, strict=True)
        if low[2].channel_values
    }
    return any(round(at(of_batch, 1)) <= 1 for of_batch in values)


def _two(passes: Passes) -> tuple[Pass, Pass, bool]:
    """Passes at both batch sizes that run the same operators, and whether a loop over samples was folded for that.

    Raises StreamsDiffer.
    """
    low, high = passes.batches
    if passes.go_apart:
        return _apart(passes)
    first, second = passes.at(low), passes.at(high)
    if _alike(first, second):
        return first, second, False
    # Caches that the first pass filled (masks, positions) are no part of a steady step.
    if passes.leave_out_values():
        second = passes.at(high)
    before = first = passes.at(low)
    if not _alike(first, second):
        first = passes.at(low)  # a cache of few places forgets one batch size for the other
    if _alike(first, second):
        return first, second, False
    if passes.run_all_rounds():
        return _two(passes)
    if _alike(before, first):
        passes.learn_apart()
    return _apart(passes) if passes.go_apart else _folded(passes, first, second)


def _apart(passes: Passes) -> tuple[Pass, Pass, bool]:
    """The same of a model whose samples are known to be gone through one by one: one steady pass at each size."""
    low, high = passes.batches
    passes.leave_out_values()
    passes.run_all_rounds()
    for batch_size in (low, high):
        passes.warm_up(batch_size)
    second, first = passes.at(high), passes.at(low)
    return (first, second, False) if _alike(first, second) else _folded(passes, first, second)


def _folded(passes: Passes, first: Pass, second: Pass) -> tuple[Pass, Pass, bool]:
    first.recorder.ops, second.recorder.ops = folded(
        first.recorder.ops, second.recorder.ops, passes.batches, by_values=passes.by_values
    )
    return first, second, True


def _alike(first: Pass, second: Pass) -> bool:
    """Whether both passes run the same operators."""
    try:
        check_same_stream(first.recorder.ops, second.recorder.ops)
    except StreamsDiffer:
        return False
    return True


def _gradients(recorder: Recorder) -> tuple[GradientReady, ...]:
    work = max(recorder.backward_work, 1.0)
    return tuple(
        GradientReady(element_count=event.element_count, backward_fraction=min(1.0, event.work / work))
        for event in recorder.gradients
    )
