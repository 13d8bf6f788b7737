"""Answers a `MeasureRequest`: trains the workload for real at several batch sizes on one device."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Sequence

import torch

from advisor.protocol.budgets import steps_share_s, warm_up_cap_s
from advisor.protocol.messages import KEEPING_SERIES, MeasureRequest, Memory, MemoryCount, Progress, StageEnded
from advisor.worker.event_box import EventBox
from advisor.worker.failures import is_out_of_memory
from advisor.worker.models.load_model import LoadedModel, load
from advisor.worker.train.device import Block, TorchDevice, environment, kernel_mode
from advisor.worker.train.peak_memory import LiveBytes
from advisor.worker.train.resident_memory import (
    keep_freed_memory,
    peak_resident_bytes,
    reset_peak_resident,
    resident_bytes,
)
from advisor.worker.train.stages import Stage, Stages, sample_of
from advisor.worker.train.thread_choice import fastest_thread_count
from advisor.worker.train.time_shares import extrapolated, first_share_s, foreseen_s
from advisor.worker.train.training_step import TrainingStep

_STALL_FACTOR = 5.0
"""Times what smaller batches let expect: beyond it a first step is looked at again."""
_STALL_RETRIES = 2
_TRACKED_SHARE = 0.3
"""Of a batch size's budget that the tracked step may take; a longer step is judged by the resident set."""
_FEW_STEPS = 8.0
_LONG_STEP_S = 0.3
"""From here on following every storage adds nothing that shows, and each step is sent."""
_SPLIT_SHARE = 0.15


def answer(request: MeasureRequest, box: EventBox) -> None:
    """Build the model, choose the thread count, then time each batch size, the smallest first."""
    started = time.monotonic()
    if request.keep_freed_memory and not keep_freed_memory():
        return
    device = TorchDevice(request.device)
    gc.collect()  # a model trained before may be held by its own cycles
    before_bytes = resident_bytes()
    reset_peak_resident()
    box.send(Progress(phase="measure-phase-load", fraction=0.0, detail=request.workload.name))
    loaded = load(
        request.workload,
        device=request.device,
        allow_code=request.allow_code,
        layer_limit=request.layer_limit,
    )
    run = _Run(request, box, device, loaded, before_bytes)
    # Building may be slow on a loaded machine; the steps are what the budget is for.
    run.deadline_s = max(started + request.budget_s, time.monotonic() + steps_share_s(request.budget_s))
    with kernel_mode(request.workload.training.precision):
        if request.keep_freed_memory:
            run.measure_keeping_memory()
        else:
            run.measure_all()


