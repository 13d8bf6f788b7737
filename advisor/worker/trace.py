"""From a model to its operator table: forward and backward under fake tensors, as a CUDA step would run them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import torch  # noqa: TID251 - this room runs torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode  # noqa: TID251 - this room runs torch

from advisor.sentences import Reason
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
from advisor.worker.trace_layers import ModulePaths, layer_table
from advisor.worker.trace_memory import StorageTracker
from advisor.worker.trace_ops import size_bytes, tensors_in
from advisor.worker.trace_recorder import Recorder
from advisor.workload.op_table import GradientReady, MemoryTimeline, OpTable, TracePrecision
from advisor.workload.workload import Attention, Mode

Tensor = torch.Tensor
BATCHES = (8, 16)
CHECKED_BATCH = 24


class Subject(NamedTuple):
    """What is traced: a model, its batches and its step, and how the step is run."""

    build: Callable[[], torch.nn.Module]
    make_batch: Callable[[int], Any]
    loss: Callable[[torch.nn.Module, Any], Tensor]
    mode: Mode = "training"
    attention: Attention = "sdpa"
    channels_last: bool = False
    device_rules: str = "cuda"
    """`cuda`, or `cpu` for what a step on the CPU itself allocates."""


class TraceFailed(Exception):  # noqa: N818 - a name that says what happened
    """The model could not be traced; `reason` says why in the reader's language, the cause is chained."""

    def __init__(self, reason: Reason) -> None:
        """`reason` is a message of the catalogue `trace.ftl`."""
        super().__init__(reason.code, reason.numbers)
        self.reason = reason


class _Pass(NamedTuple):
    """What one pass at one batch size left behind."""

    recorder: Recorder
    tracker: StorageTracker
    resident_count: int
    backward_start: int
    input_bytes: int
    kept: dict[int, int]
    """Bytes of each storage alive when forward ended, by number."""


@contextmanager
def without_initialisation() -> Iterator[None]:
    """Skip random weight initialisation: it is useless on fakes, and slow."""
    names = ("normal_", "uniform_", "trunc_normal_", "erfinv_", "bernoulli_")
    saved = {name: getattr(Tensor, name) for name in names if hasattr(Tensor, name)}
    orthogonal, trunc = torch.nn.init.orthogonal_, torch.nn.init.trunc_normal_

    def unchanged(tensor: Tensor, *_args: object, **_kwargs: object) -> Tensor:
        return tensor

    try:
        for name in saved:
            setattr(Tensor, name, unchanged)
        torch.nn.init.orthogonal_ = unchanged
        torch.nn.init.trunc_normal_ = unchanged
        yield
    finally:
        for name, method in saved.items():
            setattr(Tensor, name, method)
        torch.nn.init.orthogonal_, torch.nn.init.trunc_normal_ = orthogonal, trunc


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
            model = _build(subject, precision, mode)
            return _table(subject, precision, mode, model)
    except TraceFailed:
        raise
    except StreamsDiffer as difference:
        reason = Reason(code="trace-depends-on-batch", numbers={"detail": str(difference)[:300]})
        raise TraceFailed(reason) from difference
    except torch._subclasses.fake_tensor.DataDependentOutputException as failure:  # noqa: SLF001 - no public name
        reason = Reason(code="trace-depends-on-data", numbers={"operator": str(failure.func)})
        raise TraceFailed(reason) from failure
    except torch._subclasses.fake_tensor.DynamicOutputShapeException as failure:  # noqa: SLF001 - no public name
        reason = Reason(code="trace-shape-depends-on-data", numbers={"operator": str(failure.func)})
        raise TraceFailed(reason) from failure
    finally:
        if was_collecting:
            gc.enable()


def _build(subject: Subject, precision: TracePrecision, mode: FakeTensorMode) -> torch.nn.Module:
    """The model on fake weights; where its construction reads values, it is built for real (uninitialised) first."""
    with without_initialisation():
        try:
            with mode:
                model = subject.build()
        except (
            torch._subclasses.fake_tensor.DataDependentOutputException,  # noqa: SLF001 - no public name
            torch._subclasses.fake_tensor.DynamicOutputShapeException,  # noqa: SLF001 - no public name
        ):
            model = subject.build()
        _make_fake(model, mode)
    with mode:
        if precision == "half" or subject.channels_last:
            _convert(model, half=precision == "half", channels_last=subject.channels_last)
    return model.train(subject.mode != "inference")


