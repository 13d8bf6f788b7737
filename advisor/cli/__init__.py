"""The command line: flags in, advice on stdout, progress on stderr, an exit code that scripts can trust."""

from __future__ import annotations

from advisor.cli.commands import run

__all__ = ["run"]
