"""Which Python file a workload would run: path and SHA-256 for the question of consent."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from advisor.core.bundled import workloads_folder
from advisor.core.file_fault import file_fault, remedy
from advisor.core.sentences import visible
from advisor.workload.workload import PythonModel, Workload

MAX_CODE_BYTES = 1 << 20


def file_of(model: PythonModel, folder: str | None) -> Path:
    """Absolute path of a Python model's file; a relative one starts at the workload file's folder.

    Without a folder it is one of the bundled files (records of those name no folder), else the working folder's.
    """
    path = Path(model.file)
    if path.is_absolute():
        return path
    bundled = workloads_folder() / path
    if folder is None and is_file(bundled) and is_bundled(bundled):
        return bundled
    return Path(folder or ".").resolve() / path


def is_file(path: Path) -> bool:
    """Whether a file is there; a name that no file system takes names none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_bundled(path: Path) -> bool:
    """Whether the file is one of ours, which needs no consent; links are followed first."""
    return path.resolve().is_relative_to(workloads_folder().resolve())


def code_to_run(workload: Workload) -> tuple[Path, str] | None:
    """The Python file that the workload would run and its SHA-256; None where it runs no file.

    Raises InputError when the file is missing or larger than 1 MiB.
    """
    if not isinstance(workload.model, PythonModel):
        return None
    path = file_of(workload.model, workload.source_folder)
    return path, digest_of(read_code(path))


def digest_of(content: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def read_code(path: Path) -> bytes:
    """The bytes of a model file; raises InputError when it is missing or larger than 1 MiB."""
    shown = visible(str(path))
    if not is_file(path):
        raise file_fault("code-no-file", remedy("code-missing-remedy"), path=shown)
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_CODE_BYTES + 1)
    except OSError as error:
        raise file_fault("unreadable", path=shown, detail=str(error.strerror)) from error
    if len(content) > MAX_CODE_BYTES:
        raise file_fault("code-large", path=shown)
    return content


def needs_consent(workload: Workload) -> bool:
    """Whether running the workload would run a file that is not ours."""
    code = code_to_run(workload)
    return code is not None and not is_bundled(code[0])


def pinned(workload: Workload) -> Workload:
    """The same workload, bound to the bytes that its file holds now; a bundled file needs no pin."""
    code = code_to_run(workload)
    if code is None or not needs_consent(workload) or not isinstance(workload.model, PythonModel):
        return workload
    return msgspec.structs.replace(workload, model=msgspec.structs.replace(workload.model, sha256=code[1]))
