"""A model's forward passes run for real on the processor, for what they decide by their values."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from advisor.core.system import this_system
from advisor.worker.replaced import replaced
from advisor.worker.trace.as_written import layers_in_the_open, numbers_in_lists, unasserted, uncompiled
from advisor.worker.trace.failed import TraceFailed
from advisor.worker.trace.ops.raw_op import Args, Named, Operator
from advisor.worker.trace.subject import LARGEST_TIMES, REAL_BATCHES, Subject
from advisor.worker.trace.values.decisions import Decision, Decisions, Noting, drawn_alike

Tensor = torch.Tensor
_MOST_S = 50.0
"""For all passes, of the thread that runs them: what a trace may take in all, less what its passes over fakes do."""
_LONG_S = 25.0
"""What passes on one core may take before several are used, which together take more of the processor."""
_TABLE_S = 4.0
"""What a table takes that turns out to be none; a third real pass that takes less is not worth waiting for it."""
_FURTHER = LARGEST_TIMES * REAL_BATCHES[0]
"""Batch size that checks a table."""
_MOST_THREADS = 8
"""Where a container may use fewer cores than it sees, more would wait for one another."""
_LARGE_ELEMENTS = 1 << 18
"""Of a tensor that is worth several cores: feature maps of a picture are, states of a decoder are not."""
_NO_EXTENSION = "custom C++ ops"
"""In what torchvision raises where its compiled operators do not load."""


class TakesTooLong(Exception):  # noqa: N818 - what happened
    """The real passes would outlast a trace."""


def hindrance(error: Exception) -> TraceFailed | None:
    """What a user can mend of what ended a real pass; None: it tells nothing."""
    if isinstance(error, TakesTooLong):
        return TraceFailed("trace-runs-too-long", "", limit_s=_MOST_S)
    if isinstance(error, RuntimeError) and _NO_EXTENSION in str(error):
        return TraceFailed("trace-torchvision-unfit", torch.__version__)
    return None


class RealPasses:
    """A model that runs for real in FP32, at each batch size of a table; it is kept while a third may be looked at."""

    def __init__(self, subject: Subject) -> None:
        """Run it at both sizes. Raises TakesTooLong, and whatever the model raises."""
        low, high = REAL_BATCHES
        self._subject = subject
        self._several_cores = False
        with _as_a_trace_runs():
            model = subject.build().float().train(subject.mode != "inference")
            first, sample_s = _timed(subject, model, low)
            if low * sample_s > _MOST_S:
                raise TakesTooLong
            self._several_cores = sample_s * (low + low + high) > _LONG_S
            with self._cores():
                again, self._sample_s = _timed(subject, model, low)
                self._spent_s = low * (sample_s + self._sample_s) + high * self._sample_s
                if self._spent_s > _MOST_S:
                    raise TakesTooLong
                steady = {low: again, high: _decided(subject, model, high)}
        self.decisions = Decisions(first, steady)
        """What it decides."""
        self._model: torch.nn.Module | None = model
        if again == steady[high]:  # as it decides alike at both, so it does at the third
            self._model = None
            steady[_FURTHER] = again

    @property
    def lacks_long_third(self) -> bool:
        """Whether a third size is to come, which takes longer than a table of two to find out that there is none."""
        return self._model is not None and self._sample_s * _FURTHER > _TABLE_S

    def look_further(self) -> None:
        """Add what is decided at a third batch size, where time is left. Raises whatever the model raises."""
        model, self._model = self._model, None
        if model is not None and self._spent_s + self._sample_s * _FURTHER <= _MOST_S:
            with _as_a_trace_runs(), self._cores():
                self.decisions.steady[_FURTHER] = _decided(self._subject, model, _FURTHER)

    def _cores(self) -> AbstractContextManager[object]:
        return _SeveralCores() if self._several_cores else nullcontext()


@contextmanager
def _as_a_trace_runs() -> Iterator[None]:
    with ExitStack() as stack:
        for context in (layers_in_the_open, uncompiled, unasserted, _lists_by_item, _classes_unasked, _masks_unasked):
            stack.enter_context(context())
        stack.enter_context(numbers_in_lists(of=Tensor))
        yield


def _timed(subject: Subject, model: torch.nn.Module, batch_size: int) -> tuple[tuple[Decision, ...], float]:
    """What a pass decides, and its seconds a sample; how long others keep the processor is no part of them."""
    before_s = time.thread_time()
    decided = _decided(subject, model, batch_size)
    return decided, (time.thread_time() - before_s) / batch_size


def _decided(subject: Subject, model: torch.nn.Module, batch_size: int) -> tuple[Decision, ...]:
    with drawn_alike():
        batch = tree_map(_in_full, subject.make_batch(batch_size))
    noting = Noting()
    with drawn_alike(), torch.no_grad(), noting:
        subject.step(model, batch)
    return tuple(noting.decisions)


def _in_full(value: Any) -> Any:  # noqa: ANN401 - whatever a batch holds
    return value.float() if isinstance(value, Tensor) and value.is_floating_point() else value


class _SeveralCores(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """While active, operators on large tensors run on several cores, all others on one, as a trace does.

    Between small ones, as a decoder runs word by word, further threads only wait, and use processors up meanwhile.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._alone, self._several = torch.get_num_threads(), False

    def __torch_dispatch__(self, func: Operator, types: object, args: Args = (), kwargs: Named | None = None) -> Any:  # noqa: ANN401 - whatever the operator returns
        del types
        large = any(isinstance(value, Tensor) and value.numel() >= _LARGE_ELEMENTS for value in args)
        if large != self._several:
            self._several = large
            torch.set_num_threads(_core_count() if large else self._alone)
        return func(*args, **(kwargs or {}))

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)  # type: ignore[no-untyped-call]
        torch.set_num_threads(self._alone)


def _core_count() -> int:
    return min(_MOST_THREADS, this_system.affinity_core_count() or os.cpu_count() or 1)


@contextmanager
def _lists_by_item() -> Iterator[None]:
    """A list of numbers asks for each of them, as a fake's does: torch would read memory that no mode sees."""

    def listed(tensor: Tensor) -> Any:  # noqa: ANN401 - a number, or lists of them
        return [listed(item) for item in tensor] if tensor.dim() else tensor.item()

    with replaced(Tensor, tolist=listed):
        yield


@contextmanager
def _classes_unasked() -> Iterator[None]:
    """One-hot codes of so many classes are made as a trace makes them: only the processor asks whether values fit."""
    original = torch.nn.functional.one_hot

    def coded(tensor: Tensor, num_classes: int = -1) -> Tensor:
        if num_classes == -1:
            return original(tensor, num_classes)
        return (tensor.unsqueeze(-1) == torch.arange(num_classes)).long()

    with replaced(torch.nn.functional, one_hot=coded):
        yield


@contextmanager
def _masks_unasked() -> Iterator[None]:
    """Masks are made as a trace makes them: of values that are known transformers asks whether any of them is masked.

    It leaves that question out where it recognises fakes, by which a trace would decide something less.
    """
    recognising = sys.modules.get("transformers.utils.import_utils")
    if not hasattr(recognising, "is_fake_tensor"):
        yield
        return
    with replaced(recognising, is_fake_tensor=lambda value: isinstance(value, Tensor)):
        yield
