"""`advisor` opens the window; with flags it goes to the command line."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the program and return its exit code."""
    from advisor.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
