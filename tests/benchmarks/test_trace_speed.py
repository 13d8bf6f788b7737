"""How long traces take and how much memory their process needs; seconds are printed, bytes and counts are asserted."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys, time
started = time.process_time()
import torch
from msgspec.structs import replace
from advisor.worker.trace import recorder, step_pass, trace as tracing
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.model_config import bundled_config
from advisor.workload.workload_file import load_workload

name, precision = sys.argv[1:]
torch.set_num_threads(1)
spent = {"build": 0.0, "pass": 0.0}
asked = 0

def timed(function, part):
    def call(*args, **named):
        begin = time.process_time()
        try:
            return function(*args, **named)
        finally:
            spent[part] += time.process_time() - begin
    return call

def counted(function):
    def run(*args):
        global asked
        asked += 1
        return function(*args)
    return run

tracing.build_fake = timed(tracing.build_fake, "build")
step_pass.Passes.at = timed(step_pass.Passes.at, "pass")
recorder.Recorder._run = counted(recorder.Recorder._run)
workload = load_workload(name.removesuffix("_405b"))
if name.endswith("_405b"):
    sizes = {"num_hidden_layers": 126, "hidden_size": 16384, "intermediate_size": 53248, "num_attention_heads": 128}
    config = {**bundled_config("llama-3-8b"), **sizes}
    workload = replace(workload, model=replace(workload.model, config=config))
trace(subject_of(workload, precision), precision)
first = time.process_time() - started
spent.update({"build": 0.0, "pass": 0.0})
asked = 0
begin = time.process_time()
table = trace(subject_of(workload, precision), precision)
again = time.process_time() - begin
peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(first - again, again, spent["build"], spent["pass"], peak_bytes, sum(table.dispatch_count.values()), asked)
"""
ROOM_BYTES = 1.5e9
PASS_COUNT = 3


@pytest.mark.parametrize(
    ("name", "precision"),
    [
        ("bert_base_sst2", "amp"),
        ("bert_base_sst2", "fp32"),
        ("resnet50", "amp"),
        ("llama_8b", "half"),
        ("llama_8b_405b", "half"),
    ],
)
def test_a_trace_needs_no_room_for_the_models_weights_and_asks_for_few_shapes(name: str, precision: str) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, name, precision], capture_output=True, text=True, check=True)
    imports_s, trace_s, build_s, pass_s, peak_bytes, calls, asked = (float(word) for word in done.stdout.split())
    print(
        f"{name} {precision}: {trace_s:.2f} s of processor time "
        f"(model {build_s:.2f}, {PASS_COUNT} passes {pass_s:.2f}), imports {imports_s:.2f} s; "
        f"{PASS_COUNT} x {calls:.0f} calls, {asked:.0f} of them worked out; "
        f"peak {peak_bytes / 1e9:.2f} GB"
    )
    assert peak_bytes < ROOM_BYTES
    assert asked < 0.5 * PASS_COUNT * calls
