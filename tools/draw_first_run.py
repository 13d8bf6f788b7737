"""Draws docs/images/first_run_*.png: a newcomer's first run with a real pointer, from the start to the advice.

Run as `python tools/draw_first_run.py` on a quiet machine with Xvfb, xdotool and ImageMagick. The program is started
with nothing known, another model than the first one is chosen, and `Measure and advise` pressed; everything else the
window does by itself. Printed are the clicks and the seconds from the last one to the advice.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.gui.pointer import Pointer, missing_tools  # noqa: E402 - found through the path above
from tools.draw_pages import in_few_colours  # noqa: E402 - the same

_IMAGES = ROOT / "docs" / "images"
_LIMIT_S = 300.0
_SEEN_SAMPLES = 12
"""So many timed blocks make a measurement that is worth looking at."""
_SETTLE_S = 2.0


def main() -> int:
    """Write four pictures; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="Character RNN", help="its name in the list")
    parser.add_argument("--folder", type=Path, default=_IMAGES)
    chosen = parser.parse_args()
    if missing_tools():
        sys.stderr.write(f"Install {', '.join(missing_tools())}.\n")
        return 2
    chosen.folder.mkdir(parents=True, exist_ok=True)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"  # this process shows nothing; the window has an X server of its own
    with tempfile.TemporaryDirectory() as private, Pointer(Path(private)) as pointer:
        pointer.until("described", lambda state: state["ready"])
        time.sleep(_SETTLE_S)
        _draw(pointer, chosen.folder / "first_run_1_start.png")
        pointer.click("model")
        pointer.until("opened", lambda state: f"choose {chosen.model}" in state["places"])
        pointer.click(f"choose {chosen.model}")
        pointer.until("chosen", lambda state: f"choose {chosen.model}" not in state["places"] and state["ready"])
        time.sleep(_SETTLE_S)
        _draw(pointer, chosen.folder / "first_run_2_chosen.png")
        pointer.click("measure")
        began_s = time.monotonic()
        pointer.until("timed", lambda state: state["samples"] >= _SEEN_SAMPLES, _LIMIT_S)
        time.sleep(_SETTLE_S)
        _draw(pointer, chosen.folder / "first_run_3_measuring.png")
        pointer.until("advised", lambda state: state["page"] == "advice" and not state["filling"], _LIMIT_S)
        print(f"{pointer.click_count} clicks; the advice came {time.monotonic() - began_s:.0f} s after the last one")
        time.sleep(_SETTLE_S)
        _draw(pointer, chosen.folder / "first_run_4_advice.png")
    return 0


def _draw(pointer: Pointer, path: Path) -> None:
    """What stands on the screen."""
    pointer.picture(path)
    in_few_colours(path, path)


if __name__ == "__main__":
    sys.exit(main())
