"""Consent is given to bytes, not to a name: a file that changed since then does not run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec

from advisor.protocol.messages import Failed, TraceRequest, WorkerEvent
from advisor.workload.python_source import digest_of, pinned
from advisor.workload.workload import PythonModel
from advisor.workload.workload_file import load_workload

SOURCE = """
from pathlib import Path
import torch
from torch import nn

def build_model():
    Path(__file__).with_name("ran").touch()
    return nn.Linear(4, 2)

def make_batch(batch_size, length):
    return torch.randn(batch_size, 4), torch.randint(0, 2, (batch_size,))
"""


def test_pinning_binds_a_users_file_and_leaves_a_bundled_one_alone(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(SOURCE, encoding="utf-8")
    bound = pinned(load_workload(str(path)))
    assert isinstance(bound.model, PythonModel)
    assert bound.model.sha256 == digest_of(path.read_bytes())
    assert pinned(load_workload("unet_vgg16")) == load_workload("unet_vgg16")


def test_a_file_that_changed_after_consent_is_refused_unrun(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(SOURCE, encoding="utf-8")
    request = TraceRequest(workload=pinned(load_workload(str(path))), precisions=("fp32",), allow_code=True)
    path.write_text(SOURCE + "\n# changed", encoding="utf-8")
    worker = subprocess.run(
        [sys.executable, "-P", "-m", "advisor.worker"],
        input=msgspec.json.encode(request) + b"\n",
        capture_output=True,
        check=False,
        timeout=600,
    )
    decoder = msgspec.json.Decoder(WorkerEvent)
    events = [decoder.decode(line) for line in worker.stdout.splitlines()]
    failures = [event for event in events if isinstance(event, Failed)]
    assert any("changed since" in failure.text for failure in failures), worker.stderr[-2000:]
    assert not (tmp_path / "ran").exists()
