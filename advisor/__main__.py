"""`advisor` opens the window; with flags it goes to the command line."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the program and return its exit code."""
    from advisor.measure.rank_guard import peer_lost, under_torchrun

    if under_torchrun():
        peer_lost()  # before the slow imports: a peer may be killed at any moment
    from advisor.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
