"""Writes the files a command was asked for, `-` being stdout; one that fails never stops the others."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, get_args

import msgspec

from advisor.cli.faults import NOT_WRITTEN, command_fault, complain, output_fault
from advisor.core.errors import OutputError
from advisor.core.sentences import Language
from advisor.present.advice_file import FileKind

STDOUT = Path("-")
_LONGEST_SHOWN = 200
"""Characters of a file name that an error repeats."""
FORMATS: tuple[FileKind, ...] = get_args(FileKind)


def result_stream(arguments: argparse.Namespace) -> IO[str]:
    """Where the readable result goes: stdout, or stderr while a file format takes stdout."""
    taken = any(getattr(arguments, name, None) == STDOUT for name in FORMATS)
    return sys.stderr if taken else sys.stdout


class Output(msgspec.Struct, frozen=True):
    """One file to be written: which format and where to."""

    format: FileKind
    path: Path


def requested(arguments: argparse.Namespace) -> tuple[Output, ...]:
    """The outputs of the flags, checked before anything is measured.

    Raises InputError when two go to stdout, when an output is an input too, or when a file exists and may not be
    written over, OutputError when a folder is missing or not writable: nobody should wait 30 s to learn that.
    """
    outputs = [
        Output(format=name, path=path) for name in FORMATS if (path := getattr(arguments, name, None)) is not None
    ]
    if sum(output.path == STDOUT for output in outputs) > 1:
        raise command_fault("two-on-stdout")
    _refuse_inputs(arguments, outputs)
    for output in outputs:
        if output.path == STDOUT:
            if output.format == "pdf" and sys.stdout.isatty():
                raise command_fault("pdf-on-terminal")
            continue
        try:
            _check_place(output, force=arguments.force)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            given = f"--{output.format} {str(output.path)[:_LONGEST_SHOWN]}"
            raise output_fault("not-written", given=given, detail=reason) from error
    return tuple(outputs)


def _check_place(output: Output, *, force: bool) -> None:
    folder, given = Path(os.path.realpath(output.path)).parent, f"--{output.format} {output.path}"
    if output.path.is_dir():
        raise output_fault("is-folder", given=given)
    if not folder.is_dir():
        raise output_fault("folder-missing", given=given)
    if not os.access(folder, os.W_OK):
        raise output_fault("folder-not-writable", given=given)
    if output.path.exists() and not force and not _may_be_replaced(output):
        raise command_fault("not-ours", given=given)


def _may_be_replaced(output: Output) -> bool:
    """Whether the file is an earlier output of the same kind that nobody changed, or no file but a device."""
    from advisor.present.own_files import is_own

    return not output.path.is_file() or is_own(output.format, output.path)


def _refuse_inputs(arguments: argparse.Namespace, outputs: list[Output]) -> None:
    """No output takes the place of a file that is read, or of another output, --force or not."""
    read = [value for name in _INPUTS if (value := getattr(arguments, name, None)) is not None]
    taken = [Path(value) for value in read if value]
    for output in outputs:
        if output.path == STDOUT:
            continue
        if any(_same(output.path, path) for path in taken):
            raise command_fault("also-read", given=f"--{output.format} {output.path}")
        taken.append(output.path)


_INPUTS = ("measure", "predict", "evaluate", "claim_file", "gpu_file", "prices", "log", "open")


def _same(path: Path, other: Path) -> bool:
    """Whether two paths name one file, by whatever links; a device such as /dev/null may be named twice."""
    try:
        if path.exists() and not path.is_file():
            return False
        if path.exists() and other.exists():
            return path.samefile(other)
        return os.path.realpath(path) == os.path.realpath(other)
    except (OSError, ValueError):
        return path.absolute() == other.absolute()


def write_outputs(outputs: tuple[Output, ...], encode: Callable[[FileKind], bytes], language: Language) -> int:
    """Write each output; one that cannot be is told and the others are written. Returns 0, or 5 where one was not."""
    from advisor.core.file_writing import write_atomically

    code = 0
    for output in outputs:
        try:
            content = encode(output.format)
            if output.path == STDOUT:
                _write_stdout(content)
            elif output.path.exists() and not output.path.is_file():
                output.path.write_bytes(content)
            else:
                write_atomically(output.path, content)
        except OutputError as error:
            complain(error, language)
            code = error.exit_code
        except OSError as error:
            given = "stdout" if output.path == STDOUT else str(output.path)
            complain(output_fault("not-written", given=given, detail=error.strerror or str(error)), language)
            code = NOT_WRITTEN
    return code


def _write_stdout(content: bytes) -> None:
    with contextlib.suppress(BrokenPipeError):  # its reader has seen enough
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
