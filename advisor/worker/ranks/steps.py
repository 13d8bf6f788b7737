"""The user's own model on one rank: its single step, its DDP step with and without accumulation, its DP step."""

from __future__ import annotations

import contextlib
import math
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from advisor.protocol.messages import RankFindingKind, RanksRequest
from advisor.worker.models.batches import Batch, mapped
from advisor.worker.models.load_model import LoadedModel, autocast, load
from advisor.worker.ranks.collectives import Rank

Variant = tuple[RankFindingKind, int]
"""What is stepped, and micro-batches per optimizer step."""

_ACCUMULATION_STEPS = (1, 2, 4, 8)
_BLOCK_S = 0.02
_ROUNDS_LEAST, _ROUNDS_MOST = 5, 25


class RankSteps:
    """One model, stepped alone and together with the other ranks, in turn (A B A B)."""

    def __init__(self, request: RanksRequest, rank: Rank) -> None:
        """Build the model on this rank's device; nothing has run yet."""
        self._request, self._rank = request, rank
        self._precision = request.workload.training.precision
        device = rank.device.type if rank.device.type == "cpu" else str(rank.device)
        self._loaded: LoadedModel = load(request.workload, device=device, allow_code=request.allow_code)
        self._optimizer = self._loaded.make_optimizer()
        self._batch = mapped(self._loaded.make_batch(request.batch_size), lambda tensor: tensor.to(rank.device))
        self._updates_s: list[float] = []
        self.largest_gradient_bytes = max(
            (
                parameter.numel() * parameter.element_size()
                for parameter in self._loaded.module.parameters()
                if parameter.requires_grad
            ),
            default=0,
        )

    def measure(self, budget_s: float) -> None:
        """Single steps and DDP steps at each accumulation in turn; each sample is a block of at least 20 ms."""
        self._backward(self._loaded.module, self._batch)
        unused = any(
            parameter.requires_grad and parameter.grad is None for parameter in self._loaded.module.parameters()
        )
        self._finish()
        ids = None if self._rank.device.type == "cpu" else [self._rank.device]
        # Where any rank's model leaves a parameter without gradient, DDP has to look for it.
        anywhere = self._rank.agreed(float(unused)) > 0
        together = DistributedDataParallel(self._loaded.module, device_ids=ids, find_unused_parameters=anywhere)
        variants: dict[Variant, Callable[[], None]] = {("single_step", 1): self._single}
        for count in _ACCUMULATION_STEPS:
            variants["ddp_step", count] = partial(self._ddp, together, count)
        blocks = {name: self._block(step) for name, step in variants.items()}
        round_s = sum(seconds * steps for seconds, steps in blocks.values())
        rounds = int(min(_ROUNDS_MOST, max(_ROUNDS_LEAST, budget_s / max(self._rank.agreed(round_s), 1e-6))))
        samples: dict[Variant, list[float]] = {name: [] for name in variants}
        shares: dict[Variant, list[float]] = {name: [] for name in variants}
        for _ in range(rounds):
            for name, step in variants.items():
                wall_s, share = self._timed(step, blocks[name][1])
                samples[name].append(wall_s)
                shares[name].append(share)
        for name, values in samples.items():
            self._found(name, values, sorted(shares[name])[len(values) // 2])

    def measure_data_parallel(self, budget_s: float) -> None:
        """`nn.DataParallel` over all local cards from rank 0, while the others wait for a block at a time; GPUs only.

        The first card may be too full for it beside DDP: then nothing is found, and nothing else is lost.
        """
        step = self._data_parallel_step() if self._rank.rank == 0 else None
        wall_s = 0.0
        for _ in range(2):
            wall_s = self._rank.agreed(self._tried_s(step, 1))
            if not math.isfinite(wall_s):
                return
        steps = max(1, math.ceil(_BLOCK_S / max(wall_s, 1e-6)))
        rounds = int(min(_ROUNDS_MOST, max(_ROUNDS_LEAST, budget_s / max(wall_s * steps, 1e-6))))
        samples = [self._rank.agreed(self._tried_s(step, steps)) for _ in range(rounds)]
        if step is not None and all(math.isfinite(sample) for sample in samples):
            self._found(("dp_step", 1), samples, None, rank_count=torch.cuda.device_count())

    def _data_parallel_step(self) -> Callable[[], None]:
        copies = nn.DataParallel(self._loaded.module)
        batch = self._loaded.make_batch(self._request.batch_size * max(1, torch.cuda.device_count()))
        moved = mapped(batch, lambda tensor: tensor.to(self._rank.device))

        def step() -> None:
            self._backward(copies, moved)
            self._finish()

        return step

    def _tried_s(self, step: Callable[[], None] | None, steps: int) -> float:
        """Seconds a step of `steps` that this rank alone runs; 0 on the ranks that wait, infinite where it fails."""
        if step is None:
            return 0.0
        try:
            return self._timed(step, steps, alone=True)[0]
        except RuntimeError:  # out of memory is one
            return math.inf

    def _single(self) -> None:
        self._backward(self._loaded.module, self._batch)
        if self._rank.device.type == "cpu":  # elsewhere the clock would need a wait that the step does not have
            begin = time.perf_counter()
            self._finish()
            self._updates_s.append(time.perf_counter() - begin)
        else:
            self._finish()

    def _ddp(self, together: DistributedDataParallel, count: int) -> None:
        for index in range(count):
            waits = together.no_sync() if index < count - 1 else contextlib.nullcontext()
            with waits:
                self._backward(together, self._batch)
        self._finish()

    def _backward(self, module: nn.Module, batch: Batch) -> None:
        with autocast(self._precision, self._rank.device.type):
            loss: Any = self._loaded.loss(module, batch)
        # DataParallel gives the loss of each card.
        (loss if loss.ndim == 0 else loss.mean()).backward()

    def _finish(self) -> None:
        if self._optimizer is not None:
            self._optimizer.step()
        self._loaded.module.zero_grad(set_to_none=True)

    def _block(self, step: Callable[[], None]) -> tuple[float, int]:
        """(seconds of one step, steps a block), the same on every rank; warms up on the way."""
        for _ in range(2):
            wall_s, _ = self._timed(step, 1)
        return wall_s, max(1, math.ceil(_BLOCK_S / max(self._rank.agreed(wall_s), 1e-6)))

    def _timed(self, step: Callable[[], None], steps: int, *, alone: bool = False) -> tuple[float, float]:
        """(wall seconds of one step, processor time over wall time) of a block that all ranks start together."""
        if not alone:
            self._rank.barrier()
        self._rank.synchronise()
        cpu_s, begin = time.process_time(), time.perf_counter()
        for _ in range(steps):
            step()
        self._rank.synchronise()
        wall_s = time.perf_counter() - begin
        return wall_s / steps, (time.process_time() - cpu_s) / wall_s

    def _found(self, variant: Variant, samples: list[float], share: float | None, **other: int) -> None:
        updates_s = self._updates_s if variant[0] == "single_step" else []
        self._rank.record(
            variant[0],
            batch_size=self._request.batch_size,
            accumulation_steps=variant[1],
            samples_s=tuple(samples),
            optimizer_s=statistics.median(updates_s) if updates_s else None,
            cpu_share_fraction=share,
            **other,
        )
