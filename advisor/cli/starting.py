"""`--init`: a commented workload file to begin with, with what the flags said already filled in."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from advisor.core.bundled import resource
from advisor.core.errors import InputError, OutputError
from advisor.core.file_writing import write_atomically

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

STARTER = "workload_starter.toml"
_FLAGS = {
    "batch": "batch_size",
    "precision": "precision",
    "sequence_length": "sequence_length",
    "optimizer": "optimizer",
    "epochs": "epochs",
    "samples": "samples",
    "trainable": "trainable",
    "checkpointing": "activation_checkpointing",
    "offload": "offload",
}
"""Flags of the command line by the field that they fill in."""


def init_command(arguments: argparse.Namespace) -> int:
    """Write the file and say what to do with it. Raises InputError where it exists, OutputError where it cannot be."""
    path: Path = arguments.init
    if path.suffix != ".toml":
        raise InputError(f"--init {path}: a workload file ends in .toml.", f"Name it {path.with_suffix('.toml')}.")
    if path.exists() and not arguments.force:
        raise InputError(f"--init {path}: the file exists.", "Give another name, or --force to write over it.")
    given = {field: getattr(arguments, flag, None) for flag, field in _FLAGS.items()}
    text = starter({field: value for field, value in given.items() if value is not None})
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise OutputError(
            f"--init {path}: cannot be written: {error.strerror or error}.", "Name another file."
        ) from error
    print(f"advisor: {path} is written. Edit it, then: advisor --measure {path}", file=sys.stderr)
    return 0


def starter(values: dict[str, object]) -> str:
    """The commented file with the given fields' values in the place of its own."""
    text = resource(STARTER).read_text(encoding="utf-8")
    for field, value in values.items():
        shown = f'"{value}"' if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)
        before, found, after = re.split(rf"(?m)^({field} = )\S+", text, maxsplit=1)
        text = f"{before}{found}{shown}{after}"
    return text
