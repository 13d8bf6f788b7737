"""The same question a second time takes no trace, and is answered alike."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from advisor.advice import advise_events
from advisor.advice.request import AdviceRequest
from advisor.core.drive import drive
from advisor.measure.worker_session import WorkerSession
from advisor.protocol.messages import Request, TraceRequest
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload

GPT2 = load_workload(
    {
        "name": "small gpt2",
        "model": {
            "source": "huggingface",
            "task": "causal-lm",
            "config": {"model_type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size": 500},
        },
        "data": {"samples": 1000, "sequence_length": 32},
        "training": {"batch_size": 8, "precision": "bf16_amp"},
    }
)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[TraceRequest]:
    """What workers were asked for."""
    requests: list[TraceRequest] = []
    send = WorkerSession.send

    def watched(session: WorkerSession, message: Request) -> None:
        requests.extend([message] if isinstance(message, TraceRequest) else [])
        send(session, message)

    monkeypatch.setattr(WorkerSession, "send", watched)
    return requests


def answered(workload: Workload, folder: Path | None) -> AdviceRecord:
    data_folder = None if folder is None else str(folder)
    request = AdviceRequest(
        workload=workload, measure=False, gpu_keys=("rtx4090",), counts=(1, 2), switches=True, data_folder=data_folder
    )
    return msgspec.structs.replace(drive(advise_events(request)), created_utc="", machine=None)


def test_a_question_asked_again_is_answered_alike_without_a_trace(tmp_path: Path, asked: list[TraceRequest]) -> None:
    first = answered(GPT2, tmp_path)
    assert len(asked) > 1
    asked.clear()
    again = answered(GPT2, tmp_path)
    assert asked == []
    assert again == first


def test_without_a_data_folder_every_question_is_traced(tmp_path: Path, asked: list[TraceRequest]) -> None:
    answered(GPT2, tmp_path)
    count = len(asked)
    asked.clear()
    answered(GPT2, None)
    assert len(asked) == count