class _Run:
    """One model on one device through its batch sizes."""

    def __init__(
        self, request: MeasureRequest, box: EventBox, device: TorchDevice, loaded: LoadedModel, before_bytes: int | None
    ) -> None:
        self._request = request
        self._precision = request.workload.training.precision
        self._box = box
        self._device = device
        self._step = TrainingStep(loaded, request.workload, device)
        self._stages = Stages(box, device)
        self._loaded = loaded
        self._before_bytes = before_bytes
        self._peaks: list[tuple[int, int]] = []
        self._step_times: list[tuple[int, float]] = []
        self._figures: dict[str, float] = {}
        self.deadline_s = 0.0

    def measure_all(self) -> None:
        """Time the batch sizes in rising order; one that cannot run ends there, the others keep their samples."""
        batch_sizes = sorted(set(self._request.batch_sizes))
        if self._loaded.full_block_count is not None and self._request.layer_limit is not None:
            self._figures["blocks"] = float(self._loaded.block_count or 0)
            self._figures["full_blocks"] = float(self._loaded.full_block_count)
        self._choose_threads(batch_sizes[0])
        self._box.send(environment(self._device))
        self._load_kernels(batch_sizes[0])
        for number, batch_size in enumerate(batch_sizes):
            left = batch_sizes[number:]
            self._box.send(
                Progress(phase="measure-phase-steps", fraction=number / len(batch_sizes), detail=str(batch_size))
            )
            refusal = self._refusal(batch_size, self._share_s(left))
            if refusal is not None:
                self._end(batch_size, refusal)
                continue
            try:
                self._measure(batch_size, self._share_s(left))
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                self._end(batch_size, "out_of_memory")
                self._recover()
                break

    def _load_kernels(self, batch_size: int) -> None:
        """An accelerator's very first step loads its kernels, for a second or more of one of milliseconds: no step's.

        Where not even the smallest batch fits, the first measured step says so.
        """
        if self._device.is_cpu:
            return
        started = time.monotonic()
        self._step.set_batch_size(batch_size)
        try:
            self._device.time_block(self._step, 1)
        except RuntimeError as error:
            if not is_out_of_memory(error):
                raise
            self._recover()
        self.deadline_s += time.monotonic() - started

    def measure_keeping_memory(self) -> None:
        """Time the steps of a process that was told to keep what they free."""
        for batch_size in sorted(set(self._request.batch_sizes)):
            self._box.send(Progress(phase="measure-phase-keeping", fraction=1.0, detail=str(batch_size)))
            self._choose_threads(batch_size)
            self._step.set_batch_size(batch_size)
            self._step()
            left_s = self.deadline_s - time.monotonic()
            self._stages.run(self._stage(KEEPING_SERIES, batch_size, left_s), self._step)

    def _measure(self, batch_size: int, budget_s: float) -> None:
        started = time.monotonic()
        self._device.release_cached_memory()  # what smaller sizes or other models left is not this one's reserve
        self._step.set_batch_size(batch_size)
        first = self._first_step(batch_size)
        long = first.wall_s > _LONG_STEP_S
        if long:
            self._send_step(batch_size, first, warm_up=True)
        if first.wall_s > budget_s:
            self._step_times.append((batch_size, first.wall_s))
            self._end(batch_size, "too_long")
            return
        # Where only a few steps fit into the budget, one of them is warm-up enough.
        warm = long and (first.wall_s >= warm_up_cap_s(budget_s) or budget_s < _FEW_STEPS * first.wall_s)
        second = self._measure_memory(batch_size, tracked=first.wall_s < budget_s * _TRACKED_SHARE)
        self._step_times.append((batch_size, min(first.wall_s, second.wall_s)))
        if long:
            self._send_step(batch_size, second, warm_up=not warm)
        self._step.take_parts(1)
        split = not self._device.is_cpu
        left_s = max(0.0, budget_s - (time.monotonic() - started))
        stage = self._stage("step", batch_size, left_s * (1 - _SPLIT_SHARE if split else 1.0))
        spent_s = math.inf if warm else first.wall_s + second.wall_s if long else 0.0
        parts = None if split else self._step.take_parts
        settled_s = self._stages.run(stage, self._step, parts=parts, spent_s=spent_s)
        if settled_s is not None:  # the first steps took longer: they make room and are followed closely
            self._step_times[-1] = (batch_size, settled_s)
        if split:
            self._step.take_parts(1)
            left_s = max(0.0, budget_s - (time.monotonic() - started)) * _SPLIT_SHARE
            self._stages.run(self._stage("split", batch_size, left_s), self._step.split, parts=self._step.take_parts)

    def _first_step(self, batch_size: int) -> Block:
        """The first step of a batch size, once more where it took far longer than smaller ones let expect.

        Threads that wait for one another on a busy machine stall a step of a millisecond for seconds; taken at its
        word, one such stall would end this batch size and all larger ones.
        """
        expected_s = self._foreseen_s(batch_size)
        first = self._device.time_block(self._step, 1)
        for _ in range(_STALL_RETRIES):
            if expected_s is None or first.wall_s <= _STALL_FACTOR * expected_s:
                break
            again = self._device.time_block(self._step, 1)
            first = min(first, again, key=lambda block: block.wall_s)
        return first

    def _measure_memory(self, batch_size: int, *, tracked: bool) -> Block:
        """Peak of one step that already has its optimizer states, and the time of that step."""
        if not self._device.is_cpu:
            self._device.reset_peak_memory()
            block = self._device.time_block(self._step, 1)
            peaks = self._device.peak_memory_bytes()
            if peaks is not None:
                self._send_memory(batch_size, "cuda_allocator", *peaks)
        elif tracked:
            gc.collect()
            with LiveBytes() as live:
                live.see(self._step.tensors())
                block = self._device.time_block(self._step, 1)
            self._send_memory(batch_size, "dispatch_tracked", live.peak_bytes)
        else:
            block = self._device.time_block(self._step, 1)
            peak = peak_resident_bytes()
            if peak is not None and self._before_bytes is not None:
                self._send_memory(batch_size, "resident_set", max(0, peak - self._before_bytes))
        return block

    def _stage(self, series: str, batch_size: int, budget_s: float) -> Stage:
        return Stage(series, self._precision, budget_s, batch_size, dict(self._figures))

    def _send_step(self, batch_size: int, block: Block, *, warm_up: bool) -> None:
        """A single long step before the stage: too dear to be thrown away."""
        stage = self._stage("step", batch_size, 0.0)
        parts = self._step.take_parts if self._device.is_cpu else None
        self._box.send(sample_of(stage, None, block, warm_up=warm_up, parts=parts))

    def _send_memory(self, batch_size: int, how: MemoryCount, peak: int, reserved: int | None = None) -> None:
        self._peaks.append((batch_size, peak))
        self._box.send(
            Memory(
                batch_size=batch_size,
                precision=self._precision,
                peak_allocated_bytes=peak,
                peak_reserved_bytes=reserved,
                how=how,
            )
        )

    def _refusal(self, batch_size: int, budget_s: float) -> str | None:
        """Why this batch size is not even tried: too little memory or time, judged from the smaller ones."""
        limit = self._request.memory_limit_bytes
        expected = extrapolated(self._peaks, batch_size)
        if limit is not None and expected is not None and expected > limit:
            return "memory_limit"
        if self._step_times and budget_s <= 0.0:
            return "no_budget"
        expected_s = self._foreseen_s(batch_size)
        if expected_s is not None and 2.0 * expected_s > budget_s:
            return "too_long"
        return None

    def _share_s(self, batch_sizes: Sequence[int]) -> float:
        """The first batch size's share of the time left."""
        estimates = self._request.expected_step_s
        expected_s = [self._foreseen_s(size) or estimates.get(size, 0.0) for size in batch_sizes]
        return first_share_s(self.deadline_s - time.monotonic(), expected_s)

    def _foreseen_s(self, batch_size: int) -> float | None:
        return foreseen_s(self._step_times, batch_size, self._request.expected_step_s)

    def _choose_threads(self, batch_size: int) -> None:
        """Set the asked thread count, or try several in turn (A B A B) and keep the best."""
        if not self._device.is_cpu:
            return
        counts = self._request.thread_counts
        if self._request.thread_count is not None or len(counts) < 2:  # noqa: PLR2004 - nothing to compare
            chosen = self._request.thread_count or (counts[0] if counts else torch.get_num_threads())
        else:
            chosen = fastest_thread_count(
                self._step, self._device, sorted(counts), batch_size, self._precision, self._box
            )
        torch.set_num_threads(chosen)
        self._figures["threads"] = float(chosen)

    def _end(self, batch_size: int, reason: str) -> None:
        self._box.send(StageEnded(series="step", batch_size=batch_size, precision=self._precision, reason=reason))

    def _recover(self) -> None:
        """Let go of what the failed step left behind."""
        self._step.set_batch_size(1)
        self._loaded.module.zero_grad(set_to_none=True)
        gc.collect()
        self._device.release_cached_memory()
