"""Architectures of every kind that transformers builds take a step under fakes, and small ones a real step."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from advisor.worker.models.load_model import LoadedModel, _left_as_made, load
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload

TEXT = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48, "vocab_size": 64}
DECODER = {**TEXT, "num_key_value_heads": 1, "max_position_embeddings": 64}
SPEECH = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48, "vocab_size": 20,
    "conv_dim": [16, 16], "conv_stride": [5, 4], "conv_kernel": [10, 8], "num_conv_pos_embeddings": 8,
    "num_conv_pos_embedding_groups": 2, "num_feat_extract_layers": 2,
}  # fmt: skip
SEQ2SEQ = {
    "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2, "decoder_attention_heads": 2,
    "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "vocab_size": 64, "max_position_embeddings": 64,
}  # fmt: skip
SIZES: dict[str, tuple[str, dict[str, Any], dict[str, int]]] = {
    "bert": ("masked-lm", {**TEXT, "max_position_embeddings": 64}, {"sequence_length": 12}),
    "roberta": ("token-classification", {**TEXT, "max_position_embeddings": 64}, {"sequence_length": 12}),
    "distilbert": (
        "question-answering",
        {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 48, "vocab_size": 64},
        {"sequence_length": 12},
    ),
    "deberta-v2": ("sequence-classification", TEXT, {"sequence_length": 12}),
    "llama": ("causal-lm", DECODER, {"sequence_length": 12}),
    "qwen2": ("sequence-classification", DECODER, {"sequence_length": 12}),
    "gemma2": ("causal-lm", {**DECODER, "head_dim": 16}, {"sequence_length": 12}),
    "mixtral": ("causal-lm", {**DECODER, "num_local_experts": 4, "num_experts_per_tok": 2}, {"sequence_length": 12}),
    "t5": (
        "seq2seq-lm",
        {"d_model": 32, "d_ff": 48, "d_kv": 16, "num_layers": 2, "num_heads": 2, "vocab_size": 64},
        {"sequence_length": 12},
    ),
    "bart": ("seq2seq-lm", SEQ2SEQ, {"sequence_length": 12}),
    "vit": (
        "image-classification",
        {**TEXT, "image_size": 32, "patch_size": 8, "num_labels": 5},
        {"image_size": 32},
    ),
    "swin": (
        "image-classification",
        {"embed_dim": 16, "depths": [1, 1], "num_heads": [1, 2], "window_size": 4, "patch_size": 4, "image_size": 32},
        {"image_size": 32},
    ),
    "convnext": (
        "image-classification",
        {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1]},
        {"image_size": 32},
    ),
    "segformer": (
        "semantic-segmentation",
        {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "num_attention_heads": [1, 1, 1, 1]},
        {"image_size": 64},
    ),
    "wav2vec2": ("ctc", SPEECH, {"sequence_length": 4000}),
    "hubert": ("speech-classification", SPEECH, {"sequence_length": 4000}),
    "whisper": (
        "speech-seq2seq",
        {**SEQ2SEQ, "max_source_positions": 30, "max_target_positions": 40, "pad_token_id": 0,
         "decoder_start_token_id": 1, "bos_token_id": 1, "eos_token_id": 2},
        {"sequence_length": 10},
    ),
    "clip": (
        "base",
        {
            "text_config": {**TEXT, "max_position_embeddings": 16, "eos_token_id": 63},
            "vision_config": {**TEXT, "image_size": 32, "patch_size": 8},
        },
        {"sequence_length": 12},
    ),
}  # fmt: skip


MADE_IN_FP32: dict[str, tuple[str, dict[str, Any], dict[str, int]]] = {
    "deberta": ("sequence-classification", {**TEXT, "pos_att_type": ["c2p"]}, {"sequence_length": 12}),
    "xlnet": (
        "sequence-classification",
        {"d_model": 32, "n_layer": 2, "n_head": 2, "d_inner": 48, "vocab_size": 64},
        {"sequence_length": 12},
    ),
}
"""Their classes make some parameters in FP32 whatever type was asked for."""


def small(model_type: str, precision: str = "fp32") -> Workload:
    task, sizes, data = (SIZES | MADE_IN_FP32)[model_type]
    config = {"model_type": model_type, **sizes}
    return load_workload(
        {
            "name": model_type,
            "model": {"source": "huggingface", "config": config, "task": task},
            "data": {"samples": 10, **data},
            "training": {"precision": precision, "batch_size": 2},
        }
    )


def loss_of(model: LoadedModel) -> torch.Tensor:
    loss = model.loss(model.module, model.make_batch(2))
    torch.autograd.backward([loss])
    return loss.detach()


@pytest.mark.parametrize("model_type", SIZES)
def test_an_architecture_takes_a_real_step_and_the_same_one_under_fakes(model_type: str) -> None:
    workload = small(model_type)
    real = load(workload)
    assert math.isfinite(float(loss_of(real)))
    with FakeTensorMode():
        fake = load(workload)
        assert loss_of(fake).shape == ()
    shapes = [(name, tuple(parameter.shape)) for name, parameter in real.module.named_parameters()]
    assert shapes == [(name, tuple(parameter.shape)) for name, parameter in fake.module.named_parameters()]


@pytest.mark.parametrize("model_type", ["bert", "llama", "vit", "t5", *MADE_IN_FP32])
def test_half_weights_are_half_as_the_library_loads_them_and_take_a_step(model_type: str) -> None:
    model = load(small(model_type, "bf16"))
    assert {parameter.dtype for parameter in model.module.parameters()} == {torch.bfloat16}
    assert math.isfinite(float(loss_of(model)))


class KeepsItsNorm(nn.Module):
    """As a class of transformers that names what is to stay in FP32."""

    _keep_in_fp32_modules = ("norm",)

    def __init__(self) -> None:
        super().__init__()
        self.body, self.norm = nn.Linear(4, 4), nn.BatchNorm1d(4)


def test_what_a_class_names_and_all_buffers_are_left_in_full() -> None:
    module = KeepsItsNorm()
    left = _left_as_made(module)
    assert {name for name, tensor in module.state_dict(keep_vars=True).items() if id(tensor) in left} == {
        "norm.weight", "norm.bias", "norm.running_mean", "norm.running_var", "norm.num_batches_tracked",
    }  # fmt: skip
