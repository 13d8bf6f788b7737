"""Runs one script after the other, each in a fork of a process that has imported what all of them import.

Importing torch, its compiler and transformers takes a processor six seconds, a small script a tenth of that. A fork
has them at hand and otherwise begins as `python script.py` does: as `__main__`, with names, arguments and output of
its own.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import IO

_IMPORTED = ("torch._dynamo", "torch.distributed.fsdp", "torch.utils.data", "transformers.modeling_utils")
_LIMIT_S = 600
_ROOT = Path(__file__).parents[2]


def on_processor() -> dict[str, str]:
    """The environment of a script on the processor alone, with one thread a process."""
    return {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}


def run_file(script: Path, *options: str, ranks: int = 1) -> subprocess.CompletedProcess[str]:
    """The script's end, run with `options` on the processor; one that starts ranks is a process of its own."""
    if ranks > 1 or sys.platform != "linux":
        command = [sys.executable, str(script), *options, *(["--ranks", str(ranks)] if ranks > 1 else [])]
        return subprocess.run(
            command, env=on_processor(), capture_output=True, text=True, timeout=_LIMIT_S, check=False
        )
    asked, told = _forking()
    asked.write(json.dumps([str(script), *options]) + "\n")
    asked.flush()
    code = int(told.readline())
    said = [script.with_suffix(suffix).read_text(encoding="utf-8") for suffix in (".stdout", ".stderr")]
    return subprocess.CompletedProcess([str(script), *options], code, *said)


@cache
def _forking() -> tuple[IO[str], IO[str]]:
    command = [sys.executable, "-m", "tests.present.script_forks"]
    process = subprocess.Popen(
        command, cwd=_ROOT, env=on_processor(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    atexit.register(process.communicate)  # its end of the file ends it
    return process.stdin, process.stdout


def _begin_as(script: Path, options: list[str]) -> None:
    """Take the place of a process that `python script.py` has started."""
    signal.alarm(_LIMIT_S)
    for number, suffix in ((1, ".stdout"), (2, ".stderr")):
        os.dup2(os.open(script.with_suffix(suffix), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.argv[:] = [str(script), *options]
    sys.path[0] = str(script.parent)


def _serve() -> None:
    for name in _IMPORTED:
        importlib.import_module(name)
    for line in sys.stdin:
        script, *options = json.loads(line)
        child = os.fork()
        if not child:  # ends as its script does, by an exception that nobody catches too
            _begin_as(Path(script), options)
            runpy.run_path(script, run_name="__main__")
            return
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    _serve()
