"""Versions of what is installed, from package metadata and text files alone: importing torch takes seconds."""

from __future__ import annotations

import importlib.metadata
import platform
import re
from pathlib import Path

from advisor.hardware.machine import Software
from advisor.hardware.sampler.host import is_container, is_wsl, system_name

_CUDA_LOCAL = re.compile(r"^cu(\d{2,3})$")
_CUDA_LINE = re.compile(r"^cuda\s*(?::[^=\n]*)?=\s*['\"](\d+\.\d+)", re.MULTILINE)
_VERSION_FILE_BYTES = 65536


def find_software() -> Software:
    """Operating system, Python, and the versions of torch and transformers; the driver is asked elsewhere."""
    torch, torch_cuda = _torch()
    return Software(
        os=system_name(),
        python=platform.python_version(),
        torch=torch,
        torch_cuda=torch_cuda,
        transformers=_version("transformers"),
        wsl=is_wsl(),
        container=is_container(),
    )


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except (importlib.metadata.PackageNotFoundError, OSError, ValueError, KeyError):
        return None


def _torch() -> tuple[str | None, str | None]:
    """Version of torch, and the CUDA version it was built for (None: a build without CUDA, or unknown)."""
    version = _version("torch")
    if version is None:
        return None, None
    local = version.partition("+")[2]
    return version, cuda_of_local_version(local) if local else _cuda_of_version_file()


def cuda_of_local_version(local: str) -> str | None:
    """`cu126` -> "12.6", `cu130` -> "13.0"; None for `cpu`, `rocm6.2` and others."""
    match = _CUDA_LOCAL.match(local)
    return f"{match[1][:-1]}.{match[1][-1]}" if match else None


def _cuda_of_version_file() -> str | None:
    """The default build of the package index has no local part: its version.py names CUDA in plain text."""
    try:
        path = Path(str(importlib.metadata.distribution("torch").locate_file("torch/version.py")))
        with path.open(encoding="utf-8", errors="replace") as file:
            return cuda_of_version_text(file.read(_VERSION_FILE_BYTES))
    except (importlib.metadata.PackageNotFoundError, OSError, ValueError):
        return None


def cuda_of_version_text(text: str) -> str | None:
    """CUDA's version in the text of torch/version.py, which is read and never run."""
    match = _CUDA_LINE.search(text)
    return match[1] if match else None
