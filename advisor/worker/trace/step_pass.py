"""Forward and backward at one batch size under fake tensors."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from typing import Any, NamedTuple

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import _disable_current_modes

from advisor.catalogue.precisions import TracePrecision
from advisor.worker.causes import value_was_asked
from advisor.worker.models.alike_rounds import counted_by
from advisor.worker.replaced import replaced
from advisor.worker.trace.extended import Extension, NotAlikeError
from advisor.worker.trace.failed import TraceFailed, refuse_sparse
from advisor.worker.trace.layer_runs import LayerRun, Mark, Marks, count_copies, layer_runs, shortened
from advisor.worker.trace.loops.long_loops import LongLoops
from advisor.worker.trace.loops.loop_run import Origin, RoundsDiffer
from advisor.worker.trace.loops.rounds import count_rounds, one_for_all
from advisor.worker.trace.ops.known_results import KnownResults
from advisor.worker.trace.ops.raw_op import size_bytes, tensors_in
from advisor.worker.trace.recorder import ModulePaths, Recorder
from advisor.worker.trace.storages import StorageTracker
from advisor.worker.trace.subject import LARGEST_TIMES, REAL_BATCHES, Learnt, Subject
from advisor.worker.trace.values.constants import finite, uniform_values, values_shown
from advisor.worker.trace.values.decisions import Decision, Decisions, Told, drawn_alike
from advisor.worker.trace.values.kept_values import CHOOSING, is_small_enough, with_values
from advisor.worker.trace.values.known import Fakes

Tensor = torch.Tensor
_BATCHES = (8, 16)
_BATCHES_APART = (4, 8)
_LOOKED_AT_BATCH = 2
"""Batch that is made for real once, to see which inputs are masks without padding."""


class Pass(NamedTuple):
    """What one pass at one batch size left behind."""

    recorder: Recorder
    resident_count: int
    backward_start: int
    input_bytes: int
    input_count: int
    """Tensors that the step is given."""
    kept: dict[int, int]
    """Bytes of each storage alive when forward ended, by number."""
    longest_loop: int = 0
    """Rounds of the longest loop of which only a few were traced."""


class Passes:
    """Runs the subject's step at any batch size, its model already fake."""

    def __init__(
        self,
        subject: Subject,
        precision: TracePrecision,
        mode: Fakes,
        model: torch.nn.Module,
        decisions: Decisions | None = None,
    ) -> None:
        """Look at one small real batch; nothing is traced yet. `decisions`: of real passes, by batch size."""
        self.subject, self.precision, self.model = subject, precision, model
        self._mode = mode
        self._without_values = False
        self._decisions, self._is_steady = decisions, False
        self._uniform = uniform_values(subject.make_batch(_LOOKED_AT_BATCH))
        self.learnt = subject.learnt or Learnt()
        self._known = _known_results(mode, self.learnt)
        differ = self.learnt.samples_apart and self.learnt.layers_differ
        self._runs = layer_runs(model) if subject.alike_layers and not differ else ()
        self._shortens_loops = decisions is None
        self._shortened = False
        """Whether a pass has left out rounds of a loop."""
        self._whole_loops: set[Origin] = set()
        self._operators_only = False
        self._forward_alone = False

    @property
    def batches(self) -> tuple[int, int]:
        """Two sizes that make a table: smaller ones where each sample takes operators of its own."""
        if self._mode.values == "all" or self._decisions is not None:
            return REAL_BATCHES
        return _BATCHES_APART if self.go_apart else _BATCHES

    @property
    def go_apart(self) -> bool:
        """Whether batch sizes are known to run unlike: seen here, at another precision, or in another set-up."""
        return self.learnt.samples_apart and self._decisions is None

    def learn_apart(self) -> None:
        """Note that batch sizes run unlike, for the passes to come and those at other precisions."""
        self.learnt.samples_apart = self._decisions is None
        self.learnt.layers_differ = not self._runs

    @property
    def by_values(self) -> bool:
        """Whether sizes are those that samples happened to have in a real pass."""
        return self._decisions is not None and self._decisions.change_sizes

    def leave_out_values(self) -> bool:
        """Count what is computed of known values as calls alone from here on; whether that may change anything.

        A loop over the pictures of a batch computes each one's places: as many operators as there are pictures.
        """
        before, self._without_values = self._without_values, self._mode.values in {"whole", "even"}
        return self._without_values and not before

    def run_all_rounds(self) -> bool:
        """Shorten no loop from here on, since it runs otherwise at another batch size; whether any was shortened."""
        before, self._shortens_loops = self._shortens_loops, False
        return before and self._shortened

    def warm_up(self, batch_size: int) -> None:
        """Run forward for what it leaves in the model, such as masks and places: of a steady step it is no part."""
        with replaced(self, _forward_alone=True):
            self.at(batch_size, operators_only=True)

    def at(self, batch_size: int, *, operators_only: bool = False) -> Pass:
        """Forward and backward once, gradients starting from None; of layers that are alike only a few run.

        `operators_only`: the pass is asked for its operators alone, the memory of which is then not followed.
        """
        # What a round of a loop stands for is told by its memory.
        self._operators_only = operators_only and not self._shortened
        if self._decisions is not None:
            smallest = min(self._decisions.steady)
            if not self._is_steady and self._decisions.first != self._decisions.steady[smallest]:
                self._at(smallest, (), self._decisions.first)
            self._is_steady = True
            return self._at(batch_size, (), self._decisions.steady[batch_size])
        if self._runs:
            try:
                return self._with_loops(batch_size, self._runs)
            except TraceFailed:
                raise
            except Exception as error:
                if value_was_asked(error) is not None:
                    raise
                # A loop that counts its layers, or layers that work unlike: all of them run.
                self._runs = ()
        return self._with_loops(batch_size, ())

    def _with_loops(self, batch_size: int, runs: tuple[LayerRun, ...]) -> Pass:
        """The pass with as many loops shortened as have rounds that are alike."""
        while self._shortens_loops:
            try:
                return self._at(batch_size, runs)
            except RoundsDiffer as difference:
                self._whole_loops.add(difference.origin)
            except (TraceFailed, NotAlikeError):
                raise
            except Exception as error:
                if value_was_asked(error) is not None or not self._shortened:
                    raise
                self._shortens_loops = False  # what follows the loop takes more of what it leaves behind
        return self._at(batch_size, runs)

    def _at(self, batch_size: int, runs: tuple[LayerRun, ...], decisions: Sequence[Decision] | None = None) -> Pass:
        """The pass of a step that has been run before: what the first converts for good, the others find converted."""
        self._mode.converted = False
        made = self._once(batch_size, runs, decisions)
        if not self._mode.converted:
            return made
        if runs:  # those that stand for others have converted their own alone
            with self._mode, torch.no_grad(), _autocast(self.precision):
                self.subject.step(self.model, self._batch(batch_size))
        return self._once(batch_size, runs, decisions)

    def _once(self, batch_size: int, runs: tuple[LayerRun, ...], decisions: Sequence[Decision] | None) -> Pass:
        tracker = StorageTracker()
        told = None if decisions is None else Told(decisions)
        how = {"without_values": self._without_values, "operators_only": self._operators_only}
        recorder = Recorder(tracker, self._known, told=told, **how)
        training = self.subject.mode != "inference"
        model = self.model
        loops = self._long_loops(recorder)
        with self._mode, ExitStack() as stack:
            model.zero_grad(set_to_none=True)
            batch = self._batch(batch_size)
            inputs = tensors_in(batch)
            self._note_residents(inputs, recorder)
            input_bytes = sum(size_bytes(tensor) for tensor in inputs)
            resident_count = len(tracker.kinds)
            stack.enter_context(shortened(runs))
            marks = stack.enter_context(Marks(runs, recorder))
            if training:
                self._note_gradients(recorder, stack)
            if loops is not None:
                stack.enter_context(loops)
            stack.enter_context(counted_by(partial(one_for_all, recorder)))
            stack.enter_context(recorder)
            stack.enter_context(ModulePaths(model, recorder))
            if told is None:  # else a real pass has told all of it
                stack.enter_context(values_shown(recorder.values))
                stack.enter_context(finite(recorder.values))
            with torch.set_grad_enabled(training), _autocast(self.precision):
                marks.note(None, None, "forward")
                with nullcontext() if told is None else drawn_alike():
                    loss = self._loss(batch, loops)
                if told is not None:
                    told.end()
                marks.note(None, None, "backward")
                backward_start = len(tracker.kinds)
                kept = tracker.alive()
                recorder.phase, recorder.path = "backward", ""
            recorder.flow.kept = tuple(tracker.alive())  # without what autocast had cached for forward alone
            if training and not self._forward_alone:
                if not loss.requires_grad:
                    trained = any(parameter.requires_grad for parameter in model.parameters())
                    raise TraceFailed("trace-nothing-to-train" if trained else "trace-no-parameters", "")
                with self._mode.deciding_no_more():
                    loss.backward()
            del loss
            marks.note(None, None, "backward")
            tracker.close()
            model.zero_grad(set_to_none=True)
        longest = 0 if loops is None else count_rounds(recorder, loops, marks.recorded)
        kept = {number: size * tracker.counts.get(number, 1) for number, size in kept.items()}
        made = Pass(recorder, resident_count, backward_start, input_bytes, len(inputs), kept, longest)
        return self._with_copies(made, marks.recorded, runs)

    def _with_copies(self, made: Pass, marks: Sequence[Mark], runs: tuple[LayerRun, ...]) -> Pass:
        """The pass of all layers, of which it ran a few."""
        if self._forward_alone:
            return made
        if self._operators_only:
            count_copies(made.recorder.ops, marks, runs)
        elif runs:
            long = Extension(made.recorder, marks, runs, made.resident_count)
            long.run()
            return made._replace(recorder=long.recorder, backward_start=long.backward_start, kept=long.kept)
        return made

    def _long_loops(self, recorder: Recorder) -> LongLoops | None:
        shortens = self._shortens_loops and not self._operators_only
        return LongLoops(self.model, recorder, self._whole_loops) if shortens else None

    def _note_gradients(self, recorder: Recorder, stack: ExitStack) -> None:
        for parameter in self.model.parameters():
            if parameter.requires_grad:
                handle = parameter.register_post_accumulate_grad_hook(recorder.gradient_ready)  # type: ignore[no-untyped-call]
                stack.callback(handle.remove)

    def _loss(self, batch: Any, loops: LongLoops | None) -> Any:  # noqa: ANN401 - as of `Subject.step`
        try:
            return self.subject.step(self.model, batch)
        finally:
            self._shortened |= loops is not None and bool(loops.runs)

    def _batch(self, batch_size: int) -> Any:  # noqa: ANN401 - any nested batch
        """A batch of fakes; where values are kept it is made for real first."""
        if self._decisions is not None:
            with _disable_current_modes(), drawn_alike():
                made = self.subject.make_batch(batch_size)
            return _fake_batch(made, self._mode)
        if self._mode.values == "none":
            return _fake_batch(self.subject.make_batch(batch_size), self._mode)
        with _disable_current_modes():
            made = self.subject.make_batch(batch_size)
        # What is known at one batch size and not at another would make other operators of the same ones.
        return _fake_batch(made, self._mode, times=max(1.0, LARGEST_TIMES * self.batches[0] / batch_size))

    def _note_residents(self, inputs: Sequence[Tensor], recorder: Recorder) -> None:
        """Parameters, buffers and inputs are there before the step."""
        for tensor in (*self.model.parameters(), *self.model.buffers()):
            recorder.tracker.see(tensor)
        # A list of pictures has more tensors at another batch size, and none of them is known by its place.
        told = len(self._uniform) == len(inputs) and self._decisions is None
        uniform = self._uniform if told else [None] * len(inputs)
        for tensor, value in zip(inputs, uniform, strict=True):
            refuse_sparse(tensor, "make_batch")
            recorder.tracker.see(tensor)
            if value is not None:
                recorder.values.note(tensor, value)


def _known_results(mode: Fakes, learnt: Learnt) -> KnownResults:
    """What is kept beside shapes is of one trace alone."""
    if mode.values == "none":
        return KnownResults(met=learnt.met)
    return KnownResults(CHOOSING if mode.values == "even" else frozenset())


def _fake_batch(value: Any, mode: Fakes, *, times: float = 1.0) -> Any:  # noqa: ANN401 - any nested batch
    """The batch with every tensor fake, also those that C++ made from an array; `times` as of `is_small_enough`."""
    if isinstance(value, Tensor):
        if isinstance(value, FakeTensor):
            return value
        kept = mode.values != "none" and is_small_enough(value, every=mode.values == "all", times=times)
        return with_values(mode, value) if kept else mode.from_tensor(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_fake_batch(item, mode, times=times) for item in value))
    if isinstance(value, (tuple, list)):
        return type(value)(_fake_batch(item, mode, times=times) for item in value)
    if isinstance(value, dict):
        return {name: _fake_batch(item, mode, times=times) for name, item in value.items()}
    return value


def _autocast(precision: TracePrecision) -> AbstractContextManager[object]:
    return torch.autocast("cpu", dtype=torch.float16) if precision in {"amp", "fp8"} else nullcontext()
