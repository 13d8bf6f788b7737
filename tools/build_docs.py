"""Build the docs as a site of plain files that loads nothing from other hosts; a warning fails the build.

python tools/build_docs.py [--output FOLDER]

Needs the `docs` extra.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Build; the exit code is that of mkdocs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "site", help="where the site is made")
    output = parser.parse_args().output.resolve()
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(output)]
    # The theme advertises a version of mkdocs that is not there yet; that is no fault of a page.
    settings = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    code = subprocess.run([*command, "-f", str(ROOT / "mkdocs.yml")], check=False, env=settings).returncode
    if code == 0:
        print(output / "index.html")
    return code


if __name__ == "__main__":
    sys.exit(main())
