"""The written configurations train to their end in the frameworks themselves, with what was advised.

A script does word for word what the head of a configuration says, on processors (two ranks: gloo), and tells by the
framework's own objects what it trained with. Run with `python tools/run_nightly.py --only framework_runs` where
`pip install ".[frameworks]"` was.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from advisor.present.script.framework_gaps import Framework
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload_file import load_workload
from tests.present.fakes import advice
from tests.present.framework_scripts import trained

pytestmark = [pytest.mark.with_frameworks, pytest.mark.nightly]
pytest.importorskip("accelerate", reason="needs what `.[frameworks]` installs")
SAMPLES = 20
_SMALL = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
_LLAMA = {"model_type": "llama", **_SMALL, "num_key_value_heads": 1, "vocab_size": 100, "dtype": "bfloat16"}
_BERT = {"model_type": "bert", **_SMALL, "vocab_size": 100, "pad_token_id": 0}
_VIT = {"model_type": "vit", **_SMALL, "image_size": 32, "patch_size": 8}
_RESNET = {
    "model_type": "resnet",
    "embedding_size": 8,
    "hidden_sizes": [8, 16],
    "depths": [1, 1],
    "layer_type": "basic",
}
CONFIGS = {"llama": _LLAMA, "bert": _BERT, "vit": _VIT, "resnet": _RESNET}
TASKS = {"llama": "causal-lm", "bert": "sequence-classification"}
FULL, LORA = {"activation_checkpointing": "full"}, {"trainable": "lora"}
TWO = {"count": 2, "strategy": "ddp"}
MIXED = {"precision": "bf16_amp"}
FP32, BF16 = "torch.float32", "torch.bfloat16"


def made(model: str, method: dict[str, Any], chosen: dict[str, Any]) -> AdviceRecord:
    """Advice on a small model: two samples a device and two micro-batches a step."""
    length = {"image_size": 32} if model in {"vit", "resnet"} else {"sequence_length": 8}
    table = {
        "name": model,
        "model": {"source": "huggingface", "config": CONFIGS[model], "task": TASKS.get(model, "image-classification")},
        "data": {"samples": SAMPLES, "loader_workers": 0, **length},
        "training": {"precision": chosen.get("precision", "fp32"), "batch_size": 2, "epochs": 1, **method},
    }
    base = advice()
    assert base.recommendation is not None
    plain = {"count": 1, "strategy": "single", "precision": "fp32", "batch_size_per_device": 2}
    asked = {**plain, "gradient_accumulation_steps": 2, **chosen}
    if asked["count"] == 1:
        asked["device"] = msgspec.structs.replace(base.recommendation.device, key="cpu", name="CPU", spec_key=None)
    return msgspec.structs.replace(
        base, workload=load_workload(table), recommendation=msgspec.structs.replace(base.recommendation, **asked)
    )


CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "plain": ("bert", {}, {}, {"trained": FP32, "steps": 5, "optimizer": "AdamW", "weight_decay": 0.01}),
    "stored in half, trained in FP32": ("llama", {}, MIXED, {"trained": FP32}),
    "in half": ("llama", {}, {"precision": "bf16_true"}, {"trained": BF16}),
    "recomputed": ("llama", FULL, MIXED, {"recomputes": True}),
    "momentum": ("vit", {"optimizer": "sgd_momentum"}, {}, {"optimizer": "SGD", "momentum": 0.9}),
    "adafactor": ("vit", {"optimizer": "adafactor"}, {}, {"optimizer": "Adafactor"}),
    "adapters": ("llama", {**LORA, **FULL, "lora_rank": 4}, MIXED, {"trained": FP32, "frozen": BF16, "adapters": 4}),
    "adapters in half": ("llama", {**LORA, "adapter_bits": 16}, MIXED, {"trained": BF16, "frozen": BF16}),
    "adapters of attention": ("llama", {**LORA, "lora_targets": "attention"}, MIXED, {"adapters": 8}),
    "adapters everywhere": ("llama", {**LORA, "lora_targets": "all_linear"}, MIXED, {"adapters": 14}),
    "adapters of a picture's model": ("vit", {**LORA, "lora_targets": "attention"}, MIXED, {"frozen": FP32}),
    "compiled": ("vit", {"compile": True}, {}, {"compiled": True}),
    "threads": ("bert", {}, {"thread_count": 2}, {"threads": 2}),
    "clipped": ("llama", {"clip_gradient_norm": 0.5}, MIXED, {"steps": 5}),
    "two ranks": ("llama", FULL, {**MIXED, **TWO}, {"steps": 3, "ranks": 2, "recomputes": True}),
}
RATES = {"adamw": 5e-5, "sgd_momentum": 0.1 * 4 / 256, "adafactor": 1e-3}


@pytest.mark.parametrize("framework", ["trainer", "accelerate", "lightning"])
@pytest.mark.parametrize("case", CASES)
def test_a_configuration_trains_to_its_end_with_what_was_advised(
    tmp_path: Path, case: str, framework: Framework
) -> None:
    model, method, chosen, expected = CASES[case]
    advised = made(model, method, chosen)
    ranks, said = trained(tmp_path, advised, framework, CONFIGS[model], SAMPLES)
    assert len(ranks) == chosen.get("count", 1)
    mixed = chosen.get("precision") == "bf16_amp"
    words = {"lightning": "bf16-mixed" if mixed else "bf16-true" if chosen.get("precision") else "32-true"}
    rate = 2e-4 if method.get("trainable") == "lora" else RATES[method.get("optimizer", "adamw")]
    common = {"batch": 2, "accumulation": 2, "ranks": len(ranks), "trains": True}
    common["recomputes"] = "activation_checkpointing" in method
    for found in ranks:
        assert {name: found[name] for name in common | expected} == common | expected
        assert found["rate"] == pytest.approx(rate, rel=2e-3)
        assert found["mixed"] == words.get(framework, "bf16" if mixed else "no")
        if framework == "trainer":
            assert found["clip"] == method.get("clip_gradient_norm", 0.0)
            assert len(ranks) == 1 or not found["unused"]
    for word in (
        "`gradient_checkpointing",
        "find_unused_parameters",
        *["were not passed"] * ("thread_count" in chosen),
    ):
        assert word not in said


@pytest.mark.parametrize("strategy", ["fsdp", "zero2"])
@pytest.mark.parametrize("precision", ["bf16_amp", "bf16"])
def test_accelerate_shards_whole_weights_over_two_ranks(tmp_path: Path, strategy: str, precision: str) -> None:
    advised = made("llama", FULL, {"count": 2, "strategy": strategy, "precision": precision})
    ranks, _said = trained(tmp_path, advised, "accelerate", _LLAMA, SAMPLES)
    assert len(ranks) == 2
    for found in ranks:
        assert (found["kind"], found["ranks"], found["steps"]) == ("FSDP", 2, 3)
        assert (found["trained"], found["mixed"], found["recomputes"]) == (FP32, "bf16", True)
        assert found["regathers"] == [strategy == "fsdp"] * 2


def test_a_model_that_cannot_recompute_trains_in_trainer_as_it_is(tmp_path: Path) -> None:
    (found,), _said = trained(tmp_path, made("resnet", FULL, {}), "trainer", _RESNET, SAMPLES)
    assert (found["steps"], found["recomputes"]) == (5, False)


def test_weights_of_four_bits_are_packed_and_their_adapters_trained(tmp_path: Path) -> None:
    pytest.importorskip("bitsandbytes")
    method = {**LORA, "quantization": "nf4", "lora_targets": "all_linear"}
    (found,), _said = trained(tmp_path, made("llama", method, MIXED), "trainer", _LLAMA, SAMPLES)
    assert (found["packed"], found["adapters"], found["trained"], found["steps"]) == (14, 14, FP32, 5)
    (found,), _said = trained(
        tmp_path, made("llama", {**method, "unpacked_bits": 32}, MIXED), "accelerate", _LLAMA, SAMPLES
    )
    assert (found["packed"], found["adapters"], found["trained"], found["steps"]) == (14, 14, FP32, 5)


def test_a_loss_in_chunks_is_taken_by_trl_from_the_file_of_trainer(tmp_path: Path) -> None:
    pytest.importorskip("trl")
    advised = made("llama", {"chunked_loss": True}, MIXED)
    (found,), _said = trained(tmp_path, advised, "trainer", _LLAMA, SAMPLES)
    assert (found["whole_logits"], found["longest"], found["steps"], found["trained"]) == (0, 8, 5, FP32)
    assert (found["recomputes"], found["mixed"], found["rate"], found["batch"]) == (False, "bf16", 5e-5, 2)
