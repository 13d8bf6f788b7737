"""The script of inference runs what was predicted: no loss, keys and values kept, packed weights; never in shards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from advisor.core.sentences import SaidOutputError
from advisor.present.script import launch_script
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload_file import load_workload
from tests.present.fakes import advice
from tests.present.test_launch_script import run_script
from tests.present.test_script_methods import complaints

WORDS = {"vocab_size": 128}
LLAMA = WORDS | {
    "model_type": "llama", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
    "num_key_value_heads": 2,
}  # fmt: skip
T5 = WORDS | {"model_type": "t5", "d_model": 32, "d_ff": 64, "d_kv": 16, "num_layers": 2, "num_heads": 2}
WHISPER = WORDS | {
    "model_type": "whisper", "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2,
    "decoder_attention_heads": 2, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1,
}  # fmt: skip


def advised(config: dict[str, Any], task: str, length: int = 16, strategy: str = "single", **training: object) -> Any:
    """A record whose main advice is to infer with this model."""
    chosen = {"mode": "inference", "batch_size": 2, "precision": "fp32", **training}
    described = {
        "name": "answers",
        "model": {"source": "huggingface", "task": task, "config": config},
        "data": {"samples": 64, "sequence_length": length, "loader_workers": 0},
        "training": chosen,
    }
    made: AdviceRecord = advice()
    assert made.recommendation is not None
    settings = {"strategy": strategy, "count": 1 if strategy == "single" else 2, "batch_size_per_device": 2}
    one = msgspec.structs.replace(made.recommendation, **settings, precision=chosen["precision"], thread_count=1)
    return msgspec.structs.replace(
        made, recommendation=one, recommendation_local=None, workload=load_workload(described)
    )


@pytest.mark.parametrize(
    ("config", "task", "length"),
    [(LLAMA, "causal-lm", 16), (T5, "seq2seq-lm", 16), (WHISPER, "speech-seq2seq", 480_000)],
    ids=["llama", "t5", "whisper"],
)
def test_the_script_of_a_model_that_writes_words_runs(
    tmp_path: Path, config: dict[str, Any], task: str, length: int
) -> None:
    made = advised(config, task, length)
    assert complaints(launch_script.render(made)) == ""
    assert run_script(tmp_path, made, "--steps", "4")["steps"] == 4


def test_keys_and_values_are_kept_as_they_were_predicted() -> None:
    assert "use_cache" not in launch_script.render(advised(LLAMA, "causal-lm"))
    assert "use_cache = False" in launch_script.render(advised(LLAMA, "causal-lm", mode="training"))


@pytest.mark.parametrize("quantization", ["nf4", "int8"])
def test_weights_are_packed_before_they_come_to_the_card(quantization: str) -> None:
    text = launch_script.render(advised(LLAMA, "causal-lm", precision="bf16_true", quantization=quantization))
    assert complaints(text) == ""
    assert text.index("quantise(model)\n") < text.index("model.to(device, torch.bfloat16)")


@pytest.mark.parametrize("strategy", ["fsdp", "fsdp_offload", "tp"])
def test_no_script_pretends_to_share_a_model_in_inference(strategy: str) -> None:
    with pytest.raises(SaidOutputError) as refused:
        launch_script.render(advised(LLAMA, "causal-lm", strategy=strategy))
    assert [reason.code for reason in refused.value.reasons] == ["script-no-sharded-inference"]
