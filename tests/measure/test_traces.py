"""Traces of one question: made once, all in one worker, and none that depends on what the worker did before."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from itertools import chain, groupby
from pathlib import Path

import msgspec
import pytest

from advisor.catalogue.precisions import TracePrecision
from advisor.core.drive import drive
from advisor.measure import traces as traces_module
from advisor.measure.traces import Traces, TraceUnanswered, trace_workload
from advisor.measure.worker_session import WorkerSession
from advisor.optable.op_table import FREE, OpTable
from advisor.protocol.messages import Failed, Request, TraceRequest
from advisor.workload.workload import Data, PythonModel, TemplateModel, Training, Workload, traced_as, with_training
from advisor.workload.workload_file import load_workload

WORKLOAD = Workload(
    name="small",
    model=TemplateModel(template="mlp", layers=(4, 11, 3)),
    data=Data(samples=150),
    training=Training(precision="fp32", batch_size=16, optimizer="sgd"),
)
LLAMA = load_workload(
    {
        "name": "small",
        "model": {
            "source": "huggingface",
            "task": "causal-lm",
            "config": {
                "model_type": "llama",
                "architectures": ["LlamaForCausalLM"],
                "hidden_size": 64,
                "num_hidden_layers": 8,
                "num_attention_heads": 4,
                "intermediate_size": 128,
                "vocab_size": 256,
            },
        },
        "data": {"samples": 100, "sequence_length": 32},
        "training": {"batch_size": 2, "precision": "bf16_amp"},
    }
)
ONCE = """
import os, torch
def build_model():
    if os.environ.get("ADVISOR_TRACED"):
        raise RuntimeError("a second model in one process")
    os.environ["ADVISOR_TRACED"] = "1"
    return torch.nn.Linear(4, 3)
def make_batch(batch_size, sequence_length):
    return torch.zeros(batch_size, 4), torch.zeros(batch_size, dtype=torch.long)
"""


class Started:
    """What was asked of which worker."""

    def __init__(self) -> None:
        self.pids: list[int] = []
        self.requests: list[TraceRequest] = []


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    seen, send = Started(), WorkerSession.send

    def watched(session: WorkerSession, message: Request) -> None:
        if isinstance(message, TraceRequest):
            seen.pids.append(session.pid)
            seen.requests.append(message)
        send(session, message)

    monkeypatch.setattr(WorkerSession, "send", watched)
    return seen


@pytest.fixture
def traces() -> Iterator[Traces]:
    with closing(Traces(allow_code=True)) as opened:
        yield opened


def _gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_trace_comes_back_from_a_worker_of_its_own(started: Started) -> None:
    tables = drive(trace_workload(WORKLOAD, ["fp32"]))
    assert tables["fp32"].parameter_count == 4 * 11 + 11 + 11 * 3 + 3
    assert all(map(_gone, started.pids))


def test_all_traces_of_a_question_come_from_one_worker_which_ends_with_it(started: Started) -> None:
    with closing(Traces()) as traces:
        traces.start()
        for size in (5, 6, 7):
            model = TemplateModel(template="mlp", layers=(4, size, 3))
            wider = msgspec.structs.replace(WORKLOAD, model=model)
            assert set(drive(traces.make(wider, ["fp32"]))) == {"fp32"}
        assert not _gone(started.pids[0])
    assert len(set(started.pids)) == 1
    assert _gone(started.pids[0])


def test_what_was_traced_is_known_from_then_on_also_in_a_workload_that_differs_in_its_optimizer(
    traces: Traces,
) -> None:
    assert traces.known(WORKLOAD, ["fp32"]) == {}
    made = drive(traces.make(WORKLOAD, ["fp32"]))
    assert traces.known(with_training(WORKLOAD, optimizer="adamw"), ["fp32"]) == made
    assert traces.known(with_training(WORKLOAD, trainable="head"), ["fp32"]) == {}


def test_a_worker_that_was_killed_is_replaced(started: Started, traces: Traces) -> None:
    drive(traces.make(WORKLOAD, ["fp32"]))
    os.kill(started.pids[0], signal.SIGKILL)  # which may be noticed while the next one is asked for
    assert set(drive(traces.make(WORKLOAD, ["amp"]))) == {"amp"}
    assert len(set(started.pids)) == 2


def test_what_fails_beside_an_earlier_trace_is_tried_again_in_a_fresh_worker(
    started: Started, traces: Traces, tmp_path: Path
) -> None:
    workload = _of_file(tmp_path, ONCE)
    drive(traces.make(WORKLOAD, ["fp32"]))
    told: list[object] = []
    assert drive(traces.make(workload, ["fp32"]), told.append)["fp32"].parameter_count == 15
    assert len(set(started.pids)) == 1
    assert drive(traces.make(workload, ["fp32"]), told.append)["fp32"].parameter_count == 15
    assert not any(isinstance(event, Failed) for event in told)
    assert len(set(started.pids)) == 2


def test_what_fails_in_a_fresh_worker_is_told_once_and_the_next_trace_has_another(
    started: Started, traces: Traces, tmp_path: Path
) -> None:
    told: list[object] = []
    drive(traces.make(WORKLOAD, ["fp32"]))
    with pytest.raises(TraceUnanswered, match="division by zero"):
        drive(traces.make(_of_file(tmp_path, ONCE.replace("torch.nn.Linear(4, 3)", "1 / 0")), ["fp32"]), told.append)
    assert sum(isinstance(event, Failed) for event in told) == 1
    assert set(drive(traces.make(WORKLOAD, ["amp"]))) == {"amp"}
    assert len(set(started.pids)) == 3


CHANGES: dict[str, dict[str, object]] = {
    "lora": {"trainable": "lora", "lora_rank": 4, "lora_targets": "all_linear"},
    "qlora": {"trainable": "lora", "lora_rank": 4, "lora_targets": "all_linear", "quantization": "nf4"},
    "checkpointing": {"activation_checkpointing": "full"},
    "chunked loss": {"chunked_loss": True},
    "fused layers": {"fused_layers": True},
    "eager attention": {"attention": "eager"},
    "head": {"trainable": "head"},
}


def test_a_model_that_grew_evenly_is_not_checked_again_and_has_the_same_tables(started: Started) -> None:
    wanted: tuple[TracePrecision, ...] = ("amp",)
    with closing(Traces()) as traces, closing(Traces()) as checking:
        drive(traces.make(LLAMA, wanted))
        for name, change in CHANGES.items():
            changed = with_training(LLAMA, **change)
            unchecked = drive(traces.make(changed, wanted))
            checking._affine.clear()  # so that each is checked as if it were the first
            checked = drive(checking.make(changed, wanted))
            assert _in_order(unchecked["amp"]) == _in_order(checked["amp"]), name
    known = [request.known_affine for request in started.requests]
    assert known == [False, *([True, False] * len(CHANGES))]


def _in_order(table: OpTable) -> OpTable:
    """The table with what is freed in one go in the order of its numbers: that of the trace is chance."""
    memory = table.memory
    assert memory is not None
    names = ("kind", "storage", "size0_bytes", "size1_bytes", "compiled_size0_bytes", "compiled_size1_bytes")
    of_events = [name for name in names if getattr(memory, name)]
    events = list(zip(*(getattr(memory, name) for name in of_events), strict=True))
    runs = [list(run) for _, run in groupby(events, key=lambda event: event[0] == FREE)]
    ordered = list(chain(*(sorted(run) if run[0][0] == FREE else run for run in runs)))
    columns = dict(zip(of_events, zip(*ordered, strict=True), strict=True))
    return msgspec.structs.replace(table, memory=msgspec.structs.replace(memory, **columns))


ONE_BY_ONE = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.head = torch.nn.Linear(4, 4), torch.nn.Linear(4, 3)
    def forward(self, states):
        return self.head(torch.cat([self.inner(sample.unsqueeze(0)) for sample in states]))
def build_model():
    return Model()
def make_batch(batch_size, sequence_length):
    return torch.zeros(batch_size, 4), torch.zeros(batch_size, dtype=torch.long)
"""


