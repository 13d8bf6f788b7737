"""The worker as its parent sees it: lines in, lines out, and an honest end."""

from __future__ import annotations

import os
import platform
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from advisor.catalogue.precisions import Precision
from advisor.core.child_process import ChildProcess
from advisor.core.sentences import Reason, say
from advisor.protocol.messages import (
    KEEPING_SERIES,
    Answered,
    End,
    Environment,
    Failed,
    Finished,
    LoaderPass,
    LoaderRequest,
    MeasureRequest,
    Memory,
    MicrobenchmarkRequest,
    Request,
    Sample,
    StageEnded,
    StageStarted,
    Stop,
    Traced,
    TraceRequest,
    Warm,
    WorkerEvent,
)
from advisor.workload.workload import Data, TemplateModel, Training, Workload, with_training
from advisor.workload.workload_file import load_workload

DECODER: msgspec.json.Decoder[WorkerEvent] = msgspec.json.Decoder(WorkerEvent)
WORKLOAD = Workload(
    name="small encoder",
    model=TemplateModel(
        template="transformer", layers=(32, 32, 32, 32), vocabulary_size=50, embedding_size=32, classes=2, heads=2
    ),
    data=Data(samples=1000, sequence_length=8),
    training=Training(precision="fp32", batch_size=4, clip_gradient_norm=1.0),
)


@contextmanager
def worker(*arguments: str, **variables: str) -> Iterator[ChildProcess]:
    environment = dict(os.environ) | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"} | variables
    child = ChildProcess("advisor.worker", *arguments, environment=environment)
    try:
        yield child
    finally:
        child.close()


def events(child: ChildProcess, *requests: Request | End) -> list[WorkerEvent]:
    for request in requests:
        child.send(msgspec.json.encode(request))
    found = []
    while (line := child.next_line(60.0)) is not None:
        found.append(DECODER.decode(line))
    return found


REQUEST = MeasureRequest(workload=WORKLOAD, device="cpu", batch_sizes=(2, 4), budget_s=1.5, thread_count=1)


def measure(precision: Precision = "fp32", **settings: object) -> MeasureRequest:
    workload = with_training(WORKLOAD, precision=precision)
    return msgspec.structs.replace(REQUEST, workload=workload, **settings)


def test_one_request_is_answered_and_the_worker_ends_well() -> None:
    with worker() as child:
        found = events(child, measure(budget_s=4.0))
        assert isinstance(found[-1], Finished)
        assert child.exit_kind(saw_finish=True) == "finished"
        assert child.process.returncode == 0
    samples = [event for event in found if isinstance(event, Sample)]
    assert {sample.batch_size for sample in samples} == {2, 4}
    assert {sample.warm_up for sample in samples} == {True, False}
    assert all(sample.precision == "fp32" for sample in samples)
    assert sum(isinstance(event, Memory) for event in found) == 2


def test_a_session_answers_several_requests_in_one_process() -> None:
    with worker("--session") as child:
        one_worker = msgspec.structs.replace(WORKLOAD, data=msgspec.structs.replace(WORKLOAD.data, loader_workers=1))
        requests = (
            TraceRequest(workload=WORKLOAD, precisions=("fp32",)),
            measure(budget_s=0.5),
            LoaderRequest(workload=one_worker, batch_sizes=(2, 4), budget_s=0.1),
            End(),
        )
        found = events(child, *requests)
    asked = ["TraceRequest", "MeasureRequest", "LoaderRequest"]
    assert [event.request for event in found if isinstance(event, Answered)] == asked
    passes = [(one.worker_count, one.batch_size) for one in found if isinstance(one, LoaderPass)]
    assert passes == [(0, 2), (0, 4), (1, 4)] if sys.platform == "linux" else [(0, 2), (0, 4)]
    assert sum(isinstance(event, Traced) for event in found) == 1
    assert isinstance(found[-1], Finished)
    stages = [event.stage for event in found if isinstance(event, StageStarted)]
    assert len(stages) == len(set(stages))


