"""Runs a script that the program wrote, for some steps: `python -m tests.on_gpu.script PATH STEPS`.

It runs as it stands, but for one thing: what a user loads from a checkpoint is drawn on the GPU and in 16 bits, since
to draw billions of numbers on the processor takes minutes. Peaks count from the second update on, when the optimizer
has its states and what the build took is over. Prints the script's last line and the peaks as one JSON object.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import statistics
import sys
import time
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.utils.data.dataloader import _BaseDataLoaderIter
from transformers import AutoModelForCausalLM

_MADE_ON_CARD = 500_000_000
"""Parameters from which a model is made there."""


def main() -> int:
    """Run it; the exit code is 0 where it ended well, 3 where a package that it needs is not there."""
    path, steps = sys.argv[1:3]
    _make_large_models_on_the_card()
    _count_peaks_from_the_second_update()
    waited = _time_the_loader()
    sys.argv = [path, "--steps", steps]
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            runpy.run_path(path, run_name="__main__")
    except ModuleNotFoundError as error:
        print(json.dumps({"absent": f"{type(error).__name__}: {error}"[:300]}), flush=True)
        return 3
    peaks = {
        "peak_allocated_bytes": torch.cuda.max_memory_allocated(),
        "peak_reserved_bytes": torch.cuda.max_memory_reserved(),
    }
    waits = {"loader_wait_s": statistics.median(waited[2:]) if len(waited) > 2 else None}
    print(json.dumps(json.loads(said.getvalue().splitlines()[-1]) | peaks | waits), flush=True)
    return 0


def _make_large_models_on_the_card() -> None:
    factory: Any = AutoModelForCausalLM
    as_it_is = factory.from_config

    def from_config(config: Any) -> Any:
        with torch.device("meta"):
            count = sum(one.numel() for one in as_it_is(config).parameters())
        if count < _MADE_ON_CARD:
            return as_it_is(config)
        with torch.device("cuda"):
            return as_it_is(config, dtype=torch.bfloat16)

    factory.from_config = from_config


def _count_peaks_from_the_second_update() -> None:
    count = 0

    def stepped(*_: object) -> None:
        nonlocal count
        count += 1
        if count == 2 and torch.cuda.is_available():
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()

    register_optimizer_step_post_hook(stepped)


def _time_the_loader() -> list[float]:
    """Seconds in which the script waited for each batch; the list grows while it runs."""
    factory: Any = _BaseDataLoaderIter
    as_it_is, waited = factory.__next__, []

    def timed(self: Any) -> Any:
        started = time.perf_counter()
        batch = as_it_is(self)
        waited.append(time.perf_counter() - started)
        return batch

    factory.__next__ = timed
    return waited


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)
