"""Runs a training script as this process's main program, which dies with the process that started it."""

from __future__ import annotations

import runpy
import sys

from advisor.core.child_process import follow_parent


def main() -> None:
    """Run the script of the first argument with the others as its own."""
    follow_parent()
    sys.argv = sys.argv[1:]
    # As `python SCRIPT` would, but for the script's folder on the import path: -P keeps that out.
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
