"""The whole worker on a device that is no CPU: copies, events, peaks, autocast, scaled gradients, collectives."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
from msgspec.structs import replace

from advisor.catalogue.precisions import Precision
from advisor.measure.worker_session import WorkerSession
from advisor.protocol.messages import (
    Environment,
    Failed,
    MeasureRequest,
    Memory,
    RankFinding,
    Request,
    Sample,
    StageEnded,
    WorkerEvent,
)
from advisor.workload.workload import Data, TemplateModel, Training, Workload, with_training
from advisor.workload.workload_file import load_workload
from tests.measure.rank_driver import small_plan
from tests.stand_in.built import CAPACITY

WIDTH = 256
WORKLOAD = Workload(
    name="perceptron",
    model=TemplateModel(template="mlp", layers=(WIDTH, WIDTH, 8)),
    data=Data(samples=100_000),
    training=Training(precision="fp32", batch_size=8, optimizer="adamw"),
)
PARAMETERS = WIDTH * WIDTH + WIDTH + WIDTH * 8 + 8
Found = TypeVar("Found")


def asked(*requests: Request) -> list[WorkerEvent]:
    """All events of a worker that answers these in turn."""
    session = WorkerSession(visible="")
    events: list[WorkerEvent] = []
    for request in requests:
        events += [one for one in session.ask(request, deadline_s=time.monotonic() + 90) if one is not None]
    session.end()
    assert session.exit_code == 0, session.log
    return events


def timed(*requests: MeasureRequest) -> list[WorkerEvent]:
    """All events, once more with a longer budget where other work left no time for the larger size."""
    events = asked(*requests)
    if {sample.batch_size for sample in of(Sample, events)} >= set(requests[-1].batch_sizes):
        return events
    return asked(*(replace(request, budget_s=10 * request.budget_s) for request in requests))


def of(kind: type[Found], events: Iterable[object]) -> list[Found]:
    return [event for event in events if isinstance(event, kind)]


def _request(device: str, **training: object) -> MeasureRequest:
    workload = with_training(WORKLOAD, **training)
    return MeasureRequest(
        workload=workload,
        device=device,
        batch_sizes=(8, 512),
        budget_s=3.0,
        expected_step_s={8: 0.010, 512: 0.011},  # so that a slow first step does not stand for 64 times as much
    )


@pytest.mark.parametrize("precision", ["fp32", "fp16_amp", "bf16_amp", "bf16", "bf16_true"])
def test_steps_are_timed_by_the_devices_own_events(stand_in: str, precision: Precision) -> None:
    events = timed(_request(stand_in, precision=precision, clip_gradient_norm=1.0))
    assert not of(Failed, events)
    steps = [sample for sample in of(Sample, events) if sample.series == "step" and not sample.warm_up]
    assert {sample.batch_size for sample in steps} == {8, 512}
    for sample in steps:
        assert sample.device_s is not None
        assert 0.0 < sample.device_s <= sample.wall_s
    split = [sample for sample in of(Sample, events) if sample.series == "split"]
    assert split
    for sample in split:
        assert min(sample.parts_s.values()) > 0.0
    assert of(Environment, events)[0].accelerators == (f"{stand_in}:0 the processor, standing in for an accelerator",)


def test_the_peak_is_what_the_devices_allocator_saw(stand_in: str) -> None:
    peaks = {memory.batch_size: memory for memory in of(Memory, timed(_request(stand_in)))}
    states = 4 * PARAMETERS * 4  # weights, gradients and Adam's two states in FP32
    small, large = peaks[8], peaks[512]
    assert states < small.peak_allocated_bytes < 1.5 * states
    activations = 512 * (WIDTH + WIDTH + 8) * 4
    assert large.peak_allocated_bytes - small.peak_allocated_bytes > 0.5 * activations
    assert large.peak_reserved_bytes is not None
    assert large.peak_reserved_bytes % 2**21 == 0
    assert large.peak_reserved_bytes >= large.peak_allocated_bytes


def test_what_an_earlier_model_left_in_the_cache_is_not_reserved_by_the_next(stand_in: str) -> None:
    large = replace(_request(stand_in), batch_sizes=(65536,), expected_step_s={})
    *_, last = of(Memory, timed(large, _request(stand_in)))
    assert last.batch_size == 512
    assert last.peak_reserved_bytes is not None
    assert last.peak_reserved_bytes < 65536 * WIDTH * 4  # one activation of the larger batch


def test_updates_in_backward_hold_nothing_of_a_model_that_is_done(stand_in: str) -> None:
    own = replace(_request(stand_in, optimizer_in_backward=True), batch_sizes=(8,))
    first, *_, last = of(Memory, asked(own, own, own, own))
    assert last.peak_allocated_bytes == first.peak_allocated_bytes


SLOW_AT_FIRST = """
import time
import torch

