"""Draws the pages of the window that README and docs show, from an advice: docs/images/{advice,measure,…}.png.

python -m advisor --measure bert_base_sst2 --json advice.json
python tools/draw_pages.py advice.json

Needs ImageMagick; measure on a quiet machine, or the pictures show what disturbed it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

_IMAGES = ROOT / "docs" / "images"
_SIZE = (1280, 800)
_COLOURS = 96
_DRAWN = {
    ("en", False): {"advice": "advice", "measure": "measure", "machine": "machine"},
    ("en", True): {"compare": "compare_dark"},
    ("zh", False): {"compare": "compare_zh"},
}
"""By language and whether it is dark: the pages that are drawn so, and their pictures' names."""


def main() -> int:
    """Write five pictures; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("advice", type=Path, metavar="FILE.json")
    parser.add_argument("--folder", type=Path, default=_IMAGES)
    chosen = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from advisor.gui.screenshots import render
    from advisor.store import json_file

    advice = json_file.read(chosen.advice)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as private:
        for (language, dark), pictures in _DRAWN.items():
            for drawn in render(advice, Path(private), dark=dark, language=language, size=_SIZE):
                name = pictures.get(drawn.name.partition("_")[0])
                if name is not None:
                    in_few_colours(drawn, chosen.folder / f"{name}.png")
    return 0


def in_few_colours(drawn: Path, path: Path) -> None:
    """A picture as it is kept: letters and lines need no more colours."""
    subprocess.run(["convert", str(drawn), "+dither", "-colors", str(_COLOURS), f"png8:{path}"], check=True)  # noqa: S607 - ImageMagick's, as installed
    print(f"{path.name}: {path.stat().st_size // 1000} kB")


if __name__ == "__main__":
    sys.exit(main())
