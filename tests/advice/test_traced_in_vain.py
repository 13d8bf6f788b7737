"""What was traced for an answer is not traced again for the next, whether or not it helped."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import pytest

from advisor.advice import advise_events
from advisor.advice.request import AdviceRequest
from advisor.advice.switched import leans_on_host
from advisor.catalogue.precisions import TracePrecision
from advisor.catalogue.spec_table import spec_table
from advisor.core.drive import drive
from advisor.measure.traces import Traces
from advisor.workload.workload import Workload, traced_as, with_training
from advisor.workload.workload_file import load_workload


def test_what_was_traced_in_vain_is_not_traced_again(monkeypatch: pytest.MonkeyPatch) -> None:
    config = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
              "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 256}  # fmt: skip
    model = {"source": "huggingface", "config": config, "task": "causal-lm"}
    training = {"batch_size": 2, "precision": "fp32"}
    workload = load_workload(
        {"name": "small", "model": model, "data": {"samples": 100, "sequence_length": 32}, "training": training}
    )
    traced: list[bytes] = []

    make = Traces.make

    def counting(traces: Traces, described: Workload, precisions: Iterable[TracePrecision]) -> object:
        traced.append(traced_as(described))
        return make(traces, described, precisions)

    monkeypatch.setattr(Traces, "make", counting)
    tiny = msgspec.structs.replace(spec_table()["rtx4090"], key="small", name="Small", memory_bytes=1e8)
    request = AdviceRequest(
        workload=workload, measure=False, gpu_keys=(tiny.key,), extra_specs=(tiny,), counts=(1,), precisions=("fp32",)
    )
    advice = drive(advise_events(request))
    assert leans_on_host(advice)
    assert traced_as(with_training(workload, activation_checkpointing="full")) in traced
    assert len(traced) == len(set(traced))
