"""One pass over a step: every dispatched operator with its figures, its memory, its module and its phase."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from advisor.worker.trace_memory import StorageTracker
from advisor.worker.trace_op_names import HIDDEN_FROM_HOST, SYNCHRONISING
from advisor.worker.trace_ops import RawOp, is_view, raw_ops, size_bytes, tensors_in
from advisor.worker.trace_rnn import RNN_OUTPUTS
from advisor.worker.trace_values import UniformValues
from advisor.workload.op_table import Phase

Tensor = torch.Tensor
_DEVICE = torch.ops.prim.device.default
_FLASH_BACKWARD = "_scaled_dot_product_flash_attention_backward"
_EFFICIENT_BACKWARD = "_scaled_dot_product_efficient_attention_backward"
INTENSITY_FLOP_PER_BYTE = 60.0
"""Rough balance of cards with tensor cores; only used to share backward's work out over its operators."""


class GradientEvent:
    """A parameter whose gradient is complete, and backward's work done by then."""

    __slots__ = ("element_count", "work")

    def __init__(self, element_count: int, work: float) -> None:
        """`work` in FLOP, traffic converted by INTENSITY_FLOP_PER_BYTE."""
        self.element_count = element_count
        self.work = work


class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Sits above the fake-tensor mode (or above real kernels) and writes down what passes."""

    def __init__(self, tracker: StorageTracker, *, figures: bool = True) -> None:
        """`figures=False` follows memory only: enough on a real run."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.tracker = tracker
        self.figures = figures
        self.ops: list[tuple[Phase, str, RawOp]] = []
        self.phase: Phase = "forward"
        self.dispatch_count: dict[Phase, int] = {"forward": 0, "backward": 0}
        self.synchronisation_count = 0
        self.gradients: list[GradientEvent] = []
        self.backward_work = 0.0
        self.path = ""
        self.values = UniformValues()
        self.born_in: dict[int, str] = {}
        self.input_bytes: dict[str, int] = {}
        self._info: dict[Any, tuple[str, bool, bool, bool, Callable[..., Any] | None]] = {}

    def _look_up(self, func: Any) -> tuple[str, bool, bool, bool, Callable[..., Any] | None]:  # noqa: ANN401
        namespace, _, name = func._schema.name.partition("::")  # noqa: SLF001 - torch's own modes read it
        view = is_view(name) or namespace in {"prim", "prims"}
        info = (name, view, name in HIDDEN_FROM_HOST, name in SYNCHRONISING, RNN_OUTPUTS.get(name))
        self._info[func] = info
        return info

    def __torch_dispatch__(
        self,
        func: Any,  # noqa: ANN401 - an operator overload
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401 - whatever the operator returns
        """Run the operator below, then note it."""
        del types
        if func is _DEVICE:
            return torch.device("cpu")
        kwargs = kwargs or {}
        name, view, hidden, synchronising, stand_in = self._info.get(func) or self._look_up(func)
        out = self.values.of(args[0]) if synchronising and args else None
        if out is None:
            out = func(*args, **kwargs) if stand_in is None else stand_in(*args, **kwargs)
        if self.values:
            self.values.follow(name, args, out)
        if not hidden:
            self.dispatch_count[self.phase] += 1
        if synchronising:
            self.synchronisation_count += 1
        if self.figures and not view:
            self._note(name, args, kwargs, out)
        self._follow(out)
        if name == "convolution":
            self.tracker.convolution(size_bytes(args[0]) + size_bytes(tensors_in(out)[0]))
        elif name == "convolution_backward":
            self.tracker.convolution(size_bytes(args[1]) + size_bytes(args[0]))
        return out

    def _note(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], out: object) -> None:
        for op in raw_ops(name, args, kwargs, out):
            self.ops.append((self.phase, self.path, op))
            if self.phase == "backward":
                flop, read, written = op.figures[:3]
                self.backward_work += flop + INTENSITY_FLOP_PER_BYTE * (read + written)
        if name == "embedding_dense_backward":
            # Sorted indices, their original places and per-segment offsets, each 8 bytes an index.
            self.tracker.transient(4 * args[1].numel() * 8)
        elif name in (_FLASH_BACKWARD, _EFFICIENT_BACKWARD):
            # dQ is summed in FP32, and each row's dot product of output and its gradient is kept.
            query = args[1]
            rows = query.numel() // query.shape[-1]
            self.tracker.transient(4 * rows + (4 * query.numel() if query.element_size() < 4 else 0))  # noqa: PLR2004

    def _follow(self, out: object) -> None:
        if isinstance(out, Tensor):
            if self.tracker.see(out):
                self.born_in[len(self.tracker.kinds) - 1] = self.path
        elif isinstance(out, (tuple, list)):
            for item in out:
                self._follow(item)

    def gradient_ready(self, parameter: Tensor) -> None:
        """Hook for `register_post_accumulate_grad_hook`."""
        self.gradients.append(GradientEvent(parameter.numel(), self.backward_work))
        if parameter.grad is not None:
            self.tracker.gradient(parameter.grad)
