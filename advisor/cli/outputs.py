"""Writes the files a command was asked for, `-` being stdout; one that fails never stops the others."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from advisor.core.errors import InputError, OutputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

STDOUT = Path("-")
FORMATS = ("json", "pdf", "csv", "markdown", "script")


def result_stream(arguments: argparse.Namespace) -> IO[str]:
    """Where the readable result goes: stdout, or stderr while a file format takes stdout."""
    taken = any(getattr(arguments, name, None) == STDOUT for name in FORMATS)
    return sys.stderr if taken else sys.stdout


class Output(msgspec.Struct, frozen=True):
    """One file to be written: which format and where to."""

    format: str
    path: Path


def requested(arguments: argparse.Namespace) -> tuple[Output, ...]:
    """The outputs of the flags, checked before anything is measured.

    Raises InputError when two go to stdout or when a file exists and may not be written over, OutputError
    when a folder is missing or not writable: nobody should wait 30 s to learn that.
    """
    outputs = [
        Output(format=name, path=path) for name in FORMATS if (path := getattr(arguments, name, None)) is not None
    ]
    if sum(output.path == STDOUT for output in outputs) > 1:
        raise InputError("Command line: more than one output goes to stdout.", "Give the others a file name.")
    for output in outputs:
        if output.path == STDOUT:
            if output.format == "pdf" and sys.stdout.isatty():
                raise InputError("--pdf -: a PDF is not text for a terminal.", "Give a file name.")
            continue
        _check_place(output, force=arguments.force)
    return tuple(outputs)


def _check_place(output: Output, *, force: bool) -> None:
    folder = output.path.resolve().parent
    if output.path.is_dir():
        raise OutputError(f"--{output.format} {output.path}: is a folder.", "Give a file name in it.")
    if not folder.is_dir():
        raise OutputError(f"--{output.format} {output.path}: its folder does not exist.", "Create the folder first.")
    if not os.access(folder, os.W_OK):
        raise OutputError(f"--{output.format} {output.path}: its folder is not writable.", "Name another folder.")
    if output.path.exists() and not force and not _is_regular_advice(output):
        raise InputError(
            f"--{output.format} {output.path}: the file exists and holds something else.",
            "Give another name, or --force to write over it.",
        )


_OWN_MARKS = {
    "json": (b'"schema_version"',),
    "pdf": (b"%PDF",),
    "csv": (b"device_key,", b"workload,"),
    "markdown": (b"# ",),
    "script": (b"#!",),
}


def _is_regular_advice(output: Output) -> bool:
    """Whether the file looks like an earlier output of the same kind, which a rerun may replace."""
    if not output.path.is_file():
        return True  # a device such as /dev/null
    try:
        with output.path.open("rb") as stream:
            beginning = stream.read(4096)
    except OSError:
        return False
    return not beginning or any(mark in beginning for mark in _OWN_MARKS[output.format])


def write_outputs(outputs: tuple[Output, ...], encoders: Mapping[str, Callable[[], bytes]]) -> list[OutputError]:
    """Write each output; returns the errors, so that all others are written and the advice still printed."""
    from advisor.core.file_writing import write_atomically

    errors = []
    for output in outputs:
        try:
            content = encoders[output.format]()
            if output.path == STDOUT:
                _write_stdout(content)
            elif output.path.exists() and not output.path.is_file():
                output.path.write_bytes(content)
            else:
                write_atomically(output.path, content)
        except OutputError as error:
            errors.append(error)
        except OSError as error:
            reason = error.strerror or str(error)
            errors.append(OutputError(f"{output.path}: cannot be written: {reason}.", "Name another file."))
    return errors


def _write_stdout(content: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()
