"""A user's own Python file: `build_model`, `make_batch` and, if it has them, `make_dataset` and `training_step`."""

from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy
from torch.optim.optimizer import register_optimizer_step_pre_hook
from torch.utils.data import Dataset

from advisor.core.errors import UserFacingError
from advisor.core.sentences import Names, Reason
from advisor.worker.models.architecture import Architecture, under_fake_mode
from advisor.worker.models.batches import Batch, is_argument, tensors_of
from advisor.worker.models.beside import look_beside
from advisor.worker.models.file_faults import (
    DISTRIBUTIONS,
    check_call,
    file_refused,
    named_mistakes,
    raised_by_file,
    shown,
)
from advisor.worker.models.file_unread import compiling_noted, notes_of_unread, step_by_another_name
from advisor.worker.models.huggingface.fakes import let_experts_be_fake
from advisor.worker.models.opened_files import WorkingFolder
from advisor.worker.models.usual_step import UsualStep
from advisor.workload.python_home import folder_that_has, home_of
from advisor.workload.python_source import digest_of, file_of, is_bundled, read_code
from advisor.workload.workload import PythonModel, Workload, length_of

_OF_EXPERTS = "transformers.integrations.moe"
"""Imported by models of transformers that mix experts, and by nothing else here."""
_BATCH_FOR_SIZES = 2
"""Of which a norm that is being trained can still take a mean."""


def build(model: PythonModel, workload: Workload, *, allow_code: bool) -> Architecture:
    """Run the file and build its model; raises InputError without consent, and for a file that breaks the contract."""
    path = file_of(model, workload.source_folder)
    content = read_code(path)
    if not allow_code and not is_bundled(path):
        raise file_refused("is-code", path, digest=digest_of(content))
    if model.sha256 is not None and model.sha256 != digest_of(content):
        raise file_refused("changed", path)
    arguments = dict(model.arguments)
    here = WorkingFolder(path)
    with compiling_noted() as compiled:
        user = here.run(lambda: _run(path, content))
        module = here.run(lambda: _module(user, path, arguments))
    make_batch = _required(user, path, "make_batch")
    length = length_of(workload)
    taken = _positional_count(make_batch, arguments)
    seen: dict[int, tuple[object, ...]] = {}
    counts: dict[int, int] = {}
    step = getattr(user, "training_step", None)
    unread = None if step is not None else step_by_another_name(user, module)
    usual = UsualStep(path, inspect.signature(module.forward), unread)
    alone = False  # whether make_batch returns a tensor by itself, as the file's own step or the model then takes it

    def batches(batch_size: int) -> Batch:
        nonlocal alone
        given = {"batch_size": batch_size} if taken == 1 else {"batch_size": batch_size, "length": length}
        made = here.run(lambda: _invoke(make_batch, path, "make_batch", given, arguments))
        alone = isinstance(made, Tensor)
        batch = (made,) if alone else _checked_batch(made, path)
        if step is not None and isinstance(made, list):
            batch = made  # views of a picture are told from one picture by it
        counts[batch_size] = 0 if isinstance(batch, dict) or alone else len(batch)
        if len(counts) > 1 and all(size == entries for size, entries in counts.items()):  # one of samples
            raise file_refused("no-batch", path, given=shown(batch))
        seen[batch_size] = _shapes(batch)
        alike = [size for size, shapes in seen.items() if size != batch_size and shapes == seen[batch_size]]
        if alike:
            raise file_refused("same-batch", path, first=alike[0], second=batch_size)
        return batch

    def loss_of(model_: nn.Module, batch: Batch) -> Tensor:
        if step is None:
            return here.run(lambda: usual.loss(model_, batch, alone=alone))
        given = batch[0] if alone and isinstance(batch, tuple) else batch
        return here.run(lambda: _loss_of(step, path, model_, given))

    if any(map(is_lazy, (*module.parameters(), *module.buffers()))):
        with torch.no_grad():  # sizes are only known after a batch: scripts run one before they make an optimizer
            loss_of(module, batches(_BATCH_FOR_SIZES))
    trainable = getattr(user, "trainable", None)
    return Architecture(
        module=module,
        make_batch=batches,
        loss=loss_of,
        outputs=usual.outputs,
        choose_trainable=trainable if callable(trainable) else None,
        make_dataset=_dataset_of(user, here, length, arguments),
        notes=(
            *here.notes(),
            *(() if unread is None else (Reason.of("workload-step-unread", file=path.name, name=unread),)),
            *((Reason.of("workload-keeps-cache", file=path.name),) if _keeps_cache(module) else ()),
            *notes_of_unread(user, path, module, workload, compiled=bool(compiled)),
        ),
    )


