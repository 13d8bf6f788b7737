"""One pass over a step: every dispatched operator with its figures, its memory, its module and its phase."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode

from advisor.optable.op_table import Phase
from advisor.worker.models.architecture import MIXED_TYPES
from advisor.worker.trace.dataflow import DataFlow
from advisor.worker.trace.failed import refuse_sparse
from advisor.worker.trace.ops.call_cost import NO_COST, Cost, cost_of
from advisor.worker.trace.ops.known_results import KnownResults
from advisor.worker.trace.ops.op_figures import is_view
from advisor.worker.trace.ops.op_names import operators
from advisor.worker.trace.ops.op_schemas import knowable
from advisor.worker.trace.ops.raw_op import Args, Named, Operator, RawOp, size_bytes, tensors_in
from advisor.worker.trace.ops.rnn import RNN_OUTPUTS
from advisor.worker.trace.storages import StorageTracker
from advisor.worker.trace.values.constants import UniformValues
from advisor.worker.trace.values.decisions import NOT_DECIDED, Told

Tensor = torch.Tensor
_DEVICE = torch.ops.prim.device.default
_CPU = torch.device("cpu")


class GradientEvent(NamedTuple):
    """A parameter whose gradient is complete, and backward's work done by then."""

    element_count: int
    work: float
    """In FLOP, traffic converted by `call_cost.INTENSITY_FLOP_PER_BYTE`."""


class _Kind(NamedTuple):
    """What the recorder has to know of an operator, looked up once."""

    name: str
    view: bool
    hidden: bool
    synchronising: bool
    stand_in: Callable[..., Any] | None
    knowable: bool
    of_one_type: bool


class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Sits above the fake-tensor mode and writes down what passes."""

    def __init__(
        self,
        tracker: StorageTracker,
        results: KnownResults,
        *,
        without_values: bool = False,
        told: Told | None = None,
        operators_only: bool = False,
    ) -> None:
        """`results`: what earlier passes of the same model have met.

        `without_values`: what is computed of known values alone (places, sizes of pictures) counts as a call only.
        `told`: what a real pass has decided by values. `operators_only`: follow no storage.
        """
        super().__init__()  # type: ignore[no-untyped-call]
        self.tracker = tracker
        self.flow = DataFlow(tracker)
        self.ops: list[tuple[Phase, str, RawOp]] = []
        self.phase: Phase = "forward"
        self.dispatch_count: dict[Phase, int] = {"forward": 0, "backward": 0}
        self.synchronisation_count = 0
        self.differentiates_twice = False
        self.gradients: list[GradientEvent] = []
        self.backward_work = 0.0
        self.path = ""
        self.values = UniformValues()
        self.made_by: dict[int, tuple[Phase, str, str]] = {}
        """Phase, module and operator of each storage, by the event of its first tensor."""
        self.input_bytes: dict[str, int] = {}
        self.results = results
        self.without_values = without_values
        self.before_gradients: Callable[[], None] | None = None
        """Called before each operator of backward."""
        self.paused = False
        """Whether what passes is no part of the step."""
        self._told = told
        self._operators_only = operators_only
        self._kinds: dict[Any, _Kind] = {}

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Nothing is compiled here, and the guard against it costs as much as an operator."""
        return False

    def _look_up(self, func: Operator) -> _Kind:
        namespace, _, name = func._schema.name.partition("::")  # noqa: SLF001 - torch's own modes read it
        view = is_view(name) or namespace in {"prim", "prims"}
        stand_in, synchronising = RNN_OUTPUTS.get(name), name in operators().synchronising
        follows = stand_in is None and not synchronising and knowable(func, name)
        hidden, of_one_type = name in operators().hidden_from_host, name in operators().of_one_type
        kind = _Kind(name, view, hidden, synchronising, stand_in, follows, of_one_type)
        self._kinds[func] = kind
        return kind

    def __torch_dispatch__(self, func: Operator, types: object, args: Args = (), kwargs: Named | None = None) -> Any:  # noqa: ANN401, C901 - whatever the operator returns; calls of methods would cost as much as it
        """Run the operator below, or make its known result again, then note it."""
        del types
        if func is _DEVICE:
            return _CPU
        kwargs = kwargs or {}
        if self.paused:
            return func(*args, **kwargs)
        if self.before_gradients is not None and self.phase == "backward":
            self.before_gradients()
        kind = self._kinds.get(func) or self._look_up(func)
        out, cost = self._result(kind, func, args, kwargs)
        if self.values:
            self.values.follow(kind.name, args, out)
        if not kind.hidden:
            self.dispatch_count[self.phase] += 1
        if kind.synchronising:
            self.synchronisation_count += 1
        if self.without_values and _holds_values(out):
            return out
        if cost is not NO_COST:
            self._note(cost)
        if self._operators_only:
            return out
        self._follow(out, kind.name)
        if cost is not NO_COST:
            self.flow.note(self.phase, cost, args, kwargs, out)
        if cost.convolution_bytes:
            self.tracker.convolution(cost.convolution_bytes)
        return out

    def _result(self, kind: _Kind, func: Operator, args: Args, kwargs: Named) -> tuple[Any, Cost]:
        """What the operator gives and costs: as it was told, as it is known, or as its shape rule has it."""
        if self._told is not None:
            out = self._told.answer(func, args, kwargs, forward=self.phase == "forward")
            if out is not NOT_DECIDED:
                return out, self._cost(func, args, kwargs, out)
        if kind.knowable:
            return self.results.call(func, kind.name, args, kwargs, self._run, self._cost)
        out = self._run(func, args, kwargs)
        return out, self._cost(func, args, kwargs, out)

    def _run(self, func: Operator, args: Args, kwargs: Named) -> Any:  # noqa: ANN401 - as above
        kind = self._kinds[func]
        if kind.of_one_type and len(types := {value.dtype for value in args if isinstance(value, torch.Tensor)}) > 1:
            # Shape rules do not look; a device would raise the same.
            raise RuntimeError(f"{kind.name} {MIXED_TYPES}: {', '.join(sorted(map(str, types)))}")
        out = self.values.of(args[0]) if kind.synchronising and args else None
        if out is None:
            out = func(*args, **kwargs) if kind.stand_in is None else kind.stand_in(*args, **kwargs)
        return out

    def _cost(self, func: Operator, args: Args, kwargs: Named, out: object) -> Cost:
        kind = self._kinds[func]
        return NO_COST if kind.view else cost_of(kind.name, args, kwargs, out)

    def _note(self, cost: Cost) -> None:
        self.ops += [(self.phase, self.path, op) for op in cost.ops]
        if self.phase == "backward":
            for work in cost.work:
                self.backward_work += work
        elif not self.differentiates_twice:
            self.differentiates_twice = _in_differentiable_backward()
        if cost.transient_bytes:
            self.tracker.transient(cost.transient_bytes)

    def _follow(self, out: object, name: str) -> None:
        if isinstance(out, Tensor):
            refuse_sparse(out, name)
            if self.tracker.see(out):
                self.made_by[len(self.tracker.kinds) - 1] = (self.phase, self.path, name)
        elif isinstance(out, (tuple, list)):
            for item in out:
                self._follow(item, name)

    def gradient_ready(self, parameter: Tensor) -> None:
        """Hook for `register_post_accumulate_grad_hook`."""
        self.gradients.append(GradientEvent(parameter.numel(), self.backward_work))
        if parameter.grad is not None:
            self.tracker.gradient(parameter.grad)