class Slow(torch.nn.Linear):
    called = False

    def forward(self, inputs):
        if not Slow.called:
            time.sleep(2.0)
            Slow.called = True
        return super().forward(inputs)

def build_model():
    return Slow(8, 8)

def make_batch(batch_size):
    return torch.randn(batch_size, 8), torch.randn(batch_size, 8)
"""


def test_a_first_step_that_loads_kernels_is_no_step_of_the_model(stand_in: str, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW_AT_FIRST)
    model = {"source": "python", "file": str(tmp_path / "slow.py")}
    training = {"precision": "fp32", "batch_size": 8}
    workload = load_workload({"name": "slow", "model": model, "data": {"samples": 100}, "training": training})
    request = MeasureRequest(workload=workload, device=stand_in, batch_sizes=(8,), budget_s=1.0, allow_code=True)
    events = asked(request)
    assert not of(Failed, events)
    assert {ended.reason for ended in of(StageEnded, events) if ended.series == "step"}.isdisjoint({"too_long"})
    assert [sample.wall_s for sample in of(Sample, events) if sample.series == "step" and not sample.warm_up]
    assert of(Memory, events)


BUILT = """
import sys
from advisor.worker.models.huggingface.model import build
from advisor.worker.train.device import TorchDevice
from advisor.workload.workload import HuggingFaceModel
from advisor.workload.workload_file import load_workload

device = TorchDevice(sys.argv[1])
config = {"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
          "num_attention_heads": 4, "vocab_size": 4096, "architectures": ["LlamaForCausalLM"]}
workload = load_workload({"name": "small", "model": {"source": "huggingface", "config": config},
                          "data": {"samples": 10, "sequence_length": 8},
                          "training": {"precision": "fp32", "batch_size": 2}})
built = build(workload.model, workload, device=device.kind)
print(*sorted({tensor.device.type for tensor in built.module.parameters()}))
"""


@pytest.mark.parametrize("fits", [True, False])
def test_a_transformers_model_is_made_where_it_will_train_if_it_fits_there(
    fits: bool, stand_in: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not fits:
        monkeypatch.setenv(CAPACITY, str(2**20))
    done = subprocess.run([sys.executable, "-c", BUILT, stand_in], capture_output=True, text=True, check=False)
    assert done.stdout.split() == [stand_in if fits else "cpu"], done.stderr


def test_a_full_device_ends_the_batch_size_and_the_worker_goes_on(
    stand_in: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CAPACITY, str(8 * 2**20))
    too_large = replace(_request(stand_in), batch_sizes=(8, 65536), expected_step_s={8: 0.010, 65536: 0.011})
    events = timed(too_large, _request(stand_in))
    assert not of(Failed, events)
    reasons = {ended.batch_size: ended.reason for ended in of(StageEnded, events) if ended.series == "step"}
    assert reasons[65536] == "out_of_memory"
    assert {sample.batch_size for sample in of(Sample, events)} == {8, 512}


def test_every_kind_of_microbenchmark_runs(stand_in: str) -> None:
    script = Path(__file__).parent / "small_cases.py"
    done = subprocess.run([sys.executable, script, stand_in], capture_output=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr.decode()
    events = [msgspec.json.decode(line, type=WorkerEvent) for line in done.stdout.splitlines()]
    assert not [ended for ended in of(StageEnded, events) if ended.reason == "not_supported"]
    for kind in ("launch", "matmul", "convolution", "attention", "host_to_device", "device_to_host", "optimizer"):
        samples = [sample for sample in of(Sample, events) if sample.series == kind]
        assert samples, kind
        assert all(sample.device_s is not None and sample.device_s > 0.0 for sample in samples)


def test_two_ranks_train_together_over_the_devices_own_collectives(stand_in: str, tmp_path: Path) -> None:
    request = replace(
        small_plan(2.0).request(tmp_path), device=stand_in, rendezvous=f"file://{tmp_path / 'meet'}", budget_s=2.0
    )
    ranks = []
    for number in range(2):
        environment = os.environ | {"RANK": str(number), "WORLD_SIZE": "2", "LOCAL_RANK": "0"}
        command = [sys.executable, "-P", "-m", "advisor.worker"]
        rank = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        assert rank.stdin is not None
        rank.stdin.write(msgspec.json.encode(request) + b"\n")
        rank.stdin.flush()
        ranks.append(rank)
    lines = [line for rank in ranks for line in rank.communicate(timeout=600)[0].splitlines()]
    events = [msgspec.json.decode(line, type=WorkerEvent) for line in lines]
    assert not of(Failed, events)
    findings = of(RankFinding, events)
    assert {finding.rank for finding in findings} == {0, 1}
    assert {"peer_values", "peer_copy", "all_reduce", "memory_copy", "single_step", "ddp_step"} <= {
        finding.kind for finding in findings
    }
    assert all(finding.values_correct is not False for finding in findings)
    assert all(finding.values_correct for finding in findings if finding.kind in {"peer_values", "all_reduce"})
