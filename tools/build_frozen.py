"""Build the folder that runs without Python, Qt or torch installed, and print its size.

python tools/build_frozen.py [--output FOLDER]

Needs the `frozen` extra in the environment that it freezes; the torch of that environment is the one that travels.
"""

from __future__ import annotations

import argparse
import compileall
import py_compile
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SPECIFICATION = ROOT / "frozen" / "advisor.spec"


def main() -> int:
    """Build, say how large the folder is; the exit code is that of PyInstaller."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="where the folder `advisor` is made")
    output = parser.parse_args().output.resolve()
    with tempfile.TemporaryDirectory(prefix="advisor-frozen-") as work:
        command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"]
        places = ["--distpath", str(output), "--workpath", work]
        code = subprocess.run([*command, *places, str(SPECIFICATION)], check=False, cwd=ROOT).returncode
    if code == 0:
        # What travels as files would be compiled at every start: the folder may be one that nobody may write.
        carried, mode = output / "advisor" / "_internal", py_compile.PycInvalidationMode.UNCHECKED_HASH
        compileall.compile_dir(carried, quiet=2, workers=2, invalidation_mode=mode)
        print(f"{output / 'advisor'}: {size_bytes(output / 'advisor') / 1e6:.0f} MB")
    return code


def size_bytes(folder: Path) -> int:
    """What the files of a folder hold; links count nothing."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


if __name__ == "__main__":
    sys.exit(main())
