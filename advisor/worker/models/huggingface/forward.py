"""Forward passes of transformers' models: up to the loss, or alone."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException
from torch.nn import functional

from advisor.core.errors import InputError
from advisor.core.file_fault import named_error, shown_value
from advisor.worker.models.architecture import HALF_DTYPES, MIXED_TYPES, NotRunning, under_fake_mode
from advisor.worker.models.batches import Batch
from advisor.worker.models.foreign import Network
from advisor.worker.models.huggingface.fakes import known_layer_drop
from advisor.worker.models.huggingface.kinds import named_parameters
from advisor.worker.models.huggingface.loss import own_loss
from advisor.workload.tasks import DECODER_INPUT, TARGETS, WRITING_TASKS
from advisor.workload.workload import Task, Workload

_MEMORY_READ = "its data is not allocated yet"
"""Of torch's words where something reads the memory of a tensor that has none."""


def loss_of(task: Task, workload: Workload) -> Callable[[nn.Module, Batch], Tensor]:
    """One forward pass up to the scalar loss: the library's own wherever a model returns one."""
    if task == "ctc":
        return _ctc_loss
    if not workload.training.chunked_loss:
        return _loss
    from advisor.worker.models.chunked_loss import chunked_loss

    def in_chunks(module: nn.Module, batch: Batch) -> Tensor:
        assert isinstance(batch, dict)
        with known_layer_drop() if under_fake_mode() else contextlib.nullcontext():
            return chunked_loss(module, batch)

    return in_chunks


def outputs_of(task: Task) -> Callable[[nn.Module, Batch], Any]:
    """A forward pass alone, without what only a loss would read: its logits in FP32 are several times the others."""
    return lambda module, batch: _run(module, _without_targets(batch, task, module))


def _without_targets(batch: Batch, task: Task, module: Network) -> Batch:
    assert isinstance(batch, dict)
    if task in WRITING_TASKS and DECODER_INPUT in named_parameters(module):
        return {(DECODER_INPUT if name == "labels" else name): tensor for name, tensor in batch.items()}
    if task == "base" or task in WRITING_TASKS:  # such models may need all of theirs
        return batch
    return {name: tensor for name, tensor in batch.items() if name not in TARGETS}


def _loss(module: nn.Module, batch: Batch) -> Tensor:
    outputs = _run(module, batch)
    loss: Tensor | None = getattr(outputs, "loss", None)
    if loss is None:
        return own_loss(outputs)
    return loss if loss.dim() == 0 else loss.mean()


def _ctc_loss(module: nn.Module, batch: Batch) -> Tensor:
    """CTC over labels of equal lengths: the library's own reads their values, which fakes do not have.

    Fakes cannot run the loss itself either: there its log-probabilities are averaged, which is nearly all of its work.
    """
    assert isinstance(batch, dict)
    labels = batch["labels"]
    logits = _run(module, {name: tensor for name, tensor in batch.items() if name != "labels"}).logits
    frames = functional.log_softmax(logits.float(), dim=-1).transpose(0, 1)
    if under_fake_mode():
        return -frames.mean()
    count, batch_size = frames.shape[:2]
    lengths = torch.full((batch_size,), count, dtype=torch.long)
    wanted = torch.full((batch_size,), min(labels.shape[1], count), dtype=torch.long)
    return functional.ctc_loss(frames, labels, lengths, wanted, zero_infinity=True)


def _run(module: Network, batch: Batch) -> Any:  # noqa: ANN401 - transformers' types
    assert isinstance(batch, dict)
    if not under_fake_mode():
        return module(**batch)
    try:
        with known_layer_drop():
            return module(**batch)
    except (InputError, DataDependentOutputException, DynamicOutputShapeException):
        raise
    except Exception as error:
        if _MEMORY_READ in str(error):  # numbers taken out of a tensor by C++, which asks no fake
            raise DataDependentOutputException(torch.ops.aten._local_scalar_dense.default) from error  # noqa: SLF001 - torch's own name
        raise _not_running(module, batch, error) from error


def _not_running(module: Network, batch: dict[str, Tensor], error: Exception) -> NotRunning:
    model = shown_value(module.config.model_type)
    halved = any(parameter.dtype in HALF_DTYPES.values() for parameter in module.parameters())
    if halved and MIXED_TYPES in str(error):
        return NotRunning.of("worker-mixes-types", model=model, error=named_error(error))
    return NotRunning.of("worker-not-running", model=model, given=", ".join(batch), error=named_error(error))
