"""Where in a pass each group of repeated layers begins, forward and backward."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple, Self

import torch

from advisor.optable.op_table import Phase
from advisor.worker.trace.layer_runs import LayerRun
from advisor.worker.trace.ops.raw_op import tensors_in
from advisor.worker.trace.recorder import Recorder


class Mark(NamedTuple):
    """How far a recorder had come when a group began; `group` None: backward as a whole, or the end."""

    run: int | None
    group: int | None
    phase: Phase
    op_count: int
    event_count: int
    gradient_count: int
    dispatch_count: tuple[int, int]
    """Calls so far, forward and backward."""
    synchronisation_count: int
    work: float


class Marks:
    """While active, notes each group's first forward call, and the moment when backward has its output's gradient."""

    def __init__(self, runs: Sequence[LayerRun], recorder: Recorder) -> None:
        """`runs` of a model that is shortened."""
        self._runs, self._recorder = runs, recorder
        self._stack = ExitStack()
        self.found: list[Mark] = []

    def note(self, run: int | None, group: int | None, phase: Phase) -> None:
        """Write down where the recorder is."""
        recorder = self._recorder
        self.found.append(
            Mark(
                run,
                group,
                phase,
                len(recorder.ops),
                len(recorder.tracker.kinds),
                len(recorder.gradients),
                (recorder.dispatch_count["forward"], recorder.dispatch_count["backward"]),
                recorder.synchronisation_count,
                recorder.backward_work,
            )
        )

    def __enter__(self) -> Self:
        """Hook the first and the last layer of every group."""
        for number, run in enumerate(self._runs):
            layers = list(run.layers.children())
            for group in range(run.kept_count):
                first = layers[run.start + group * run.period]
                last = layers[run.start + (group + 1) * run.period - 1]
                begin = first.register_forward_pre_hook(self._begins(number, group), prepend=True)
                end = last.register_forward_hook(self._ends(number, group))
                self._stack.callback(begin.remove)
                self._stack.callback(end.remove)
        return self

    def __exit__(self, *_: object) -> None:
        """Take the hooks away."""
        self._stack.close()

    def _begins(self, run: int, group: int) -> Any:  # noqa: ANN401 - a hook
        def hook(_module: torch.nn.Module, _inputs: object) -> None:
            if self._recorder.phase == "forward":
                self.note(run, group, "forward")

        return hook

    def _ends(self, run: int, group: int) -> Any:  # noqa: ANN401 - a hook
        def ready(_gradient: torch.Tensor) -> None:
            self.note(run, group, "backward")

        def hook(_module: torch.nn.Module, _inputs: object, output: object) -> None:
            if self._recorder.phase == "forward":
                trained = (tensor for tensor in tensors_in(output) if tensor.requires_grad)
                first = next(trained, None)
                if first is not None:
                    first.register_hook(ready)  # type: ignore[no-untyped-call]

        return hook
