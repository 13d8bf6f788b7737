"""The step of a Python file that defines none: how its model is called, and where the loss is found."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from advisor.core.sentences import Reason, SaidError
from advisor.worker.models.architecture import under_fake_mode, usual_loss
from advisor.worker.models.batches import Batch
from advisor.worker.models.file_faults import check_names, file_refused, named_mistakes, shown


@dataclass(frozen=True)
class UsualStep:
    """How a file's model is called and its loss found."""

    path: Path
    forward: inspect.Signature
    """Of the model as it was built: what compiles or shards it takes anything."""
    unread: str | None
    """The function of the file that is likely meant for the step, and that nothing calls."""

    def outputs(self, module: nn.Module, batch: Batch) -> Any:  # noqa: ANN401 - the model's own type
        """The model on the batch: a dict by name, a tuple without its last entry (the targets) unless it needs them."""
        if isinstance(batch, dict) and under_fake_mode():  # a trace asks once; a real step is timed
            check_names(module, batch, self.path)
        with named_mistakes(self.path, f"{type(module).__name__}.forward", batch):
            if isinstance(batch, dict):
                return module(**batch)
            return module(*(batch if len(batch) == 1 or self._takes_targets(batch) else batch[:-1]))

    def loss(self, module: nn.Module, batch: Batch, *, alone: bool) -> Tensor:
        """`model(**batch).loss` for a dict; cross-entropy of `model(inputs)` against the targets for a tuple.

        Targets that are no classes (floating point) get the mean squared error. A model that returns one number returns
        its loss, and one that is given its targets, as detectors are, its loss or its losses by name: their sum.
        `alone`: make_batch gave a tensor by itself, of which the model has to return the loss. Where this fails, the
        cause is likely the step of the file's own that stands there by another name.
        """
        with self._unread_named():
            outputs = self.outputs(module, batch)
            if alone and isinstance(batch, tuple) and isinstance(outputs, Tensor) and outputs.dim() > 0:
                raise file_refused("no-batch", self.path, given=shown(batch[0]))
            if isinstance(batch, dict) or alone:
                return self._loss_in(module, outputs)
            if self._takes_targets(batch):
                return self._sum_of_losses(module, outputs)
            return self._loss_against(module, outputs, batch[-1])

    def _takes_targets(self, batch: Sequence[Any]) -> bool:
        """Whether forward is given the targets too: they are no tensor, or it cannot be called without."""
        if not isinstance(batch[-1], Tensor):
            return True
        return len(batch) > 1 and not self._takes(batch[:-1]) and self._takes(batch)

    def _takes(self, entries: Sequence[Any]) -> bool:
        try:
            self.forward.bind(*entries)
        except TypeError:
            return False
        return True

    @contextlib.contextmanager
    def _unread_named(self) -> Iterator[None]:
        try:
            yield
        except SaidError as fault:
            if self.unread is None:
                raise
            said = Reason.of("worker-file-step-unread", file=str(self.path), name=self.unread)
            raise SaidError((said, *fault.reasons), fault.remedy_reason) from fault

    def _loss_in(self, module: nn.Module, outputs: Any) -> Tensor:  # noqa: ANN401 - the model's own type
        """The loss that a model's outputs have, or are."""
        loss = outputs.get("loss") if isinstance(outputs, dict) else getattr(outputs, "loss", outputs)
        if not isinstance(loss, Tensor) or (loss is outputs and loss.dim() > 0):
            raise file_refused("no-own-loss", self.path, model=type(module).__name__, given=shown(outputs))
        return loss

    def _sum_of_losses(self, module: nn.Module, losses: Any) -> Tensor:  # noqa: ANN401 - the model's own type
        loss = losses.get("loss") if isinstance(losses, dict) else getattr(losses, "loss", losses)
        if isinstance(loss, Tensor) and loss.numel() == 1:
            return loss
        if not (isinstance(losses, dict) and losses and all(isinstance(part, Tensor) for part in losses.values())):
            raise file_refused("no-losses", self.path, model=type(module).__name__, given=shown(losses))
        return sum(losses.values())  # type: ignore[return-value]

    def _loss_against(self, module: nn.Module, outputs: object, targets: Tensor) -> Tensor:
        if isinstance(outputs, tuple | list) and outputs:
            outputs = outputs[0]
        if not isinstance(outputs, Tensor):
            raise file_refused("no-output", self.path, model=type(module).__name__, given=shown(outputs))
        with named_mistakes(self.path, "loss", (outputs, targets)):
            return usual_loss(outputs, targets)