def test_a_model_that_takes_samples_one_by_one_is_known_to_and_has_the_same_tables(
    started: Started, tmp_path: Path
) -> None:
    workload = _of_file(tmp_path, ONE_BY_ONE)
    head = with_training(workload, trainable="head")
    with closing(Traces(allow_code=True)) as traces, closing(Traces(allow_code=True)) as fresh:
        drive(traces.make(workload, ["fp32"]))
        assert drive(traces.make(head, ["fp32"])) == drive(fresh.make(head, ["fp32"]))
    assert [request.known_apart for request in started.requests] == [False, True, False]


def test_another_model_or_another_length_is_checked(started: Started) -> None:
    with closing(Traces()) as traces:
        drive(traces.make(LLAMA, ["amp"]))
        drive(traces.make(msgspec.structs.replace(LLAMA, data=Data(samples=100, sequence_length=64)), ["amp"]))
        assert not started.requests[-1].known_affine


class Shelf(dict[tuple[bytes, TracePrecision], OpTable]):
    """What is kept between two questions."""

    def find(self, workload: Workload, precision: TracePrecision) -> OpTable | None:
        return self.get((traced_as(workload), precision))

    def keep(self, workload: Workload, table: OpTable) -> None:
        self[traced_as(workload), table.precision] = table


def test_what_an_earlier_question_traced_needs_no_worker(started: Started) -> None:
    shelf = Shelf()
    made = drive(trace_workload(WORKLOAD, ["fp32"], kept=shelf))
    assert drive(trace_workload(WORKLOAD, ["fp32"], kept=shelf)) == made
    assert len(started.requests) == 1
    assert set(drive(trace_workload(WORKLOAD, ["fp32", "amp"], kept=shelf))) == {"fp32", "amp"}
    assert [request.precisions for request in started.requests] == [("fp32",), ("amp",)]


def test_a_trace_that_failed_is_made_again_by_the_next_question(started: Started, tmp_path: Path) -> None:
    shelf, broken = Shelf(), _of_file(tmp_path, ONCE.replace("torch.nn.Linear(4, 3)", "1 / 0"))
    for _ in range(2):
        with pytest.raises(TraceUnanswered, match="division by zero"):
            drive(trace_workload(broken, ["fp32"], allow_code=True, kept=shelf))
    assert shelf == {}
    assert len(started.requests) == 2


def test_the_limit_of_memory_is_that_of_the_machine_where_it_has_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces_module, "allowance_bytes", lambda: 2**20)
    with closing(Traces()) as traces, pytest.raises(TraceUnanswered) as caught:
        drive(traces.make(WORKLOAD, ["fp32"]))
    assert caught.value.reason.code == "trace-worker-too-large"
    assert caught.value.reason.numbers["limit_bytes"] == 2**20


def _of_file(folder: Path, source: str) -> Workload:
    (folder / "model.py").write_text(source, encoding="utf-8")
    return Workload(
        name="file",
        model=PythonModel(file="model.py"),
        data=Data(samples=100),
        training=Training(precision="fp32", batch_size=4, optimizer="sgd"),
        source_folder=str(folder),
    )
