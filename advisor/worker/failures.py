"""Names what went wrong in the worker: the world's faults with a remedy, apart from our bugs."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

from advisor.core.file_fault import named_error, shown_value, words_of
from advisor.core.foreign_text import encodable
from advisor.core.sentences import Reason, Said, SaidError
from advisor.protocol.messages import Failed, Request

_TRACEBACK_CHARACTERS = 20_000
_TEXT_CHARACTERS = 2000
_OURS = str(Path(__file__).parents[1])
"""The folder of this program's code."""

_KNOWN = {
    "no kernel image is available": "no-kernels-for-gpu",
    "driver version is insufficient": "driver-too-old",
    "driver on your system is too old": "driver-too-old",
    "not compiled with CUDA": "cpu-only-torch",
    "No CUDA GPUs are available": "gpu-hidden",
    "Found no NVIDIA driver": "gpu-hidden",
    "system not yet initialized": "fabric-manager",
    "all CUDA-capable devices are busy": "gpu-busy",
}
"""What the error holds, and the fault `worker-…` that it tells of.

A container that was given the management library and not the one that computes has a GPU and `no NVIDIA driver`.
"""

_MEASURING_NEEDS = ("torch", "transformers")
"""Packages of the extra `measure`."""
_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "DefaultCPUAllocator")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an exception of torch or Python says that memory is used up."""
    return isinstance(error, MemoryError) or any(words in words_of(error) for words in _OUT_OF_MEMORY)


def describe(error: BaseException, request: Request) -> Failed:
    """The event for an exception that ended a request."""
    text = words_of(error) or type(error).__name__
    reason = _fault(error, text, request)
    return Failed(
        exception=type(error).__name__,
        text=text[:_TEXT_CHARACTERS],
        traceback=encodable("".join(traceback.format_exception(error))[-_TRACEBACK_CHARACTERS:]),
        world_fault=reason is not None,
        reason=reason or _fault_of_the_library(error, request),
    )


def _fault(error: BaseException, text: str, request: Request) -> Reason | None:
    """What of the world is wrong, and what helps."""
    if isinstance(error, SaidError):
        return error.statement
    if isinstance(error, ModuleNotFoundError) and error.name in _MEASURING_NEEDS:
        return Reason.of("worker-torch-missing", package=error.name)
    said = Said(text=text[:_TEXT_CHARACTERS])
    if isinstance(error, ImportError | OSError) and _is_about_torch(error):
        return Reason.of("worker-torch-broken", text=said)
    if is_out_of_memory(error):
        return Reason.of("worker-out-of-memory", text=said)
    if known_fault := next((fault for phrase, fault in _KNOWN.items() if phrase.lower() in text.lower()), None):
        return Reason.of(f"worker-{known_fault}", device=getattr(request, "device", "cuda"))
    return Reason.of("worker-users-code-failed", error=named_error(error)) if _ran_users_code(error, request) else None


def _fault_of_the_library(error: BaseException, request: Request) -> Reason | None:
    """What failed in an architecture of transformers: the library's fault, or one of ours."""
    model_type = _model_type(request)
    if not model_type or not _ended_in_the_library(error):
        return None
    return Reason.of("worker-model-failed", model=shown_value(model_type), error=named_error(error))


def _is_about_torch(error: ImportError | OSError) -> bool:
    """A missing or broken torch: the import of torch itself or of a library it loads failed."""
    if isinstance(error, ImportError) and (error.name or "").split(".")[0] == "torch":
        return True
    return any("torch" in frame.filename and "__init__" in frame.filename for frame in _frames(error))


def _model_type(request: Request) -> str:
    """What a configuration calls its architecture; empty where the model has none."""
    config = getattr(getattr(getattr(request, "workload", None), "model", None), "config", None)
    return str(config.get("model_type", "")) if isinstance(config, dict) else str(config or "")


def _ended_in_the_library(error: BaseException) -> bool:
    """Whether transformers raised it, or what transformers called: what ends in code of ours is a fault of ours.

    A mode of ours that looks on while tensors are computed stands between the library and torch, and hands on what
    torch raises.
    """
    origin = getattr(sys.modules.get("transformers"), "__file__", None)
    if origin is None:
        return False
    frames, library = _frames(error), str(Path(origin).parent)
    last = max((place for place, frame in enumerate(frames) if frame.filename.startswith(library)), default=None)
    if last is None:
        return False
    ours = [frame for frame in frames[last:] if frame.filename.startswith(_OURS)]
    return not ours or (ours[0].name == "__torch_dispatch__" and ours[-1] is not frames[-1])


def _ran_users_code(error: BaseException, request: Request) -> bool:
    """Whether the exception came up in the Python file of the workload."""
    model = request.workload.model if hasattr(request, "workload") else None
    file = getattr(model, "file", None)
    return file is not None and any(frame.filename.endswith(str(file)) for frame in _frames(error))


def _frames(error: BaseException) -> list[traceback.FrameSummary]:
    return list(traceback.extract_tb(error.__traceback__))