def test_a_session_goes_on_after_a_failed_request() -> None:
    with worker("--session") as child:
        found = events(child, measure(device="nothing"), measure(budget_s=0.5), End())
    assert sum(isinstance(event, Failed) for event in found) == 1
    assert sum(isinstance(event, Answered) for event in found) == 2
    assert any(isinstance(event, Sample) for event in found)


def test_controls_steer_the_stage_under_way() -> None:
    with worker("--session") as child:
        child.send(msgspec.json.encode(measure(batch_sizes=(4,), budget_s=30.0)))
        ended = None
        kept = 0
        while ended is None:
            event = DECODER.decode(child.next_line(60.0) or b"")
            if isinstance(event, StageStarted):
                child.send(msgspec.json.encode(Warm(stage=event.stage)))
                child.send(msgspec.json.encode(Stop(stage=event.stage + 1, reason="of another stage")))
            elif isinstance(event, Sample) and not event.warm_up:
                kept += 1
                if kept == 3 and event.stage is not None:
                    child.send(msgspec.json.encode(Stop(stage=event.stage, reason="settled")))
            elif isinstance(event, StageEnded):
                ended = event
        assert ended.reason == "settled"
        assert 3 <= kept <= 6


def test_something_that_is_no_request_is_refused() -> None:
    with worker() as child:
        child.send(b'{"type": "format the disk"}')
        found = [DECODER.decode(line) for line in iter(lambda: child.next_line(60.0), None)]
        assert [type(event) for event in found] == [Failed]
        assert child.exit_kind(saw_finish=False) == "failed"


def test_asking_it_to_end_ends_it_at_once() -> None:
    with worker() as child:
        child.send(msgspec.json.encode(measure(budget_s=60.0)))
        while not isinstance(DECODER.decode(child.next_line(60.0) or b""), Sample):
            pass
        child.process.send_signal(signal.SIGTERM)
        assert child.process.wait(timeout=1.0) == -signal.SIGTERM