def _keeps_cache(module: nn.Module) -> bool:
    """Whether a model of transformers keeps what only generating uses: by default it does, but when it checkpoints."""
    generates, config = getattr(module, "can_generate", None), getattr(module, "config", None)
    on = getattr(config, "use_cache", False) is True and not getattr(module, "is_gradient_checkpointing", False)
    return on and callable(generates) and generates() is True


def _module(user: ModuleType, path: Path, arguments: dict[str, Any]) -> nn.Module:
    module = _invoke(_required(user, path, "build_model"), path, "build_model", {}, arguments)
    if not isinstance(module, nn.Module):
        raise file_refused("no-module", path, given=shown(module))
    if _OF_EXPERTS in sys.modules:
        let_experts_be_fake()
    return module


def _dataset_of(
    user: ModuleType, here: WorkingFolder, length: int, arguments: dict[str, Any]
) -> Callable[[], Dataset[Any]] | None:
    """The file's `make_dataset(length, **arguments)`, where it has one; what it returns must have a length."""
    if not callable(getattr(user, "make_dataset", None)):
        return None

    def made() -> Dataset[Any]:
        path = here.path
        dataset = here.run(lambda: _invoke(user.make_dataset, path, "make_dataset", {"length": length}, arguments))
        if not (hasattr(dataset, "__len__") and hasattr(dataset, "__getitem__") and len(dataset)):
            raise file_refused("no-samples", path, given=type(dataset).__name__)
        return dataset  # type: ignore[no-any-return]

    return made


class _Shown(importlib.machinery.SourceFileLoader):
    """Runs the bytes whose digest was shown: never a compiled file that lies beside them."""

    def __init__(self, name: str, path: Path, content: bytes) -> None:
        super().__init__(name, str(path))
        self.content = content

    def get_code(self, fullname: str) -> CodeType:
        """Compile the bytes; `fullname` is the loader's own."""
        del fullname
        return self.source_to_code(self.content, self.path)


def _run(path: Path, content: bytes) -> ModuleType:
    """Import the file under a name of its own, in its package where it imports from there."""
    home = home_of(path, content)
    name = home.name_of(f"advisor_model_{path.stem}")
    loader = _Shown(name, path, content)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None:
        raise file_refused("not-python", path)
    look_beside(home.folders)
    sys.dont_write_bytecode = True
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        loader.exec_module(module)
    except ModuleNotFoundError as error:
        lacking = error.name or str(error)
        folder = folder_that_has(lacking, path)
        if folder is not None:
            raise file_refused("module-elsewhere", path, module=lacking, folder=str(folder)) from error
        distribution = DISTRIBUTIONS.get(lacking.partition(".")[0])
        if distribution is not None:
            raise file_refused("lacks-distribution", path, module=lacking, distribution=distribution) from error
        raise file_refused("lacks-module", path, module=lacking) from error
    except SystemExit as error:
        raise file_refused("ends-itself", path) from error
    except BaseException as error:
        raise raised_by_file("run-failed", path, error) from error
    return module


