"""A configuration is built as the class that it names, with every kind of input that the class takes."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import transformers
from torch._subclasses.fake_tensor import FakeTensorMode

from advisor.core.errors import InputError
from advisor.core.sentences import SaidError, say
from advisor.worker.models.huggingface.model_class import model_class
from advisor.worker.models.load_model import load
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.workload_file import load_workload

SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
MAE = {
    "model_type": "vit_mae", **SMALL, "image_size": 32, "patch_size": 8, "decoder_hidden_size": 16,
    "decoder_num_hidden_layers": 1, "decoder_num_attention_heads": 2, "decoder_intermediate_size": 32,
}  # fmt: skip
WHISPER = {
    "model_type": "whisper", "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2,
    "decoder_attention_heads": 2, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "vocab_size": 100,
    "max_source_positions": 50, "max_target_positions": 40, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    "decoder_start_token_id": 1,
}  # fmt: skip


def parameter_count(config: dict[str, Any]) -> int:
    workload = load_workload({"name": "own", "model": {"source": "huggingface", "config": config}})
    return trace(subject_of(workload, "fp32"), "fp32", checked=False).parameter_count


def count_of(class_: Any, config: dict[str, Any]) -> int:
    known = transformers.AutoConfig.for_model(**config)
    return sum(parameter.numel() for parameter in class_(known).parameters())


def test_a_named_class_is_built_whole() -> None:
    whole = count_of(transformers.ViTMAEForPreTraining, MAE)
    assert parameter_count({**MAE, "architectures": ["ViTMAEForPreTraining"]}) == whole
    assert parameter_count(MAE) == count_of(transformers.ViTMAEModel, MAE) < whole


@pytest.mark.parametrize(
    ("named", "task", "said"),
    [
        ({}, None, ["workload-no-head"]),
        ({"architectures": ["ViTMAEModel"]}, None, []),
        ({"architectures": ["ViTMAEForPreTraining"]}, None, []),
        ({}, "base", []),
    ],
)
def test_a_body_without_a_head_is_said_to_be_one_where_nobody_asked_for_it(
    named: dict[str, Any], task: str | None, said: list[str]
) -> None:
    model = {"source": "huggingface", "config": {**MAE, **named}, **({} if task is None else {"task": task})}
    subject = subject_of(load_workload({"name": "own", "model": model}), "fp32")
    trace(subject, "fp32", checked=False)
    notes = [note for note in subject.notes or [] if note.code == "workload-no-head"]
    assert [note.code for note in notes] == said
    for note in notes:
        assert "its base class `ViTMAEModel` is predicted" in say(note, "en")
        assert "`ViTMAEForPreTraining`" in say(note, "zh")


def test_a_class_that_the_library_lacks_is_refused_or_said_to_be_another() -> None:
    with pytest.raises(SaidError, match="no class `ViTMAEForNonsense`") as refused:
        parameter_count({**MAE, "architectures": ["ViTMAEForNonsense"]})
    assert "没有 `architectures` 所指的类 `ViTMAEForNonsense`（类型 `vit_mae`）。" in say(refused.value.statement, "zh")
    config = {"model_type": "bert", **SMALL, "vocab_size": 50, "architectures": ["BertOfMineForSequenceClassification"]}
    subject = subject_of(load_workload({"name": "own", "model": {"source": "huggingface", "config": config}}), "fp32")
    trace(subject, "fp32", checked=False)
    said = [say(note, "en") for note in subject.notes or []]
    assert ["`BertForSequenceClassification` is predicted in its place" in one for one in said] == [True]


def test_a_model_that_the_library_runs_part_by_part_is_refused_by_the_class_that_lacks_a_forward() -> None:
    sizes = {"hidden_size": 32, "num_layers": 1, "num_heads": 2, "block_size": 16}
    parts = {f"{name}_config": sizes for name in ("semantic", "coarse_acoustics", "fine_acoustics")}
    with pytest.raises(SaidError, match="`BarkModel` has no forward pass") as refused:
        parameter_count({"model_type": "bark", **parts})
    assert "它的类 `BarkModel` 没有可构成训练步的前向计算" in say(refused.value.statement, "zh")


def test_a_decoder_beside_sound_gets_words() -> None:
    assert parameter_count(WHISPER) == count_of(transformers.WhisperModel, WHISPER)


def test_a_model_of_parts_gets_pictures_of_its_own_size() -> None:
    config: dict[str, Any] = {
        "model_type": "sam",
        "vision_config": {
            "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 64, "patch_size": 16,
            "mlp_dim": 64, "output_channels": 256, "global_attn_indexes": [1], "window_size": 2,
        },
        "prompt_encoder_config": {"image_size": 64, "patch_size": 16},
    }  # fmt: skip
    assert parameter_count(config) == count_of(transformers.SamModel, config)


TEXT: dict[str, Any] = {
    **SMALL, "num_key_value_heads": 1, "vocab_size": 200, "rope_theta": 1000.0,
    "rope_scaling": {"rope_type": "default", "mrope_section": [2, 3, 3]},
}  # fmt: skip
PICTURES: dict[str, Any] = {
    "model_type": "qwen2_vl", "image_token_id": 190, "video_token_id": 191, "vision_start_token_id": 192,
    "vision_end_token_id": 193,
    "vision_config": {"depth": 2, "embed_dim": 32, "hidden_size": 32, "num_heads": 2, "mlp_ratio": 2, "patch_size": 14},
}  # fmt: skip


def test_sizes_of_the_text_part_count_where_older_files_have_them() -> None:
    inside = {**PICTURES, "text_config": {**TEXT, "rope_parameters": {**TEXT["rope_scaling"], "rope_theta": 1000.0}}}
    whole = count_of(transformers.Qwen2VLModel, inside)
    assert parameter_count(inside) == whole
    assert parameter_count({**PICTURES, **TEXT}) == whole


@pytest.mark.parametrize(
    ("config", "key", "size"),
    [
        ({"model_type": "qwen3_moe", **SMALL, "num_experts": 8, "num_key_value_heads": 1}, "head_dim", 64),
        ({"model_type": "bloom", "n_layer": 2, "n_head": 2}, "n_embed", 32),
    ],
    ids=["qwen3_moe", "bloom"],
)
def test_a_size_counts_that_its_class_takes_without_declaring_it(config: dict[str, Any], key: str, size: int) -> None:
    config = {**config, "vocab_size": 200}
    class_ = transformers.MODEL_MAPPING[transformers.CONFIG_MAPPING[config["model_type"]]]
    assert parameter_count({**config, key: size}) == count_of(class_, {**config, key: size})
    assert parameter_count({**config, key: 2 * size}) > parameter_count({**config, key: size})


def test_no_word_by_chance_stands_for_a_picture() -> None:
    workload = load_workload({"name": "own", "model": {"source": "huggingface", "config": {**PICTURES, **TEXT}}})
    subject = subject_of(workload, "fp32")
    subject.build()
    batch = subject.make_batch(64)
    words = batch["input_ids"]
    assert (words == 190).sum(dim=1).unique().numel() == 1  # those of each sample's own picture
    assert not torch.isin(words, torch.tensor([191, 192, 193])).any()
    assert len(words.unique()) > 150


def test_sizes_that_a_class_leaves_aside_are_refused() -> None:
    with pytest.raises(SaidError, match="clip takes no `hidden_size` beside its parts") as refused:
        parameter_count({"model_type": "clip", **SMALL})
    assert "text_config" in say(refused.value.statement, "zh")


@pytest.mark.parametrize(
    ("typed", "meant"), [("hidden_sise", "hidden_size"), ("num_hiden_layers", "num_hidden_layers")]
)
def test_a_mistyped_size_is_refused_before_another_model_is_built(typed: str, meant: str) -> None:
    config = {key: value for key, value in SMALL.items() if key != meant}
    with pytest.raises(SaidError, match=f"bert knows no `{typed}`") as refused:
        parameter_count({"model_type": "bert", **config, typed: 2})
    assert refused.value.remedy == f"Did you mean `{meant}`?"


def test_numbers_of_a_file_that_a_class_has_no_use_for_do_no_harm() -> None:
    further = {"n_ctx": 1024, "pooler_hidden_size": 32, "gap_size": 0, "_num_labels": 5, "layer_norm_epsilon": 1e-6}
    config = {"model_type": "bert", **SMALL, "vocab_size": 50}
    assert parameter_count({**config, **further}) == parameter_count(config)


def test_a_part_of_a_model_is_refused_as_one() -> None:
    with pytest.raises(InputError, match="a part of another model"):
        parameter_count({"model_type": "sam_mask_decoder"})


@pytest.mark.parametrize("model_type", ["dinat", "layoutlmv2"])  # both need a library that wraps CUDA kernels
def test_a_library_that_is_missing_is_named_and_not_blamed_on_the_configuration(model_type: str) -> None:
    workload = load_workload(
        {"name": "wanting", "model": {"source": "huggingface", "config": {"model_type": model_type}}}
    )
    with FakeTensorMode(), pytest.raises(InputError, match=r"requires the .* library") as raised:
        load(workload)
    assert "Install it in the environment" in raised.value.text
    assert "Correct the configuration" not in raised.value.text


def test_a_class_that_the_library_lists_and_does_not_have_is_looked_for_elsewhere() -> None:
    config = transformers.CONFIG_MAPPING["voxtral_realtime_text"]()
    with pytest.raises(ValueError, match="Could not find"):
        transformers.AutoModel._model_mapping[type(config)]
    assert model_class(config, "base", asked=False).config_class is type(config)


@pytest.mark.parametrize("model_type", ["llama4", "qwen3_5"])
def test_a_class_for_the_text_alone_is_built_from_the_texts_part_as_the_library_does(model_type: str) -> None:
    text = {**SMALL, "vocab_size": 128, "num_key_value_heads": 2, "head_dim": 16}
    model = {
        "source": "huggingface",
        "task": "causal-lm",
        "config": {"model_type": model_type, "text_config": text},
    }
    data, training = {"samples": 10, "sequence_length": 16}, {"batch_size": 1, "precision": "bf16_true"}
    loaded = load(load_workload({"name": "text", "model": model, "data": data, "training": training}))
    outer = transformers.AutoConfig.for_model(model_type, text_config=text)
    with torch.device("meta"):
        whole = transformers.AutoModelForCausalLM.from_config(outer)  # type: ignore[no-untyped-call]
    assert type(loaded.module) is type(whole)
    assert sum(one.numel() for one in loaded.module.parameters()) == sum(one.numel() for one in whole.parameters())
    assert "workload-text-only" in [note.code for note in loaded.notes]


@pytest.mark.parametrize(
    ("config", "sides"),
    [
        ({"model_type": "yolos", **SMALL}, (512, 864)),
        ({"model_type": "efficientnet", "width_coefficient": 0.2, "depth_coefficient": 0.2}, (600, 600)),
        ({"model_type": "efficientnet", "width_coefficient": 0.2, "depth_coefficient": 0.2, "image_size": 96}, None),
        ({"model_type": "vit", **SMALL}, None),
        (MAE, None),
    ],
)
def test_a_side_that_only_the_class_knows_is_told_where_another_was_assumed(
    config: dict[str, Any], sides: tuple[int, int] | None
) -> None:
    loaded = load(load_workload({"name": "own", "model": {"source": "huggingface", "config": config}}))
    notes = [note for note in loaded.notes if note.code == "workload-own-side"]
    assert [(note.numbers["height"], note.numbers["width"]) for note in notes] == ([sides] if sides else [])
    pictures = loaded.make_batch(2)["pixel_values"]  # type: ignore[call-overload]
    assert sides is None or tuple(pictures.shape[-2:]) == sides
