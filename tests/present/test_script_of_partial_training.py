"""The launch script trains what the workload trains, with master copies where weights are in half."""

from __future__ import annotations

from pathlib import Path

import msgspec

from advisor.present.script import launch_script
from advisor.recommend.recommendation import Recommendation
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload_file import load_workload
from tests.present.fakes import advice
from tests.present.script_forks import run_file
from tests.present.test_launch_script import run_script

GPT2 = {"model_type": "gpt2", "n_layer": 2, "n_embd": 32, "n_head": 2, "vocab_size": 100}
BERT = {
    "model_type": "bert", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 64, "vocab_size": 100,
}  # fmt: skip


def advised(config: dict[str, object], task: str, **training: object) -> AdviceRecord:
    made = advice()
    assert made.recommendation is not None
    settings = {"precision": "fp32", "batch_size": 2, **training}
    chosen = msgspec.structs.replace(
        made.recommendation, count=1, strategy="single", precision=settings["precision"], batch_size_per_device=2,
        thread_count=1,
    )  # fmt: skip
    table = {
        "name": "small",
        "model": {"source": "huggingface", "config": config, "task": task},
        "data": {"samples": 64, "sequence_length": 8, "loader_workers": 0},
        "training": settings,
    }
    return msgspec.structs.replace(made, recommendation=chosen, workload=load_workload(table))


def sharded(made: AdviceRecord) -> Recommendation:
    assert made.recommendation is not None
    return msgspec.structs.replace(made.recommendation, count=2, strategy="fsdp", gradient_accumulation_steps=2)


def trained_by(tmp_path: Path, made: AdviceRecord) -> set[str]:
    """Names of what the script trains: its own lines, with a print at the place where it has chosen."""
    text = launch_script.render(made)
    place = "    trained = ["
    shown = "    print('TRAINED', *(n for n, p in model.named_parameters() if p.requires_grad))\n"
    script = tmp_path / "shown.py"
    script.write_text(text.replace(place, shown + place), encoding="utf-8")
    ended = run_file(script, "--steps", "1")
    ended.check_returncode()
    return set(next(line for line in ended.stdout.splitlines() if line.startswith("TRAINED")).split()[1:])


def test_the_script_trains_the_head_alone_where_the_workload_does(tmp_path: Path) -> None:
    made = advised(BERT, "sequence-classification", trainable="head")
    assert trained_by(tmp_path, made) == {"classifier.weight", "classifier.bias"}


def test_the_script_keeps_a_tied_head_trained(tmp_path: Path) -> None:
    assert trained_by(tmp_path, advised(GPT2, "causal-lm", trainable="head")) == {"transformer.wte.weight"}


def test_the_script_of_half_precision_steps_full_copies(tmp_path: Path) -> None:
    made = advised(BERT, "sequence-classification", precision="bf16")
    assert "masters" in launch_script.render(made)
    assert run_script(tmp_path, made, "--steps", "5")["steps"] == 5


def test_full_copies_are_made_of_what_sharding_leaves_to_a_rank() -> None:
    made = advised(GPT2, "causal-lm", precision="bf16", trainable="lora")
    text = launch_script.render(made, sharded(made))
    assert text.index("fully_shard(model, **sharding)") < text.index("masters = [") < text.index("optimizer = ")


def test_sharded_weights_are_full_and_gathered_in_half_as_their_memory_is_predicted() -> None:
    for precision in ("bf16", "bf16_amp"):
        made = advised(BERT, "sequence-classification", precision=precision)
        text = launch_script.render(made, sharded(made))
        assert "MixedPrecisionPolicy(param_dtype=half, reduce_dtype=torch.float32)" in text
        assert "masters" not in text
        assert "autocast" not in text
        assert "set_requires_gradient_sync" not in text  # whole gradients would be kept between micro-batches


def test_the_script_of_lora_says_where_the_adapters_go() -> None:
    text = launch_script.render(advised(GPT2, "causal-lm", trainable="lora", lora_rank=4))
    assert "add_adapters(model, 4, targets" in text
