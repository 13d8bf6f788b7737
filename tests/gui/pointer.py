"""A real pointer on the real window: an X server without a screen, moved by xdotool, pictures taken of it."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
DRIVER = ROOT / "tests" / "gui" / "pointer_driver.py"
TOOLS = ("Xvfb", "xdotool", "import")
_END_S = 15.0


def missing_tools() -> list[str]:
    """What this machine lacks for a real pointer."""
    return [name for name in TOOLS if shutil.which(name) is None]


class Pointer:
    """Starts server and window in `folder`, which holds all that the program keeps; a context manager."""

    def __init__(self, folder: Path, *, width: int = 1280, height: int = 800, budget_s: float | None = None) -> None:
        """`budget_s`: seconds to measure; None: what the program itself begins with."""
        self._folder, self._size, self._budget_s = folder, (width, height), budget_s
        self._lines: queue.Queue[str] = queue.Queue()
        self._ended: list[subprocess.Popen[Any]] = []
        self.state: dict[str, Any] = {}
        self.click_count = 0

    def __enter__(self) -> Self:
        """Begin; the window covers the whole screen."""
        width, height = self._size
        self._folder.mkdir(parents=True, exist_ok=True)
        self._write_settings(width, height)
        reader, writer = os.pipe()
        command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"]
        self._ended.append(subprocess.Popen(command, pass_fds=(writer,), stderr=subprocess.DEVNULL))
        os.close(writer)
        with os.fdopen(reader, encoding="ascii") as told:
            display = f":{told.readline().strip()}"
        homes = {f"XDG_{name}_HOME": str(self._folder / name.lower()) for name in ("CONFIG", "DATA", "CACHE", "STATE")}
        self._environment = {**os.environ, **homes, "DISPLAY": display, "PYTHONPATH": str(ROOT)}
        self._environment |= {"QT_QPA_PLATFORM": "xcb", "LANG": "C.UTF-8"}
        window = subprocess.Popen(
            [sys.executable, str(DRIVER)], env=self._environment, cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        self._ended.insert(0, window)
        assert window.stdout is not None
        threading.Thread(target=self._hear, args=(window.stdout,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Close window and server."""
        for process in self._ended:
            process.terminate()
            try:
                process.wait(_END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _hear(self, told: IO[str]) -> None:
        for line in told:
            self._lines.put(line)

    def _write_settings(self, width: int, height: int) -> None:
        from PySide6.QtWidgets import QApplication, QMainWindow

        from advisor.gui.settings import Settings

        application = QApplication.instance() or QApplication(["pointer"])
        assert application is not None
        frame = QMainWindow()
        frame.setGeometry(0, 0, width, height)
        settings = Settings(self._folder / "config" / "advisor" / "window.ini")
        settings.store("geometry", bytes(frame.saveGeometry().data()).hex())
        for key, value in (("language", "en"), ("scheme", "light"), ("data_folder", str(self._folder / "runs"))):
            settings.store(key, value)
        if self._budget_s is not None:
            settings.store("budget_s", f"{self._budget_s:g}")

    def until(self, what: str, done: Callable[[dict[str, Any]], object], limit_s: float = 60.0) -> float:
        """Wait until the window tells what is waited for; returns the seconds. Raises TimeoutError."""
        began_s = time.monotonic()
        while not (self.state and done(self.state)):
            left_s = began_s + limit_s - time.monotonic()
            try:
                self.state = json.loads(self._lines.get(timeout=max(left_s, 0.01)))
            except queue.Empty:
                raise TimeoutError(f"{what}: {self.state}") from None
        return time.monotonic() - began_s

    def click(self, name: str) -> None:
        """Go to a place by the name that the window gives it, and press there."""
        self.until(name, lambda state: name in state["places"])
        x, y = self.state["places"][name]
        self._xdotool("mousemove", str(x), str(y))
        self._xdotool("click", "1")
        self.click_count += 1

    def turn_wheel_over(self, name: str, notches: int) -> None:
        """Go to a place and turn the wheel there: towards the hand, or away from it where `notches` is negative."""
        self.until(name, lambda state: name in state["places"])
        x, y = self.state["places"][name]
        self._xdotool("mousemove", str(x), str(y))
        self._xdotool("click", "--repeat", str(abs(notches)), "5" if notches > 0 else "4")

    def picture(self, path: Path) -> None:
        """Write what stands on the screen now."""
        subprocess.run(["import", "-window", "root", str(path)], env=self._environment, check=True)

    def _xdotool(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], env=self._environment, check=True)
