"""One optimizer step of the user's model on a device, timed in its four parts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import torch

from advisor.catalogue.precisions import PRECISION_FACTS
from advisor.protocol.messages import STEP_PARTS, StepPart
from advisor.worker.models.batches import Batch, mapped, tensors_of
from advisor.worker.models.load_model import LoadedModel, autocast
from advisor.worker.train.device import TorchDevice
from advisor.workload.workload import Workload


class TrainingStep:
    """Calling it runs one step: copy, forward, backward, optimizer, as far as the workload's mode goes.

    One step here is one micro-batch and one update, whatever accumulation the workload asks for: how the parts
    repeat is arithmetic. On a CPU each call adds to the split; on an accelerator only `split` does, as the clock
    says nothing there without a wait between the parts.
    """

    def __init__(self, loaded: LoadedModel, workload: Workload, device: TorchDevice) -> None:
        """Make the optimizer; no tensor of the batch exists yet."""
        self._loaded = loaded
        self._training = workload.training
        self._device = device
        self._optimizer = loaded.make_optimizer()
        self._parameters = [parameter for parameter in loaded.module.parameters() if parameter.requires_grad]
        scaled = PRECISION_FACTS[self._training.precision].scales_gradients and not device.is_cpu
        self._scaler = torch.amp.GradScaler(device.kind) if scaled else None
        self._host: Batch = ()
        self._count = 0
        self._parts: dict[StepPart, float] = dict.fromkeys(STEP_PARTS, 0.0)

    def set_batch_size(self, batch_size: int) -> None:
        """Draw a batch; for an accelerator it waits in pinned memory, as a loader would leave it."""
        self._host = ()
        batch = self._loaded.make_batch(batch_size)
        if self._device.copies_from_pinned_memory:
            batch = mapped(batch, torch.Tensor.pin_memory)
        self._host = batch
        self._parts = dict.fromkeys(self._parts, 0.0)

    def __call__(self) -> None:
        """One step; the parts are added up without waiting for the device."""
        self._run(wait=False)

    def split(self) -> None:
        """One step with a wait after each part, so that the parts are true on an accelerator too."""
        self._run(wait=True)

    def take_parts(self, step_count: int) -> dict[StepPart, float]:
        """Seconds of each part per step since the last call, for `step_count` steps."""
        taken = {part: seconds / step_count for part, seconds in self._parts.items()}
        self._parts = dict.fromkeys(self._parts, 0.0)
        return taken

    def tensors(self) -> Iterator[object]:
        """All that exists between two steps: parameters, gradients, buffers, optimizer states, the batch."""
        for parameter in self._loaded.module.parameters():
            yield parameter
            yield parameter.grad
        yield from self._loaded.module.buffers()
        yield from tensors_of(self._host)
        inner = getattr(self._optimizer, "inner", None)
        yield from getattr(self._optimizer, "masters", ())
        for optimizer in (self._optimizer, inner):
            for state in () if optimizer is None else optimizer.state.values():
                yield from state.values()

    def _run(self, *, wait: bool) -> None:
        marks = [self._now(wait=wait)]
        batch = self._host
        if not self._device.is_cpu:
            batch = mapped(batch, lambda tensor: tensor.to(self._device.device, non_blocking=True))
        marks.append(self._now(wait=wait))
        loss: torch.Tensor | None = None
        if self._training.mode == "inference":
            with torch.no_grad(), autocast(self._training.precision, self._device.kind):
                self._loaded.outputs(self._loaded.module, batch)
        else:
            with autocast(self._training.precision, self._device.kind):
                loss = self._loaded.loss(self._loaded.module, batch)
        marks.append(self._now(wait=wait))
        if loss is not None:
            scaled: Any = loss if self._scaler is None else self._scaler.scale(loss)
            scaled.backward()
        marks.append(self._now(wait=wait))
        if loss is not None:
            self._update(loss)
        marks.append(self._now(wait=wait))
        for index, part in enumerate(self._parts):
            self._parts[part] += marks[index + 1] - marks[index]

    def _update(self, loss: torch.Tensor) -> None:
        training = self._training
        scaler, optimizer = self._scaler, self._optimizer
        if training.clip_gradient_norm is not None and optimizer is not None:
            if scaler is not None:
                scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(self._parameters, training.clip_gradient_norm)
        if optimizer is not None and scaler is not None:
            scaler.step(optimizer)
            scaler.update()
        elif optimizer is not None:
            optimizer.step()
        self._loaded.module.zero_grad(set_to_none=True)
        self._count += 1
        if training.read_loss_every and self._count % training.read_loss_every == 0:
            loss.item()

    def _now(self, *, wait: bool) -> float:
        if wait:
            self._device.synchronise()
        return time.perf_counter()