def test_a_broken_torch_is_named_with_its_remedy(tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text('raise ImportError("libtorch_cpu.so: cannot open shared object")')
    with worker(PYTHONPATH=str(tmp_path)) as child:
        found = events(child, measure())
    failed = next(event for event in found if isinstance(event, Failed))
    assert failed.reason is not None
    assert failed.reason.code == "worker-torch-broken"
    assert failed.world_fault
    assert "Install torch" in say(failed.reason, "en")


@pytest.mark.parametrize(
    "raised", ["KeyboardInterrupt('no')", "SystemExit('no')", "type('Own', (BaseException,), {})('no')"]
)
@pytest.mark.parametrize("function", ["build_model", "training_step"])
def test_whatever_a_model_s_file_raises_is_told_as_its_own(tmp_path: Path, function: str, raised: str) -> None:
    fault = f"raise {raised}"
    (tmp_path / "own.py").write_text(
        "import torch\n"
        f"def build_model():\n    {fault if function == 'build_model' else 'return torch.nn.Linear(4, 2)'}\n"
        "def make_batch(n): return torch.randn(n, 4), torch.randint(0, 2, (n,))\n"
        f"def training_step(model, batch):\n    {fault}\n"
    )
    workload = load_workload(str(tmp_path / "own.py"))
    with worker() as child:
        found = events(child, msgspec.structs.replace(measure(), workload=workload, allow_code=True))
    failed = next(event for event in found if isinstance(event, Failed))
    assert failed.world_fault
    assert failed.reason is not None
    assert "no" in say(failed.reason, "en")
    assert failed.reason.code in {"worker-file-call-failed", "worker-users-code-failed"}


def test_a_file_that_asks_its_user_finds_no_input_and_takes_no_request(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("import sys\ntaken = sys.stdin.read()\nname = input('Which model? ')\n")
    workload = load_workload(str(tmp_path / "own.py"))
    with worker("--session") as child:
        found = events(child, msgspec.structs.replace(measure(), workload=workload, allow_code=True), measure(), End())
    (failed,) = [event for event in found if isinstance(event, Failed)]
    assert failed.reason is not None
    assert failed.reason.numbers["error"] == "EOFError: `EOF when reading a line`"
    assert [event for event in found if isinstance(event, Sample)]
    assert isinstance(found[-1], Finished)


def test_an_unknown_device_is_a_named_failure() -> None:
    with worker() as child:
        found = events(child, MicrobenchmarkRequest(device="cuda", budget_s=1.0))
    failed = next(event for event in found if isinstance(event, Failed))
    assert failed.reason is not None
    assert failed.reason.code in {"worker-cpu-only-torch", "worker-gpu-hidden"}
    assert failed.world_fault


def test_the_environment_says_versions_and_settings() -> None:
    with worker() as child:
        found = events(child, measure())
    environment = next(event for event in found if isinstance(event, Environment))
    assert environment.torch[0].isdigit()
    assert environment.thread_count == 1
    assert {"float32_matmul_precision", "cpu_capability", "OMP_NUM_THREADS"} <= set(environment.settings)
    assert environment.settings["cudnn.benchmark"] == "True", "as in the scripts that are written"


def test_a_batch_size_beyond_the_memory_limit_is_left_out() -> None:
    with worker() as child:
        found = events(child, measure(batch_sizes=(1, 100_000), memory_limit_bytes=20_000_000, budget_s=2.0))
    ended = {event.batch_size: event.reason for event in found if isinstance(event, StageEnded)}
    assert ended[100_000] == "memory_limit"
    assert ended[1] != "memory_limit"


def test_a_batch_size_beyond_the_budget_leaves_time_for_the_smaller_ones() -> None:
    expected_s = {1: 0.004, 8: 0.004, 64: 0.01, 1 << 20: 40.0}
    with worker() as child:
        found = events(child, measure(batch_sizes=tuple(expected_s), budget_s=9.0, expected_step_s=expected_s))
    kept = {event.batch_size for event in found if isinstance(event, Sample) and not event.warm_up}
    ended = {event.batch_size: event.reason for event in found if isinstance(event, StageEnded)}
    assert kept == {1, 8, 64}
    assert ended[1 << 20] in {"too_long", "no_budget"}


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallopt's parameters are glibc's")
def test_steps_that_keep_freed_memory_are_a_series_of_their_own() -> None:
    with worker() as child:
        found = events(child, measure(batch_sizes=(2,), keep_freed_memory=True))
    samples = [event for event in found if isinstance(event, Sample)]
    assert {sample.series for sample in samples} == {KEEPING_SERIES}
    assert all(sample.system_cpu_s is not None for sample in samples)
    assert not [event for event in found if isinstance(event, Memory)]


def test_fewer_blocks_are_built_where_the_request_says_so() -> None:
    with worker() as child:
        found = events(child, measure(layer_limit=2, batch_sizes=(2,), budget_s=0.5))
    figures = next(event for event in found if isinstance(event, Sample)).figures
    assert (figures["blocks"], figures["full_blocks"]) == (2.0, 4.0)


@pytest.mark.parametrize("precision", ["bf16_amp", "bf16"])
def test_half_precisions_train_on_the_processor(precision: Precision) -> None:
    with worker() as child:
        found = events(child, measure(precision=precision, batch_sizes=(2,), budget_s=0.5))
    samples = [event for event in found if isinstance(event, Sample)]
    assert samples
    assert {sample.precision for sample in samples} == {precision}


def test_a_missing_torch_is_named_with_the_extra_that_brings_it(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['torch'] = None\n")
    with worker(PYTHONPATH=str(tmp_path)) as child:
        found = events(child, measure())
    failed = next(event for event in found if isinstance(event, Failed))
    assert failed.reason == Reason.of("worker-torch-missing", package="torch")
    assert 'pip install "training-advisor[measure]"' in say(failed.reason, "en")
