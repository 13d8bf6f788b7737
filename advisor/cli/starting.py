"""`--init`: a commented workload file to begin with, with what the flags said already filled in."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from advisor.cli.arguments import settings_of
from advisor.cli.faults import command_fault
from advisor.core.bundled import resource
from advisor.core.file_writing import write_atomically
from advisor.core.sentences import Language, Reason, say

STARTER = "workload_starter.toml"
_FILLED_IN = frozenset(
    {
        "batch_size", "precision", "sequence_length", "optimizer", "epochs", "samples", "trainable",
        "activation_checkpointing", "offload",
    }
)  # fmt: skip
"""Fields of the starter that flags fill in."""


def init_command(arguments: argparse.Namespace, language: Language) -> int:
    """Write the file and say what to do with it. Raises InputError where it exists, OutputError where it cannot be."""
    path: Path = arguments.init
    if path.suffix != ".toml":
        raise command_fault("init-name", path=str(path), name=str(path.with_suffix(".toml")))
    if path.exists() and not arguments.force:
        raise command_fault("init-exists", path=str(path))
    text = starter({field: value for field, value in settings_of(arguments).items() if field in _FILLED_IN})
    write_atomically(path, text.encode())
    print(f"advisor: {say(Reason.of('command-init-written', path=str(path)), language)}", file=sys.stderr)
    return 0


def starter(values: dict[str, object]) -> str:
    """The commented file with the given fields' values in the place of its own."""
    text = resource(STARTER).read_text(encoding="utf-8")
    for field, value in values.items():
        shown = f'"{value}"' if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)
        before, found, after = re.split(rf"(?m)^({field} = )\S+", text, maxsplit=1)
        text = f"{before}{found}{shown}{after}"
    return text
