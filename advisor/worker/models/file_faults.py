"""What a user's own Python file gives that a step cannot use: each fault with what was given and what is expected."""

from __future__ import annotations

import contextlib
import inspect
import re
import socket
import traceback
import urllib.error
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from advisor.core.errors import UserFacingError
from advisor.core.file_fault import named_error, shown_value, words_of
from advisor.core.sentences import SaidError, Value
from advisor.worker.causes import causes, nested_was_made, value_was_asked
from advisor.worker.models.architecture import under_fake_mode
from advisor.worker.models.batches import Batch
from advisor.worker.models.opened_files import opened_in_vain

_MOST_SHOWN = 8
"""Entries of what was given that are listed."""
DISTRIBUTIONS = {
    "PIL": "pillow",
    "attr": "attrs",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "faiss": "faiss-cpu",
    "hydra": "hydra-core",
    "open_clip": "open-clip-torch",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "umap": "umap-learn",
    "yaml": "PyYAML",
}
"""Names on the package index of what training scripts import by another one, as the documentation of each tells."""
_OF_HALVES = re.compile(r"\b(?:Half|float16)\b")
"""How torch names the type that a trace at any 16-bit precision computes in."""
_CLIENTS = {"huggingface_hub", "httpx", "requests", "urllib3"}
"""Packages whose own errors are all about what was asked for over a network."""


def file_refused(what: str, path: Path, **numbers: Value) -> SaidError:
    """The fault `worker-file-WHAT`: a part of the file breaks its contract; says which, with what is expected."""
    return SaidError.of(f"worker-file-{what}", file=str(path), **numbers)


def raised_by_file(what: str, path: Path, error: BaseException, **numbers: Value) -> SaidError:
    """The fault `worker-file-WHAT` of an error that the file's code raised, or what is known to lie behind it."""
    named = named_error(error)
    if _is_of_networks(error):
        of_transformers = any(
            "transformers" in Path(frame.filename).parts for frame in traceback.extract_tb(error.__traceback__)
        )
        return file_refused("asks-hub" if of_transformers else "downloads", path, error=named)
    opened = opened_in_vain(error)
    if opened is not None:
        return file_refused("opens-missing", path, opened=shown_value(opened), folder=str(path.parent))
    if what == "step-failed" and _OF_HALVES.search(words_of(error)):
        what = "step-failed-half"
    return file_refused(what, path, error=named, **numbers)


def _is_of_networks(error: BaseException) -> bool:
    """Whether something was asked for from another machine, and did not come."""
    kinds = (urllib.error.URLError, socket.gaierror, ConnectionError)
    return any(
        isinstance(cause, kinds) or type(cause).__module__.partition(".")[0] in _CLIENTS for cause in causes(error)
    )


def shown(value: object) -> str:
    """What was given: types and sizes of tensors, entries of containers, else the type's name."""
    if value is None:
        return "None"
    if isinstance(value, type):
        return f"class {value.__name__}"
    if isinstance(value, Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, Mapping):
        return f"{{{_listed([f'{name}: {shown(item)}' for name, item in value.items()])}}}"
    if type(value) in {list, tuple}:
        listed = _listed([shown(item) for item in value])  # type: ignore[attr-defined]
        return f"[{listed}]" if isinstance(value, list) else f"({listed})"
    return type(value).__name__


def _listed(entries: list[str]) -> str:
    return ", ".join([*entries[:_MOST_SHOWN], *(["…"] if len(entries) > _MOST_SHOWN else [])])


def check_call(
    function: Callable[..., Any], path: Path, name: str, positional: tuple[str, ...], chosen: Mapping[str, object]
) -> None:
    """Refuse a function that does not take what it is called with; `positional` are the names of that."""
    signature = inspect.signature(function)
    try:
        signature.bind(*positional, **chosen)
    except TypeError:
        wanted = f"{name}({', '.join((*positional, *(f'{key}=…' for key in chosen)))})"
        given = f"{name}({', '.join(map(str, signature.parameters.values()))})"
        raise file_refused("call", path, wanted=wanted, given=given) from None


def check_names(module: nn.Module, batch: Mapping[str, Tensor], path: Path) -> None:
    """Refuse a batch with names that the model's forward does not take, or without one that it must have."""
    parameters = inspect.signature(module.forward).parameters
    try:
        inspect.signature(module.forward).bind(**batch)
    except TypeError:
        raise file_refused(
            "batch-names",
            path,
            given=", ".join(batch),
            wanted=", ".join(parameters),
            count=len(parameters),
            model=type(module).__name__,
        ) from None


@contextlib.contextmanager
def named_mistakes(path: Path, function: str, batch: Batch | Tensor) -> Iterator[None]:
    """Name file, function and batch of what a model or a step raises on fakes; a real step's own errors stay."""
    try:
        yield
    except UserFacingError:
        raise
    except Exception as error:
        if not under_fake_mode() or value_was_asked(error) is not None or _is_of_fakes(error):
            raise
        raise raised_by_file("step-failed", path, error, function=function, given=shown(batch)) from error


def _is_of_fakes(error: BaseException) -> bool:
    """Whether the error may be one that real tensors would not raise."""
    if isinstance(error, NotImplementedError) or nested_was_made(error):
        return True
    return any(word in words_of(error) for word in ("FakeTensor", "subclass"))