def _required(user: ModuleType, path: Path, name: str) -> Callable[..., Any]:
    function = getattr(user, name, None)
    if not callable(function):
        raise file_refused("lacks", path, name=name)
    return function  # type: ignore[no-any-return]


def _positional_count(function: Callable[..., Any], arguments: dict[str, Any]) -> int:
    """1 where make_batch takes a batch size and names no length; else 2."""
    kinds = inspect.Parameter
    parameters = inspect.signature(function).parameters
    if any(parameter.kind is kinds.VAR_POSITIONAL for parameter in parameters.values()):
        return 2
    places = {kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD}
    by_place = [name for name, parameter in parameters.items() if parameter.kind in places]
    return 1 if len([name for name in by_place[1:] if name not in arguments]) == 0 else 2


def _invoke(
    function: Callable[..., Any], path: Path, name: str, positional: dict[str, int], arguments: dict[str, Any]
) -> Any:  # noqa: ANN401 - foreign code
    """Call with those of the workload's `arguments` that the function names; all of them where it takes any.

    `positional` are given by place, whatever the file calls them; the keys are what a fault calls them.
    """
    parameters = inspect.signature(function).parameters
    takes_any = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    chosen = arguments if takes_any else {key: value for key, value in arguments.items() if key in parameters}
    if name == "build_model" and len(chosen) < len(arguments):
        unknown = sorted(set(arguments) - set(chosen))
        accepted = Names(names=tuple(parameters))
        raise file_refused(
            "arguments", path, unknown=Names(names=tuple(unknown)), names=accepted, count=len(parameters)
        )
    check_call(function, path, name, tuple(positional), chosen)
    try:
        return function(*positional.values(), **chosen)
    except UserFacingError:
        raise
    except BaseException as error:
        # By the file's own names: who takes a device where the length comes sees it.
        taken = ", ".join(f"{own}={value}" for own, value in zip(parameters, positional.values(), strict=False))
        called = f"{name}({taken})" if taken else name
        raise raised_by_file("call-failed", path, error, function=called) from error


def _checked_batch(batch: object, path: Path) -> Batch:
    if isinstance(batch, list):
        batch = tuple(batch)
    elif isinstance(batch, Mapping):  # such as a tokenizer gives
        batch = dict(batch)
    values = batch.values() if isinstance(batch, dict) else batch if isinstance(batch, tuple) else ()
    if not values or not all(map(is_argument, values)):
        raise file_refused("no-batch", path, given=shown(batch))
    return batch  # type: ignore[return-value]


def _shapes(batch: Batch) -> tuple[object, ...]:
    return tuple(tuple(value.shape) for value in tensors_of(batch))


@contextlib.contextmanager
def _no_optimizer_of_its_own(path: Path) -> Iterator[None]:
    """Refuse a step that steps an optimizer itself: it would be stepped twice, and L-BFGS asks for the loss anew."""

    def refuse(optimizer: torch.optim.Optimizer, *_: object) -> None:
        of_closures = isinstance(optimizer, torch.optim.LBFGS)
        raise file_refused("own-lbfgs" if of_closures else "own-optimizer", path, optimizer=type(optimizer).__name__)

    hook = register_optimizer_step_pre_hook(refuse)
    try:
        yield
    finally:
        hook.remove()


def _loss_of(step: Callable[..., Any], path: Path, module: nn.Module, batch: Batch | Tensor) -> Tensor:
    """What the file's own step returns, checked."""
    if under_fake_mode():  # a trace asks once; a real step is timed
        check_call(step, path, "training_step", ("model", "batch"), {})
    with named_mistakes(path, "training_step", batch), _no_optimizer_of_its_own(path):
        loss = step(module, batch)
    if not isinstance(loss, Tensor) or loss.numel() != 1:
        raise file_refused("no-loss", path, given=shown(loss))
    if under_fake_mode() and any(parameter.grad is not None for parameter in module.parameters()):
        raise file_refused("own-backward", path)
    return loss
