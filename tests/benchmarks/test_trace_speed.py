"""How long traces take and how much memory their process needs; seconds are printed, bytes are asserted."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys, time
import torch
from advisor.worker.trace import subject_of, trace
from advisor.workload.workload_file import load_workload
name, precision = sys.argv[1:]
torch.set_num_threads(1)
workload = load_workload(name)
started = time.perf_counter()
table = trace(subject_of(workload, precision), precision)
seconds = time.perf_counter() - started
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, sum(table.dispatch_count.values()))
"""
ROOM_BYTES = 1.5e9


@pytest.mark.parametrize(
    ("name", "precision"), [("bert_base_sst2", "amp"), ("bert_base_sst2", "fp32"), ("llama_8b", "half")]
)
def test_a_trace_needs_no_room_for_the_models_weights(name: str, precision: str) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, name, precision], capture_output=True, text=True, check=True)
    seconds, peak_bytes, calls = (float(word) for word in done.stdout.split())
    print(f"{name} {precision}: {seconds:.2f} s, {calls:.0f} calls, peak {peak_bytes / 1e9:.2f} GB")
    assert peak_bytes < ROOM_BYTES