def _make_fake(model: torch.nn.Module, mode: FakeTensorMode) -> None:
    """Replace every real tensor that a module holds; shared parameters stay shared."""
    known: dict[int, Tensor] = {}

    def fake(tensor: Tensor) -> Tensor:
        if isinstance(tensor, FakeTensor):
            return tensor
        if id(tensor) not in known:
            known[id(tensor)] = mode.from_tensor(tensor)
        return known[id(tensor)]

    for module in model.modules():
        for store in (module._parameters, module._buffers):  # noqa: SLF001 - torch offers no setter that keeps sharing
            for name, tensor in store.items():
                if tensor is not None:
                    store[name] = fake(tensor)  # type: ignore[assignment]
        for name, value in list(vars(module).items()):
            if type(value) is Tensor:
                setattr(module, name, fake(value))


def _convert(model: torch.nn.Module, *, half: bool, channels_last: bool) -> None:
    """Half weights (batch norms kept in FP32, as mixed-precision training does) and NHWC weights, in place.

    `Module.to` cannot swap fake parameters; ties between modules are kept.
    """
    known: dict[int, Tensor] = {}

    def converted(tensor: Tensor, *, keep_type: bool) -> Tensor:
        if id(tensor) not in known:
            result = tensor.detach()
            if half and not keep_type and result.is_floating_point():
                result = result.half()
            if channels_last and result.dim() == 4:  # noqa: PLR2004 - images
                result = result.contiguous(memory_format=torch.channels_last)
            if isinstance(tensor, torch.nn.Parameter):
                result = torch.nn.Parameter(result, requires_grad=tensor.requires_grad)
            known[id(tensor)] = result
        return known[id(tensor)]

    keepers = list(model.parameters()) + list(model.buffers())  # so that no id is given out twice
    for module in model.modules():
        keep_type = isinstance(module, torch.nn.modules.batchnorm._BatchNorm)  # noqa: SLF001 - the common base
        for store in (module._parameters, module._buffers):  # noqa: SLF001 - in place, as Module.to does
            for name, tensor in store.items():
                if tensor is not None:
                    store[name] = converted(tensor, keep_type=keep_type)  # type: ignore[assignment]
    del keepers


def _batch(subject: Subject, precision: TracePrecision, mode: FakeTensorMode, batch_size: int) -> Any:  # noqa: ANN401
    def prepared(value: Any) -> Any:  # noqa: ANN401 - any nested batch
        if isinstance(value, Tensor):
            tensor = value if isinstance(value, FakeTensor) else mode.from_tensor(value)
            if precision == "half" and tensor.dtype == torch.float32:
                tensor = tensor.half()
            if subject.channels_last and tensor.dim() == 4:  # noqa: PLR2004 - images
                tensor = tensor.contiguous(memory_format=torch.channels_last)
            return tensor
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(prepared(item) for item in value))
        if isinstance(value, (tuple, list)):
            return type(value)(prepared(item) for item in value)
        if isinstance(value, dict):
            return {name: prepared(item) for name, item in value.items()}
        return value

    return prepared(subject.make_batch(batch_size))


def _one_pass(
    subject: Subject, precision: TracePrecision, mode: FakeTensorMode, model: torch.nn.Module, batch_size: int
) -> _Pass:
    """Forward and backward once, gradients starting from None."""
    tracker = StorageTracker()
    recorder = Recorder(tracker)
    with mode, ExitStack() as stack:
        model.zero_grad(set_to_none=True)
        batch = _batch(subject, precision, mode, batch_size)
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
            loss = subject.loss(model, batch)
            backward_start = len(tracker.kinds)
            kept = tracker.alive()
            recorder.phase, recorder.path = "backward", ""
        if subject.mode != "inference":
            loss.backward()  # type: ignore[no-untyped-call]
        del loss
        tracker.close()
        model.zero_grad(set_to_none=True)
    return _Pass(recorder, tracker, resident_count, backward_start, input_bytes, kept)


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
