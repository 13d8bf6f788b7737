"""What the frozen program runs: the command line, or the module that the program starts as a child of itself."""

from __future__ import annotations

import runpy
import sys

OWN = "advisor."


def main() -> int:
    """Run the command line; `-P -m advisor.MODULE`, as children are started, runs that module as Python would."""
    if sys.argv[1:3] == ["-P", "-m"] and len(sys.argv) > 3 and sys.argv[3].startswith(OWN):  # noqa: PLR2004 - a place
        module = sys.argv[3]
        sys.argv = sys.argv[3:]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        return 0
    from advisor.__main__ import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
