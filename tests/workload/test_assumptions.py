"""Every assumed value of a bare description is told with its unit, in both languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from advisor.core.errors import InputError
from advisor.core.sentences import say
from advisor.workload.assumptions import assumed_reason
from advisor.workload.workload_file import load_workload


def told(tmp_path: Path, config: dict[str, object]) -> tuple[str, str]:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    reason = assumed_reason(load_workload(path))
    assert reason is not None
    return say(reason, "en"), say(reason, "zh")


def test_each_assumed_value_of_a_bare_text_model_stands_with_its_unit(tmp_path: Path) -> None:
    english, chinese = told(tmp_path, {"model_type": "bert", "architectures": ["BertForSequenceClassification"]})
    for part in ("training samples", "128 tokens a sequence", "precision BF16 AMP", "optimizer AdamW", "3 epochs",
                 "batch size 16 per device", "4 loader workers"):  # fmt: skip
        assert part in english
    for part in ("个训练样本", "每个序列 128 个词元", "精度 BF16 AMP", "优化器 AdamW", "每个设备批大小 16"):
        assert part in chinese


def test_images_are_assumed_in_pixels(tmp_path: Path) -> None:
    english, chinese = told(tmp_path, {"model_type": "vit", "architectures": ["ViTForImageClassification"]})
    assert "images of 224 × 224 pixels" in english
    assert "224 × 224 像素的图像" in chinese


def test_images_that_the_configuration_has_longer_than_high_are_told_so(tmp_path: Path) -> None:
    config: dict[str, object] = {
        "model_type": "vit",
        "architectures": ["ViTForImageClassification"],
        "image_size": [160, 224],
    }
    assert "images of 160 × 224 pixels" in told(tmp_path, config)[0]


def test_a_model_file_is_told_which_length_its_batches_are_asked_with_not_what_that_is_of(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text("def build_model(): ...\n", encoding="utf-8")
    reason = assumed_reason(load_workload(path))
    assert reason is not None
    assert "a `length` of 128 for make_batch" in say(reason, "en")
    assert "length 为 128" in say(reason, "zh")
    assert "tokens a sequence" not in say(reason, "en")


def test_a_value_that_was_given_is_not_told_as_assumed(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "bert"}), encoding="utf-8")
    reason = assumed_reason(load_workload(path, overrides={"batch_size": 7}))
    assert reason is not None
    assert "batch size" not in say(reason, "en")


def test_a_field_without_words_of_its_own_is_told_by_its_name() -> None:
    workload = msgspec.structs.replace(load_workload("resnet50"), assumed=("training.attention",))
    reason = assumed_reason(workload)
    assert reason is not None
    assert say(reason, "en") == "Not given, so assumed: training.attention = sdpa."


def test_nothing_is_said_where_nothing_was_assumed() -> None:
    assert assumed_reason(load_workload("resnet50")) is None


def test_a_configuration_of_float64_weights_is_refused_unless_a_precision_is_named(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    for stored in ({"dtype": "float64"}, {"torch_dtype": "torch.float64"}):
        path.write_text(json.dumps({"model_type": "llama", **stored}), encoding="utf-8")
        table: dict[str, Any] = {"name": "own", "model": {"source": "huggingface", "config": str(path)}}
        training = {"batch_size": 8, "optimizer": "adamw", "epochs": 1}
        for description in (path, table, {**table, "training": training}):
            with pytest.raises(InputError, match="float64") as refused:
                load_workload(description)
            assert "dtype" in str(refused.value)
            assert load_workload(description, overrides={"precision": "bf16_amp"}).training.precision == "bf16_amp"
        assert load_workload({**table, "training": {**training, "precision": "fp32"}}).training.precision == "fp32"


@pytest.mark.parametrize(
    ("stored", "assumed"),
    [
        ({}, "bf16_amp"),
        ({"dtype": "bfloat16"}, "bf16_amp"),
        ({"torch_dtype": "bfloat16"}, "bf16_amp"),
        ({"dtype": "float16"}, "fp16_amp"),
        ({"torch_dtype": "torch.float16"}, "fp16_amp"),
        ({"dtype": "float32"}, "bf16_amp"),
        ({"dtype": ["no", "type"]}, "bf16_amp"),
        ({"dtype": "import os"}, "bf16_amp"),
    ],
)
def test_a_bare_configuration_is_trained_as_its_weights_are_stored_and_in_bf16_otherwise(
    tmp_path: Path, stored: dict[str, object], assumed: str
) -> None:
    config = {"model_type": "llama", **stored}
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    for description in (path, {"name": "own", "model": {"source": "huggingface", "config": config}}):
        assert load_workload(description).training.precision == assumed


@pytest.mark.parametrize(
    ("stored", "overrides", "bits"),
    [
        ("bfloat16", {"trainable": "lora"}, 16),
        ("float16", {"trainable": "lora", "precision": "fp16_amp"}, 16),
        ("float32", {"trainable": "lora"}, None),
        ("", {"trainable": "lora"}, 16),
        ("bfloat16", {}, None),
        ("bfloat16", {"trainable": "lora", "quantization": "nf4"}, None),
        ("bfloat16", {"trainable": "lora", "precision": "fp32"}, None),
    ],
)
def test_weights_that_adapters_leave_frozen_are_assumed_as_a_checkpoint_stores_them(
    tmp_path: Path, stored: str, overrides: dict[str, object], bits: int | None
) -> None:
    path = tmp_path / "config.json"
    path.write_text(f'{{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "dtype": "{stored}"}}')
    workload = load_workload(path, overrides=overrides)
    assert workload.training.weights_bits == bits
    reason = assumed_reason(workload)
    assert reason is not None
    assert ("frozen weights of 16 bits" in say(reason, "en")) is (bits is not None)
    assert ("冻结权重 16 位" in say(reason, "zh")) is (bits is not None)