def _in_differentiable_backward() -> bool:
    """Whether autograd runs right now and is recorded itself, as with `create_graph=True`."""
    return torch._C._current_graph_task_id() != -1 and torch.is_grad_enabled()  # noqa: SLF001 - as torch's checkpointing asks


def _holds_values(out: object) -> bool:
    """Whether all tensors of a result keep their values beside their shapes."""
    if isinstance(out, (tuple, list)):
        return bool(out) and all(_holds_values(item) for item in out)
    return isinstance(out, FakeTensor) and out.constant is not None


class ModulePaths:
    """While active, the recorder's `path` is that of the innermost module whose forward runs."""

    def __init__(self, model: torch.nn.Module, recorder: Recorder) -> None:
        """`model` names the modules; modules from elsewhere keep their caller's path."""
        self._names = {id(module): name or "(model)" for name, module in model.named_modules()}
        self._recorder = recorder
        self._stack: list[str] = []
        self._handles: list[Any] = []

    def _enter(self, module: torch.nn.Module, inputs: object) -> None:
        recorder = self._recorder
        self._stack.append(recorder.path)
        if recorder.phase == "forward":
            recorder.path = self._names.get(id(module), recorder.path)
            floating = (tensor for tensor in tensors_in(inputs) if tensor.is_floating_point())
            recorder.input_bytes[recorder.path] = sum(size_bytes(tensor) for tensor in floating)

    def _leave(self, _module: torch.nn.Module, _inputs: object, _output: object) -> None:
        if self._stack:
            self._recorder.path = self._stack.pop()

    def __enter__(self) -> Self:
        """Hook every module's forward."""
        hooks = torch.nn.modules.module
        self._handles = [
            hooks.register_module_forward_pre_hook(self._enter),
            hooks.register_module_forward_hook(self._leave, always_call=True),
        ]
        return self

    def __exit__(self, *_: object) -> None:
        """Take the hooks away."""
        for handle in self._handles:
            handle.remove()
