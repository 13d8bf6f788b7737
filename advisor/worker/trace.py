"""From a model to its operator table: forward and backward under fake tensors, as a CUDA step would run them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import torch
from torch._subclasses.fake_tensor import (
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
)

from advisor.sentences import Reason
from advisor.units import Precision
from advisor.worker.messages import Progress, Traced
from advisor.worker.trace_affine import (
    TOLERATED_ERROR_FRACTION,
    StreamsDiffer,
    affine_figures,
    check_same_stream,
    deviation,
    memory_timeline,
    merged_ops,
)
from advisor.worker.trace_cuda_rules import cuda_rules
from advisor.worker.trace_failed import TraceFailed, TraceFault
from advisor.worker.trace_layers import ModulePaths, frozen_and_blocks, layer_table
from advisor.worker.trace_memory import StorageTracker
from advisor.worker.trace_model import build_fake, value_was_asked
from advisor.worker.trace_ops import size_bytes, tensors_in
from advisor.worker.trace_recorder import Recorder
from advisor.workload.op_table import GradientReady, MemoryTimeline, OpTable, TracePrecision
from advisor.workload.workload import Attention, Mode, Workload, with_training

if TYPE_CHECKING:
    from advisor.worker.event_box import EventBox
    from advisor.worker.load_model import LoadedModel
    from advisor.worker.messages import TraceRequest

Tensor = torch.Tensor
DeviceRules = Literal["cuda", "cpu"]
"""`cuda`: as a CUDA step runs; `cpu`: what a step on the processor itself does."""
BATCHES = (8, 16)
CHECKED_BATCH = 24
_TRACED_AS: dict[TracePrecision, Precision] = {"fp32": "fp32", "amp": "fp16_amp", "half": "fp16"}


class Subject(NamedTuple):
    """What is traced: a model in its data type and layout, its batches and its step, and how the step is run."""

    build: Callable[[], torch.nn.Module]
    make_batch: Callable[[int], Any]
    step: Callable[[torch.nn.Module, Any], Any]
    """One forward pass: up to the scalar loss, or to the outputs where `mode` is inference."""
    mode: Mode = "training"
    attention: Attention = "sdpa"
    device_rules: DeviceRules = "cuda"


class _Pass(NamedTuple):
    """What one pass at one batch size left behind."""

    recorder: Recorder
    tracker: StorageTracker
    resident_count: int
    backward_start: int
    input_bytes: int
    kept: dict[int, int]
    """Bytes of each storage alive when forward ended, by number."""


def trace(subject: Subject, precision: TracePrecision) -> OpTable:
    """The operator table of one forward and backward pass (forward only for inference).

    Nothing is allocated: parameters and activations are fake. Raises TraceFailed with a reason for models whose
    control flow depends on data, or that run other operators at another batch size.
    """
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    was_collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        with ExitStack() as stack:
            if subject.device_rules == "cuda":
                stack.enter_context(cuda_rules(subject.attention))
            model = build_fake(subject.build, mode).train(subject.mode != "inference")
            return _table(subject, precision, mode, model)
    except StreamsDiffer as difference:
        raise TraceFailed("trace-depends-on-batch", str(difference)) from difference
    except Exception as error:
        refusal = value_was_asked(error)
        if refusal is None:
            raise
        shape = isinstance(refusal, DynamicOutputShapeException)
        fault: TraceFault = "trace-shape-depends-on-data" if shape else "trace-depends-on-data"
        raise TraceFailed(fault, str(refusal.func)) from error
    finally:
        if was_collecting:
            gc.enable()


def _one_pass(
    subject: Subject, precision: TracePrecision, mode: FakeTensorMode, model: torch.nn.Module, batch_size: int
) -> _Pass:
    """Forward and backward once, gradients starting from None."""
    tracker = StorageTracker()
    recorder = Recorder(tracker)
    with mode, ExitStack() as stack:
        model.zero_grad(set_to_none=True)
        batch = _fake_batch(subject.make_batch(batch_size), mode)
        for tensor in (*model.parameters(), *model.buffers()):
            tracker.see(tensor)
        inputs = tensors_in(batch)
        for tensor in inputs:
            tracker.see(tensor)
        resident_count = len(tracker.kinds)
        input_bytes = sum(size_bytes(t) for t in inputs)
        trained = [p for p in model.parameters() if p.requires_grad] if subject.mode != "inference" else []
        for parameter in trained:
            handle = parameter.register_post_accumulate_grad_hook(recorder.gradient_ready)
            stack.callback(handle.remove)
        stack.enter_context(recorder)
        stack.enter_context(ModulePaths(model, recorder))
        with torch.set_grad_enabled(subject.mode != "inference"), _autocast(precision):
            loss = subject.step(model, batch)
            backward_start = len(tracker.kinds)
            kept = tracker.alive()
            recorder.phase, recorder.path = "backward", ""
        if subject.mode != "inference":
            loss.backward()  # type: ignore[no-untyped-call]
        del loss
        tracker.close()
        model.zero_grad(set_to_none=True)
    return _Pass(recorder, tracker, resident_count, backward_start, input_bytes, kept)


def _fake_batch(value: Any, mode: FakeTensorMode) -> Any:  # noqa: ANN401 - any nested batch
    """The batch with every tensor fake, also those that C++ made from an array."""
    if isinstance(value, Tensor):
        return value if isinstance(value, FakeTensor) else mode.from_tensor(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_fake_batch(item, mode) for item in value))
    if isinstance(value, (tuple, list)):
        return type(value)(_fake_batch(item, mode) for item in value)
    if isinstance(value, dict):
        return {name: _fake_batch(item, mode) for name, item in value.items()}
    return value


@contextmanager
def _autocast(precision: TracePrecision) -> Iterator[None]:
    if precision != "amp":
        yield
        return
    with torch.autocast("cpu", dtype=torch.float16):
        yield


def _table(subject: Subject, precision: TracePrecision, mode: FakeTensorMode, model: torch.nn.Module) -> OpTable:
    low, high = BATCHES
    first = _one_pass(subject, precision, mode, model, low)
    second = _one_pass(subject, precision, mode, model, high)
    if len(first.recorder.ops) != len(second.recorder.ops):
        # Caches that the first pass filled (masks, positions) are no part of a steady step.
        first = _one_pass(subject, precision, mode, model, low)
    check_same_stream(first.recorder.ops, second.recorder.ops)
    figures = affine_figures(first.recorder.ops, second.recorder.ops, BATCHES)
    caveats: list[Reason] = []
    third = _one_pass(subject, precision, mode, model, CHECKED_BATCH)
    error = deviation(figures, third.recorder.ops, CHECKED_BATCH)
    if error > TOLERATED_ERROR_FRACTION:
        caveats.append(Reason(code="trace-not-affine", numbers={"error_fraction": error, "batch": CHECKED_BATCH}))
    memory: MemoryTimeline | Reason = memory_timeline(
        first.tracker, second.tracker, BATCHES, (second.resident_count, second.backward_start)
    )
    if isinstance(memory, Reason):
        caveats.append(memory)
    parameters = list(model.parameters())
    trained = [p for p in parameters if p.requires_grad]
    slope = (second.input_bytes - first.input_bytes) / (high - low)
    work = max(second.recorder.backward_work, 1.0)
    return OpTable(
        precision=precision,
        ops=merged_ops(second.recorder.ops, figures),
        parameter_count=sum(p.numel() for p in parameters),
        trainable_parameter_count=sum(p.numel() for p in trained),
        parameter_tensor_count=len(parameters),
        parameter_bytes=float(sum(size_bytes(p) for p in parameters)),
        trainable_parameter_bytes=float(sum(size_bytes(p) for p in trained)),
        gradient_bytes=float(sum(size_bytes(p) for p in trained)),
        trainable_tensor_bytes=tuple(float(size_bytes(p)) for p in trained),
        trainable_tensor_shapes=tuple(tuple(p.shape) for p in trained),
        **frozen_and_blocks(model),
        buffer_bytes=float(sum(size_bytes(b) for b in model.buffers())),
        input_bytes=(first.input_bytes - slope * low, slope),
        dispatch_count=second.recorder.dispatch_count,
        synchronisation_count=second.recorder.synchronisation_count,
        gradients_ready=tuple(
            GradientReady(element_count=g.element_count, backward_fraction=min(1.0, g.work / work))
            for g in second.recorder.gradients
        ),
        memory=None if isinstance(memory, Reason) else memory,
        layers=layer_table(model, (first, second), figures, BATCHES),
        caveats=tuple(caveats),
    )


def subject_of(
    workload: Workload, precision: TracePrecision, *, allow_code: bool = False, device_rules: DeviceRules = "cuda"
) -> Subject:
    """The workload's step as the worker would run it; raises InputError for a model that cannot be built."""
    from advisor.worker.load_model import load

    asked = with_training(workload, precision=_TRACED_AS[precision])
    loaded: list[LoadedModel] = []

    def build() -> torch.nn.Module:
        loaded[:] = [load(asked, allow_code=allow_code)]
        return loaded[0].module

    def step(module: torch.nn.Module, batch: Any) -> Any:  # noqa: ANN401 - whatever the model takes and gives
        inference = asked.training.mode == "inference"
        return loaded[0].outputs(module, batch) if inference else loaded[0].loss(module, batch)

    return Subject(
        build=build,
        make_batch=lambda batch_size: loaded[0].make_batch(batch_size),
        step=step,
        mode=asked.training.mode,
        attention=asked.training.attention,
        device_rules=device_rules,
    )


def answer(request: TraceRequest, box: EventBox) -> None:
    """One `Traced` event for each precision asked for; raises TraceFailed or InputError."""
    for place, precision in enumerate(request.precisions):
        fraction = place / len(request.precisions)
        box.send(Progress(phase="trace-phase", fraction=fraction, detail=precision))
        subject = subject_of(request.workload, precision, allow_code=request.allow_code)
        box.send(Traced(table=trace(subject, precision)))
