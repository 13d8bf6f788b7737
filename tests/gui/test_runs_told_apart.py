"""Runs of one model in the history are told apart."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.gui.pages.history_tables import run_columns
from advisor.gui.texts import Texts
from advisor.store.history import Run, RunHead


@pytest.mark.parametrize(
    ("name", "trained", "told"),
    [
        ("llama7b", {}, "llama7b"),
        ("llama7b", {"trainable": "lora"}, "llama7b · LoRA"),
        ("llama7b", {"trainable": "lora", "quantization": "nf4"}, "llama7b · QLoRA"),
        ("llama7b QLoRA", {"trainable": "lora", "quantization": "nf4"}, "llama7b QLoRA"),
    ],
)
def test_runs_of_one_model_are_told_apart_by_what_of_it_was_trained(
    name: str, trained: dict[str, Any], told: str
) -> None:
    head = RunHead(
        workload_name=name,
        device_name=None,
        count=None,
        strategy=None,
        precision="bf16_amp",
        batch_size_per_device=None,
        job_s=None,
        measured=False,
        **trained,
    )
    run = Run(entry_index=1, created_utc="2026-12-01T00:00:00Z", head=head)
    assert run_columns(Texts("en"))[1].text(run) == told
