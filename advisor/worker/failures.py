"""Names what went wrong in the worker: the world's faults with a remedy, apart from our bugs."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.core.errors import UserFacingError
from advisor.core.file_fault import shown_value
from advisor.core.sentences import Reason
from advisor.protocol.messages import Failed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.core.sentences import Value
    from advisor.protocol.messages import Request

_TRACEBACK_CHARACTERS = 20_000
_OURS = str(Path(__file__).parents[1])
"""The folder of this program's code."""

_KNOWN: tuple[tuple[tuple[str, ...], str, str, str], ...] = (
    (
        ("no kernel image is available",),
        "worker-no-kernels-for-gpu",
        "The installed torch has no kernels for this GPU.",
        "Install a torch build whose arch list covers this GPU's compute capability.",
    ),
    (
        ("driver version is insufficient", "driver on your system is too old"),
        "worker-driver-too-old",
        "The GPU driver is too old for the CUDA version of the installed torch.",
        "Update the driver, or install a torch build for an older CUDA version.",
    ),
    (
        ("not compiled with CUDA",),
        "worker-cpu-only-torch",
        "The installed torch is a CPU-only build.",
        "Install a torch build with CUDA to measure the GPU; the prediction for it is given all the same.",
    ),
    (
        ("No CUDA GPUs are available", "Found no NVIDIA driver"),
        "worker-gpu-hidden",
        "torch cannot see the GPU that the driver reports.",
        "Check CUDA_VISIBLE_DEVICES, the container's GPU settings and the permissions of /dev/nvidia*.",
    ),
    (
        ("system not yet initialized",),
        "worker-fabric-manager",
        "The GPUs are not ready yet (CUDA error 802).",
        "Start the NVIDIA fabric manager service, then try again.",
    ),
    (
        ("all CUDA-capable devices are busy",),
        "worker-gpu-busy",
        "The GPU is taken by another process (exclusive compute mode).",
        "Wait until it is free, or set its compute mode to default.",
    ),
)
"""(words of which the error has some, message id, text, remedy).

A container that was given the management library and not the one that computes has a GPU and `no NVIDIA driver`.
"""

_MEASURING_NEEDS = ("torch", "transformers")
"""Packages of the extra `measure`."""
_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "DefaultCPUAllocator")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an exception of torch or Python says that memory is used up."""
    return isinstance(error, MemoryError) or any(words in str(error) for words in _OUT_OF_MEMORY)


def describe(error: Exception, request: Request) -> Failed:
    """The event for an exception that ended a request."""
    text = str(error) or type(error).__name__
    code, remedy, world_fault = "", "", False
    numbers: Mapping[str, Value] = {}
    reason = getattr(error, "reason", None)
    if isinstance(reason, Reason):
        code, numbers, world_fault = reason.code, reason.numbers, True
    elif isinstance(error, UserFacingError):
        code = getattr(error, "reason_code", "worker-input-refused")
        text, remedy, world_fault = error.text, error.remedy, True
    elif isinstance(error, ModuleNotFoundError) and error.name in _MEASURING_NEEDS:
        code, world_fault = "worker-torch-missing", True
        text, remedy = f"{error.name} is not installed.", 'Install it: pip install "training-advisor[measure]".'
    elif isinstance(error, ImportError | OSError) and _is_about_torch(error):
        code, world_fault = "worker-torch-broken", True
        text, remedy = f"torch cannot be imported: {text}", "Install torch anew: pip install --force-reinstall torch."
    elif is_out_of_memory(error):
        code, world_fault = "worker-out-of-memory", True
        text, remedy = f"Memory ran out: {text}", "Choose a smaller batch size, or free memory of other processes."
    else:
        for phrases, known_code, known_text, known_remedy in _KNOWN:
            if any(words.lower() in text.lower() for words in phrases):
                code, text, remedy, world_fault = known_code, known_text, known_remedy, True
                break
    if not code and _ran_users_code(error, request):
        code, world_fault = "worker-users-code-failed", True
        text, remedy = f"The model's own file raised {type(error).__name__}: {text}", "Mend the file; see the log."
    model_type = _model_type(request)
    if not code and model_type and _ended_in_the_library(error):
        code = "worker-model-failed"
        first = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
        raised = f"{type(error).__name__}: {shown_value(first)}" if first else type(error).__name__
        text = f"model.config: `{model_type}` fails here: {raised}."
        remedy = "Give the model and its batches as a Python file."
    return Failed(
        exception=type(error).__name__,
        text=text[:2000],
        traceback="".join(traceback.format_exception(error))[-_TRACEBACK_CHARACTERS:],
        remedy=remedy,
        world_fault=world_fault,
        code=code,
        numbers=numbers,
    )


def _is_about_torch(error: ImportError | OSError) -> bool:
    """A missing or broken torch: the import of torch itself or of a library it loads failed."""
    if isinstance(error, ImportError) and (error.name or "").split(".")[0] == "torch":
        return True
    return any("torch" in frame.filename and "__init__" in frame.filename for frame in _frames(error))


def _model_type(request: Request) -> str:
    """What a configuration calls its architecture; empty where the model has none."""
    config = getattr(getattr(getattr(request, "workload", None), "model", None), "config", None)
    return str(config.get("model_type", "")) if isinstance(config, dict) else str(config or "")


def _ended_in_the_library(error: Exception) -> bool:
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


def _ran_users_code(error: Exception, request: Request) -> bool:
    """Whether the exception came up in the Python file of the workload."""
    model = request.workload.model if hasattr(request, "workload") else None
    file = getattr(model, "file", None)
    return file is not None and any(frame.filename.endswith(str(file)) for frame in _frames(error))


def _frames(error: BaseException) -> list[traceback.FrameSummary]:
    return list(traceback.extract_tb(error.__traceback__))
